"""Dependence counters at calls and returns in code of nvcc. Called by bench-calls.sh: folder of the cubins, nvcc, architecture.

Bits 105 to 121 of an instruction are its control bits: stall count, yield, the counters that it raises for its result and its
sources (7: none), and those that it waits for (Huerta et al., MICRO 2025, 4.1). A counter is pending at a call or return when
an instruction between the call, label or branch before it and itself has raised it, and nothing has waited for it since; it
is left when the call or return does not wait for it either. Jumps into that stretch are not looked at.
"""
import glob
import os
import struct
import subprocess
import sys
from collections import Counter

from bench_cubin import CALLS, read, sections

RETURNS = (0x950, 0x150, 0x350)
BRANCHES = (0x947, 0x949, 0x94c, 0x94d, 0x941)  # BRA, BRX, JMX, EXIT, BSYNC
NONE = 7


def control(high):
    """Stall count, counters raised for the result and the sources, counters waited for."""
    bits = high >> 41
    return bits & 15, bits >> 5 & 7, bits >> 8 & 7, {counter for counter in range(6) if bits >> 11 + counter & 1}


def places(code):
    """(kind, pending, left, stall count, that of the instruction in front) of each call and return; {counter: result or source}."""
    raised, before = {}, 0
    for low, high in struct.iter_unpack('<QQ', code):
        operation = low & 0xfff
        stall, result, sources, waits = control(high)
        left = {counter: what for counter, what in raised.items() if counter not in waits}
        kind = 'call' if operation in CALLS else 'return' if operation in RETURNS else None
        if kind:
            yield kind, raised, left, stall, before
        raised = {} if kind or operation in BRANCHES else left
        raised.update({sources: 'source'} if sources != NONE else {})
        raised.update({result: 'result'} if result != NONE else {})
        before = stall


def compile_all(folder, nvcc, arch):
    os.makedirs(folder, exist_ok=True)
    for source in sorted(glob.glob('examples/calls/*/*.cu')):
        name = os.path.join(folder, f'{source.split("/")[-2]}-{os.path.basename(source)}.{arch}.cubin')
        subprocess.run([nvcc, f'-arch={arch}', '-rdc=true', '-w', '-cubin', '-o', name, source], check=True)
        yield name


def main():
    folder, nvcc, arch = sys.argv[1:]
    counts, stalls = Counter(), Counter()
    for name in compile_all(folder, nvcc, arch):
        for section, code in sections(read(name))[0].items():
            if not section.startswith('.text.'):
                continue
            for kind, pending, left, stall, before in places(code):
                counts[kind, 'all'] += 1
                counts[kind, 'pending'] += bool(pending)
                counts[kind, 'results'] += 'result' in pending.values()
                counts[kind, 'left'] += bool(left)
                stalls[kind, before, stall] += 1
    print(f'{"":8} {"all":>6} {"pending":>8} {"results":>8} {"left":>6}   stall counts, of the instruction in front and its own')
    for kind in ('call', 'return'):
        own = sorted(((pair[1:], count) for pair, count in stalls.items() if pair[0] == kind), key=lambda each: -each[1])
        print(f'{kind:8} {counts[kind, "all"]:>6} {counts[kind, "pending"]:>8} {counts[kind, "results"]:>8} {counts[kind, "left"]:>6}   '
              + ', '.join(f'{before}+{stall} {count}' for (before, stall), count in own[:4]))


if __name__ == '__main__':
    main()
