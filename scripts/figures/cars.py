"""The figures and tables of CARS (HPCA 2024) on the call-heavy workloads, beside the paper's numbers.

scripts/plans/cars.ini says what runs. A part of each GPU is simulated: so many SMs less, and L2 slices, DRAM channels and
constant power with them; what an SM sees stays the same, and a grid fills it with fewer blocks. The sizes are grids of
about 160 warps, 16 for each of the ten SMs of an eighth. The same launches on larger and smaller parts of the GPU are the
series over 8, 16, 32 and 64 warps of an SM, and those on the whole of it leave 2.
"""
import os

import figures
from figures import Bars, Headline, dram_use, geomean, mean, number, picture, ratio, table

TITLE = 'CARS on the call-heavy workloads'

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
SERIES = (8, 32, 64)  # others, on parts of the GPU that leave an SM so many
WHOLE = 'whole'  # the V100: 80 SMs share the launches
CHOICE = 32  # warps of an SM at which Figure 14 has allocations to choose from
PHASES = 'pointsto'  # the workload of Figures 11 and 14
DEEPEST = 'propagate_copies'  # its kernel with the deepest calls


class Workload(figures.Workload):
    def spills(self, run):
        """% of the L1 accesses."""
        return 100 * ratio(self.total(run)['l1d_spill_fill'], self.total(run)['l1d_accesses'])

    def dynamic(self, run):
        """Joules without what passes with time."""
        return self.total(run)['dynamic_joules']

    def dynamic_efficiency(self, run, over='base'):
        return self.dynamic(over) / self.dynamic(run)

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


def prepare(workloads):
    """Names for runs that are others', too."""
    for w in workloads:
        w.runs.update({f'swl{n}': w.runs['base'] for n in WARPS if n >= RESIDENT})  # no limit
        w.runs[f'base@{RESIDENT}'], w.runs[f'cars@{RESIDENT}'] = w.runs['base'], w.runs['cars']
        if all(f'swl{n}' in w.runs for n in WARPS):
            w.runs['swl'] = w.runs[w.best_swl()]


def is_shown(workload):
    """Those of the paper: others are in the tables of occupancies alone."""
    return workload.name in PAPER


# ---------------------------------------------------------------- figures; each returns lines of the page

def table_1(workloads, out):
    rows = []
    for w in workloads:
        total, paper = w.total('base'), PAPER.get(w.name)
        depth = max(kernel.get('call_depth', 0) for kernel in w.kernels)
        rows.append((w.name, depth, number(1e3 * total['calls'] / total['warp_instructions']),
                     *((paper[0], paper[1], number(paper[2])) if paper else ('', '', ''))))
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


def best_limits(workloads):
    best = ', '.join(f'{w.name} {w.best_swl()[3:]}' for w in workloads)
    return [f'Best-SWL, warps of an SM: {best}.', '']


FIGURE_8 = Bars('figure-8', 'Figure 8: speedup over the baseline',
                {'virtual warps': ('vw',), '10 MB L1': ('l1',), 'Best-SWL': ('swl',), 'CARS': ('cars',)}, {'CARS': '1.26'},
                notes=best_limits)
FIGURE_10 = Bars('figure-10', 'Figure 10: an L1 that every spill and fill hits', {'ALL-HIT': ('hit',), 'CARS': ('cars',)},
                 {'CARS': '1.26'})


def series_of(launch, counters):
    samples = launch['samples']
    length = max(len(values) for key, values in samples.items() if key != 'interval')
    sums = [sum(samples.get(counter, [0] * length)[i] for counter in counters) for i in range(length)]
    return [(i * samples['interval'], value / samples['interval']) for i, value in enumerate(sums)]


def global_rates(w):
    """The launch with most spills, and its global accesses of L1 a cycle, by run."""
    launches = w.runs['base']['launches']
    index = max(range(len(launches)), key=lambda i: launches[i]['l1d_spill_fill'])
    return index, {run: w.runs[run]['launches'][index]['l1d_global'] / w.runs[run]['launches'][index]['cycles'] for run in ('base', 'cars')}


