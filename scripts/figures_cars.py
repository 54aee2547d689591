"""make figures-cars: the figures and tables of CARS (HPCA 2024) on the call-heavy workloads, beside the paper's numbers.

Writes report.md and an SVG a figure into OUT (default BUILD/figures/cars). A part of each GPU is simulated (--share):
so many SMs less, and L2 slices, DRAM channels and static power with them; what an SM sees stays the same, and a grid
fills it with fewer blocks. The sizes are the `figures` column of examples/workloads.txt: grids of about 160
warps, 16 for each of the ten SMs of the default share. The same launches on larger and smaller parts of the GPU are the
series over 8, 16, 32 and 64 warps of an SM.
"""
import argparse
import configparser
import json
import math
import os
import sys

import figures
from figures import geomean, mean, ratio, table

# The paper's Table I: name there, call depth, calls per thousand instructions.
PAPER = {
    'pointsto': ('PTA', 9, 46.11), 'refine': ('DMR', 1, 11.61), 'mst': ('MST', 5, 20.75), 'sssp': ('SSSP', 3, 6.30),
    'cfd': ('CFD', 3, 17.48), 'traffic': ('TRAF', 3, 3.13), 'life': ('GOL', 1, 7.05), 'nbody': ('NBD', 2, 21.40),
    'collision': ('COLI', 3, 19.54), 'structure': ('STUT', 3, 10.94), 'raytrace': ('RAY', 4, 19.71),
    'hydro': ('LULESH', 3, 2.84), 'fib': ('FIB', 8, 22.41), 'gemm_linear': ('Bert_LT', 5, 17.01),
    'gemm_dense': ('Bert_FC', 5, 17.01), 'gemm_score': ('Bert_AtScore', 5, 17.62),
    'gemm_conv': ('Resnet_FP', 5, 17.04), 'svr': ('SVR', 17, 47.03), 'kmeans': ('KMEAN', 14, 41.23),
    'forest': ('RF', 17, 47.11),
}
OBJECTS = ('raytrace', 'traffic', 'life', 'nbody', 'collision', 'structure', 'vertices')  # whose calls are virtual
TRAPS = {'pointsto': (0.014, 0.78)}  # Table III: % of calls that trap, bytes a call; the others have none
PORTS = (2, 4, 8)
WARPS = (1, 2, 3, 4, 8, 16)
RESIDENT = 16  # warps that the grids have for an SM of the default share
SERIES = {8: 0.5, 32: 2, 64: 5}  # others, and how much smaller the part of the GPU is that leaves an SM so many
CHOICE = 32  # warps of an SM at which Figure 14 has allocations to choose from
PHASES = 'pointsto'  # the workload of Figures 11 and 14
ALLOCATIONS = ('low', '2', 'high')
QUICK = {'pointsto': '256,30', 'fib': '256,5'}
SAMPLE = 500  # cycles
BIG_L1 = ('--set', f'l1_bytes={10 << 20}')


def configurations(name):
    """{key: (GPU, inlined, options, how much smaller a part of it)} of a workload."""
    sample = ('--sample', str(SAMPLE)) if name == PHASES else ()
    runs = {
        'base': ('v100', False, ('--policy', 'baseline', *sample)),
        'cars': ('v100', False, ('--policy', 'cars', *sample)),
        'vw': ('v100', False, ('--policy', 'vw')),
        'l1': ('v100', False, ('--policy', 'baseline', *BIG_L1)),
        'hit': ('v100', False, ('--policy', 'all-hit')),
        'inlined': ('v100', True, ('--policy', 'baseline')),
        'base3070': ('rtx3070', False, ('--policy', 'baseline')),
        'cars3070': ('rtx3070', False, ('--policy', 'cars')),
    }
    for ports in PORTS:
        for policy, short in (('baseline', 'base'), ('cars', 'cars')):
            runs[f'{short}{ports}x'] = ('v100', False, ('--policy', policy, '--set', f'l1_ports={ports}'))
    runs.update({f'swl{n}': ('v100', False, ('--policy', f'swl:{n}')) for n in WARPS if n < RESIDENT})
    runs = {key: (*run, 1) for key, run in runs.items()}
    for warps, smaller in SERIES.items():
        for policy, short in (('baseline', 'base'), ('cars', 'cars')):
            runs[f'{short}@{warps}'] = ('v100', False, ('--policy', policy), smaller)
    for warps in (min(SERIES), max(SERIES)):
        runs[f'stages@{warps}'] = ('v100', False, ('--policy', 'cars-stages'), SERIES[warps])
    if name == PHASES:
        runs.update({'at' + n: ('v100', False, ('--policy', 'cars:' + n), SERIES[CHOICE]) for n in ALLOCATIONS})
    if name not in PAPER:  # not of the paper's set: in the tables of occupancies alone
        runs = {key: run for key, run in runs.items() if key in ('base', 'cars') or '@' in key}
    return runs


