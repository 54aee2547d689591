"""Device compile time with and without HeddlePasses.so. Called by bench-compile.sh with the build tree."""
import glob
import os
import resource
import statistics
import subprocess
import sys

from bench_ir import generated_kernel

BUILD = sys.argv[1]
OUT = os.path.join(BUILD, 'bench', 'compile')
PLUGIN = os.path.join(BUILD, 'lib', 'HeddlePasses.so')
CLANG = os.path.join(subprocess.check_output(['llvm-config-19', '--bindir'], text=True).strip(), 'clang++')
RUNS = 3


def user_seconds(command, environment=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, **(environment or {})})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pair(command, prefix):
    plain, plugin = [], []
    for _ in range(RUNS):
        plain.append(user_seconds(command))
        plugin.append(user_seconds(command + [f'-fpass-plugin={PLUGIN}'], {'HEDDLE_PASS': f'o={prefix}'}))
    return statistics.median(plain), statistics.median(plugin)


def device_command(source):
    return [CLANG, '-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_70', '--cuda-feature=+ptx75', '-nocudainc',
            '-nocudalib', '--cuda-path=/nonexistent', '-Xclang', '-target-sdk-version=12.3', '-isystem', 'include/cuda',
            '-include', 'heddle_cuda.h', '-Xclang', '-mlink-builtin-bitcode', '-Xclang',
            f'{BUILD}/share/heddle/device.bc', '-O2', '-S', '-o', '/dev/null', source]


def row(name, plain, plugin, extra=''):
    print(f'{name:24} {plain:12.3f} {plugin:12.3f} {plugin / plain:8.3f} {extra}', flush=True)


os.makedirs(OUT, exist_ok=True)
print(f'{"":24} {"without, s":>12} {"with, s":>12} {"ratio":>8}')
sums = [0.0, 0.0]
for source in sorted(glob.glob('examples/*.cu')):
    name = os.path.basename(source)
    times = pair(device_command(source), os.path.join(OUT, name))
    sums = [sums[0] + times[0], sums[1] + times[1]]
    row(name, *times)
row('all examples', *sums)
previous = None
for size in [12500, 25000, 50000, 100000]:
    path = os.path.join(OUT, f'generated-{size}.ll')
    with open(path, 'w') as file:
        file.write(generated_kernel(size))
    command = [CLANG, '-x', 'ir', '--target=nvptx64-nvidia-cuda', '-march=sm_70', '-O2', '-S', '-o', '/dev/null', path,
               '-Wno-unused-command-line-argument']
    times = pair(command, path)
    own = times[1] - times[0]
    growth = f'plugin alone {own:.3f} s' + (f', x{own / previous:.2f} for x2' if previous else '')
    previous = own
    row(f'generated {size:,}', *times, growth)
