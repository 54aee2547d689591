#!/usr/bin/env python3
"""Compiles the CUDA programs in a folder of yours with heddle-cc, and says what stops those that do not compile.

    scripts/try_programs.py [options] FOLDER...

Each FOLDER (a suite: HeCBench, cuda-samples, ...) is copied to build/tried and built there. A folder in it with a makefile
is built with that (nvcc and CUDA's folders are Heddle's); where the makefile compiles nothing, or where there is none, the
CUDA and C++ sources of a folder are compiled together, or one by one if several have a main. Of a program that fails, the
first error decides the class. With --run, programs that were built run without timing, by the makefile's `run` or without
arguments, for a limited time.

The table goes to standard output, one line for each program to build/tried/NAME.tsv. FOLDER itself is not changed.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = ('.cu', '.cpp', '.cc', '.c', '.cxx')
MAKEFILES = ('Makefile', 'makefile', 'GNUmakefile', 'makefile.gpu')
MAIN = re.compile(r'^\s*(?:extern\s+"C"\s+)?(?:int|void|auto)?\s*main\s*\(', re.M)

# Headers of libraries that a program needs beside CUDA, and what they are linked with.
LIBRARIES = {'cublas_v2.h': 'cublas', 'cublas.h': 'cublas', 'cublasLt.h': 'cublasLt', 'cufft.h': 'cufft', 'cufftXt.h': 'cufft',
             'cusparse.h': 'cusparse', 'cusparse_v2.h': 'cusparse', 'cusolverDn.h': 'cusolver', 'curand.h': 'curand',
             'nvrtc.h': 'nvrtc', 'nccl.h': 'nccl', 'omp.h': 'gomp'}

NO_PROGRAM = 'the makefile ends well, but makes no program'

# The first error of a program decides its class: (class, pattern). Whose class it is says the second part of its name.
CLASSES = [
    ('library missing: MPI', r"'mpi\.h' file not found|mpicxx|mpicc|mpi\.h: No such"),
    ('library missing: cuDNN', r'cudnn'),
    ('library missing: cuTENSOR, NPP, nvJPEG, NVML, CUPTI, ...', r"'(?:cutensor|npp|nvjpeg|nvml|cupti|nvgraph|cudss|cusparseLt|nvJitLink|cutlass)[^']*' file not found|npp\w*\.h"),
    ('library missing: graphics', r"'(?:GL|GLES|GLFW|EGL|X11|vulkan|SDL|cuda_gl_interop|cuda_egl|cudaEGL|FreeImage|nvsci|d3d)[^']*' file not found|vulkan"),
    ('library missing: one of CUDA that Heddle does not have', r"'(?:cublas|cusolver|cusparse|cufft|curand|nccl|nvrtc)\w*\.h' file not found"),
    ('library missing: PyTorch', r"'(?:ATen|torch|c10)/[^']*' file not found|'torch\.h|'pybind11"),
    ('library missing: Boost, GSL, OpenCV, HDF5, ...', r"'(?:boost|gsl|opencv|hdf5|netcdf|png|jpeg|zlib|bzlib|fftw|lapack|cblas|openblas|glog|gtest|Eigen|sycl|CL|curl|mkl|gmp|tbb|kokkos|nlohmann)[^']*' file not found"),
    ('library missing: a function of one that Heddle has in part',
     r'(?:undefined (?:symbol|reference).*|undeclared identifier .|unknown type name .|no member named .)(?:cublas|cusparse|cusolver|cufft|curand|nccl|nvrtc)'),
    ('file missing in the suite', r"fatal error: '([^']*)' file not found|No rule to make target|cannot read|No such file or directory"),
    ('refused by Heddle: launches from kernels', r'dynamic parallelism|device-side launch|reference to __global__ function|cudaLaunchDevice|kernel call.*from'),
    ('refused by Heddle: sm_90a, tile copies', r'wgmma|setmaxnreg|cp\.async\.bulk|st\.async|red\.async|sm_90a|tensormap'),
    ('refused by Heddle: other', r'heddle[^:]*: (?:error|.*not supported)|is not supported'),
    ('crash of the compiler', r'PLEASE submit a bug report|Stack dump|Assertion .* failed|Segmentation fault'),
    ('the makefile makes no program', '^' + NO_PROGRAM),
    ('does not link', r'undefined symbol|undefined reference|multiple definition|duplicate symbol|unable to find library|cannot find -l'),
    ('does not compile', r'error:'),
]


def toolkit(build):
    return os.path.join(build, 'share', 'heddle', 'cuda')


def environment(build):
    here = dict(os.environ)
    here['PATH'] = os.path.join(toolkit(build), 'bin') + os.pathsep + here['PATH']
    here['LC_ALL'] = 'C'
    for name in ('CUDA_HOME', 'CUDA_PATH', 'CUDA_DIR', 'CUDA_INSTALL_PATH'):
        here[name] = toolkit(build)
    return here


def run(command, folder, build, seconds):
    """Output and exit status; None: it took too long. Its children end with it. The limit is one of processor time for each
    process, so that a busy machine does not decide; of a process that waits, ten times as long."""
    limit = (int(seconds), int(seconds) + 1)
    process = subprocess.Popen(command, cwd=folder, env=environment(build), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit))
    try:
        output = process.communicate(timeout=10 * seconds)[0].decode(errors='replace')
        killed = process.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU) or 'CPU time limit exceeded' in output
        return output, None if killed else process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0].decode(errors='replace'), None


def read(path):
    with open(path, errors='replace') as file:
        return file.read()


class Program:
    """A makefile's folder, or sources; `status` is a class or `built`."""

    def __init__(self, name, folder, sources=None):
        self.name, self.folder, self.sources = name, folder, sources
        self.status, self.error, self.ran, self.seconds = None, '', '', 0


