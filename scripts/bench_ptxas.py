"""Heddle's machine code beside ptxas's, on the same IR. Called by bench-ptxas.sh: build tree, ptxas, [options].

Registers and stack frame come from the cubin's .nv.info (attribute 0x2f registers, 0x11 frame), spills from `ptxas -v`,
instructions from the size of .text.<kernel> / 16, less trailing NOPs. Kernels are compared whole-program: ptxas keeps
the functions that a kernel calls in the kernel's section, so Heddle's figure takes in its callees too. Without sources,
the examples and the kernels of bench_kernels.py are measured.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import statistics
import struct
import subprocess
import sys


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
BUILD, PTXAS = OPTIONS.build, OPTIONS.ptxas
ARCHS = OPTIONS.arch.split(',')
CAPS = tuple(int(cap) for cap in OPTIONS.caps.split(',') if cap)
OUT = os.path.join(BUILD, 'bench', 'ptxas')
BIN = subprocess.check_output(['llvm-config-19', '--bindir'], text=True).strip()
NOP_OPCODE = 0x918


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def device_ir(source, name):
    if source.endswith('.ll'):
        return source
    path = os.path.join(OUT, name + '.ll')
    run(os.path.join(BIN, 'clang++'), '-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_70', '--cuda-feature=+ptx75',
        '-nocudainc', '-nocudalib', '--cuda-path=/nonexistent', '-Xclang', '-target-sdk-version=11.8', '-isystem',
        'include/cuda', '-include', 'heddle_cuda.h', '-Xclang', '-mlink-builtin-bitcode', '-Xclang',
        f'{BUILD}/share/heddle/device.bc', '-O3', '-emit-llvm', '-S', '-o', path, source)
    return path


def sections(cubin):
    """Section name -> bytes, and symbol index -> name, of an ELF64 file."""
    (shoff,) = struct.unpack_from('<Q', cubin, 0x28)
    entry, count, names_at = struct.unpack_from('<HHH', cubin, 0x3a)
    headers = [struct.unpack_from('<IIQQQQIIQQ', cubin, shoff + i * entry) for i in range(count)]
    names = headers[names_at]

    def text(offset, table):
        start = table[4] + offset
        return cubin[start:cubin.index(0, start)].decode()

    found = {text(h[0], names): cubin[h[4]:h[4] + h[5]] for h in headers if h[1] != 8}
    symbols = []
    for h in headers:
        if h[1] == 2:
            strings = headers[h[6]]
            for at in range(h[4], h[4] + h[5], 24):
                symbols.append(text(struct.unpack_from('<I', cubin, at)[0], strings))
    return found, symbols


def attributes(info):
    """(attribute, payload) of a .nv.info section."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from('<BBH', info, at)
        payload = info[at + 4:at + 4 + size] if form == 4 else b''
        yield attribute, payload
        at += 4 + (size if form == 4 else 0)


def instructions(code):
    count = len(code) // 16
    while count and struct.unpack_from('<Q', code, (count - 1) * 16)[0] & 0xfff == NOP_OPCODE:
        count -= 1
    return count - 1  # and the BRA to itself in front of the padding


def ptxas_figures(ptx, arch, cap):
    """Function -> figures; a kernel's instructions are those of its section, its callees and helpers included."""
    cubin = f'{ptx[:-4]}.{cap}.cubin'
    command = [PTXAS, '-O3', '-v', f'-arch={arch}', '-o', cubin, ptx] + ([f'-maxrregcount={cap}'] if cap else [])
    log = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    with open(cubin, 'rb') as file:
        found, symbols = sections(file.read())
    figures = {section[6:]: {'instructions': instructions(code), 'stack_bytes': 0, 'spill_store_bytes': 0, 'spill_load_bytes': 0}
               for section, code in found.items() if section.startswith('.text.')}
    for attribute, payload in attributes(found.get('.nv.info', b'')):
        if attribute in (0x2f, 0x11) and len(payload) == 8:
            symbol, value = struct.unpack('<II', payload)
            if symbols[symbol] in figures:
                figures[symbols[symbol]]['registers' if attribute == 0x2f else 'stack_bytes'] = value
    for name, stores, loads in re.findall(r'Function properties for (\S+)\n.*?(\d+) bytes spill stores, (\d+) bytes', log):
        if name in figures:
            figures[name].update(spill_store_bytes=int(stores), spill_load_bytes=int(loads))
    return figures


def with_callees(functions, name):
    """Instructions of a function and of everything that it can reach, each once."""
    seen, work = set(), [name]
    while work:
        function = work.pop()
        if function in functions and function not in seen:
            seen.add(function)
            work += [target for call in functions[function]['calls'] for target in call['callees']]
    return sum(functions[function]['instructions'] for function in seen)