def figure_11(workloads, out):
    w = next((w for w in workloads if w.name == PHASES), None)
    if not w:
        return []
    path, shown = picture(out, 'figure-11')
    launches = w.runs['base']['launches']
    index, rate = global_rates(w)
    curves = {}
    for run, title in (('base', 'baseline'), ('cars', 'CARS')):
        launch = w.runs[run]['launches'][index]
        curves[f'{title}, global'] = series_of(launch, ('l1d_global',))
        curves[f'{title}, local'] = series_of(launch, ('l1d_spill_fill', 'l1d_other_local'))
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
    values = [(w.name, *(w.efficiency(run) for run in runs.values()), w.dynamic_efficiency('cars')) for w in workloads]
    last = [geomean(row[i + 1] for row in values) for i in range(len(runs) + 1)]
    figures.bars(path, 'Energy efficiency over the baseline', 'energy of the baseline / energy', list(runs),
                 [row[:-1] for row in values] + [('geometric mean', *last[:-1])], 1)
    rows = [(row[0], *(number(value) for value in row[1:])) for row in values]
    rows += [('**geometric mean**', *(number(value) for value in last)), ('paper', '', '', '', '1.28', '')]
    return ['## Figure 15: energy efficiency over the baseline', '', shown, '',
            'Counted events times the table of `include/heddle/config.def`, and static power.', '',
            *table(('workload', *runs, 'CARS, without static power'), rows)]


def left_of_calls(workloads):
    left = [(w.name, number(1e3 * ratio(w.total('inlined')['calls'], w.total('inlined')['warp_instructions'])),
             number(100 * ratio(w.total('inlined')['warp_instructions'], w.total('base')['warp_instructions']), 0))
            for w in workloads]
    return ['What is left of calls (through pointers, and recursion), and of warp instructions:', '',
            *table(('workload', 'CPKI inlined', 'instructions, % of the baseline'), left)]


FIGURE_16 = Bars('figure-16', 'Figure 16: the same program inlined (`-dlto`)', {'inlined': ('inlined',), 'CARS': ('cars',)},
                 {'inlined': '1.28', 'CARS': '1.26'}, notes=left_of_calls)
FIGURE_17 = Bars('figure-17', 'Figure 17: more L1 ports, over the baseline',
                 {**{f'{ports}x ports': (f'base{ports}x',) for ports in PORTS},
                  **{f'CARS, {ports}x': (f'cars{ports}x',) for ports in PORTS}},
                 {'2x ports': '1.02', '4x ports': '1.03', '8x ports': '1.03', 'CARS, 2x': '1.28', 'CARS, 4x': '1.29',
                  'CARS, 8x': '1.29'})
FIGURE_18 = Bars('figure-18', 'Figure 18: RTX 3070', {'CARS on V100': ('cars',), 'CARS on RTX 3070': ('cars3070', 'base3070')},
                 {'CARS on V100': '1.26'})


def why_traps(workload, run):
    """What the traps of a run come from, by what the compiler says of recursion and by the allocations that blocks had."""
    if not workload.total(run)['cars']['traps']:
        return ''
    blocks = {}
    for launch in workload.runs[run]['launches']:
        for name, _, count, _ in blocks_by_allocation(launch['cars']):
            blocks[name] = blocks.get(name, 0) + count
    had = ', '.join(f'{100 * ratio(count, sum(blocks.values())):.0f} % of the blocks had {name}' for name, count in blocks.items() if count)
    recursive = any(kernel.get('proof', {}).get('recursive_calls') for kernel in workload.kernels)
    return ('recursion goes deeper than the one iteration that High foresees; ' if recursive else 'calls deeper than the allocation; ') + had