def part_of_gpu(build, gpu, share):
    """Options that leave 1/share of a GPU, rounded up."""
    ini = configparser.ConfigParser(inline_comment_prefixes=';', strict=False, allow_no_value=True)
    with open(os.path.join(build, 'share', 'heddle', 'gpus', gpu + '.ini')) as file:
        ini.read_string('[gpu]\n' + file.read())
    values = {key: value for section in ini.sections() for key, value in ini[section].items()}
    sizes = {key: math.ceil(int(values[key]) / share) for key in ('sm_count', 'l2_slices', 'dram_channels')}
    sizes['constant_watts'] = float(values.get('constant_watts', 32.3)) / share
    return [option for key, size in sizes.items() for option in ('--set', f'{key}={size}')]


class Workload:
    def __init__(self, name, folder, sizes, programs):
        self.name, self.sizes = name, sizes
        self.program = os.path.join(programs, folder)
        with open(self.program + '.heddle.json') as file:
            self.kernels = json.load(file)['kernels']
        self.runs = {}

    def total(self, run):
        return self.runs[run]['total']

    def speedup(self, run, over='base'):
        return self.total(over)['cycles'] / self.total(run)['cycles']

    def efficiency(self, run, over='base'):
        return self.total(over)['energy_joules'] / self.total(run)['energy_joules']

    def spills(self, run):
        """% of the L1 accesses."""
        return 100 * ratio(self.total(run)['l1d_spill_fill'], self.total(run)['l1d_accesses'])

    def dynamic(self, run):
        """Joules without what passes with time."""
        return self.total(run)['dynamic_joules']

    def mpki(self, run):
        total = self.total(run)
        program = total['warp_instructions'] - total['injected'] - total['micro_operations']
        return 1e3 * total['l1d_misses'] / program

    def launches(self, run, first):
        """Those that are the first of their kernel, or the others."""
        known, found = set(), []
        for launch in self.runs[run]['launches']:
            if (launch['kernel'] not in known) == first:
                found.append(launch)
            known.add(launch['kernel'])
        return found

    def speedup_of(self, first, cars='cars', base='base'):
        """Of first launches, or of the others; 0 where there are none."""
        return ratio(*(sum(launch['cycles'] for launch in self.launches(run, first)) for run in (base, cars)))

    def best_swl(self):
        return min((f'swl{n}' for n in WARPS), key=lambda run: self.total(run)['cycles'])


def read_workloads(options):
    found = []
    with open(options.list) as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith('#')]
    for name, source, _, _, sizes, *_ in rows:
        kind, _, folder = source.partition('/')
        if kind != 'calls':
            continue
        if options.quick:
            sizes = QUICK.get(name)
        if sizes and (not options.workloads or name in options.workloads.split(',')):
            found.append(Workload(name, folder, sizes, options.programs))
    return found


def simulate(workloads, options):
    wanted = {}
    for workload in workloads:
        for key, (gpu, inlined, flags, smaller) in configurations(workload.name).items():
            program = workload.program + ('.lto' if inlined else '')
            part = part_of_gpu(options.build, gpu, options.share * smaller)
            wanted[workload.name, key] = (program, workload.sizes.split(','), gpu, [*part, *flags])
    # Each configuration of all workloads before the next one: what fails does so early.
    order = {key: i for workload in workloads for i, key in enumerate(configurations(workload.name))}
    wanted = dict(sorted(wanted.items(), key=lambda item: order[item[0][1]]))
    runner = figures.Runner(options.build, os.path.join(options.out, 'runs'), options.jobs)
    results = runner.run_all(wanted)
    for workload in workloads:
        workload.runs = {key: result for (name, key), result in results.items() if name == workload.name}
        workload.runs.update({f'swl{n}': workload.runs['base'] for n in WARPS if n >= RESIDENT})  # no limit
        workload.runs[f'base@{RESIDENT}'], workload.runs[f'cars@{RESIDENT}'] = workload.runs['base'], workload.runs['cars']
        if workload.name in PAPER:
            workload.runs['swl'] = workload.runs[workload.best_swl()]


# ---------------------------------------------------------------- figures; each returns lines of the report

def number(value, digits=2):
    return f'{value:.{digits}f}'


def picture(out, name):
    return os.path.join(out, name + '.svg'), f'![{name}]({name}.svg)'


def table_1(workloads, out):
    rows = []
    for w in workloads:
        total, paper = w.total('base'), PAPER[w.name]
        depth = max(kernel.get('call_depth', 0) for kernel in w.kernels)
        rows.append((w.name, depth, number(1e3 * total['calls'] / total['warp_instructions']), paper[0], paper[1],
                     number(paper[2])))
    return ['## Table I: call depth, calls per thousand warp instructions', '',
            'The depth is that of the call graph, one iteration of recursion.', '',
            *table(('workload', 'depth', 'CPKI', 'in the paper', 'depth', 'CPKI'), rows)]


KINDS = ('l1d_spill_fill', 'l1d_global', 'l1d_other_local')


