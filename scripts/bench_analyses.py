"""Cost and results of the register analyses. Called by bench-analyses.sh with the build tree."""
import glob
import json
import os
import subprocess
import sys

from bench_ir import generated_calls, generated_kernel, generated_line, generated_nests

BUILD = sys.argv[1]
OUT = os.path.join(BUILD, 'bench', 'analyses')
OPT = os.path.join(subprocess.check_output(['llvm-config-' + os.environ.get('HEDDLE_LLVM', '19'), '--bindir'], text=True).strip(), 'opt')
SIZES = [12500, 25000, 50000, 100000]
INSTRUCTION_BYTES = 16
ENVIRONMENT = dict(os.environ, HEDDLE_DATA=os.path.abspath(os.path.join(BUILD, 'share', 'heddle')))


def figures(paths):
    """Of each file: {name: number}, one process a file, so that each has a peak of its own."""
    for path in paths:
        line = subprocess.run([os.path.join(BUILD, 'test', 'bench', 'analyses'), path], env=ENVIRONMENT, check=True,
                              capture_output=True, text=True).stdout.split()
        yield path, dict(zip(line[::2], map(float, line[1::2])))


def analyses_of(row):
    return [name for name in row if name not in ('instructions', 'out_of_ssa', 'allocation', 'kept_bytes', 'grown_kilobytes')]


def print_costs(rows):
    names = analyses_of(rows[0][1])
    print('microseconds a machine instruction. leave: out of SSA, coalescing included; ratio: all analyses over leave and '
          'alloc;\nkept, peak: bytes of results, and most bytes beside what was there, over bytes of code')
    print(f'{"":22} {"insts":>7} {"leave":>6} {"alloc":>6} ' + ' '.join(f'{name[:8]:>8}' for name in names) +
          f' {"all":>6} {"ratio":>6} {"kept":>5} {"peak":>5}')
    for path, row in rows:
        count = row['instructions']
        total = sum(row[name] for name in names)
        print(f'{os.path.basename(path)[:22]:22} {count:7.0f} ' +
              ' '.join(f'{row[name] / count * 1e6:6.2f}' for name in ('out_of_ssa', 'allocation')) + ' ' +
              ' '.join(f'{row[name] / count * 1e6:8.2f}' for name in names) +
              f' {total / count * 1e6:6.2f} {total / (row["out_of_ssa"] + row["allocation"]):6.2f} '
              f'{row["kept_bytes"] / count / INSTRUCTION_BYTES:5.1f} '
              f'{row["grown_kilobytes"] * 1024 / count / INSTRUCTION_BYTES:5.1f}', flush=True)


def compile_examples():
    for source in sorted(glob.glob('examples/*.cu')):
        name = os.path.join(OUT, os.path.basename(source)[:-3])
        subprocess.run([os.path.join(BUILD, 'bin', 'heddle-cc'), '-keep', '-O2', '-o', name, source], check=True)
        yield name


def functions_of(name, regs):
    """Metadata of an example under N registers an interval."""
    target = f'{name}-{regs}'
    subprocess.run([OPT, f'-load-pass-plugin={BUILD}/lib/HeddlePasses.so', '-disable-output',
                    f'-passes=heddle<o={target};interval-regs={regs}>', f'{name}.ll'], check=True)
    with open(f'{target}.heddle.json') as file:
        metadata = json.load(file)
    return target, metadata['kernels'] + metadata['functions']


CALLS = ('CALL', 'CALLI', 'SYSCALL')
CAUSES = ('entry', 'call', 'loop', 'join', 'registers')


def disassembly_of(target):
    text = subprocess.run([os.path.join(BUILD, 'bin', 'heddle'), 'dis', '--json', f'{target}.hdo'], check=True,
                          capture_output=True, text=True).stdout
    document = json.loads(text)
    functions = [function for one in document['objects'] for function in one['functions']]
    return {function['name']: {inst['pc']: inst for inst in function['instructions']} for function in functions}


def cause_of(interval, of, code):
    """Why there is a PREFETCH: what Algorithms 1 and 2 do not merge across."""
    entry = interval['entry_pc']
    before = [pc for pc, inst in code.items() if entry in inst['successors'] and of[pc] != of[entry]]
    if not before:
        return 'entry'
    if any(code[pc]['opcode'] in CALLS for pc in before):
        return 'call'
    if any(pc >= entry for pc in before):
        return 'loop'
    return 'join' if len({of[pc] for pc in before}) > 1 else 'registers'