def table_3(workloads, out):
    rows, reasons, full = [], [], f'cars@{max(SERIES)}'
    for w in workloads:
        cars, paper = w.total('cars')['cars'], TRAPS.get(w.name, ('', ''))
        rows.append((w.name, f'{cars["trapping_calls"]:.3f}', number(cars['bytes_per_call']), int(cars['traps']),
                     int(cars['switches']), int(cars['stalled_warps']), *paper))
        if w.total('cars')['cars']['traps'] or w.total(full)['cars']['traps']:
            reasons.append((w.name, int(cars['traps']), why_traps(w, 'cars'), int(w.total(full)['cars']['traps']), why_traps(w, full)))
    return ['## Table III: traps', '', f'CARS adds {w.total("cars")["cars"]["storage"]:.0f} bytes of storage to an SM '
            '(paper: 264).', '',
            *table(('workload', '% of calls that trap', 'bytes a call', 'traps', 'switches', 'stalled warps',
                    'paper: % of calls', 'bytes a call'), rows),
            f'Which trap, and why, with {RESIDENT} and with {max(SERIES)} warps of an SM:', '',
            *table(('workload', f'traps, {RESIDENT} warps', 'why', f'traps, {max(SERIES)} warps', 'why'), reasons)]


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


def dram_share(workload, run):
    return dram_use(workload.total(run), workload.runs[run]['config'])


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
                         number(100 * ratio(total['l2_hits'], total['l2_accesses']), 1), number(dram_share(w, run), 0),
                         number(ratio(total['load_latency'], total['load_requests']), 0)))
    return ['## Where the issue slots went, %', '',
            *table(('workload', *CAUSES, 'resident warps of an SM', 'L1 hits, %', 'L2 hits, %',
                    'DRAM bandwidth used, %', 'cycles of a load'), rows)]


def warps_or_whole(n):
    return 'whole V100' if n == WHOLE else f'{n} warps'


def occupancies(workloads, out):
    path, shown = picture(out, 'warps')
    counts = [*sorted([RESIDENT, *SERIES]), WHOLE]
    rows = [(w.name, *(number(w.speedup(f'cars@{n}', f'base@{n}')) for n in counts),
             *(number(warps_of_sm(w, f'base@{n}'), 1) for n in counts)) for w in workloads]
    means = [geomean(w.speedup(f'cars@{n}', f'base@{n}') for w in workloads) for n in counts]
    rows.append(('**mean**', *(number(value) for value in means),
                 *(number(mean(warps_of_sm(w, f'base@{n}') for w in workloads), 1) for n in counts)))
    figures.bars(path, 'Speedup of CARS by warps of an SM', 'speedup', [warps_or_whole(n) for n in counts],
                 [(w.name, *(w.speedup(f'cars@{n}', f'base@{n}') for n in counts)) for w in workloads] + [('geometric mean', *means)], 1)
    more = [('whole V100' if n == WHOLE else f'{n}', number(means[i]), number(geomean(w.efficiency(f'cars@{n}', f'base@{n}') for w in workloads)),
             number(mean(w.spills(f'base@{n}') for w in workloads), 1),
             number(mean(100 * (1 - ratio(w.mpki(f'cars@{n}'), w.mpki(f'base@{n}'))) for w in workloads), 0),
             sum(1 for w in workloads if w.total(f'cars@{n}')['cars']['traps'] > 0),
             number(mean(100 * ratio(w.total(f'base@{n}')['l1d_hits'], w.total(f'base@{n}')['l1d_accesses']) for w in workloads), 0))
            for i, n in enumerate(counts)]
    return ['## CARS by the number of warps of an SM', '', shown, '',
            f'The same launches on parts of the V100 that leave an SM so many warps, and on the whole of it; all other figures are those with {RESIDENT}.', '',
            *table(('warps', 'speedup', 'energy efficiency', 'spills, % of L1 accesses', 'fewer misses, %', 'workloads that trap',
                    'L1 hits of the baseline, %'), more), 'Each workload, and how many were resident on average over the run:', '',
            *table(('workload', *(warps_or_whole(n) for n in counts), *(f'resident of {n}' for n in counts)), rows)]


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


def waits_for_arithmetic(w, run):
    """% of the issue slots, those for branches and fetches included."""
    stalls = w.total(run)['stalls']
    return 100 * ratio(sum(stalls[key] for key in CAUSES['waits for arithmetic']), sum(stalls.values()))