def figures_2_and_9(workloads, out):
    path, shown = picture(out, 'figure-9')
    rows, plotted = [], []
    for w in workloads:
        whole = w.total('base')['l1d_accesses']
        shares = [[100 * ratio(w.total(run)[kind], whole) for kind in KINDS] for run in ('base', 'cars')]
        rows.append((w.name, *(number(value, 1) for pair in shares for value in pair)))
        plotted += [(w.name, *shares[0]), ('CARS', *shares[1]), None]
    average = [mean(100 * ratio(w.total('base')[kind], w.total('base')['l1d_accesses']) for w in workloads) for kind in KINDS]
    figures.stacked(path, 'L1 accesses, % of the baseline', '%', ('spills and fills', 'global', 'other local'), plotted)
    return ['## Figures 2 and 9: L1 accesses by kind, % of the baseline', '', shown, '',
            *table(('workload', 'spills/fills', 'global', 'other local', 'CARS: spills/fills', 'global', 'other local'), rows),
            f'Mean of the workloads (Figure 2): spills and fills {average[0]:.1f} % (paper: 40.4 %), global '
            f'{average[1]:.1f} %, other local {average[2]:.1f} %.', '']


def speedup_figure(workloads, out, name, heading, runs, paper, over=None):
    """Bars and a table of speedups: runs {title: (key, key it is compared with)}, paper {title: geometric mean}."""
    path, shown = picture(out, name)
    values = [(w.name, *(w.speedup(*keys) for keys in runs.values())) for w in workloads]
    last = [geomean(row[i + 1] for row in values) for i in range(len(runs))]
    figures.bars(path, heading, 'speedup', list(runs), values + [('geometric mean', *last)], 1)
    rows = [(row[0], *(number(value) for value in row[1:])) for row in values]
    rows += [('**geometric mean**', *(number(value) for value in last)),
             ('paper', *(paper.get(title, '') for title in runs))]
    return [f'## {heading}', '', shown, '', *table(('workload', *runs), rows)]


def figure_8(workloads, out):
    lines = speedup_figure(workloads, out, 'figure-8', 'Figure 8: speedup over the baseline',
                           {'virtual warps': ('vw',), '10 MB L1': ('l1',), 'Best-SWL': ('swl',), 'CARS': ('cars',)},
                           {'CARS': '1.26'})
    best = ', '.join(f'{w.name} {w.best_swl()[3:]}' for w in workloads)
    return [*lines, f'Best-SWL, warps of an SM: {best}.', '']


def figure_10(workloads, out):
    return speedup_figure(workloads, out, 'figure-10', 'Figure 10: an L1 that every spill and fill hits',
                          {'ALL-HIT': ('hit',), 'CARS': ('cars',)}, {'CARS': '1.26'})


def series_of(launch, counters):
    samples = launch['samples']
    length = max(len(values) for key, values in samples.items() if key != 'interval')
    sums = [sum(samples.get(counter, [0] * length)[i] for counter in counters) for i in range(length)]
    return [(i * samples['interval'], value / samples['interval']) for i, value in enumerate(sums)]


def figure_11(workloads, out):
    w = next((w for w in workloads if w.name == PHASES), None)
    if not w:
        return []
    path, shown = picture(out, 'figure-11')
    launches = w.runs['base']['launches']
    index = max(range(len(launches)), key=lambda i: launches[i]['l1d_spill_fill'])
    curves, rate = {}, {}
    for run, title in (('base', 'baseline'), ('cars', 'CARS')):
        launch = w.runs[run]['launches'][index]
        curves[f'{title}, global'] = series_of(launch, ('l1d_global',))
        curves[f'{title}, local'] = series_of(launch, ('l1d_spill_fill', 'l1d_other_local'))
        rate[run] = launch['l1d_global'] / launch['cycles']
    kernel = launches[index]['kernel']
    figures.lines(path, f'L1 accesses of {kernel}', 'cycle', 'accesses a cycle', curves)
    return [f'## Figure 11: L1 bandwidth over time, {w.name}', '', shown, '',
            f'`{kernel}`, launch {index + 1}: {rate["base"]:.3f} global accesses a cycle in the baseline, '
            f'{rate["cars"]:.3f} under CARS ({100 * (ratio(rate["cars"], rate["base"]) - 1):+.0f} %; paper: +98 %, '
            'for one kernel of PTA).', '']


def figure_12(workloads, out):
    path, shown = picture(out, 'figure-12')
    values = [(w.name, w.mpki('base'), w.mpki('cars')) for w in workloads]
    less = [100 * (1 - ratio(cars, base)) for _, base, cars in values]
    figures.bars(path, 'L1 misses per thousand warp instructions', 'MPKI', ('baseline', 'CARS'), values)
    rows = [(name, number(base, 1), number(cars, 1), number(cut, 0)) for (name, base, cars), cut in zip(values, less)]
    return ['## Figure 12: L1 misses per thousand warp instructions', '', shown, '',
            *table(('workload', 'baseline', 'CARS', '% less'), rows),
            f'Mean reduction: {mean(less):.0f} % (paper: 35 %).', '']


def mix(total, cars):
    """Warp instructions by kind. Under CARS saves and restores are pushes and pops, which take no load/store unit, and so
    are the pushes of RFP; what traps and switches move are spills and fills."""
    moves = sum(total[key] for key in ('callee_saves', 'callee_restores', 'spill_stores', 'spill_loads'))
    renamed = int(cars['pushes'] + cars['pops']) if cars else 0
    spills = moves - renamed + total['injected']
    renamed += total['micro_operations']
    arithmetic = sum(total[key] for key in ('int_instructions', 'fp32_instructions', 'fp64_instructions', 'sfu_instructions'))
    return arithmetic, total['lsu_instructions'] - spills, total['control_instructions'] - renamed, spills, renamed


