"""A simulated GPU, its modules and kernels."""
import ctypes
import json
import os
import struct
import threading
import warnings
import weakref
from dataclasses import dataclass

from . import arrays, compiling, statistics
from ._library import HeddleError, library, text_of, whole


def _drop(library, handle):
    """The end of a session that was not closed: nobody is there to catch an error."""
    if library.end(handle) < 0:
        warnings.warn(library.error(handle).decode(errors='replace'))
    library.free(handle)


class Session:
    """One hd_session; every failure is a HeddleError."""

    def __init__(self, options):
        self._library = library()
        self._handle = self._library.new()
        # Also when the interpreter ends, before objects that lie in the session's memory go.
        self._end = weakref.finalize(self, _drop, self._library, self._handle)
        for name, value in options:
            self._check(self._library.option(self._handle, text_of(name, 'an option'), text_of(value, name)))
        self._check(self._library.start(self._handle))
        self.submitted = 0  # launches that have not run
        self._seen = 0  # launches that a call or a wait has returned
        self._tell()

    def _check(self, status):
        if isinstance(status, int) and status < 0 or status is None:
            raise HeddleError(self._library.error(self._handle).decode(errors='replace'))
        return status

    def _tell(self):
        text = self._library.messages(self._handle).decode(errors='replace')
        if text:
            warnings.warn(text, stacklevel=4)

    @property
    def alive(self):
        return self._end.alive

    def _live(self):
        if not self.alive:
            raise HeddleError('the GPU was closed')
        return self._handle

    def close(self):
        if not self._end.detach():
            return
        try:
            self._check(self._library.end(self._handle))
            self._tell()
        finally:
            self._library.free(self._handle)

    def load(self, data, name):
        if self.submitted:
            self.wait()  # the library would, without Ctrl-C
        return self._check(self._library.load(self._live(), data, len(data), text_of(name, 'a name')))

    def metadata(self, module):
        return json.loads(self._check(self._library.metadata(self._live(), module)))

    def kernel(self, module, name):
        return self._check(self._library.kernel(self._live(), module, text_of(name, 'a kernel'))).decode()

    def symbol(self, module, name):
        address, size = ctypes.c_uint64(), ctypes.c_uint64()
        self._check(self._library.symbol(self._live(), module, text_of(name, 'a variable'), ctypes.byref(address),
                                         ctypes.byref(size)))
        return address.value, size.value

    def malloc(self, size):
        address = ctypes.c_uint64()
        self._check(self._library.malloc(self._live(), whole(size, 'a size in bytes', 1, 2 ** 63), ctypes.byref(address)))
        return address.value

    def release(self, address):
        self._check(self._library.release(self._live(), address))

    def write(self, address, view):
        data = bytes(view) if view.readonly else (ctypes.c_char * view.nbytes).from_buffer(view)
        self._check(self._library.write(self._live(), address, ctypes.cast(data, ctypes.c_void_p), view.nbytes))

    def read(self, address, view):
        data = (ctypes.c_char * view.nbytes).from_buffer(view)
        self._check(self._library.read(self._live(), address, ctypes.cast(data, ctypes.c_void_p), view.nbytes))

    def fill(self, address, value, size):
        self._check(self._library.set(self._live(), address, value, size))

    def submit(self, module, kernel, grid, block, shared, cooperative, stream, priority, params):
        sizes = ctypes.c_uint32 * 3
        self._check(self._library.submit(self._live(), module, kernel.encode(), sizes(*grid), sizes(*block), shared,
                                         cooperative, stream, priority, params, len(params)))
        self.submitted += 1

    def wait(self):
        """Runs what was submitted. The main thread stays free for Ctrl-C, which ends the launch."""
        handle, status = self._live(), []
        self.submitted = 0  # whatever comes: a fault ends all
        if threading.current_thread() is not threading.main_thread():
            status.append(self._library.wait(handle))
        else:
            done = threading.Event()  # Thread.join() takes the thread for ended when a signal comes

            def work():
                status.append(self._library.wait(handle))
                done.set()
            worker = threading.Thread(target=work)
            worker.start()
            try:
                done.wait()
            except BaseException:
                while not done.is_set():
                    try:
                        self._library.interrupt(handle)
                        done.wait(0.05)
                    except KeyboardInterrupt:  # another one: the launch has to end before the session can
                        pass
                raise
        self._check(status[0])
        self._tell()

    def interrupt(self):
        if self.alive:
            self._library.interrupt(self._handle)

    def output(self):
        size = ctypes.c_size_t()
        return ctypes.string_at(self._library.output(self._live(), ctypes.byref(size)), size.value)

    def launch_count(self):
        return self._library.launches(self._live())

    def ended(self):
        """The launches that have ended since the last call."""
        first, self._seen = self._seen, self.launch_count()
        return [self.launch(index) for index in range(first, self._seen)]

    def launch(self, index):
        return json.loads(self._check(self._library.launch(self._live(), index)))

    def statistics(self):
        return json.loads(self._check(self._library.statistics(self._live())))

    def findings(self):
        places = self._check(self._library.findings(self._live()))
        self._tell()
        return places


