"""Finds Heddle's installation and calls libheddle-sim.so (heddle/session.h)."""
import ctypes
import operator
import os
import shutil

VERSION = 1  # HD_SESSION_VERSION
LIBRARY = os.path.join('lib', 'libheddle-sim.so')


class HeddleError(Exception):
    """Something that Heddle refuses, or a fault of a kernel; the text is the simulator's."""


def whole(value, what, least, end):
    """An integer of Python's or NumPy's that is at least `least` and below `end`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number < end:
        raise HeddleError(f'{what} is a number from {least} to {end - 1}, not {value!r}')
    return number


def text_of(value, what):
    """A text or path as the library takes it."""
    try:
        data = os.fsencode(value)
    except (TypeError, ValueError):
        data = None
    if data is None or b'\0' in data:
        raise HeddleError(f'{what} is a text, not {value!r}')
    return data


def _places():
    """Folders with bin, lib and share, most particular first: (why it was looked at, folder)."""
    here = os.path.dirname(os.path.realpath(__file__))
    if os.environ.get('HEDDLE_HOME'):
        yield 'HEDDLE_HOME', os.environ['HEDDLE_HOME']
        return
    yield 'the source tree', os.path.normpath(os.path.join(here, '..', '..', 'build'))
    yield 'the installation', os.path.normpath(os.path.join(here, '..', '..', '..', '..'))
    try:
        from ._place import HOME  # written by `pip install`
        yield 'where the package came from', HOME
    except ImportError:
        pass
    program = shutil.which('heddle')
    if program:
        yield 'the folder of the program heddle', os.path.normpath(os.path.join(os.path.realpath(program), '..', '..'))


def home():
    """The installation: a folder with bin, lib and share."""
    tried = []
    for why, folder in _places():
        if os.path.exists(os.path.join(folder, LIBRARY)):
            return folder
        tried.append(f'{folder} ({why})')
    raise HeddleError(f'{LIBRARY} is in none of: {", ".join(tried)}; set HEDDLE_HOME to the folder above it')


_POINTER, _TEXT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_U32, _U64, _INT = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int
_FUNCTIONS = {
    'version': (_U32,),
    'names': (_POINTER, _TEXT),
    'free_text': (None, _POINTER),
    'new': (_POINTER,),
    'end': (_INT, _POINTER),
    'free': (None, _POINTER),
    'option': (_INT, _POINTER, _TEXT, _TEXT),
    'start': (_INT, _POINTER),
    'error': (_TEXT, _POINTER),
    'messages': (_TEXT, _POINTER),
    'output': (_POINTER, _POINTER, ctypes.POINTER(_SIZE)),
    'load': (_INT, _POINTER, _TEXT, _SIZE, _TEXT),
    'metadata': (_TEXT, _POINTER, _INT),
    'kernel': (_TEXT, _POINTER, _INT, _TEXT),
    'symbol': (_INT, _POINTER, _INT, _TEXT, ctypes.POINTER(_U64), ctypes.POINTER(_U64)),
    'malloc': (_INT, _POINTER, _U64, ctypes.POINTER(_U64)),
    'release': (_INT, _POINTER, _U64),
    'write': (_INT, _POINTER, _U64, _POINTER, _U64),
    'read': (_INT, _POINTER, _U64, _POINTER, _U64),
    'set': (_INT, _POINTER, _U64, ctypes.c_uint8, _U64),
    'submit': (_INT, _POINTER, _INT, _TEXT, ctypes.POINTER(_U32), ctypes.POINTER(_U32), _U32, ctypes.c_bool, _U64, _INT,
               _TEXT, _U32),
    'wait': (_INT, _POINTER),
    'interrupt': (None, _POINTER),
    'launches': (_U32, _POINTER),
    'launch': (_TEXT, _POINTER, _U32),
    'statistics': (_TEXT, _POINTER),
    'findings': (_INT, _POINTER),
}


class Library:
    """The functions hd_session_NAME as attributes NAME."""

    def __init__(self, path):
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise HeddleError(f'cannot load {path}: {error}') from None
        for name, (result, *arguments) in _FUNCTIONS.items():
            try:
                function = getattr(library, f'hd_session_{name}')
            except AttributeError:
                raise HeddleError(f'{path} has no hd_session_{name}: it is of another version of Heddle') from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        if self.version() != VERSION:
            raise HeddleError(f'{path} has interface {self.version()}, and this package knows {VERSION}')

    def list(self, what):
        text = self.names(what.encode())
        names = ctypes.string_at(text).decode().split()
        self.free_text(text)
        return names


_loaded = {}


def library():
    path = os.path.join(home(), LIBRARY)
    if path not in _loaded:
        _loaded[path] = Library(path)
    return _loaded[path]


def gpus():
    """The names of modelled GPUs."""
    return library().list('gpus')


def policies():
    """The names of hardware designs."""
    return library().list('policies')
