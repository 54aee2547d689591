"""The build backend of `pip install python/` (PEP 517): packs the package's files into a wheel, with the folder of the
build or installation that they belong to. It needs nothing beside Python, so pip downloads nothing."""
import base64
import hashlib
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(HERE, 'heddle')


def _version():
    with open(os.path.join(PACKAGE, '__init__.py'), encoding='utf-8') as file:
        return re.search(r"__version__ = '(.*)'", file.read()).group(1)


def _home():
    """The folder with lib/libheddle-sim.so: a build tree's, or the installation's around share/heddle/python."""
    for folder in (os.path.join(HERE, '..', 'build'), os.path.join(HERE, '..', '..', '..')):
        if os.path.exists(os.path.join(folder, 'lib', 'libheddle-sim.so')):
            return os.path.realpath(folder)
    return None


def _sources():
    return sorted(name for name in os.listdir(PACKAGE) if name.endswith('.py') and name != '_place.py')


def _metadata():
    return (f'Metadata-Version: 2.1\nName: heddle\nVersion: {_version()}\n'
            "Summary: Heddle's simulated GPUs: compile CUDA kernels, launch them on arrays, read the figures\n"
            'Requires-Python: >=3.9\nProvides-Extra: tables\nRequires-Dist: pandas; extra == "tables"\n')


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, info = f'heddle-{_version()}-py3-none-any.whl', f'heddle-{_version()}.dist-info'
    files = {f'heddle/{source}': open(os.path.join(PACKAGE, source), 'rb').read() for source in _sources()}
    if _home():
        files['heddle/_place.py'] = f'HOME = {_home()!r}\n'.encode()
    files[f'{info}/METADATA'] = _metadata().encode()
    files[f'{info}/WHEEL'] = b'Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
    record = ''
    with zipfile.ZipFile(os.path.join(wheel_directory, name), 'w', zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
            record += f'{path},sha256={digest},{len(data)}\n'
        wheel.writestr(f'{info}/RECORD', record + f'{info}/RECORD,,\n')
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f'heddle-{_version()}'
    with tarfile.open(os.path.join(sdist_directory, f'{base}.tar.gz'), 'w:gz') as archive:
        for path in ['pyproject.toml', 'build_wheel/heddle_wheel.py', *(f'heddle/{source}' for source in _sources())]:
            archive.add(os.path.join(HERE, path), f'{base}/{path}')
    return f'{base}.tar.gz'