def objects(workloads, out):
    """Programs of virtual calls over arrays of objects: what CARS removes, and what its stages add."""
    rows = []
    for w in workloads:
        if w.name not in OBJECTS:
            continue
        waits = [waits_for_arithmetic(w, run) for run in ('base', 'cars')]
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
        f'{mean(dram_share(w, "base") for w in workloads):.0f} % of the DRAM bandwidth is used.',
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
        waits = [waits_for_arithmetic(w, run) for run in ('base', 'cars')]
        share = 100 * ratio(w.total('base')['l1d_spill_fill'], w.total('base')['l1d_accesses'])
        lines.append(f'{w.name} {w.speedup("cars"):.2f} (spills are {share:.1f} % of its L1 accesses; waits for arithmetic, branches '
                     f'and fetches are {waits[0]:.1f} % of the issue slots, and {waits[1]:.1f} % with the two stages that CARS adds)')
    return [f'- *Slower under CARS*: {"; ".join(lines) or "none"}.']


def about_energy(workloads):
    return [f'- *Energy* ({geomean(w.efficiency("cars") for w in workloads):.2f}; paper 1.28) gains less than time where what is '
            'executed and fetched stays; without static power CARS is '
            f'{geomean(w.dynamic_efficiency("cars") for w in workloads):.2f} times as efficient.']


def differences(workloads, out):
    """Why numbers differ from the paper's, with the counters of these runs."""
    return ['## Where this differs from the paper, and why', '', *about_capacity(workloads), *about_traps(workloads),
            *about_inlining(workloads), *about_slow(workloads), *about_energy(workloads), '']


def mean_of(run, over='base', of=Workload.speedup):
    return lambda workloads: geomean(of(w, run, over) for w in workloads)


def fewer_misses(workloads):
    return -mean(100 * (1 - ratio(w.mpki('cars'), w.mpki('base'))) for w in workloads)


def still_spill(workloads):
    names = [w.name for w in workloads if w.total('cars')['cars']['traps']]
    return f'{len(names)} of {len(workloads)}: ' + (', '.join(names) or 'none')


def moved(run, over='base'):
    return lambda workloads: figures.slots_moved(workloads, run, over)


def residents(run):
    return lambda workloads: f'{mean(warps_of_sm(w, run) for w in workloads):.1f} warps of an SM resident on average'


HEADLINES = (
    Headline('L1 accesses that are spills and fills', lambda ws: mean(w.spills('base') for w in ws), 40.4, ' %', 1, residents('base')),
    Headline('speedup of CARS, geometric mean', mean_of('cars'), 1.26, why=moved('cars')),
    Headline('speedup in first launches of kernels, in later ones',
             lambda ws: ', '.join(number(mean_speedup_of(ws, first)) for first in (True, False))),
    Headline('energy efficiency of CARS', mean_of('cars', of=Workload.efficiency), 1.28,
             why=lambda ws: f'{mean_of("cars", of=Workload.dynamic_efficiency)(ws):.2f} without what passes with time'),
    Headline('L1 misses per thousand instructions', fewer_misses, -35, ' %', 0,
             lambda ws: f'{mean(100 * ratio(w.total("base")["l1d_spill_fill_misses"], w.total("base")["l1d_misses"]) for w in ws):.0f} % '
                        'of the baseline\'s are spills and fills'),
    Headline('speedup inlined', mean_of('inlined'), 1.28, why=moved('inlined')),
    Headline('speedup with a 10 MB L1, Best-SWL', lambda ws: f'{mean_of("l1")(ws):.2f}, {mean_of("swl")(ws):.2f}', 'below CARS'),
    Headline('speedup of CARS on RTX 3070', mean_of('cars3070', 'base3070'), 'about as on V100', why=moved('cars3070', 'base3070')),
    Headline('workloads that still spill', still_spill, 'PTA', why=lambda ws: 'Table III says which and why'),
    Headline('speedup of CARS where the same launches have a whole V100', mean_of('cars@whole', 'base@whole'), None,
             why=residents('base@whole')),
)


