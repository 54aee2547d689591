"""Device compile time with and without HeddlePasses.so. Called by bench-compile.sh with the build tree.

First whole compilations: user and wall time of heddle-cc, with its precompiled header and without, beside the user time
that clang alone takes for the two halves of the same source, headers parsed and no kernel object made.

`alone` is the plugin's own time, that of opt on IR that is optimised already, with the plugin less without: the
difference of two compilations would drown in the noise of clang's own time. Beside it ptxas -O3's on the PTX of the same
kernels, where there is one. Behind them what linear versions (R2D2) take, of many loops.
"""
import glob
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

from bench_ir import generated_kernel, generated_loops

BUILD = sys.argv[1]
OUT = os.path.join(BUILD, 'bench', 'compile')
PLUGIN = os.path.join(BUILD, 'lib', 'HeddlePasses.so')
BIN = subprocess.check_output(['llvm-config-' + os.environ.get('HEDDLE_LLVM', '19'), '--bindir'], text=True).strip()
CLANG, OPT = os.path.join(BIN, 'clang++'), os.path.join(BIN, 'opt')
PTXAS = shutil.which('ptxas', path=os.pathsep.join([os.environ['PATH'], os.environ.get('CUDA_PATH', '/usr/local/cuda') + '/bin']))
RUNS = 3


def user_seconds(command, environment=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, **(environment or {})})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(*runs):
    """Medians of the user times of (command, environment), taken in turns."""
    times = [[] for _ in runs]
    for _ in range(RUNS):
        for (command, environment), found in zip(runs, times):
            found.append(user_seconds(command, environment))
    return [statistics.median(found) for found in times]


def figures(command, prefix):
    """Seconds without the plugin, with it, of the plugin alone, of ptxas (None without one)."""
    ptx, ir, plugin = prefix + '.ptx', prefix + '.opt.ll', f'-fpass-plugin={PLUGIN}'
    environment = {'HEDDLE_PASS': f'o={prefix}'}
    subprocess.run(command + ['-S', '-o', ptx], check=True)
    subprocess.run(command + ['-S', '-emit-llvm', '-o', ir], check=True)
    opt = [OPT, ir, '-disable-output']
    runs = [(command + ['-S', '-o', '/dev/null'], None), (command + ['-S', '-o', '/dev/null', plugin], environment),
            (opt + ['-passes=verify'], None), (opt + [f'-load-pass-plugin={PLUGIN}', f'-passes=heddle<o={prefix}>'], None)]
    if PTXAS:
        runs.append(([PTXAS, '-O3', '-c', '-arch=sm_75', '-o', os.devnull, ptx], None))
    plain, both, reading, passes, *peer = measure(*runs)
    return plain, both, passes - reading, peer[0] if peer else None


CUDA = ['-nocudainc', '-nocudalib', '--cuda-path=/nonexistent', '-Xclang', '-target-sdk-version=12.3', '-isystem',
        'include/cuda', '-include', 'heddle_cuda.h']


def device_command(source):
    return [CLANG, '-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_70', '--cuda-feature=+ptx75', *CUDA,
            '-Xclang', '-no-enable-noundef-analysis', '-fno-strict-return', '-fno-strict-aliasing',
            '-fno-builtin-malloc', '-fno-builtin-free',
            '-ftrivial-auto-var-init=zero', '-ftrivial-auto-var-init-max-size=16', '-Xclang',
            '-mlink-builtin-bitcode', '-Xclang', f'{BUILD}/share/heddle/device.bc', '-O2', source]


def host_command(source):
    return [CLANG, '-x', 'cuda', '--cuda-host-only', *CUDA, '-O2', source]


EMPTY = '__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 32>>>(nullptr); }\n'
SOURCES = {
    'empty kernel': EMPTY,
    'with libcu++, cg, mma': '#include <cooperative_groups.h>\n#include <cuda/std/atomic>\n#include <cuda/std/tuple>\n'
                             '#include <mma.h>\n' + EMPTY,
}