def sources_of(folder, names):
    return sorted(name for name in names if name.endswith(SOURCES))


def find(top, nested=('src', 'source')):
    """Programs below a folder: those with makefiles, then those with CUDA sources that no makefile has."""
    found = []
    for folder, folders, names in os.walk(top):
        folders.sort()
        folders[:] = [name for name in folders if not name.startswith('.')]
        cuda = [name for name in names if name.endswith('.cu')]
        below = [os.path.join(folder, name) for name in folders if name in nested]
        deep = any(name.endswith('.cu') for at in below for name in os.listdir(at))
        name = os.path.relpath(folder, top)
        if not cuda and not (deep and any(make in names for make in MAKEFILES)):
            continue
        found.append(Program(name, folder))
        if any(make in names for make in MAKEFILES): # what lies below is the program's, but for others with a makefile
            folders[:] = [at for at in folders if any(os.path.exists(os.path.join(folder, at, make)) for make in MAKEFILES)]
    return found


def compiles(output):
    return re.search(r'No rule to make target .*needed by|\b(?:nvcc|heddle-cc|g\+\+|gcc|cc1|clang)\b|error:|\.cu\b', output)


@functools.lru_cache
def mpi_root():
    """The folder of Open MPI with include/ and lib/, as makefiles name it; none where MPI is not installed."""
    if not shutil.which('mpicxx'):
        return None
    folders = subprocess.run(['mpicxx', '--showme:incdirs'], capture_output=True, text=True, check=False).stdout.split()
    return next((os.path.dirname(name) for name in folders if os.path.basename(name) == 'include'), None)


def make_command(makefile, build):
    places = [name + '=' + toolkit(build) for name in ('CUDA_HOME', 'CUDA_PATH', 'CUDA_DIR', 'CUDA_INSTALL_PATH')]
    if mpi_root():
        places.append('MPI_ROOT=' + mpi_root())
    return ['make', '-f', makefile, 'NVCC=nvcc', 'ARCH=sm_70', 'LAUNCHER=', *places]