def figure_13(workloads, out):
    path, shown = picture(out, 'figure-13')
    kinds = ('arithmetic', 'other memory', 'control', 'spills and fills', 'pushes and pops')
    rows, plotted = [], []
    for w in workloads:
        whole = w.total('base')['warp_instructions']
        parts = [[100 * part / whole for part in mix(w.total(run), w.total(run).get('cars'))] for run in ('base', 'cars')]
        rows += [(w.name, *(number(part, 1) for part in parts[0])), ('... CARS', *(number(part, 1) for part in parts[1]))]
        plotted += [(w.name, *parts[0]), ('CARS', *parts[1]), None]
    figures.stacked(path, 'Warp instructions, % of the baseline', '%', kinds, plotted)
    return ['## Figure 13: instruction mix, % of the baseline\'s warp instructions', '', shown, '',
            *table(('workload', *kinds), rows)]


def cycles_by_kernel(run):
    cycles = {}
    for launch in run['launches']:
        cycles[launch['kernel']] = cycles.get(launch['kernel'], 0) + launch['cycles']
    return cycles


def figure_14(workloads, out):
    w = next((w for w in workloads if w.name == PHASES), None)
    if not w:
        return []
    path, shown = picture(out, 'figure-14')
    runs = {'Low': 'atlow', '2 x Low': 'at2', 'High': 'athigh', 'chosen while running': f'cars@{CHOICE}'}
    base = cycles_by_kernel(w.runs[f'base@{CHOICE}'])
    values = [(kernel.split('(')[0], *(base[kernel] / cycles_by_kernel(w.runs[run])[kernel] for run in runs.values()))
              for kernel in base]
    figures.bars(path, f'Speedup of the kernels of {w.name} by allocation', 'speedup', list(runs), values, 1)
    rows = [(f'`{row[0]}`', *(number(value) for value in row[1:])) for row in values]
    rows.append(('all', *(number(w.speedup(run, f'base@{CHOICE}')) for run in runs.values())))
    switches = {title: int(w.total(run)['cars']['switches']) for title, run in runs.items()}
    return [f'## Figure 14: speedup of the kernels of {w.name} by allocation', '', shown, '',
            f'Where an SM has {CHOICE} warps: with {RESIDENT}, High costs none of them.', '',
            *table(('kernel', *runs), rows),
            'Context switches at barriers: ' + ', '.join(f'{title} {count}' for title, count in switches.items()) + '.', '']


def figure_15(workloads, out):
    path, shown = picture(out, 'figure-15')
    runs = {'virtual warps': 'vw', '10 MB L1': 'l1', 'Best-SWL': 'swl', 'CARS': 'cars'}
    values = [(w.name, *(w.efficiency(run) for run in runs.values()), w.dynamic('base') / w.dynamic('cars')) for w in workloads]
    last = [geomean(row[i + 1] for row in values) for i in range(len(runs) + 1)]
    figures.bars(path, 'Energy efficiency over the baseline', 'energy of the baseline / energy', list(runs),
                 [row[:-1] for row in values] + [('geometric mean', *last[:-1])], 1)
    rows = [(row[0], *(number(value) for value in row[1:])) for row in values]
    rows += [('**geometric mean**', *(number(value) for value in last)), ('paper', '', '', '', '1.28', '')]
    return ['## Figure 15: energy efficiency over the baseline', '', shown, '',
            'Counted events times the table of `include/heddle/config.def`, and static power.', '',
            *table(('workload', *runs, 'CARS, without static power'), rows)]


def figure_16(workloads, out):
    lines = speedup_figure(workloads, out, 'figure-16', 'Figure 16: the same program inlined (`-dlto`)',
                           {'inlined': ('inlined',), 'CARS': ('cars',)}, {'inlined': '1.28', 'CARS': '1.26'})
    left = [(w.name, number(1e3 * ratio(w.total('inlined')['calls'], w.total('inlined')['warp_instructions'])),
             number(100 * ratio(w.total('inlined')['warp_instructions'], w.total('base')['warp_instructions']), 0))
            for w in workloads]
    return [*lines, 'What is left of calls (through pointers, and recursion), and of warp instructions:', '',
            *table(('workload', 'CPKI inlined', 'instructions, % of the baseline'), left)]


def figure_17(workloads, out):
    runs = {f'{ports}x ports': (f'base{ports}x',) for ports in PORTS}
    runs.update({f'CARS, {ports}x': (f'cars{ports}x',) for ports in PORTS})
    return speedup_figure(workloads, out, 'figure-17', 'Figure 17: more L1 ports, over the baseline', runs,
                          {'2x ports': '1.02', '4x ports': '1.03', '8x ports': '1.03', 'CARS, 2x': '1.28', 'CARS, 4x': '1.29',
                           'CARS, 8x': '1.29'})


def figure_18(workloads, out):
    return speedup_figure(workloads, out, 'figure-18', 'Figure 18: RTX 3070',
                          {'CARS on V100': ('cars',), 'CARS on RTX 3070': ('cars3070', 'base3070')}, {'CARS on V100': '1.26'})