def wall_seconds(command, environment):
    begin = time.monotonic()
    user_seconds(command, environment)
    return time.monotonic() - begin


def whole_compilations():
    """Rows of source to program: heddle-cc warm, without its header, and clang's two halves."""
    cache = os.path.join(OUT, 'cache')
    shutil.rmtree(cache, ignore_errors=True)
    os.makedirs(cache)
    environment = {'XDG_CACHE_HOME': os.path.abspath(cache)}
    print(f'{"whole compilations":24} {"user, s":>10} {"wall, s":>10} {"no header, user":>16} {"clang alone, user":>18}')
    for name, text in [*SOURCES.items(), ('examples/nbody.cu', None)]:
        path = name
        if text:
            path = os.path.join(OUT, 'whole.cu')
            with open(path, 'w') as file:
                file.write(text)
        command = [os.path.join(BUILD, 'bin', 'heddle-cc'), '-o', os.path.join(OUT, 'whole'), path]
        subprocess.run(command, check=True, env={**os.environ, **environment})
        device = device_command(path) + ['-S', '-emit-llvm', '-o', '/dev/null']
        host = host_command(path) + ['-c', '-o', '/dev/null']
        warm, plain, one, other = measure((command, environment), (command + ['-heddle-no-pch'], environment), (device, None),
                                          (host, None))
        wall = statistics.median(wall_seconds(command, environment) for _ in range(RUNS))
        print(f'{name:24} {warm:10.3f} {wall:10.3f} {plain:16.3f} {one + other:18.3f}', flush=True)


def row(name, plain, plugin, alone, peer, previous=None):
    growth = f'  alone x{alone / previous:.2f} for x2' if previous else ''
    theirs = f'{peer:10.3f} {alone / peer:8.3f}' if peer else f'{"":19}'
    print(f'{name:20} {plain:10.3f} {plugin:10.3f} {plugin / plain:8.3f} {alone:10.3f} {theirs}{growth}', flush=True)


def linear_versions():
    """Seconds of a linear version (R2D2) of growing code: with them less without."""
    print(f'{"linear versions":20} {"never, s":>10} {"always, s":>10} {"ratio":>8}')
    previous = None
    for loops in [400, 800, 1600]:
        path = os.path.join(OUT, f'loops-{loops}.ll')
        with open(path, 'w') as file:
            file.write(generated_loops(loops))
        command = [OPT, path, '-disable-output', f'-load-pass-plugin={PLUGIN}']
        without, both = measure(*((command + [f'-passes=heddle<o={path};linear={which}>'], None) for which in ('never', 'always')))
        growth = f'  versions x{(both - without) / previous:.2f} for x2' if previous else ''
        print(f'{loops:5} loops {"":8} {without:10.3f} {both:10.3f} {both / without:8.3f} {both - without:10.3f}{growth}', flush=True)
        previous = both - without


def main():
    os.makedirs(OUT, exist_ok=True)
    whole_compilations()
    print(f'{"":20} {"without, s":>10} {"with, s":>10} {"ratio":>8} {"alone, s":>10} ' +
          (f'{"ptxas, s":>10} {"alone/it":>8}' if PTXAS else 'ptxas not found'))
    rows = []
    for source in sorted(glob.glob('examples/*.cu')):
        name = os.path.basename(source)
        rows.append(figures(device_command(source), os.path.join(OUT, name)))
        row(name, *rows[-1])
    row('all examples', *(sum(column) if None not in column else None for column in zip(*rows)))
    previous = None
    for size in [12500, 25000, 50000, 100000]:
        path = os.path.join(OUT, f'generated-{size}.ll')
        with open(path, 'w') as file:
            file.write(generated_kernel(size))
        found = figures([CLANG, '-x', 'ir', '--target=nvptx64-nvidia-cuda', '-march=sm_70',
                         '--cuda-feature=+ptx75', '-O2', path, '-Wno-unused-command-line-argument'], os.path.join(OUT, f'generated-{size}'))
        row(f'generated {size:,}', *found, previous)
        previous = found[2]
    linear_versions()


main()
