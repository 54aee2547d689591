# lit's configuration for test/lit, test/e2e and test/golden. `make check` runs it;
# by hand: test/run test/lit/some-test.ll
#
# Substitutions: %heddle %heddle-cc %plugin %cudart %opt %llc %llvm-as %llvm-dis %clang %clang++
# %FileCheck %not %python %ptxas %nvlink %check-golden %examples %scripts %build, beside lit's own (%s %S %t %T);
# %heddle-cc-quick does not optimise the host half: for programs that a test runs for their kernels, which are the same;
# `%program{NAME}` is a program of test/programs.txt; `%sizes SOURCE` prints the sizes that tests run a program of examples/ with.
# LLVM 19's tools are also first on PATH, under their plain names.
# Features for REQUIRES and UNSUPPORTED: ptxas, nvlink (a CUDA toolkit is at hand), slurm (its daemons can run here: Debian's
# slurm-wlm and munge, as root), set-uid (programs of other users run here as theirs), valgrind, chromium, dpkg-shlibdeps, strace, mkdocs, ccache,
# numpy, locales (localedef and what it reads of de_DE), terminals (devpts), openmp-device (LLVM's device library for OpenMP), sanitize, long, plain
# (the build tree is build/, as the pages of docs/ have it).

import glob
import os
import pty
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(root, lit_config.params.get('B', 'build'))
llvm = subprocess.check_output(['llvm-config-' + os.environ.get('HEDDLE_LLVM', '19'), '--bindir'], text=True).strip()

config.name = 'heddle'
sys.path.append(os.path.join(root, 'test'))
import timed  # a module of its own: lit's workers look the class up by name
config.test_format = timed.TimedShTest(lit_config.params.get('seconds'), execute_external=True)
config.suffixes = ['.ll', '.test', '.cu']
config.excludes = ['unit', 'Inputs', 'bench', 'corpus']
config.test_source_root = os.path.join(root, 'test')
# Needs python3-psutil, to stop a test with all its children.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = int(lit_config.params.get('timeout', 600))
config.test_exec_root = os.path.join(build, 'test', 'out')  # also each test's working folder
config.environment['HEDDLE_LLVM'] = os.environ.get('HEDDLE_LLVM', '19')  # scripts of tests use its programs


toolkits = [home for home in (os.environ.get('CUDA_HOME'), os.environ.get('CUDA_PATH'), '/usr/local/cuda') if home]


def cuda_tool(name):
    beside = os.pathsep.join(os.path.join(home, 'bin') for home in toolkits)
    return shutil.which(name) or shutil.which(name, path=beside)


tools = {
    'heddle': os.path.join(build, 'bin', 'heddle'),
    'heddle-cc': os.path.join(build, 'bin', 'heddle-cc'),
    'plugin': os.path.join(build, 'lib', 'HeddlePasses.so'),
    'cudart': os.path.join(build, 'lib', 'libheddle-cudart.so'),
    'check-golden': os.path.join(root, 'test', 'golden', 'check-golden'),
    'examples': os.path.join(root, 'examples'),
    'scripts': os.path.join(root, 'scripts'),
    'build': build,
    'python': '/usr/bin/python3',
}
for name in ['llvm-remarkutil', 'opt', 'llc', 'llvm-as', 'llvm-dis', 'clang', 'clang++', 'FileCheck', 'not']:
    tools[name] = os.path.join(llvm, name)
for name in ['ptxas', 'nvlink']:
    path = cuda_tool(name)
    if path:
        tools[name] = path
        config.available_features.add(name)
for home in toolkits:
    headers = os.path.join(home, 'include')
    if os.path.isdir(os.path.join(headers, 'cccl', 'cub')) and 'toolkit-headers' not in tools:
        tools['toolkit-headers'] = headers
        config.available_features.add('toolkit-headers')
config.substitutions += [('%{root}', root), ('%{tree}', os.path.relpath(build, root))]
config.substitutions.append((r'%program\{([^}]+)\}', os.path.join(build, 'test', 'programs', r'\1')))
config.substitutions.append((r'%sizes(?![-+\w])', 'sh ' + os.path.join(root, 'test', 'e2e', 'Inputs', 'sizes.sh')))
config.substitutions.append((r'%heddle-cc-quick(?![-+\w])', tools['heddle-cc'] + ' -Xcompiler -O0'))
config.substitutions.append(('%{opt-viewer}', os.path.join(os.path.dirname(llvm), 'share', 'opt-viewer', 'opt-viewer.py')))
# A name ends where no further letter of a longer name follows: %heddle is not %heddle-cc.
for name, path in tools.items():
    config.substitutions.append(('%' + re.escape(name) + r'(?![-+\w])', path))

