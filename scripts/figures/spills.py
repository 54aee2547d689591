"""Spills in local memory, and in shared memory that blocks leave unused, as ptxas of CUDA 13.0 has them on request.

Kernels whose threads hold more values than there are registers, compiled for 5, 6 and 8 blocks of 256 threads on an SM, which
leaves a thread 48, 40 and 32 registers. Speedups are over the program for 4 blocks, 64 registers and no spills. Spills in shared
memory take as much of it as keeps all these blocks on the SM; the others stay in local memory. On the V100 L1 has what shared
memory leaves of 128 KB; on the Maxwell GPU it is apart.
"""
import statistics

import figures
from figures import Bars, Headline, geomean, number, ratio, table

TITLE = 'Spills in shared memory'
COMPILED = True
BLOCKS = (5, 6, 8)
MACHINES = (('V100', ''), ('Maxwell', 'apart-'))


class Workload(figures.Workload):
    def kernel(self, run):
        """The metadata of the kernel that ran."""
        name = self.runs[run]['launches'][0]['kernel'].split('(')[0]
        return next(kernel for kernel in self.compiled[run] if kernel['demangled'].split('(')[0] == name)

    def gain(self, machine, blocks):
        return self.speedup(f'{machine}shared-{blocks}', f'{machine}local-{blocks}')


def gains(workloads, machine):
    return [w.gain(machine, blocks) for w in workloads for blocks in BLOCKS]


def gain(machine, pick):
    return lambda workloads: pick(gains(workloads, machine))


def moved(machine):
    return lambda workloads: figures.slots_moved(workloads, f'{machine}shared-8', f'{machine}local-8')


HEADLINES = tuple(
    Headline(f'shared over local spills, {name}: {what}', gain(machine, pick), '1.05 to 1.10' if what == 'geometric mean' else None, '', 2,
             moved(machine) if what == 'geometric mean' else None)
    for name, machine in MACHINES for what, pick in (('geometric mean', geomean), ('median', statistics.median), ('least', min), ('most', max)))


def speedups(machine, name):
    base = f'{machine}base'
    return Bars(f'speedup-{machine or "v100-"}spills', f'Speedup over 4 blocks without spills, {name}',
                {f'{kind}, {blocks}': (f'{machine}{kind}-{blocks}', base) for blocks in BLOCKS for kind in ('local', 'shared')})


def costs(machine, name):
    def figure(workloads, _out):
        rows = []
        for w in workloads:
            for run in (f'{machine}base', *(f'{machine}{kind}-{blocks}' for blocks in BLOCKS for kind in ('local', 'shared'))):
                total, kernel, launch = w.total(run), w.kernel(run), w.runs[run]['launches'][0]
                rows.append((w.name, run.replace('apart-', ''), kernel['registers'], kernel['spill_store_bytes'] + kernel['spill_load_bytes'],
                             kernel['shared_bytes'], launch['resident_ctas'], launch['limiter'], total['cycles'],
                             number(total['l1d_spill_fill'], 0), number(100 * ratio(total['l1d_hits'], total['l1d_accesses']), 0)))
        return [f'## Registers, occupancy and cycles, {name}', '',
                *table(('workload', 'program', 'registers', 'local spills in the code, bytes', 'shared memory of a block, bytes', 'blocks of an SM',
                        'limit', 'cycles', 'L1 accesses for spills', 'L1 hits, %'), rows)]
    return figure


FIGURES = tuple(make(machine, name) for name, machine in MACHINES for make in (speedups, costs))


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key."""
    values = {}
    for name, machine in MACHINES:
        values.update({f'{name.lower()}-{key}': gain(machine, pick)(of_paper) for key, pick in
                       (('mean', geomean), ('median', statistics.median), ('least', min), ('most', max))})
        for w in of_paper:
            values.update({f'{name.lower()}-{w.name}-{kind}-{blocks}': w.speedup(f'{machine}{kind}-{blocks}', f'{machine}base')
                           for kind in ('local', 'shared') for blocks in BLOCKS})
    return values