def table_3(workloads, out):
    rows = []
    for w in workloads:
        cars, paper = w.total('cars')['cars'], TRAPS.get(w.name, ('', ''))
        rows.append((w.name, f'{cars["trapping_calls"]:.3f}', number(cars['bytes_per_call']), int(cars['traps']),
                     int(cars['switches']), int(cars['stalled_warps']), *paper))
    return ['## Table III: traps', '', f'CARS adds {w.total("cars")["cars"]["storage"]:.0f} bytes of storage to an SM '
            '(paper: 264).', '',
            *table(('workload', '% of calls that trap', 'bytes a call', 'traps', 'switches', 'stalled warps',
                    'paper: % of calls', 'bytes a call'), rows)]


def first_and_later(workload, run='cars'):
    """Calls that trapped and all calls under CARS, of each kernel's first launch and of all later ones."""
    return tuple([sum(int(launch['cars'][key]) for launch in workload.launches(run, first)) for key in ('call_traps', 'calls')]
                 for first in (True, False))


def mean_speedup_of(workloads, first, cars='cars', base='base'):
    """Of the workloads that have such launches."""
    return geomean(speedup for speedup in (w.speedup_of(first, cars, base) for w in workloads) if speedup)


def first_launches(workloads, out):
    """What the choice of an allocation costs is seen where there is one: on a full SM."""
    rows = []
    for w in workloads:
        cells = []
        for warps in (RESIDENT, max(SERIES)):
            (first, calls), (later, later_calls) = first_and_later(w, f'cars@{warps}')
            speedups = [w.speedup_of(one, f'cars@{warps}', f'base@{warps}') for one in (True, False)]
            cells += [*(number(value) for value in speedups), number(100 * ratio(first, calls)), number(100 * ratio(later, later_calls))]
        rows.append((w.name, *cells))
    means = [mean_speedup_of(workloads, first, f'cars@{warps}', f'base@{warps}')
             for warps in (RESIDENT, max(SERIES)) for first in (True, False)]
    rows.append(('**geometric mean**', number(means[0]), number(means[1]), '', '', number(means[2]), number(means[3]), '', ''))
    heads = [f'{warps} warps: {what}' for warps in (RESIDENT, max(SERIES))
             for what in ('first launches', 'later', 'calls that trap, %', 'later')]
    return ['## First launches of kernels, and later ones', '',
            'In a kernel\'s first launch half of the SMs have to try Low, where High costs warps; later ones begin with what '
            'was best. Speedup of CARS and traps of both.', '', *table(('workload', *heads), rows)]


def blocks_by_allocation(cars):
    """[(allocation, rows of a warp, blocks, mean cycles of a block)] of a launch."""
    names = [key[:-len('_blocks')] for key in cars if key.endswith('_blocks')]
    return [(name.replace('_', ' '), *(int(cars[f'{name}_{what}']) for what in ('registers', 'blocks', 'block_cycles')))
            for name in names]


def where_traps_are(workloads, out):
    rows, full = [], f'cars@{max(SERIES)}'
    for w in workloads:
        if not w.total(full)['cars']['traps']:
            continue
        launch = max(w.runs[full]['launches'], key=lambda launch: launch['cars']['call_traps'])
        allocations = '; '.join(f'{name} ({registers}): {blocks} blocks of {cycles / 1e3:.0f} k'
                                for name, registers, blocks, cycles in blocks_by_allocation(launch['cars']) if blocks)
        rows.append((w.name, f'`{launch["kernel"].split("(")[0].split("<")[0].split(" ")[-1]}`', allocations))
    return [f'### Where the traps are, with {max(SERIES)} warps', '', 'The launch with the most of them: rows of a warp, blocks, and '
            'thousands of cycles of a block. Averages are of blocks that did different work: where later launches of a kernel do less '
            'than its first, the allocation with which the second began has the lowest from then on, and stays.', '',
            *table(('workload', 'kernel', 'allocations'), rows)]


def warps_of_sm(workload, run):
    total, config = workload.total(run), workload.runs[run]['config']
    return ratio(total['resident_warp_cycles'], total['cycles'] * config['sm_count'])


def dram_use(workload, run):
    """% of what the channels could move: `dram_bus` bytes `dram_ratio` times a clock."""
    total, config = workload.total(run), workload.runs[run]['config']
    sectors = ratio(total['dram_reads'] + total['dram_writes'], total['cycles'])
    bytes_a_clock = config['dram_bus'] * config['dram_ratio'] * config['dram_mhz'] / config['core_mhz']
    return 100 * ratio(32 * sectors, bytes_a_clock * config['dram_channels'])


CAUSES = {'issued': ('issued',), 'load/store unit busy': ('unit', 'collector'), 'waits for memory': ('data_memory',),
          'waits for arithmetic': ('data_alu', 'data_shared', 'control', 'fetch'), 'barrier': ('barrier', 'fence'),
          'held by the policy': ('policy', 'suspended'), 'no warp': ('idle',)}


