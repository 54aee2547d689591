"""Device compile time with and without HeddlePasses.so. Called by bench-compile.sh with the build tree."""
import glob
import os
import resource
import statistics
import subprocess
import sys

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
            '-nocudalib', '--cuda-path=/nonexistent', '-Xclang', '-target-sdk-version=11.8', '-isystem', 'include/cuda',
            '-include', 'heddle_cuda.h', '-Xclang', '-mlink-builtin-bitcode', '-Xclang',
            f'{BUILD}/share/heddle/device.bc', '-O2', '-S', '-o', '/dev/null', source]


def generated_kernel(size):
    """IR of about `size` instructions: blocks of arithmetic on loaded values, joined by branches and loops."""
    lines = ['target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"', 'target triple = "nvptx64-nvidia-cuda"',
             'define void @k(ptr %p, i32 %n) {', 'entry:', '  br label %b0']
    state = 1
    blocks = max(1, size // 40)
    for b in range(blocks):
        lines += [f'b{b}:', f'  %a{b}.0 = phi i32 [ %n, %entry ]' if b == 0 else
                  f'  %a{b}.0 = phi i32 [ %a{b - 1}.33, %b{b - 1} ], [ %a{b - 1}.36, %t{b - 1} ]']
        lines.append(f'  %q{b} = getelementptr i32, ptr %p, i32 {b}')
        lines.append(f'  %a{b}.1 = load i32, ptr %q{b}')
        for i in range(2, 34):
            state = (state * 1103515245 + 12345) % 2**31
            operation = ['add', 'mul', 'xor', 'sub', 'and', 'or'][state % 6]
            lines.append(f'  %a{b}.{i} = {operation} i32 %a{b}.{i - 1}, %a{b}.{max(0, i - 1 - state // 8 % 12)}')
        lines += [f'  %c{b} = icmp sgt i32 %a{b}.33, {b}', f'  br i1 %c{b}, label %t{b}, label %b{b + 1}', f't{b}:',
                  f'  store i32 %a{b}.33, ptr %q{b}', f'  %a{b}.36 = add i32 %a{b}.33, 7', f'  br label %b{b + 1}']
    last = blocks - 1
    lines += [f'b{blocks}:', f'  %r = phi i32 [ %a{last}.33, %b{last} ], [ %a{last}.36, %t{last} ]',
              '  store i32 %r, ptr %p', '  ret void', '}', '!nvvm.annotations = !{!0}', '!0 = !{ptr @k, !"kernel", i32 1}']
    return '\n'.join(lines) + '\n'


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
