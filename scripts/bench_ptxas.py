"""Heddle's machine code beside ptxas's, on the same IR. Called by bench-ptxas.sh: build tree, ptxas, [options].

Like is compared with like. Whole program: ptxas allocates over the calls of a kernel and keeps what it calls in the
kernel's section, so Heddle's figures are those under `ipra`, the instructions of callees included. Relocatable (rdc,
ptxas -c): every function alone, with the calling convention, and with the routines for divisions and the like that it
calls, which both compilers bring themselves. Instructions are compared as they are, and without those of ptxas that
Heddle's machine does without (bench_cubin.is_foreign). In relocatable code ptxas reports at least 24 registers for whatever can be
called and for whatever calls, its frame holds the return address (8 bytes), and what it saves are its spill stores;
kernels without calls are left out there, as the least also holds for those that need one of ptxas's own routines.
Without sources, the examples, the kernels of bench_kernels.py and those of scripts/ptxas/ are measured. The last are
written in the manner of real programs, from the algorithms and before any tuning; those in unseen/ are held out: nobody
looks at single ones while tuning, and no row of theirs is printed.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import statistics
import subprocess
import sys

import bench_cubin

CALLABLE_REGISTERS = 24  # ptxas: the least that a function with a caller or a callee reports
RETURN_WORDS = 2         # ptxas saves its return address beside the registers of the calling convention
PROGRAMS = 'scripts/ptxas'
WHOLE = 'ipra'           # parameters of the pass that stand for whole-program compilation


def parse():
    parser = argparse.ArgumentParser(prog='bench-ptxas.sh')
    parser.add_argument('build')
    parser.add_argument('ptxas')
    parser.add_argument('sources', nargs='*', help='.cu or .ll files in place of the examples and the generated kernels')
    parser.add_argument('--table', action='store_true', help='a row for each kernel')
    parser.add_argument('--holes', type=int, default=10, help='how many of the biggest differences to show')
    parser.add_argument('--keys', default='', help="more of the pass's parameters, to measure one without")
    parser.add_argument('--arch', default='sm_75,sm_80')
    parser.add_argument('--caps', default='32,64,128', help='-maxrregcount for the comparison of spills')
    parser.add_argument('--jobs', type=int, default=2)
    return parser.parse_intermixed_args()


OPTIONS = parse()
BUILD = OPTIONS.build
ARCHS = OPTIONS.arch.split(',')
CAPS = tuple(int(cap) for cap in OPTIONS.caps.split(',') if cap)
OUT = os.path.join(BUILD, 'bench', 'ptxas')
BIN = subprocess.check_output(['llvm-config-' + os.environ.get('HEDDLE_LLVM', '19'), '--bindir'], text=True).strip()
CACHE = bench_cubin.Cache(os.path.join(OUT, 'cache'))
PEER = bench_cubin.Toolkit(OPTIONS.ptxas, CACHE)
HEADERS = b''.join(bench_cubin.read(path) for path in sorted(glob.glob('include/cuda/**', recursive=True))
                   if os.path.isfile(path))
VERSION = subprocess.check_output([os.path.join(BIN, 'clang++'), '--version'])


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


# ---- both compilers ----


def device_ir(source, arch, relocatable):
    """Paths of IR and of its PTX."""
    if source.endswith('.ll'):
        ir = source
    else:
        library = f'{BUILD}/share/heddle/device.bc'
        command = [os.path.join(BIN, 'clang++'), '-x', 'cuda', '--cuda-device-only', f'--cuda-gpu-arch={arch}',
                   '--cuda-feature=+ptx75', '-nocudainc', '-nocudalib', '--cuda-path=/nonexistent', '-Xclang',
                   '-target-sdk-version=12.3', '-isystem', 'include/cuda', '-include', 'heddle_cuda.h', '-Xclang',
                   '-no-enable-noundef-analysis', '-fno-strict-return', '-fno-strict-aliasing', '-fno-builtin-malloc', '-fno-builtin-free', '-ftrivial-auto-var-init=zero',
                   '-ftrivial-auto-var-init-max-size=16', '-Xclang',
                   '-mlink-builtin-bitcode', '-Xclang', library, '-O3', '-emit-llvm', '-S'] + ['-fgpu-rdc'] * relocatable
        parts = [VERSION, HEADERS, bench_cubin.read(library), *command, bench_cubin.read(source)]
        ir = CACHE.file('ll', parts, lambda path: run(*command, '-o', path, source))
    command = [os.path.join(BIN, 'llc'), '-O3', f'-mcpu={arch}', '-mattr=+ptx75']
    return ir, CACHE.file('ptx', [VERSION, *command, bench_cubin.read(ir)], lambda path: run(*command, '-o', path, ir))


def heddle(ir, prefix, keys):
    """The functions of the metadata, by name."""
    keys = ';'.join([f'o={prefix}', *keys] + [OPTIONS.keys] * bool(OPTIONS.keys))
    run(os.path.join(BIN, 'opt'), f'-load-pass-plugin={BUILD}/lib/HeddlePasses.so', f'-passes=heddle<{keys}>', '-disable-output', ir)
    with open(prefix + '.heddle.json') as file:
        metadata = json.load(file)
    for function in metadata['kernels']:
        function['kernel'] = True
    return {f['name']: f for f in metadata['kernels'] + metadata['functions']}


def callees(function):
    return {target for call in function['calls'] for target in call['callees']}


def with_callees(functions, name, apart=()):
    """The figures of a function, its instructions with those of everything that it reaches without `apart`, each once."""
    seen, work = {name}, [name]
    while work:
        found = {f for f in callees(functions[work.pop()]) if f in functions and f not in apart} - seen
        seen |= found
        work += found
    count = sum(functions[function]['instructions'] for function in seen)
    return dict(functions[name], instructions=count, common=count)


# ---- one module ----


def stem_of(source):
    folder, name = os.path.split(os.path.splitext(source)[0])
    return f'{os.path.basename(folder)}.{name}'


def measure_whole(source, arch):
    """cap -> [(kernel, Heddle's figures, ptxas's figures)]."""
    stem = f'{stem_of(source)}.{arch}'
    ir, ptx = device_ir(source, arch, False)
    rows = {}
    for cap in (0,) + CAPS:
        own = heddle(ir, os.path.join(OUT, f'{stem}.{cap}'), [WHOLE] + [f'maxrregcount={cap}'] * bool(cap))
        peer = PEER.figures(ptx, arch, [f'-maxrregcount={cap}'] * bool(cap))
        rows[cap] = [(name, with_callees(own, name), peer[name]) for name in sorted(own)
                     if 'kernel' in own[name] and name in peer]
    return rows


def measure_relocatable(sources, arch):
    """Rows of each function alone, and both call graphs, of modules that are linked together."""
    rows, functions, cubins = [], {}, []
    for source in sources:
        stem = f'{stem_of(source)}.{arch}.rdc'
        ir, ptx = device_ir(source, arch, True)
        own, peer = heddle(ir, os.path.join(OUT, stem), ['rdc']), PEER.figures(ptx, arch, ['-c'])
        cubins.append(PEER.assemble(ptx, arch, ['-c'])[0])
        functions.update((name, f) for name, f in own.items() if f['instructions'])
        rows += [(name, dict(with_callees(own, name, peer), abroad=bool(callees(own[name]) - set(own))), peer[name])
                 for name in sorted(own) if name in peer]
    return rows, functions, PEER.call_graph(cubins, arch)


# ---- figures over all kernels ----


def ranks(values):
    order, rank = sorted(range(len(values)), key=lambda i: values[i]), [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            rank[i] = (at + end - 1) / 2
        at = end
    return rank


def spearman(pairs):
    a, b = ranks([p[0] for p in pairs]), ranks([p[1] for p in pairs])
    return statistics.correlation(a, b) if len(set(a)) > 1 and len(set(b)) > 1 else 1.0


def summarise(rows, key, title=None, holes=True):
    """Mean error, rank correlation, those far off; then the biggest holes."""
    found = sorted(((abs(o[key] - t[key]) / t[key], o[key], t[key], name) for name, o, t in rows if t.get(key)), reverse=True)
    pairs = [(o, t) for _, o, t, _ in found]
    if not pairs:
        return
    print(f'{title or key}: mean absolute error {100 * statistics.mean(f[0] for f in found):.1f} %, mean error '
          f'{100 * statistics.mean(o / t - 1 for o, t in pairs):+.1f} %, median ratio {statistics.median(o / t for o, t in pairs):.3f}, '
          f'rank correlation {spearman(pairs):.3f}, {sum(f[0] > 0.5 for f in found)} of {len(found)} off by more than 50 %')
    for error, ours, theirs, name in found[:OPTIONS.holes * holes]:
        print(f'    {name[:44]:44} {ours:>6} / {theirs:<6} {100 * (ours / theirs - 1):+.0f} %')


def summarise_instructions(rows):
    summarise(rows, 'instructions', holes=False)
    summarise(rows, 'common', 'instructions that both machines have')


def spills(rows, what):
    """Who spills, and how much."""
    both = [(o['spill_store_bytes'], t['spill_store_bytes'], o['spill_load_bytes'], t['spill_load_bytes'], n) for n, o, t in rows]
    only_ours, only_theirs = [r for r in both if r[0] and not r[1]], [r for r in both if r[1] and not r[0]]
    close = sum(abs(r[0] - r[1]) <= r[1] / 4 for r in both if r[0] and r[1])
    print(f'spills, {what}: {len(rows)} kernels, both {sum(bool(r[0] and r[1]) for r in both)} ({close} within 25 %), only '
          f'Heddle {len(only_ours)}, only ptxas {len(only_theirs)}; bytes stored {sum(r[0] for r in both)} / {sum(r[1] for r in both)}'
          f', loaded {sum(r[2] for r in both)} / {sum(r[3] for r in both)}')
    for stored, theirs, *_, name in sorted((r for r in both if r[0] != r[1]), key=lambda r: -abs(r[0] - r[1]))[:OPTIONS.holes // 2]:
        print(f'    {name[:44]:44} {stored:>6} / {theirs:<6}')


def apart(title, found, limit):
    """`found`: (name, Heddle's figure, ptxas's). Those further apart than `limit`, biggest first."""
    off = sorted((f for f in found if abs(f[1] - f[2]) > limit), key=lambda f: -abs(f[1] - f[2]))
    print(f'{title}: {len(off)} of {len(found)} more than {limit} apart')
    for name, ours, theirs in off[:OPTIONS.holes // 2]:
        print(f'    {name[:44]:44} {ours:>6} / {theirs:<6}')


def table(rows):
    print(f'{"kernel":44} {"registers":>14} {"stack bytes":>14} {"instructions":>14}')
    for name, ours, theirs in rows:
        print(f'{name[:44]:44}', *(f'{ours[key]:>6} /{theirs.get(key, 0):>6}' for key in
                                   ('registers', 'stack_bytes', 'common')))


def is_unseen(source):
    return os.path.basename(os.path.dirname(source)) == 'unseen'


def report_sets(results, sources):
    """Registers of the kernels that the compiler was tuned with, and of the others."""
    sets = {'examples and shapes': lambda source: not source.startswith(PROGRAMS),
            'programs': lambda source: source.startswith(PROGRAMS) and not is_unseen(source),
            'programs, unseen': is_unseen}
    for title, belongs in sets.items():
        rows = [row for source, result in zip(sources, results) if belongs(source) for row in result[0]]
        summarise(rows, 'registers', f'registers, {title}', holes=False)


def report_whole(arch, results, sources):
    print(f'\n{arch}: Heddle with {WHOLE} / ptxas -O3, whole program')
    report_sets(results, sources)
    seen = [result for source, result in zip(sources, results) if not is_unseen(source)]
    for cap in (0,) + CAPS:
        rows = [row for result in seen for row in result[cap]]
        bounded = [row for row in rows if row[1]['launch_bounds']['max_threads']]
        free = [row for row in rows if not row[1]['launch_bounds']['max_threads']]
        if not cap:
            if OPTIONS.table:
                table(rows)
            summarise(rows, 'registers')
            summarise_instructions(rows)
            apart('stack frames without spills (bytes)', [(n, o['stack_bytes'], t['stack_bytes']) for n, o, t in rows if not
                                                          o['spill_store_bytes'] and not t['spill_store_bytes']], 16)
            spills(bounded, 'launch bounds')
        spills(free, f'cap {cap}' if cap else 'no cap')


def as_reported(ours):
    """Heddle's registers by ptxas's rule for functions with callers or callees."""
    return dict(ours, registers=max(ours['own_registers'], CALLABLE_REGISTERS))


def simple_name(name):
    """C++ names are written in more than one way: their words are the same."""
    return ' '.join(sorted(re.findall(r'\w+|[*&]', name)))


def report_graph(functions, graph):
    """Edges between functions that are in both, by name: common ones, Heddle's alone, nvlink's alone."""
    names = {name: simple_name(f['demangled']) for name, f in functions.items()}
    theirs = {(simple_name(a), simple_name(b)) for a in graph for b in graph[a] if not b.startswith(bench_cubin.HELPER)}
    known = {simple_name(a) for a in graph}
    ours = {(names[a], names[b]) for a, f in functions.items() for b in callees(f) if b in names}
    ours = {edge for edge in ours if known.issuperset(edge)}
    return len(ours & theirs), ours - theirs, theirs - ours


def report_relocatable(arch, results):
    print(f'\n{arch}: Heddle with rdc / ptxas -O3 -c, every function alone')
    rows = [(n, as_reported(o), t) for found, _, _ in results for n, o, t in found if not o.get('kernel') or o['calls']]
    summarise(rows, 'registers')
    summarise_instructions(rows)
    abroad = [row for row in rows if row[1]['abroad'] and not row[1].get('kernel')]
    saved = [(n, o['callee_save_bytes'] // 4, t['spill_store_bytes'] // 4 - RETURN_WORDS) for n, o, t in abroad
             if t['spill_store_bytes']]
    apart('registers saved where a callee is in another module', saved, 2)
    apart('their stack frames less the return address (bytes)', [(n, o['stack_bytes'], t['stack_bytes'] - 4 * RETURN_WORDS)
                                                                 for n, o, t in abroad if t['spill_store_bytes']], 16)
    graphs = [report_graph(functions, graph) for _, functions, graph in results if graph is not None]
    if graphs:
        print(f'call graph: {sum(g[0] for g in graphs)} edges in both, only Heddle {sum(len(g[1]) for g in graphs)}, only nvlink '
              f'{sum(len(g[2]) for g in graphs)}')
    for who, which in (('Heddle', 1), ('nvlink', 2)):
        for caller, callee in sorted(edge for g in graphs for edge in g[which])[:OPTIONS.holes]:
            print(f'    only {who}: {caller} -> {callee}')


def main():
    os.makedirs(OUT, exist_ok=True)
    subprocess.run([sys.executable, 'scripts/bench_kernels.py', OUT], check=True)
    sources = OPTIONS.sources or [source for folder in ('examples', OUT, PROGRAMS, f'{PROGRAMS}/unseen')
                                  for source in sorted(glob.glob(f'{folder}/*.cu'))]
    linked = [[source] for source in sources if not source.endswith('.ll') and not is_unseen(source)]
    if not OPTIONS.sources:
        linked.append([f'{OUT}/separate/separate.cu', f'{OUT}/separate/away.cu'])
    for arch in ARCHS:
        with concurrent.futures.ThreadPoolExecutor(OPTIONS.jobs) as pool:
            whole = pool.map(lambda source: measure_whole(source, arch), sources)
            relocatable = pool.map(lambda modules: measure_relocatable(modules, arch), linked)
            report_whole(arch, list(whole), sources)
            report_relocatable(arch, list(relocatable))


main()