def where_slots_went(workloads, out):
    rows = []
    for w in workloads:
        for run, title in (('base', w.name), ('cars', '... CARS')):
            total = w.total(run)
            slots = sum(total['stalls'].values())
            shares = [100 * ratio(sum(total['stalls'][key] for key in keys), slots) for keys in CAUSES.values()]
            rows.append((title, *(number(share, 1) for share in shares), number(warps_of_sm(w, run), 1),
                         number(100 * ratio(total['l1d_hits'], total['l1d_accesses']), 1),
                         number(100 * ratio(total['l2_hits'], total['l2_accesses']), 1), number(dram_use(w, run), 0),
                         number(ratio(total['load_latency'], total['load_requests']), 0)))
    return ['## Where the issue slots went, %', '',
            *table(('workload', *CAUSES, 'resident warps of an SM', 'L1 hits, %', 'L2 hits, %',
                    'DRAM bandwidth used, %', 'cycles of a load'), rows)]


def occupancies(workloads, out):
    path, shown = picture(out, 'warps')
    counts = sorted([RESIDENT, *SERIES])
    rows = [(w.name, *(number(w.speedup(f'cars@{n}', f'base@{n}')) for n in counts),
             *(number(warps_of_sm(w, f'base@{n}'), 1) for n in counts)) for w in workloads]
    means = [geomean(w.speedup(f'cars@{n}', f'base@{n}') for w in workloads) for n in counts]
    rows.append(('**mean**', *(number(value) for value in means),
                 *(number(mean(warps_of_sm(w, f'base@{n}') for w in workloads), 1) for n in counts)))
    figures.bars(path, 'Speedup of CARS by warps of an SM', 'speedup', [f'{n} warps' for n in counts],
                 [(w.name, *(w.speedup(f'cars@{n}', f'base@{n}') for n in counts)) for w in workloads] + [('geometric mean', *means)], 1)
    more = [(f'{n}', number(means[i]), number(geomean(w.efficiency(f'cars@{n}', f'base@{n}') for w in workloads)),
             number(mean(w.spills(f'base@{n}') for w in workloads), 1),
             number(mean(100 * (1 - ratio(w.mpki(f'cars@{n}'), w.mpki(f'base@{n}'))) for w in workloads), 0),
             sum(1 for w in workloads if w.total(f'cars@{n}')['cars']['traps'] > 0),
             number(mean(100 * ratio(w.total(f'base@{n}')['l1d_hits'], w.total(f'base@{n}')['l1d_accesses']) for w in workloads), 0))
            for i, n in enumerate(counts)]
    return ['## CARS by the number of warps of an SM', '', shown, '',
            f'The same launches on parts of the V100 that leave an SM so many warps; all other figures are those with {RESIDENT}.', '',
            *table(('warps', 'speedup', 'energy efficiency', 'spills, % of L1 accesses', 'fewer misses, %', 'workloads that trap',
                    'L1 hits of the baseline, %'), more), 'Each workload, and how many were resident on average over the run:', '',
            *table(('workload', *(f'{n} warps' for n in counts), *(f'resident of {n}' for n in counts)), rows)]


def stages_alone(workloads, out):
    """The baseline with the two stages that CARS adds, on an SM with few warps and on a full one."""
    few, many = min(SERIES), max(SERIES)
    def loss(w, warps):
        return 100 * (1 - w.speedup(f'stages@{warps}', f'base@{warps}'))
    rows = [(w.name, *(number(value, 1) for warps in (few, many)
                       for value in (loss(w, warps), 100 * (w.speedup(f'cars@{warps}', f'base@{warps}') - 1)))) for w in workloads]
    rows.append(('**mean**', *(number(value, 1) for warps in (few, many) for value in
                               (mean(loss(w, warps) for w in workloads),
                                100 * (geomean(w.speedup(f'cars@{warps}', f'base@{warps}') for w in workloads) - 1)))))
    return ['## What the two added pipeline stages cost alone', '',
            '`--policy cars-stages`: the baseline with a stage more in issue and in operand collection (IV-C, the paper\'s worst '
            'case), % of its speed; and what CARS gains in all, %.', '',
            *table(('workload', f'{few} warps: stages cost', 'CARS gains', f'{many} warps: stages cost', 'CARS gains'), rows)]


def objects(workloads, out):
    """Programs of virtual calls over arrays of objects: what CARS removes, and what its stages add."""
    rows = []
    for w in workloads:
        if w.name not in OBJECTS:
            continue
        waits = [100 * ratio(sum(w.total(run)['stalls'][key] for key in CAUSES['waits for arithmetic']),
                             sum(w.total(run)['stalls'].values())) for run in ('base', 'cars')]
        rows.append((w.name, *(number(100 * (w.speedup(f'cars@{n}', f'base@{n}') - 1), 1) for n in sorted([RESIDENT, *SERIES])),
                     number(w.spills('base'), 1), *(number(value, 1) for value in waits)))
    return ['## Object-oriented programs', '',
            'What CARS gains in %, by warps of an SM; what it can remove; and the issue slots that wait for arithmetic, branches and '
            f'fetches, in %, with {RESIDENT} warps.', '',
            *table(('program', *(f'{n} warps' for n in sorted([RESIDENT, *SERIES])), 'spills, % of L1 accesses', 'waits, baseline',
                    'waits, CARS'), rows)]