def includes_of(folder, top):
    """-I of the folder's own folders of headers and of those beside the folders above it."""
    found, at = [folder], folder
    while True:
        for name in ('include', 'inc', 'Common', 'common', 'utils', 'common/include', 'common/inc'):
            if os.path.isdir(os.path.join(at, name)):
                found.append(os.path.join(at, name))
        if os.path.samefile(at, top):
            return ['-I' + name for name in found]
        at = os.path.dirname(at)


def options_of(texts, options):
    """What the sources need by their own words: libraries of headers, OpenMP."""
    headers = set(re.findall(r'#\s*include\s*[<"]([^">]+)', '\n'.join(texts)))
    for header in sorted(headers & set(LIBRARIES)):
        options += ['-l' + LIBRARIES[header]]
    if '#pragma omp' in '\n'.join(texts) or 'omp.h' in headers:
        options += ['-Xcompiler', '-fopenmp']
    return options


def build_sources(program, top, build, seconds):
    names = sources_of(program.folder, os.listdir(program.folder))
    texts = {name: read(os.path.join(program.folder, name)) for name in names}
    mains = [name for name in names if MAIN.search(texts[name])]
    options = ['nvcc', '-w', '-O3', '-std=c++17', '-arch=sm_70', *includes_of(program.folder, top)]
    groups = [[name for name in names if name not in mains or name == main] for main in mains if main.endswith(('.cu', '.cpp'))]
    if not groups:
        groups = [[name] for name in names if name.endswith('.cu')]
    outputs, status = [], 0
    for number, group in enumerate(groups):
        last = ['-c', '-o', '/dev/null'] if not mains else ['-o', 'tried-%d' % number]
        command = options_of([texts[name] for name in group], list(options)) + last + group
        output, status = run(command, program.folder, build, seconds)
        outputs.append(output)
        if status != 0:
            break
    return '\n'.join(outputs), status


def is_program(path):
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return False
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF' and not path.endswith('.so')


