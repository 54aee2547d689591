"""Calls heddle-cc: a CUDA source becomes a kernel object."""
import os
import subprocess
import tempfile

from ._library import HeddleError, home


class CompileError(HeddleError):
    """heddle-cc refused a source; the text is what it printed."""


def compile(path=None, *, source=None, options=(), arch=None):
    """The kernel object (bytes) of a file, or of a text given as `source`. `options` are heddle-cc's, as a list."""
    if (path is None) == (source is None):
        raise HeddleError('compile needs a path or source=TEXT')
    if isinstance(options, str):
        raise HeddleError(f"options is a list of words, not the text '{options}'")
    if source is not None and not isinstance(source, str):
        raise HeddleError(f'source is a text, not {type(source).__name__}')
    try:
        options = [os.fsdecode(word) for word in options]
        path = path if path is None else os.fsdecode(path)
    except TypeError as error:
        raise HeddleError(f'a path or an option of heddle-cc: {error}') from None
    program = os.path.join(home(), 'bin', 'heddle-cc')
    with tempfile.TemporaryDirectory(prefix='heddle-') as folder:
        target = os.path.join(folder, 'kernels.hdo')
        words = [program, '-cubin', '-o', target, *options]
        if arch and not any(word.startswith(('-arch', '-gencode', '--gpu-architecture')) for word in options):
            words.append(f'-arch={arch}')
        words += [path] if source is None else ['-x', 'cu', '-']
        try:
            done = subprocess.run(words, capture_output=True, text=True, errors='replace', input=source or '', check=False)
        except (OSError, ValueError) as error:
            raise CompileError(f'cannot run {program}: {getattr(error, "strerror", error)}') from None
        if done.returncode:
            raise CompileError((done.stderr + done.stdout).strip() or f'heddle-cc failed with status {done.returncode}')
        with open(target, 'rb') as file:
            return file.read()