def stack_of_sm(workload):
    """Bytes that the stacks of an SM's resident threads take at their deepest, of the kernel that runs longest."""
    cycles = cycles_by_kernel(workload.runs['base'])
    longest = max(cycles, key=cycles.get)
    kernel = next((kernel for kernel in workload.kernels if kernel['demangled'] == longest), {})
    launches = [launch for launch in workload.runs['base']['launches'] if launch['kernel'] == longest]
    warps = ratio(sum(launch['resident_warp_cycles'] for launch in launches),
                  cycles[longest] * workload.runs['base']['config']['sm_count'])
    return 32 * warps * kernel.get('max_stack_bytes', 0)


def span(values, digits=0, unit=''):
    values = sorted(values)
    return f'{values[0]:.{digits}f} to {values[-1]:.{digits}f}{unit}'


def named(pairs, digits=2):
    return ', '.join(f'{name} {value:.{digits}f}' for name, value in pairs)


def per_cycle(workload, run, counter):
    """% of the cycles of the SMs."""
    total = workload.total(run)
    return 100 * ratio(total[counter], total['cycles'] * workload.runs[run]['config']['sm_count'])


def about_capacity(workloads):
    base = [w.total('base') for w in workloads]
    l1 = workloads[0].runs['base']['config']['l1_bytes']
    means = {run: geomean(w.speedup(run) for w in workloads) for run in ('cars', 'l1', 'swl', 'hit', 'base8x')}
    series = ', '.join(f'{geomean(w.speedup(f"cars@{n}", f"base@{n}") for w in workloads):.2f} with {n}' for n in sorted([RESIDENT, *SERIES]))
    spills = mean(100 * ratio(t['l1d_spill_fill_misses'], t['l1d_misses']) for t in base)
    loads = mean(100 * ratio(t['stalls']['unit'], sum(t['stalls'].values())) for t in base)
    above = {run: [w.name for w in workloads if w.speedup(run) > w.speedup('cars')] for run in ('l1', 'swl')}
    return [
        f'- *Warps decide*: CARS gains {series} warps of an SM, since stacks grow with them. Here '
        f'{mean(warps_of_sm(w, "base") for w in workloads):.0f} are resident over a run, and the stacks of their threads take '
        f'{span((stack_of_sm(w) / l1 for w in workloads), 2)} times the L1. {spills:.0f} % of the baseline\'s L1 misses are '
        f'spills and fills, {loads:.0f} % of the issue slots wait for the load/store unit, and '
        f'{mean(dram_use(w, "base") for w in workloads):.0f} % of the DRAM bandwidth is used.',
        f'- *10 MB L1 and Best-SWL* ({means["l1"]:.2f} and {means["swl"]:.2f}; CARS {means["cars"]:.2f}; paper: below CARS). The L1 is '
        f'above CARS in {len(above["l1"])} of {len(workloads)} workloads ({", ".join(above["l1"]) or "none"}), Best-SWL in '
        f'{len(above["swl"])} ({", ".join(above["swl"]) or "none"}). Line accesses wait for a port of the L1 in '
        f'{mean(per_cycle(w, "base", "l1d_port_stalls") for w in workloads):.1f} % of the cycles of an SM, '
        f'and 8 times the ports gain {means["base8x"]:.2f}. When every spill hits (Figure 10) the gain is {means["hit"]:.2f}.']


def about_traps(workloads):
    trapping = [w.name for w in workloads if w.total('cars')['cars']['traps']]
    full = max(SERIES)
    counts = [first_and_later(w, f'cars@{full}') for w in workloads]
    share = [100 * ratio(sum(count[i][0] for count in counts), sum(count[i][1] for count in counts)) for i in (0, 1)]
    return [f'- *Traps* in {", ".join(trapping) or "none"} (paper: PTA): with {RESIDENT} warps of an SM, High costs none of them. With '
            f'{full} half of the SMs begin with Low, which holds one call: {share[0]:.1f} % of the calls of first launches trap, and '
            f'{share[1]:.1f} % of later ones. Recursion (fib) goes deeper than the one iteration that High foresees.']


def about_inlining(workloads):
    executed = {w.name: 100 * ratio(w.total('inlined')['warp_instructions'], w.total('base')['warp_instructions']) for w in workloads}
    fewest = sorted(executed.items(), key=lambda pair: pair[1])[:5]
    stay = [(w.name, w.speedup('inlined')) for w in workloads if w.total('inlined')['calls'] > 0.2 * w.total('base')['calls']]
    return [
        f'- *Inlined* ({geomean(w.speedup("inlined") for w in workloads):.2f}; paper 1.28). Less is executed '
        f'({mean(executed.values()):.0f} % of the warp instructions on average; {named(fewest, 0)}), since arguments by reference '
        'and small classes need no memory any more, and no stack is left. Where calls are virtual or recursive they stay: '
        f'{named(stay) or "nowhere"}.']


def about_slow(workloads):
    slow = [w for w in workloads if w.speedup('cars') < 1]
    lines = []
    for w in slow:
        waits = [100 * ratio(sum(w.total(run)['stalls'][key] for key in CAUSES['waits for arithmetic']),
                             sum(w.total(run)['stalls'].values())) for run in ('base', 'cars')]
        share = 100 * ratio(w.total('base')['l1d_spill_fill'], w.total('base')['l1d_accesses'])
        lines.append(f'{w.name} {w.speedup("cars"):.2f} (spills are {share:.1f} % of its L1 accesses; waits for arithmetic, branches '
                     f'and fetches are {waits[0]:.1f} % of the issue slots, and {waits[1]:.1f} % with the two stages that CARS adds)')
    return [f'- *Slower under CARS*: {"; ".join(lines) or "none"}.']