def _text(value):
    return ('yes' if value else 'no') if isinstance(value, bool) else os.fsdecode(value) if hasattr(value, '__fspath__') \
        else str(value)


class GPU:
    """A GPU with one policy. `settings` are keys of the configuration; further options are those of `heddle run`:
    verify, functional, check, out_of_bounds, sampling, threads, max_cycles, watchdog, sample, heap_bytes, corun_cycles,
    profile, slots, ideal, timeline, kanata, timeline_name, timeline_only."""

    def __init__(self, name='v100', policy='baseline', settings=None, **options):
        pairs = [('gpu', _text(name)), ('policy', _text(policy))]
        if settings is not None and not hasattr(settings, 'items'):
            raise HeddleError(f'settings is a dictionary of keys, not {settings!r}')
        pairs += [('set', f'{key}={_text(value)}') for key, value in (settings or {}).items()]
        pairs += [(key, _text(value)) for key, value in options.items() if value is not None]
        self._session = Session(pairs)
        self.name, self.policy = _text(name), _text(policy)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            self.close()
        except HeddleError as error:
            if kind is None:
                raise
            warnings.warn(str(error))  # the exception that comes through says more

    def __repr__(self):
        return f'<heddle.GPU {self.name}, {self.policy}>'

    def close(self):
        """Writes the files of `timeline` and `kanata`, and frees the simulator. Launches and statistics that were read
        stay."""
        self._session.close()

    def compile(self, path=None, *, source=None, options=()):
        """Compiles a CUDA file, or a text, for this GPU, and loads it."""
        config = self._session.statistics()['config']
        capability = 10 * config['compute_major'] + config['compute_minor']
        data = compiling.compile(path, source=source, options=options, arch=f'sm_{max(70, capability)}')
        return Module(self._session, data, 'source' if path is None else os.fspath(path))

    def load(self, path):
        """Loads a kernel object: a path, or its bytes."""
        if isinstance(path, (bytes, bytearray, memoryview)):
            return Module(self._session, bytes(path), 'object')
        path = os.fsdecode(text_of(path, 'a path'))
        try:
            with open(path, 'rb') as file:
                data = file.read()
        except OSError as error:
            raise HeddleError(f'cannot read {path}: {error.strerror}') from None
        return Module(self._session, data, path)

    def array(self, values):
        """A copy of an array on the device."""
        found = arrays.view_of(values)
        if not found:
            raise HeddleError(f'{type(values).__name__} is no array (array.array and numpy.array make one)')
        return arrays.DeviceArray(self._session, found[2], found[1]).copy_from(values)

    def zeros(self, shape, dtype='f32'):
        """Zeros on the device. The type is one of i8 to u64, f16, f32, f64, or NumPy's."""
        result = arrays.DeviceArray(self._session, shape, dtype)
        self._session.fill(result.address, 0, result.nbytes)
        return result

    def empty(self, shape, dtype='f32'):
        """Device memory that nothing has written; with check='init' its use is found."""
        return arrays.DeviceArray(self._session, shape, dtype)

    def wait(self):
        """Runs launches that were submitted; returns those that have ended since the last wait, as a list of Launch."""
        self._session.wait()
        return [statistics.launch_of(launch) for launch in self._session.ended()]

    def output(self):
        """What kernels printed since the last call, as bytes."""
        return self._session.output()

    def findings(self):
        """With check=...: how many places have findings. Each was a warning after its launch. With check='leak', the first
        call looks for memory that is not freed yet, and no later one does: it belongs at the program's end."""
        return self._session.findings()

    @property
    def launches(self):
        """All launches that have ended."""
        return [statistics.launch_of(self._session.launch(i)) for i in range(self._session.launch_count())]

    @property
    def statistics(self):
        """The figures of all launches together."""
        return statistics.statistics_of(self._session.statistics())


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel. kind: integer, float, pointer or aggregate."""
    name: str
    type: str
    kind: str
    offset: int
    bytes: int


class Module:
    """A loaded kernel object: module['name'] is a kernel, module.variable('name') a device variable."""

    def __init__(self, session, data, name):
        self._session, self.name = session, name
        self._number = session.load(data, name)
        self.metadata = session.metadata(self._number)
        self.kernels = {row['demangled']: Kernel(session, self._number, row) for row in self.metadata['kernels']}
        self._by_symbol = {kernel.symbol: kernel for kernel in self.kernels.values()}

    def __repr__(self):
        return f"<heddle.Module {self.name}: {', '.join(self.kernels)}>"

    def __getitem__(self, name):
        """A kernel by its name, with or without parameters."""
        return self._by_symbol[self._session.kernel(self._number, name)]

    def variable(self, name, dtype='u8'):
        """A device variable as an array of elements of a type."""
        return _Variable(self._session, *self._session.symbol(self._number, name), dtype)


class _Variable(arrays.DeviceArray):
    def __init__(self, session, address, size, dtype):  # its memory is the module's
        self._session, self.address, self.nbytes = session, address, size
        self.type = arrays.type_name(dtype)
        self.size, rest = divmod(size, struct.calcsize(arrays._FORMATS[self.type]))
        if rest:
            raise HeddleError(f'a variable of {size} bytes is no array of {self.type}')
        self.shape = (self.size,)

    def __del__(self):
        pass

    def free(self):
        raise HeddleError('a device variable is freed with its module')


def _sizes(value, what):
    try:
        sizes = tuple(value)
    except TypeError:  # no sequence
        sizes = (value,)
    if not 1 <= len(sizes) <= 3:
        raise HeddleError(f'{what} has one to three positive numbers, not {value!r}')
    try:
        return tuple(whole(size, what, 1, 2 ** 32) for size in sizes) + (1,) * (3 - len(sizes))
    except HeddleError:
        raise HeddleError(f'{what} has one to three positive numbers, not {value!r}') from None


class Kernel:
    """kernel(grid, block, *arguments) launches it and returns a Launch."""

    def __init__(self, session, module, function):
        self._session, self._module = session, module
        self.name, self.symbol = function['demangled'], function['name']
        self.metadata = function
        self.bytes = function['param_bytes']
        self.parameters = [Parameter(row['name'], row['type'], row['kind'], row['offset'], row['bytes'])
                           for row in function['params']]

    def __repr__(self):
        return f'<heddle.Kernel {self.name}>'

    def __call__(self, grid, block, *arguments, shared=0, cooperative=False):
        """Arrays of the host are copied to the device, and back if they can be written; In(x) and Out(x) save a copy."""
        if self._session.submitted:
            raise HeddleError('launches are submitted that have not run: GPU.wait() runs them')
        with _Arguments(self, arguments) as packed:
            self._submit(packed, grid, block, shared, cooperative, 0, 0)
            try:
                self._session.wait()
            finally:
                ended = self._session.ended()
            packed.copy_back()
        return statistics.launch_of(ended[-1])

    def submit(self, grid, block, *arguments, shared=0, stream=0, priority=0):
        """As a call, but GPU.wait() runs it, beside kernels of other streams. Arrays have to be DeviceArrays."""
        with _Arguments(self, arguments) as packed:
            if packed.copies:
                raise HeddleError('submit takes arrays of the device (GPU.array), not of the host')
            self._submit(packed, grid, block, shared, False, stream, priority)

    def _submit(self, packed, grid, block, shared, cooperative, stream, priority):
        self._session.submit(self._module, self.symbol, _sizes(grid, 'a grid'), _sizes(block, 'a block'),
                             whole(shared, 'shared', 0, 2 ** 32), bool(cooperative), whole(stream, 'stream', 0, 2 ** 64),
                             whole(priority, 'priority', -2 ** 31, 2 ** 31), bytes(packed.data))


def _span(view):
    """Where a writable buffer begins and ends in the host's memory."""
    begin = ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(view))
    return begin, begin + view.nbytes


