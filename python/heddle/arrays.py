"""Arrays on the device, and what a kernel may be given as an array."""
import math
import struct

from ._library import HeddleError, whole

# Element types by the names of launch files; the formats are those of the modules struct and array.
_FORMATS = {'i8': 'b', 'u8': 'B', 'i16': 'h', 'u16': 'H', 'i32': 'i', 'u32': 'I', 'i64': 'q', 'u64': 'Q', 'f16': 'e',
            'f32': 'f', 'f64': 'd'}
_NUMPY = {'i': 'int', 'u': 'uint', 'f': 'float'}


def _type_of_format(text):
    """The name of a buffer's format, such as '<f' or 'l'; None: no plain number."""
    kind = text.lstrip('@=<|')
    if kind in ('l', 'L'):
        kind = {'l': 'q', 'L': 'Q'}[kind] if struct.calcsize(text) == 8 else kind.replace('l', 'i').replace('L', 'I')
    if kind in ('c', '?'):
        kind = 'B'
    return next((name for name, code in _FORMATS.items() if code == kind), None)


def type_name(dtype):
    """'f32' for 'f32', 'float32', numpy.float32, numpy.dtype('f4') or 'f'."""
    if isinstance(dtype, str) and dtype in _FORMATS:
        return dtype
    text = getattr(dtype, 'name', None) or getattr(dtype, '__name__', None) or str(dtype)
    for name, code in _FORMATS.items():
        if text in (_NUMPY[name[0]] + name[1:], code):
            return name
    if text in ('bool', 'bool_'):
        return 'u8'
    raise HeddleError(f"no element type '{text}'; there are {', '.join(_FORMATS)} and NumPy's names of them")


def view_of(values):
    """Bytes, element type, shape and whether they may be written; None where it is no array."""
    try:
        view = memoryview(values)
    except TypeError:
        return None
    name = _type_of_format(view.format)
    if not name:
        raise HeddleError(f"an array of format '{view.format}' has no plain numbers as elements")
    if not view.c_contiguous:
        raise HeddleError('the array is not contiguous; numpy.ascontiguousarray makes a copy that is')
    if not view.nbytes:
        raise HeddleError('the array is empty')
    return view, name, tuple(view.shape), not view.readonly


def shape_of(shape):
    """A tuple of lengths; one may be given alone."""
    try:
        lengths = tuple(shape)
    except TypeError:  # no sequence
        lengths = (shape,)
    try:
        return tuple(whole(length, 'a length', 1, 2 ** 63) for length in lengths)
    except HeddleError:
        raise HeddleError(f'a shape has positive numbers, not {shape!r}') from None


# Elements of C's types; others, such as __half and structures, take any array.
_C_TYPES = {'char': 'i1', 'signed char': 'i1', 'short': 'i2', 'unsigned short': 'i2', 'int': 'i4', 'unsigned int': 'i4',
            'long': 'i8', 'unsigned long': 'i8', 'long long': 'i8', 'unsigned long long': 'i8', 'size_t': 'i8',
            'float': 'f4', 'double': 'f8', **{f'{sign}int{bits}_t': f'i{bits // 8}' for sign in ('', 'u') for bits in
                                              (8, 16, 32, 64)}}


def check_pointer(pointer, name):
    """Whether a parameter such as 'const float *' may point to elements of this type. Bytes (u8) are any memory."""
    words = pointer.replace('*', ' * ').split()
    pointed = ' '.join(word for word in words if word not in ('const', 'volatile', '__restrict', '*'))
    known = _C_TYPES.get(pointed) if words.count('*') == 1 else None
    given = ('f' if name[0] == 'f' else 'i') + str(int(name[1:]) // 8)
    if name != 'u8' and known and known != given:
        raise HeddleError(f'an array of {name} was given, and the kernel takes {pointed}')


class In:
    """An array that a kernel only reads: nothing is copied back."""

    def __init__(self, values):
        self.values = values


class Out:
    """An array that a kernel writes as a whole: nothing is copied to the device, where it is zero."""

    def __init__(self, values):
        self.values = values


class DeviceArray:
    """Device memory with a type and a shape. It is freed with the object, or by free()."""

    def __init__(self, session, shape, dtype):
        self._session = session
        self.address = None
        self.type = type_name(dtype)
        self.shape = shape_of(shape)
        self.size = math.prod(self.shape)
        self.nbytes = self.size * struct.calcsize(_FORMATS[self.type])
        self.address = session.malloc(self.nbytes)

    def __repr__(self):
        return f'<heddle.DeviceArray {self.type} {self.shape} at {self.address:#x}>'

    def __len__(self):
        return self.shape[0]

    def __del__(self):
        if self.address is not None:
            self.free()

    def free(self):
        address, self.address = self.address, None
        if address is not None and self._session.alive:
            self._session.release(address)

    def _place(self):
        if self.address is None:
            raise HeddleError('the array was freed')
        return self.address

    def copy_from(self, values):
        """Copies an array of the host with as many elements of the type to the device."""
        found = view_of(values)
        if not found:
            raise HeddleError(f'{type(values).__name__} is no array')
        view, name, _, _ = found
        if (name, view.nbytes) != (self.type, self.nbytes):
            raise HeddleError(f'{view.nbytes} bytes of {name} do not fit {self.nbytes} of {self.type}')
        self._session.write(self._place(), view)
        return self

    def copy_to(self, values):
        """Copies to an array of the host with as many elements of the type."""
        found = view_of(values)
        if not found or not found[3]:
            raise HeddleError('copy_to needs an array that can be written')
        view, name, _, _ = found
        if (name, view.nbytes) != (self.type, self.nbytes):
            raise HeddleError(f'{self.nbytes} bytes of {self.type} do not fit {view.nbytes} of {name}')
        self._session.read(self._place(), view)
        return values

    def tobytes(self):
        data = bytearray(self.nbytes)
        self._session.read(self._place(), memoryview(data))
        return bytes(data)

    def tolist(self):
        """The elements as nested lists."""
        flat = list(struct.unpack(f'<{self.size}{_FORMATS[self.type]}', self.tobytes()))
        for length in reversed(self.shape[1:]):
            flat = [flat[i:i + length] for i in range(0, len(flat), length)]
        return flat

    def numpy(self):
        """The elements as a numpy.ndarray."""
        import numpy
        name = _NUMPY[self.type[0]] + self.type[1:]
        return numpy.frombuffer(bytearray(self.tobytes()), dtype=name).reshape(self.shape)