def about_energy(workloads):
    return [f'- *Energy* ({geomean(w.efficiency("cars") for w in workloads):.2f}; paper 1.28) gains less than time where what is '
            'executed and fetched stays; without static power CARS is '
            f'{geomean(w.dynamic("base") / w.dynamic("cars") for w in workloads):.2f} times as efficient.']


def differences(workloads, out):
    """Why numbers differ from the paper's, with the counters of these runs."""
    return ['## Where this differs from the paper, and why', '', *about_capacity(workloads), *about_traps(workloads),
            *about_inlining(workloads), *about_slow(workloads), *about_energy(workloads), '']


def headlines(workloads, out):
    share = mean(w.spills('base') for w in workloads)
    warps = mean(warps_of_sm(w, 'base') for w in workloads)
    fewer = mean(100 * (1 - ratio(w.mpki('cars'), w.mpki('base'))) for w in workloads)
    trapping = [w.name for w in workloads if w.total('cars')['cars']['traps']]
    def means(of, run):
        return number(geomean(of(w, run) for w in workloads))
    rows = [('L1 accesses that are spills and fills', f'{share:.1f} %', '40.4 %'),
            ('speedup of CARS, geometric mean', means(Workload.speedup, 'cars'), '1.26'),
            ('speedup in first launches of kernels, in later ones',
             ', '.join(number(mean_speedup_of(workloads, first)) for first in (True, False)), ''),
            ('energy efficiency of CARS', means(Workload.efficiency, 'cars'), '1.28'),
            ('L1 misses per thousand instructions', f'{-fewer:+.0f} %', '-35 %'),
            ('speedup inlined', means(Workload.speedup, 'inlined'), '1.28'),
            ('speedup with a 10 MB L1, Best-SWL', f'{means(Workload.speedup, "l1")}, {means(Workload.speedup, "swl")}', 'below CARS'),
            ('speedup of CARS on RTX 3070', number(geomean(w.speedup('cars3070', 'base3070') for w in workloads)), 'about as on V100'),
            ('workloads that still spill', f'{len(trapping)} of {len(workloads)}: ' + (', '.join(trapping) or 'none'), 'PTA')]
    return ['## Headlines', '', f'{len(workloads)} workloads; {warps:.1f} warps of an SM resident on average.', '',
            *table(('', 'here', 'paper'), rows)]


SECTIONS = (headlines, differences, table_1, figures_2_and_9, figure_8, figure_10, figure_11, figure_12, figure_13, figure_14, figure_15,
            figure_16, figure_17, figure_18, table_3,
            occupancies, first_launches, where_traps_are, where_slots_went)


def write_report(workloads, options):
    part = 'The whole of each GPU' if options.share == 1 else f'1/{options.share} of each GPU'
    text = ['# CARS on the call-heavy workloads', '',
            f'{part} is simulated: SMs, L2 slices, DRAM channels and static power. Numbers are of warps, not threads. What they '
            'mean, and why some differ from the paper\'s: `examples/calls/README.md`.', '']
    shown = [w for w in workloads if w.name in PAPER]
    for section in SECTIONS:
        text += section(shown, options.out)
    text += stages_alone(workloads, options.out) + objects(workloads, options.out)
    text += ['## Sizes', '', *table(('workload', 'arguments', 'warp instructions', 'cycles of the baseline'),
                                    [(w.name, w.sizes.replace(',', ' '), w.total('base')['warp_instructions'],
                                      w.total('base')['cycles']) for w in workloads])]
    path = os.path.join(options.out, 'report.md')
    with open(path + '.part', 'w') as file:
        file.write('\n'.join(text))
    os.replace(path + '.part', path)
    print('\n'.join(headlines(shown, options.out)[2:]))
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build', help='build tree (default build)')
    parser.add_argument('--programs', help='folder of the built workloads (default BUILD/examples/calls)')
    parser.add_argument('--list', default='examples/workloads.txt', help='table of workloads')
    parser.add_argument('--out', help='folder of the results (default BUILD/figures/cars)')
    parser.add_argument('--share', type=int, default=8, help='simulate 1/N of each GPU (default 8)')
    parser.add_argument('--workloads', help='only these, separated by commas')
    parser.add_argument('--quick', action='store_true', help='a few workloads at tiny sizes')
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count(), help='runs at a time (default all cores)')
    options = parser.parse_args()
    options.programs = options.programs or os.path.join(options.build, 'examples', 'calls')
    options.out = options.out or os.path.join(options.build, 'figures', 'cars')
    workloads = read_workloads(options)
    if not workloads:
        parser.error(f'no workload of {options.list} is named {options.workloads}')
    try:
        simulate(workloads, options)
        write_report(workloads, options)
    except (figures.RunFailed, OSError) as error:
        sys.exit(f'figures-cars: error: {error}')


if __name__ == '__main__':
    main()