environment = config.environment
environment['PATH'] = os.pathsep.join([llvm, os.environ.get('PATH', '/usr/bin:/bin')])
environment['LC_ALL'] = 'C.UTF-8'
environment['HEDDLE_THREADS'] = '1' # tests run beside each other
environment['TMPDIR'] = os.path.join(build, 'test', 'tmp')
environment['XDG_CACHE_HOME'] = build # heddle-cc's precompiled headers, as make has them
for name in ['HEDDLE_UPDATE_GOLDEN', 'HEDDLE_LONG', 'HEDDLE_SOAK', 'HEDDLE_SARIF_SCHEMA']:
    if name in os.environ:
        environment[name] = os.environ[name]
# Tests that call make in this tree, or in a copy of it with what is built, must find it up to date: the same compilers.
with open(os.path.join(build, 'flags'), encoding='utf-8') as file:
    compilers = file.read().split(' | ')[:2]
environment['MAKEFLAGS'] = '-- ' + ' '.join(name + '=' + words.replace(' ', '\\ ')
                                             for name, words in zip(['CC', 'CXX'], compilers))
daemons = os.pathsep.join([os.environ.get('PATH', ''), '/usr/sbin', '/sbin'])
if os.getuid() == 0 and all(shutil.which(name, path=daemons) for name in ('munged', 'slurmctld', 'slurmd', 'sbatch')):
    config.available_features.add('slurm')


def set_uid_works():
    """Whether a program of another user runs as that one, and reads what is built here."""
    try:
        other = pwd.getpwnam('nobody').pw_uid
        with tempfile.TemporaryDirectory(dir=build) as folder:
            os.chmod(folder, 0o755)
            copy = shutil.copy(shutil.which('cat'), folder)
            os.chown(copy, other, -1)
            os.chmod(copy, 0o4755)
            library = os.path.join(build, 'lib', 'libheddle-cudart.so')
            read = subprocess.run([copy, library], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # As root everything could be read: `cat` of a file that only root may read tells the two apart.
            secret = os.path.join(folder, 'secret')
            os.close(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o400))
            refused = subprocess.run([copy, secret], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return read.returncode == 0 and refused.returncode != 0
    except (OSError, KeyError):
        return False


if os.getuid() == 0 and set_uid_works():
    config.available_features.add('set-uid')
for name in ('valgrind', 'chromium', 'dpkg-shlibdeps', 'strace', 'mkdocs', 'ccache'):
    if shutil.which(name):
        config.available_features.add(name)
if os.path.isdir('/usr/lib/python3/dist-packages/numpy'):  # of /usr/bin/python3
    config.available_features.add('numpy')
if glob.glob(os.path.join(os.path.dirname(llvm), 'lib', 'libomptarget-nvptx-sm_70.bc')):
    config.available_features.add('openmp-device')
if shutil.which('localedef') and os.path.exists('/usr/share/i18n/locales/de_DE'):
    config.available_features.add('locales')
try:
    for end in pty.openpty():
        os.close(end)
    config.available_features.add('terminals')
except OSError:  # /dev has no devpts
    pass
if shutil.which('mpicxx') and shutil.which('mpirun'):
    config.available_features.add('mpi')
if 'HEDDLE_LONG' in os.environ:
    config.available_features.add('long')
for folder, _, names in os.walk(os.path.join(root, 'test')):
    for path in (os.path.join(folder, name) for name in names if os.path.splitext(name)[0].endswith('-long')):
        with open(path, encoding='utf-8', errors='replace') as file:
            if not re.search(r'REQUIRES: .*\blong\b', file.read()):
                lit_config.fatal(f'{path}: no line "REQUIRES: long", without which it runs each time')
if os.path.relpath(build, root) == 'build':
    config.available_features.add('plain')

if lit_config.params.get('sanitize'):
    config.available_features.add('sanitize')
    # opt, clang and compiled CUDA programs are not instrumented, the libraries that they load
    # are: the runtime has to be there first. Leaks of those programs are not ours to report.
    # Aborting keeps `not` and exit statuses 1 and 2 from hiding what a sanitizer found.
    library = 'tsan' if lit_config.params['sanitize'] == 'thread' else 'asan'
    runtime = subprocess.check_output(
        [os.path.join(llvm, 'clang'), f'-print-file-name=libclang_rt.{library}-x86_64.so'], text=True).strip()
    environment['LD_PRELOAD'] = runtime
    environment['ASAN_OPTIONS'] = 'detect_leaks=0:abort_on_error=1:strict_string_checks=1'
    environment['UBSAN_OPTIONS'] = 'halt_on_error=1:abort_on_error=1:print_stacktrace=1'
    environment['ASAN_SYMBOLIZER_PATH'] = os.path.join(llvm, 'llvm-symbolizer')
    environment['TSAN_OPTIONS'] = ('halt_on_error=1:abort_on_error=1:die_after_fork=0:second_deadlock_stack=1:external_symbolizer_path='
                                   + environment['ASAN_SYMBOLIZER_PATH'])