def print_growth(names):
    print('\ncode that PREFETCHes add, all examples; the paper (4.3) has 7 % as vectors and 9 % with instructions, of 8-byte '
          'instructions.\nWhy each is there: the entry of a function; behind a call; a loop that does not fit with what is '
          'around it; where ways from\nseveral intervals meet; the registers of both would be more than N')
    print(f'{"N":>4} {"insts":>6} {"PREFETCHes":>10} ' + ' '.join(f'{cause:>9}' for cause in CAUSES) +
          f' {"insts each":>10} {"vectors %":>9} {"instrs %":>8} {"8-byte: vectors %":>17}')
    for regs in (8, 16, 32, 64):
        count, causes = 0, dict.fromkeys(CAUSES, 0)
        for name in names:
            target, functions = functions_of(name, regs)
            code = disassembly_of(target)
            for function in functions:
                count += function['instructions']
                of = {pc: interval['id'] for interval in function['intervals'] for pc in interval['pcs']}
                for interval in function['intervals']:
                    if interval['working_set']:
                        causes[cause_of(interval, of, code[function['name']])] += 1
        prefetches = sum(causes.values())
        print(f'{regs:4} {count:6} {prefetches:10} ' + ' '.join(f'{causes[cause]:9}' for cause in CAUSES) +
              f' {count / prefetches:10.1f} {prefetches * 32 / (count * INSTRUCTION_BYTES) * 100:9.1f} '
              f'{prefetches * 48 / (count * INSTRUCTION_BYTES) * 100:8.1f} {prefetches * 32 / (count * 8) * 100:17.1f}')


def trace_of(name, regs):
    """What `heddle info --intervals` says of one example's run under N."""
    program = f'{name}-{regs}.program'
    heddle = os.path.join(BUILD, 'bin', 'heddle')
    subprocess.run([os.path.join(BUILD, 'bin', 'heddle-cc'), '-O2', '-Xheddle', f'interval-regs={regs}', '-o', program,
                    os.path.join('examples', os.path.basename(name) + '.cu')], check=True)
    run = subprocess.Popen([heddle, 'run', '--quiet', '--trace=issue', '--', program], stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE)
    trace = subprocess.run([heddle, 'info', '--json', '--intervals=-', program], stdin=run.stderr, capture_output=True, text=True, check=True)
    if run.wait():
        sys.exit(f'{program} failed')
    return json.loads(trace.stdout)


def print_lengths(names):
    print('\ninstructions of a warp from one PREFETCH to the next in a run, and the most that any choice of places could '
          'reach\n(the paper, Table 4, N = 16, 35 workloads: 31.2 of 34.7, 89 %; least 7 of 9, most 45 of 53)')
    print(f'{"":48} {"N = 16":>16} {"N = 32":>20}')
    kernels = {}
    for regs in (16, 32):
        for name in names:
            for kernel in trace_of(name, regs)['kernels']:
                key = f'{os.path.basename(name)}: {kernel["demangled"].split("(")[0]}'
                kernels.setdefault(key, {})[regs] = kernel['real_length'], kernel['optimal_length']
    means = {regs: [sum(row[regs][i] for row in kernels.values()) / len(kernels) for i in (0, 1)] for regs in (16, 32)}
    for key, row in list(kernels.items()) + [('mean of the kernels', means)]:
        print(f'{key[:48]:48} ' + '     '.join(f'{real:5.1f} of {best:5.1f}{100 * real / best:4.0f} %'
                                               for real, best in (row[16], row[32])), flush=True)


def main():
    os.makedirs(OUT, exist_ok=True)
    names = list(compile_examples())
    rows = list(figures(f'{name}.ll' for name in names))
    for size in SIZES:
        for shape, make in (('line', generated_line), ('branches', generated_kernel), ('nests', generated_nests),
                            ('calls', generated_calls)):
            path = os.path.join(OUT, f'{shape}-{size}.ll')
            with open(path, 'w') as file:
                file.write(make(size))
            rows += figures([path])
    print_costs(rows)
    print_growth(names)
    print_lengths(names)


if __name__ == '__main__':
    main()