def makes_program(folder, output):
    """Whether a makefile has made one: in its folder or below, or where the compiler was told to."""
    if any(is_program(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names):
        return True
    return any(is_program(os.path.join(folder, path)) for path in re.findall(r'(?:^|\s)-o\s*(\S+)', output))


def build_program(program, top, build, seconds):
    makefile = next((name for name in MAKEFILES if os.path.exists(os.path.join(program.folder, name))), None)
    if makefile:
        run(make_command(makefile, build) + ['clean'], program.folder, build, seconds)
        output, status = run(make_command(makefile, build), program.folder, build, seconds)
        if status == 0 and compiles(output) and not makes_program(program.folder, output):
            return NO_PROGRAM, 1
        if compiles(output):
            return output, status
    return build_sources(program, top, build, seconds)


def first_error(output):
    for line in output.splitlines():
        if re.search(r'error:|undefined (?:symbol|reference)|\*\*\*|cannot find -l|unable to find library|No such file', line):
            return line.strip()
    return output.strip().splitlines()[-1] if output.strip() else ''


def class_of(output, status):
    if status == 0:
        return 'built'
    if status is None:
        return 'takes too long to compile'
    error = first_error(output)
    for name, pattern in CLASSES:
        if re.search(pattern, error if not name.startswith('crash') else output, re.I):
            return name
    return 'does not build'


def programs_in(folder):
    for name in sorted(os.listdir(folder)):
        if is_program(os.path.join(folder, name)):
            yield os.path.join(folder, name)


def run_program(program, build, seconds):
    heddle = [os.path.join(build, 'bin', 'heddle'), 'run', '--functional', '--quiet', '--']
    makefile = next((name for name in MAKEFILES if os.path.exists(os.path.join(program.folder, name))), None)
    if makefile and re.search(r'^run\s*:', read(os.path.join(program.folder, makefile)), re.M):
        command = make_command(makefile, build)
        command[command.index('LAUNCHER=')] = 'LAUNCHER=' + ' '.join(heddle)
        command.append('run')
    else:
        path = next(programs_in(program.folder), None)
        if not path:
            return 'not run'
        command = heddle + [path]
    output, status = run(command, program.folder, build, seconds)
    if status is None:
        return 'too long'
    said = re.search(r'^heddle: error: .*', output, re.M)
    if said:
        program.error = said.group(0)
        return 'error of Heddle'
    if re.search(r'\b(?:FAIL|FAILED|Test failed|mismatch)\b', output):
        return 'says it failed'
    if status != 0:
        program.error = output.strip().splitlines()[-1] if output.strip() else ''
        return 'ends with %d' % status
    return 'passes' if re.search(r'\b(?:PASS|PASSED|Test passed|verified|OK)\b', output, re.I) else 'ends well'


def tried(program, top, options):
    begin = time.time()
    output, status = build_program(program, top, options.build, options.compile_seconds)
    program.status = class_of(output, status)
    program.error = '' if program.status == 'built' else first_error(output)
    program.seconds = time.time() - begin
    if program.status == 'built' and options.run:
        program.ran = run_program(program, options.build, options.run_seconds)
    return program


def try_suite(source, options):
    name = os.path.basename(os.path.normpath(source))
    top = os.path.join(options.build, 'tried', name)
    shutil.rmtree(top, ignore_errors=True)
    shutil.copytree(source, top, symlinks=True, ignore=shutil.ignore_patterns('.git'))
    programs = [program for program in find(top) if re.search(options.only, program.name)]
    programs = programs[options.first::options.every]
    with open(top + '.tsv', 'w') as table, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        print('program', 'class', 'run', 'seconds', 'first error', sep='\t', file=table)
        for program in pool.map(lambda program: tried(program, top, options), programs):
            error = program.error.replace(options.build, 'BUILD').replace('\t', ' ')
            print(program.name, program.status, program.ran, '%.1f' % program.seconds, error, sep='\t', file=table, flush=True)
            if options.verbose:
                print(program.name, program.status, program.ran, error, file=sys.stderr, flush=True)
    if not options.keep:
        shutil.rmtree(top)
    return name, programs


def print_table(suites):
    print('| suite | programs | built | ran: passed, ended well, too long, else |')
    print('|---|---|---|---|')
    classes = collections.defaultdict(collections.Counter)
    for name, programs in suites:
        ran = collections.Counter(program.ran for program in programs if program.ran)
        built = sum(program.status == 'built' for program in programs)
        good = ran['passes'], ran['ends well'], ran['too long']
        said = '%d, %d, %d, %d' % (*good, sum(ran.values()) - sum(good)) if ran else ''
        print('| %s | %d | %d | %s |' % (name, len(programs), built, said))
        for program in programs:
            if program.status != 'built':
                classes[program.status][name] += 1
    print('\n| what stops the others | programs |\n|---|---|')
    for status in sorted(classes, key=lambda status: -sum(classes[status].values())):
        print('| %s | %s |' % (status, ', '.join('%s %d' % pair for pair in sorted(classes[status].items()))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', metavar='FOLDER')
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'), help='build tree of Heddle (default: %(default)s)')
    parser.add_argument('-j', dest='jobs', type=int, default=1, help='programs at a time')
    parser.add_argument('--compile-seconds', type=float, default=120, help='for each program (default: %(default)s)')
    parser.add_argument('--run', action='store_true', help='also run what was built')
    parser.add_argument('--run-seconds', type=float, default=30, help='for each program (default: %(default)s)')
    parser.add_argument('--only', default='', metavar='REGEX', help='only programs whose folder matches')
    parser.add_argument('--every', type=int, default=1, metavar='N', help='a sample: every N-th program')
    parser.add_argument('--first', type=int, default=0, metavar='K', help='of a sample: the first one')
    parser.add_argument('--keep', action='store_true', help='keep the copies in build/tried')
    parser.add_argument('-v', '--verbose', action='store_true', help='print each program when it was tried')
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    os.makedirs(os.path.join(options.build, 'tried'), exist_ok=True)
    print_table([try_suite(folder, options) for folder in options.folders])


if __name__ == '__main__':
    main()