class _Arguments:
    """The bytes of a kernel's parameters, and arrays of the host that have copies on the device meanwhile."""

    def __init__(self, kernel, values):
        self._session, self.copies, self._taken = kernel._session, [], []
        self.data = bytearray(kernel.bytes)
        if len(values) != len(kernel.parameters):
            raise HeddleError(f'{kernel.name} takes {len(kernel.parameters)} arguments, not {len(values)}')
        for index, (parameter, value) in enumerate(zip(kernel.parameters, values)):
            try:
                packed = self._pack(parameter, value)
            except (HeddleError, TypeError, ValueError, OverflowError, struct.error) as error:
                self.__exit__()
                raise HeddleError(f'{kernel.name}, argument {index} ({parameter.name or "?"} of type '
                                  f'{parameter.type}): {error}') from None
            self.data[parameter.offset:parameter.offset + parameter.bytes] = packed

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for copy, _ in self.copies:
            copy.free()

    def copy_back(self):
        for copy, target in self.copies:
            if target is not None:
                copy.copy_to(target)

    def _pack(self, parameter, value):
        if isinstance(value, arrays.DeviceArray):
            if value._session is not self._session:
                raise HeddleError('the array is on another GPU')
            if parameter.kind not in ('pointer', 'integer') or parameter.bytes != 8:
                raise HeddleError('an array on the device is an address, which needs a pointer')
            if parameter.kind == 'pointer':
                arrays.check_pointer(parameter.type, value.type)
            return struct.pack('<Q', value._place())
        if parameter.kind == 'pointer':
            return struct.pack('<Q', 0 if value is None else value if hasattr(value, '__index__') and
                               not hasattr(value, '__len__') else self._array(value, parameter.type))
        if parameter.kind == 'float':
            return struct.pack('<' + {2: 'e', 4: 'f', 8: 'd'}[parameter.bytes], float(value))
        if parameter.kind == 'integer':
            number = value.__index__() if hasattr(value, '__index__') else None
            if number is None:
                raise HeddleError(f'{value!r} is no integer')
            if not -2 ** (8 * parameter.bytes - 1) <= number < 2 ** (8 * parameter.bytes):
                raise HeddleError(f'{number} does not fit {parameter.bytes} bytes')
            return (number % 2 ** (8 * parameter.bytes)).to_bytes(parameter.bytes, 'little')
        data = bytes(value)
        if len(data) != parameter.bytes:
            raise HeddleError(f'{len(data)} bytes were given, and the structure has {parameter.bytes}')
        return data

    def _copy_of(self, view, value):
        """The copy of the same array for an earlier argument: with two of them, what one kernel wrote would be lost."""
        begin, end = _span(view)
        for other_begin, other_end, copy, is_out in self._taken:
            if begin >= other_end or other_begin >= end:
                continue
            if (begin, end) != (other_begin, other_end):
                raise HeddleError('it overlaps the array of an earlier argument')
            if is_out or isinstance(value, arrays.Out):
                raise HeddleError('an array that is Out can be one argument only')
            return copy
        return None

    def _array(self, value, pointer):
        values = value.values if isinstance(value, (arrays.In, arrays.Out)) else value
        found = arrays.view_of(values)
        if not found:
            raise HeddleError(f'{type(values).__name__} is no array')
        view, name, shape, writable = found
        arrays.check_pointer(pointer, name)
        if isinstance(value, arrays.Out) and not writable:
            raise HeddleError('Out needs an array that can be written')
        comes_back = writable and not isinstance(value, arrays.In)
        shared = self._copy_of(view, value) if comes_back and view.nbytes else None
        if shared:
            return shared.address
        copy = arrays.DeviceArray(self._session, shape, name)
        self.copies.append((copy, values if comes_back else None))
        if comes_back and view.nbytes:
            self._taken.append((*_span(view), copy, isinstance(value, arrays.Out)))
        if isinstance(value, arrays.Out):
            self._session.fill(copy.address, 0, copy.nbytes)
        else:
            self._session.write(copy.address, view)
        return copy.address