def heddle_figures(ir, stem, cap):
    prefix = os.path.join(OUT, f'{stem}.{cap}')
    keys = [f'o={prefix}'] + ([f'maxrregcount={cap}'] if cap else []) + [OPTIONS.keys] * bool(OPTIONS.keys)
    run(os.path.join(BIN, 'opt'), f'-load-pass-plugin={BUILD}/lib/HeddlePasses.so', f'-passes=heddle<{";".join(keys)}>',
        '-disable-output', ir)
    with open(prefix + '.heddle.json') as file:
        metadata = json.load(file)
    functions = {f['name']: f for f in metadata['kernels'] + metadata['functions']}
    return {k['name']: dict(k, instructions=with_callees(functions, k['name'])) for k in metadata['kernels']}


# ---- one module ----


def measure(source):
    """(arch, cap) -> [(kernel, Heddle's figures, ptxas's figures)] of one module."""
    stem = os.path.splitext(os.path.basename(source))[0]
    ir = device_ir(source, stem)
    own, rows = {cap: heddle_figures(ir, stem, cap) for cap in (0,) + CAPS}, {}
    for arch in ARCHS:
        ptx = os.path.join(OUT, f'{stem}.{arch}.ptx')
        run(os.path.join(BIN, 'llc'), '-O3', f'-mcpu={arch}', '-mattr=+ptx75', '-o', ptx, ir)
        for cap in (0,) + CAPS:
            peer = ptxas_figures(ptx, arch, cap)
            rows[arch, cap] = [(name, own[cap][name], peer[name]) for name in sorted(own[cap]) if name in peer]
    return rows


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


def summarise(rows, key):
    """Mean error, rank correlation, those far off; then the biggest holes."""
    found = sorted(((abs(o[key] - t[key]) / t[key], o[key], t[key], name) for name, o, t in rows if t.get(key)), reverse=True)
    pairs = [(o, t) for _, o, t, _ in found]
    if not pairs:
        return
    print(f'{key}: mean absolute error {100 * statistics.mean(f[0] for f in found):.1f} %, median ratio '
          f'{statistics.median(o / t for o, t in pairs):.3f}, rank correlation {spearman(pairs):.3f}, '
          f'{sum(f[0] > 0.5 for f in found)} of {len(found)} off by more than 50 %')
    for error, ours, theirs, name in found[:OPTIONS.holes]:
        print(f'    {name[:44]:44} {ours:>6} / {theirs:<6} {100 * (ours / theirs - 1):+.0f} %')


def spills(rows, cap):
    """Who spills, and how much, under one cap; 0: none, or launch bounds."""
    both = [(o['spill_store_bytes'], t['spill_store_bytes'], o['spill_load_bytes'], t['spill_load_bytes'], n) for n, o, t in rows]
    only_ours, only_theirs = [r for r in both if r[0] and not r[1]], [r for r in both if r[1] and not r[0]]
    close = sum(abs(r[0] - r[1]) <= r[1] / 4 for r in both if r[0] and r[1])
    print(f'spills, {f"cap {cap}" if cap else "no cap"}: both {sum(bool(r[0] and r[1]) for r in both)} ({close} within 25 %), only '
          f'Heddle {len(only_ours)}, only ptxas {len(only_theirs)}; bytes stored {sum(r[0] for r in both)} / {sum(r[1] for r in both)}'
          f', loaded {sum(r[2] for r in both)} / {sum(r[3] for r in both)}')
    for stored, theirs, *_, name in sorted((r for r in both if r[0] != r[1]), key=lambda r: -abs(r[0] - r[1]))[:OPTIONS.holes // 2]:
        print(f'    {name[:44]:44} {stored:>6} / {theirs:<6}')


def frames(rows):
    """Stack frames less spill slots are those of local arrays."""
    off = [(abs(o['stack_bytes'] - t['stack_bytes']), o['stack_bytes'], t['stack_bytes'], n) for n, o, t in rows]
    print(f'stack frames: {sum(f[0] > 16 for f in off)} of {len(off)} more than 16 bytes apart')
    for _, ours, theirs, name in sorted((f for f in off if f[0] > 16), reverse=True)[:OPTIONS.holes // 2]:
        print(f'    {name[:44]:44} {ours:>6} / {theirs:<6}')


def table(rows):
    print(f'{"kernel":44} {"registers":>14} {"stack bytes":>14} {"instructions":>14}')
    for name, ours, theirs in rows:
        print(f'{name[:44]:44}', *(f'{ours[key]:>6} /{theirs.get(key, 0):>6}' for key in
                                   ('registers', 'stack_bytes', 'instructions')))


def main():
    os.makedirs(OUT, exist_ok=True)
    subprocess.run([sys.executable, 'scripts/bench_kernels.py', OUT], check=True)
    sources = OPTIONS.sources or sorted(glob.glob('examples/*.cu')) + sorted(glob.glob(f'{OUT}/*.cu'))
    with concurrent.futures.ThreadPoolExecutor(OPTIONS.jobs) as pool:
        results = list(pool.map(measure, sources))
    for arch in ARCHS:
        print(f'\n{arch}: Heddle / ptxas -O3, whole program')
        for cap in (0,) + CAPS:
            rows = [row for result in results for row in result[arch, cap]]
            if not cap:
                if OPTIONS.table:
                    table(rows)
                summarise(rows, 'registers')
                summarise(rows, 'instructions')
                frames(rows)
            spills(rows, cap)


main()