def results(of_paper, workloads):
    """What pages show (scripts/results.py), by key."""
    values = {'spills': mean(w.spills('base') for w in of_paper), 'misses': fewer_misses(of_paper),
              'first': mean_speedup_of(of_paper, True), 'later': mean_speedup_of(of_paper, False),
              'trapping': sum(w.total('cars')['cars']['traps'] > 0 for w in of_paper)}
    for key, run, over in (('speedup', 'cars', 'base'), ('l1', 'l1', 'base'), ('best-swl', 'swl', 'base'), ('vw', 'vw', 'base'),
                           ('all-hit', 'hit', 'base'), ('inlined', 'inlined', 'base'), ('rtx3070', 'cars3070', 'base3070'),
                           *((f'ports-{n}', f'base{n}x', 'base') for n in PORTS)):
        values[key] = mean_of(run, over)(of_paper)
    values['efficiency'] = mean_of('cars', of=Workload.efficiency)(of_paper)
    for n in (*SERIES, RESIDENT, WHOLE):
        cars, base = f'cars@{n}', f'base@{n}'
        values.update({
            f'speedup-{n}': mean_of(cars, base)(of_paper), f'efficiency-{n}': mean_of(cars, base, Workload.efficiency)(of_paper),
            f'spills-{n}': mean(w.spills(base) for w in of_paper),
            f'misses-{n}': mean(100 * (1 - ratio(w.mpki(cars), w.mpki(base))) for w in of_paper),
            f'trapping-{n}': sum(w.total(cars)['cars']['traps'] > 0 for w in of_paper),
            f'hits-{n}': mean(100 * ratio(w.total(base)['l1d_hits'], w.total(base)['l1d_accesses']) for w in of_paper)})
    values['inlined-executed'] = mean(100 * ratio(w.total('inlined')['warp_instructions'], w.total('base')['warp_instructions'])
                                      for w in of_paper)
    for n in (min(SERIES), max(SERIES)):
        values[f'stages-{n}'] = mean(100 * (1 - w.speedup(f'stages@{n}', f'base@{n}')) for w in workloads)
        values[f'stages-{n}-most'] = max(100 * (1 - w.speedup(f'stages@{n}', f'base@{n}')) for w in workloads)
    for w in of_paper:
        name = w.name.replace('_', '-')
        values.update({f'speedup-of-{name}': w.speedup('cars'), f'inlined-of-{name}': w.speedup('inlined'),
                       **{f'waits-of-{name}-{run}': waits_for_arithmetic(w, run) for run in ('base', 'cars')}})
    values['speedup-of-others'] = mean_of('cars')([w for w in of_paper if w.name not in ('fib', 'hydro')] or of_paper)
    for key, run in (('l1-above', 'l1'), ('best-swl-above', 'swl')):
        values[key] = sum(w.speedup(run) > w.speedup('cars') for w in of_paper)
    for n in (RESIDENT, *SERIES):
        slower = [w.name for w in workloads if w.speedup(f'cars@{n}', f'base@{n}') < 0.995]
        values.update({f'slower-{n}': len(slower), f'objects-slower-{n}': sum(name in OBJECTS for name in slower)})
    values['all-workloads'] = len(workloads)
    phases = next((w for w in of_paper if w.name == PHASES), None)
    if phases:
        _, rate = global_rates(phases)
        values['phases-global'] = 100 * (ratio(rate['cars'], rate['base']) - 1)
        alone = {run: cycles_by_kernel(phases.runs[run]) for run in (f'base@{CHOICE}', 'atlow', 'athigh')}
        deepest = next(name for name in alone['athigh'] if name.startswith(DEEPEST))
        for key, run in (('propagate-low', 'atlow'), ('propagate-high', 'athigh')):
            values[key] = ratio(alone[f'base@{CHOICE}'][deepest], alone[run][deepest])
    counts = [first_and_later(w, f'cars@{max(SERIES)}') for w in of_paper]
    for key, i in (('calls-trapping-first', 0), ('calls-trapping-later', 1)):
        values[key] = 100 * ratio(sum(count[i][0] for count in counts), sum(count[i][1] for count in counts))
    return values

FIGURES = (differences, table_1, figures_2_and_9, FIGURE_8, FIGURE_10, figure_11, figure_12, figure_13, figure_14, figure_15,
           FIGURE_16, FIGURE_17, FIGURE_18, table_3, occupancies, first_launches, where_traps_are, where_slots_went)
OF_ALL = (stages_alone, objects)  # those that show workloads that are not the paper's, too
