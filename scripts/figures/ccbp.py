"""The figures of CCBP, CTA combination and bandwidth partitioning for kernels beside each other, beside the paper's numbers.

Thirteen kernels stand for the paper's, as many of each class, and `walk` is one that its rule calls sensitive. Four find their data in L2 and fill the crossbar (NBI), four
stream through DRAM (DBI), five are sensitive to latency (LS). All pairs are 78 (`--size pairs`), those of six of them fifteen.
Each kernel is launched again and again for the same number of cycles. Speedups are over the kernel alone under greedy
scheduling: H is their harmonic mean, W their sum. The oracle is the best of all combinations of blocks with up to eight on
an SM; where one does not fit, the first blocks to come have their places.
"""
import re

import figures
from figures import Headline, dram_peak, dram_use, geomean, mean, number, picture, ratio, table

TITLE = 'Kernels beside each other: CCBP'
CLASSES = {name: each for each, names in {'NBI': ('gather', 'sweep', 'columns', 'follow'), 'DBI': ('triad', 'field', 'scale', 'pair'),
                                          'LS': ('path', 'count', 'product', 'roots', 'sums', 'walk')}.items() for name in names}
POLICIES = ('leftover', 'spatial', 'smk', 'warped-slicer', 'warped-slicer-memory', 'ccbp-blocks', 'ccbp-bandwidth', 'ccbp')
ALONE = {}
LONG = {}    # the same in the long window
SINGLE = []  # workloads of one kernel
LATE = []    # those in which the second comes later
WAITING = [] # those with a kernel that is sensitive by the paper's rule
DOUBLED = {} # kernels alone with twice the latency of L2 and DRAM
SENSITIVE_ABOVE = 1.7  # times slower with that (4.3.2)


def kernel_of(grid):
    return grid['kernel'].split('(')[0]


class Workload(figures.Workload):
    def names(self):
        return re.split('[-+~_]', self.name)

    def grids(self, run):
        return {kernel_of(grid): grid for grid in self.runs[run]['coruns'][0]['grids']}

    def speedups(self, run):
        grids, alone = self.grids(run), LONG if run.startswith('long:') else ALONE
        return [grids[name]['ipc'] / alone[name]['ipc'] if name in grids else 0 for name in self.names()]  # 0: it never began

    def harmonic(self, run, over=None):
        """Harmonic speedup (4.3.3)."""
        return figures.harmonic(self.speedups(run))

    def starves(self, run):
        """A kernel gets next to nothing in all of the window."""
        return min(self.speedups(run)) < 1e-4

    def weighted(self, run, over=None):
        return sum(self.speedups(run))

    def combinations(self):
        return [run for run in self.runs if run.startswith('oracle:')]

    def oracle(self):
        return max(self.combinations(), key=self.harmonic)

    def latency(self, run, name):
        """Of loads and atomics, beside what it is alone."""
        grid = self.grids(run)[name]
        return ratio(ratio(grid['load_latency'], grid['load_requests']),
                     ratio(ALONE[name]['load_latency'], ALONE[name]['load_requests']))

    def classes(self):
        return '+'.join(sorted(CLASSES[name] for name in self.names()))


def prepare(workloads):
    for w in workloads:
        if 'alone' in w.runs:
            SINGLE.append(w)
            ALONE[w.name] = dict(w.grids('alone')[w.name], config=w.runs['alone']['config'])
            if 'doubled' in w.runs:
                DOUBLED[w.name] = w.grids('doubled')[w.name]
            if 'long-alone' in w.runs:
                LONG[w.name] = w.grids('long-alone')[w.name]
    LATE.extend(w for w in workloads if '~' in w.name)
    WAITING.extend(w for w in workloads if '_' in w.name and 'sensitive:ccbp' in w.runs and all(name in ALONE for name in w.names()))


def is_shown(w):
    return 'ccbp' in w.runs and all(name in ALONE for name in w.names())


def is_pair(w):
    return '-' in w.name


def gain(over):
    """Of CCBP's harmonic speedups over those of another policy, %."""
    def value(workloads):
        pairs = [w for w in workloads if is_pair(w) and not w.starves(over)]
        return 100 * (geomean(w.harmonic('ccbp') / w.harmonic(over) for w in pairs) - 1) if pairs else 'none'
    return value


def over_itself(run):
    """Of another CCBP's harmonic speedups over those of CCBP, %."""
    def value(workloads):
        pairs = [w for w in workloads if is_pair(w) and run in w.runs]
        return 100 * (geomean(w.harmonic(run) / w.harmonic('ccbp') for w in pairs) - 1) if pairs else 'none'
    return value


def over_oracle(workloads):
    return [w.harmonic('ccbp') / w.harmonic(w.oracle()) for w in workloads if is_pair(w) and w.combinations()]


def rates(run):
    def why(workloads):
        pairs, starved = [], 0
        for w in filter(is_pair, workloads):
            starved += w.starves(run)
            pairs += [] if w.starves(run) else [w]
        text = f'H {geomean(w.harmonic("ccbp") for w in pairs):.2f} and {geomean(w.harmonic(run) for w in pairs):.2f}, ' \
               f'W {mean(w.weighted("ccbp") for w in pairs):.2f} and {mean(w.weighted(run) for w in pairs):.2f}' if pairs else ''
        return text + (f'; without {starved} in which a kernel gets nothing' if starved else '')
    return why


def longest_wait(run):
    """The most that a kernel sensitive to latency waits for memory beside another one."""
    return lambda workloads: max((w.latency(run, name) for w in workloads for name in w.names() if CLASSES[name] == 'LS'), default=0)


LONG_RUNS = ('smk', 'warped-slicer', 'warped-slicer-memory', 'ccbp')


def in_both_windows(workloads):
    return [w for w in workloads if all(f'long:{run}' in w.runs for run in LONG_RUNS) and all(name in LONG for name in w.names())]


def gain_in_window(over, window=''):
    """What CCBP gains over another policy in the short or the long window, %, over the pairs that have both."""
    def value(workloads):
        pairs = in_both_windows(workloads)
        return 100 * (geomean(w.harmonic(f'{window}ccbp') / w.harmonic(window + over) for w in pairs) - 1) if pairs else 'none'
    return value


def in_short(over):
    def why(workloads):
        value = gain_in_window(over)(workloads)
        return value if value == 'none' else f'{value:+.1f} % of the same in the short one'
    return why


def window_error(w, run):
    """Of H in the short window, %."""
    return 100 * (w.harmonic(run) / w.harmonic(f'long:{run}') - 1)


def windows(workloads, out):
    """The error of the short window: 200,000 cycles in place of the paper's 100 million."""
    rows = []
    for w in in_both_windows(workloads):
        for run in LONG_RUNS:
            rows.append((w.name, run, *(number(w.harmonic(each)) for each in (run, f'long:{run}')), f'{window_error(w, run):+.1f} %',
                         *(', '.join(number(x) for x in w.speedups(each)) for each in (run, f'long:{run}'))))
    return ['## The short window beside a longer one', '', 'Harmonic speedup in 200,000 and in 1,000,000 cycles, the error of the '
            'former, speedups of both kernels in each.', '',
            *table(('', 'policy', 'H', 'H, long', 'error', 'speedups', 'speedups, long'), rows)]


def other_numbers(count):
    return lambda workloads: 100 * (geomean(w.harmonic('ccbp') / w.harmonic('smk') for w in workloads if len(w.names()) == count) - 1) \
        if any(len(w.names()) == count for w in workloads) else 'none'


def slower_with_latency(name):
    """Times slower with twice the latency of L2 and DRAM; 0: not measured."""
    return ratio(ALONE[name]['ipc'], DOUBLED[name]['ipc']) if name in DOUBLED else 0


def sensitive(workloads):
    """Kernels that stand for sensitive ones and are that by the paper's rule."""
    return sum(slower_with_latency(name) > SENSITIVE_ABOVE for name in DOUBLED if CLASSES[name] == 'LS')


def of_waiting(over, run='sensitive:ccbp'):
    """What CCBP gains over another policy beside a sensitive kernel, %."""
    return lambda workloads: 100 * (geomean(w.harmonic(run) / w.harmonic(f'sensitive:{over}') for w in WAITING) - 1) if WAITING else 'none'


def waiting(workloads, out):
    """Pairs with `walk`: speedups of both kernels and H."""
    runs = (*(f'sensitive:{run}' for run in ('smk', 'warped-slicer', 'warped-slicer-memory', 'ccbp')), 'sensitive-apart')
    rows = [(w.name.replace('_', ', '), *(f'{number(w.harmonic(run))} ({", ".join(number(x) for x in w.speedups(run))})' for run in runs))
            for w in WAITING]
    return ["## Beside a kernel that the paper's rule calls sensitive", '', 'Harmonic speedup; in brackets the speedups of both kernels. '
            'The last column has demand measured alone, and bandwidth that no block takes left unused.', '',
            *table(('', 'SMK', 'Warped-Slicer', 'with memory scheduling', 'CCBP', 'CCBP, apart'), rows)] if rows else []


HEADLINES = (
    Headline('harmonic speedup of pairs, over SMK', gain('smk'), 78.0, ' %', 1, rates('smk')),
    Headline('over Warped-Slicer', gain('warped-slicer'), 39.0, ' %', 1, rates('warped-slicer')),
    Headline('over Warped-Slicer with memory-instruction scheduling', gain('warped-slicer-memory'), 19.0, ' %', 1,
             rates('warped-slicer-memory')),
    Headline('over the best blocks (oracle), mean', lambda workloads: 100 * (geomean(over_oracle(workloads)) - 1), 11.0, ' %', 1,
             lambda workloads: f'H of the oracle {geomean(w.harmonic(w.oracle()) for w in workloads if is_pair(w) and w.combinations()):.2f}'),
    Headline('most', lambda workloads: 100 * (max(over_oracle(workloads)) - 1), 51.0, ' %', 1),
    Headline('over leftover', gain('leftover'), None, ' %', 1, rates('leftover')),
    Headline('over spatial', gain('spatial'), None, ' %', 1, rates('spatial')),
    Headline('over its blocks alone', gain('ccbp-blocks'), None, ' %', 1, rates('ccbp-blocks')),
    Headline('over its controllers alone', gain('ccbp-bandwidth'), None, ' %', 1, rates('ccbp-bandwidth')),
    Headline('with blocks that leave by switching, over those that end', over_itself('ccbp-switching'), None, ' %', 1),
    Headline('kernels measured one after the other, over beside each other', over_itself('ccbp-apart'), None, ' %', 1),
    Headline('priority that follows slowdowns, over one of 1', over_itself('ccbp-auto'), None, ' %', 1),
    Headline('in a window five times as long, over SMK', gain_in_window('smk', 'long:'), None, ' %', 1, in_short('smk')),
    Headline('and over Warped-Slicer', gain_in_window('warped-slicer', 'long:'), None, ' %', 1, in_short('warped-slicer')),
    Headline('three kernels, over SMK', other_numbers(3), None, ' %', 1),
    Headline('four kernels, over SMK', other_numbers(4), None, ' %', 1),
    Headline('beside a kernel that is sensitive by the rule, over SMK', of_waiting('smk'), 78.0, ' %', 1),
    Headline('and over Warped-Slicer', of_waiting('warped-slicer'), 39.0, ' %', 1),
    Headline('and over Warped-Slicer with memory-instruction scheduling', of_waiting('warped-slicer-memory'), 19.0, ' %', 1),
    Headline('latency of a sensitive kernel beside another, of that alone: leftover', longest_wait('leftover'), 8.2, ' times', 1),
    Headline('CCBP', longest_wait('ccbp'), None, ' times', 1),
    Headline(f'sensitive kernels that twice the latency makes {SENSITIVE_ABOVE} times slower', sensitive, 5, '', 0,
             lambda workloads: ', '.join(f'{name} {slower_with_latency(name):.2f}' for name in DOUBLED)),
)


def results(of_paper, workloads):
    """What pages show (scripts/results.py), by key: what CCBP gains over each, %."""
    values = {f'over-{run}': gain(run)(of_paper) for run in POLICIES if run != 'ccbp'}
    values.update({'over-oracle': 100 * (geomean(over_oracle(of_paper)) - 1), 'over-oracle-most': 100 * (max(over_oracle(of_paper)) - 1),
                   **{key: over_itself(f'ccbp-{key}')(of_paper) for key in ('switching', 'apart', 'auto')},
                   **{f'{window}-over-{run}': gain_in_window(run, prefix)(of_paper)
                      for window, prefix in (('short', ''), ('long', 'long:')) for run in ('smk', 'warped-slicer')},
                   'three': other_numbers(3)(of_paper), 'four': other_numbers(4)(of_paper),
                   'latency-leftover': longest_wait('leftover')(of_paper), 'latency-ccbp': longest_wait('ccbp')(of_paper)})
    errors = [window_error(w, run) for w in in_both_windows(of_paper) for run in LONG_RUNS]
    if errors:
        values.update({'window-error-least': min(errors, key=abs), 'window-error-most': max(errors, key=abs)})
    return values


def kernels(workloads, out):
    """Table 4.2, with the rule by which sensitive kernels were chosen (4.3.2)."""
    rows = []
    for name, grid in ALONE.items():
        config = grid['config']
        cycles = grid['cycles']
        noc = grid['icnt_flits_down'] / (cycles * noc_peak(config))
        rows.append((name, CLASSES[name], number(grid['ipc'] / (config['schedulers'] * config['sm_count']) * 100, 0),
                     number(100 * noc, 0), number(dram_use(grid, config), 0), number(100 * ratio(grid['l2_misses'], grid['l2_accesses']), 0),
                     number(slower_with_latency(name)), 'yes' if slower_with_latency(name) > SENSITIVE_ABOVE else 'no'))
    return ['## Table 4.2: the kernels alone, % of peak', '',
            *table(('kernel', 'class', 'issue slots', 'NoC', 'DRAM', 'L2 misses', 'times slower with twice the latency of L2 and DRAM',
                    f'above {SENSITIVE_ABOVE}'), rows)]


# ---------------------------------------------------------------- section 4.4

BESIDE, SENSITIVE, STREAM = 'gather', 'path', 'triad'  # for CFD, BP and FTD


def find(workloads, name):
    return next((w for w in workloads if w.name == name), None)


def levels(grid):
    """Cycles of requests that hit L2, which are those between L1 and L2, and what a miss takes beyond them."""
    hit = ratio(grid['l2_hit_latency'], grid['l2_hit_replies'])
    miss = ratio(grid['l2_miss_latency'], grid['l2_miss_replies'])
    return hit, max(miss - hit, 0) if hit else miss


def noc_peak(config):
    """Flits a core cycle from L2 to the SMs."""
    return min(config['sm_count'], config['l2_slices']) * config['icnt_mhz'] / config['core_mhz']


def blocks_and_latency(workloads, out):
    """Figure 4.2: a sensitive kernel beside one that fills the crossbar, by blocks."""
    w = find(workloads, f'{BESIDE}-{SENSITIVE}')
    text = [f'## Figure 4.2: {BESIDE} and {SENSITIVE} by blocks an SM', '']
    if not w or not w.combinations():
        return text
    alone, rows = levels(ALONE[SENSITIVE]), []
    for run in sorted(w.combinations(), key=w.weighted, reverse=True):
        own, config = w.grids(run), w.runs[run]['config']
        there = levels(own[SENSITIVE])
        noc = 100 * own[BESIDE]['icnt_flits_down'] / (own[BESIDE]['cycles'] * noc_peak(config) * 0.6)
        rows.append((run.split(':')[-1].replace(',', ', '), *(number(1 / max(value, 1e-9)) for value in w.speedups(run)),
                     number(w.weighted(run)), *(number(ratio(a, b), 1) for a, b in zip(there, alone)), number(noc, 0)))
    return [*text, f'Slowdowns; latency of {SENSITIVE} between L1 and L2 and between L2 and DRAM, of that alone; what {BESIDE} takes '
            'of the sustainable NoC, %.', '',
            *table((f'{BESIDE}, {SENSITIVE}', BESIDE, SENSITIVE, 'W', 'L1-L2', 'L2-DRAM', 'NoC'), rows)]


def over_time(run, counter):
    """(cycle, what the GPU added to a counter in the 400 cycles before it): launches of one stream one after the other."""
    stream, points, at = run['launches'][0]['stream'], [], 0
    for launch in run['launches']:
        if launch['stream'] != stream:
            continue
        samples, at = launch['samples'], launch.get('start_cycle', at)  # a kernel alone begins where the last one ends
        points += [(at + (i + 1) * samples['interval'], value) for i, value in enumerate(samples.get(counter, [])[:-1])]
        at += launch['cycles']
    end = run['coruns'][0]['start_cycle'] + run['coruns'][0]['cycles']
    return [(cycle, value) for cycle, value in points if cycle <= end]


def in_windows(run, counters, whole):
    """The same, per cent of what `whole` a cycle would be."""
    sums = {}
    for counter in counters:
        for cycle, value in over_time(run, counter):
            sums[cycle] = sums.get(cycle, 0) + value
    return [(cycle, 100 * value / (400 * whole)) for cycle, value in sorted(sums.items())]


def spread(points):
    values = sorted(value for _, value in points) or [0]
    average = mean(values)
    deviation = mean((value - average) ** 2 for value in values) ** 0.5
    return (number(average, 0), number(deviation, 0), number(values[-1], 0),
            number(100 * ratio(sum(value > 100 for value in values), len(values)), 0))


def runs_over_time(w):
    return {run: value for run, value in w.runs.items() if run.startswith('over-time')} if w else {}


def demand_figure(name, heading, chosen, counters, whole):
    """Figures 4.3 and 4.4: per cent of what can be sustained, in windows of 400 cycles."""
    def figure(workloads, out):
        curves, rows = {}, []
        for w in (find([*workloads, *SINGLE], each) for each in chosen):
            for run, value in runs_over_time(w).items():
                blocks = value['policy'].split(':')[-1] if ':' in value['policy'] else run.split(':')[-1]
                label = f'{w.name} {blocks}'
                curves[label] = in_windows(value, counters(value['config']), whole(value['config']))
                rows.append((label, *spread(curves[label])))
        if not rows:
            return [f'## {heading}', '']
        path, shown = picture(out, name)
        figures.lines(path, heading, 'cycle', '% of sustainable', {label: points[:250] for label, points in curves.items()})
        return [f'## {heading}', '', shown, '',
                *table(('blocks', 'mean', 'standard deviation', 'most', '% of windows above 100'), rows)]
    return figure


def latency_over_time(workloads, out):
    w = find(workloads, f'{BESIDE}-{SENSITIVE}')
    text = ['## Latency of each level over time', '']
    runs = runs_over_time(w)
    if not runs:
        return text
    curves = {}
    for run, value in runs.items():
        for level in ('hit', 'miss'):
            sums = {}
            for kind in ('latency', 'replies'):
                for cycle, amount in over_time(value, f'l2_{level}_{kind}'):
                    sums.setdefault(cycle // 4000 * 4000, {'latency': 0, 'replies': 0})[kind] += amount
            curves[f'{run.split(":")[-1]} {level}'] = [(cycle, ratio(each['latency'], each['replies'])) for cycle, each in sorted(sums.items())
                                                       if each['replies']]
    path, shown = picture(out, 'figure-latency')
    figures.lines(path, 'Requests that hit and miss L2, from the SM and back', 'cycle', 'cycles', curves)
    rows = [(label, *(number(f([value for _, value in points] or [0]), 0) for f in (min, mean, max))) for label, points in curves.items()]
    return [*text, shown, '', *table(('blocks, L2', 'least', 'mean', 'most'), rows)]


def one_block(workloads, out):
    """4.4.3: how much of DRAM a single block an SM takes."""
    rows = []
    for name in ALONE:
        w = find(SINGLE, name)
        for run, value in (w.runs.items() if w else ()):
            if not run.startswith('one-block'):
                continue
            grid, config = w.grids(run)[name], value['config']
            dram = dram_use(grid, config)
            rows.append((name, number(dram, 0), number(sum(levels(grid)), 0), number(sum(levels(ALONE[name])), 0)))
    return ['## One block an SM (4.4.3; SAD: 89 % of the sustainable DRAM)', '',
            *table(('kernel', "DRAM, % of peak", 'cycles of a miss', 'with all blocks'), rows)]


def bars_of(name, heading, value, ylabel):
    def figure(workloads, out):
        path, shown = picture(out, name)
        runs = [run for run in POLICIES if all(run in w.runs for w in workloads)]
        rows = [(w.name, *(value(w, run) for run in runs), value(w, w.oracle()) if w.combinations() else 0) for w in workloads]
        figures.bars(path, heading, ylabel, [*runs, 'oracle'], rows, 1)
        shown_rows = [(row[0], *(number(x) for x in row[1:-1]), number(row[-1]) if row[-1] else '') for row in rows]
        return [f'## {heading}', '', shown, '', *table(('', *runs, 'oracle'), shown_rows)]
    return figure


def by_class(workloads, out):
    pairs = [w for w in workloads if is_pair(w)]
    rows = []
    for classes in sorted({w.classes() for w in pairs}):
        group = [w for w in pairs if w.classes() == classes]
        rows.append((classes, len(group), *(number(geomean(w.harmonic(run) for w in group)) for run in POLICIES)))
    return ['## Harmonic speedup by classes', '', *table(('classes', 'pairs', *POLICIES), rows)]


def given(workloads, out):
    """What CCBP decided, and what the best blocks are."""
    rows = []
    for w in workloads:
        own = {}
        for launch in w.runs['ccbp']['launches']:
            if 'class' in launch.get('ccbp', {}):
                own[kernel_of(launch)] = launch['ccbp']
        def show(key, digits=0):
            return ', '.join(number(own[name][key], digits) if name in own else '-' for name in w.names())
        found = ', '.join(('LS', 'NBI', 'DBI')[int(own[name]['class'])] if name in own else '-' for name in w.names())
        rows.append((w.name, found, show('blocks'), show('noc_share'), show('dram_share'),
                     w.oracle().split(':')[-1].replace(',', ', ') if w.combinations() else ''))
    return ['## What CCBP gave: classes found, blocks an SM, % of sustainable NoC and DRAM; best blocks', '',
            *table(('', 'classes', 'blocks', 'NoC', 'DRAM', 'oracle'), rows)]


def slowdowns(workloads, out):
    rows = []
    for w in workloads:
        for at, name in enumerate(w.names()):
            rows.append((f'{w.name}: {name}', *(number(1 / max(w.speedups(run)[at], 1e-9)) for run in POLICIES),
                         number(w.latency('leftover', name), 1), number(w.latency('ccbp', name), 1)))
    return ['## Slowdown of each kernel, and its memory latency beside that alone', '',
            *table(('', *POLICIES, 'latency, leftover', 'latency, CCBP'), rows)]


def controlled(w):
    """{kernel: what its launches under CCBP counted}, of those that controllers held back."""
    sums = {}
    for launch in w.runs['ccbp']['launches']:
        own = launch.get('ccbp', {})
        if own.get('class', 0) == 0:
            continue
        counts = sums.setdefault(kernel_of(launch), {'tokens': 0, 'lapsed': 0, 'throttled': 0, 'sent': 0})
        for key in counts:
            counts[key] += own[key]
    return sums


def losses(workloads, out):
    """Where controllers lose: requests that were not made when there were tokens, bandwidth that was given and not used."""
    rows = []
    for w in workloads:
        total, kernels = w.runs['ccbp']['total']['ccbp'], controlled(w)
        sms = w.runs['ccbp']['config']['sm_count'] * max(total['controlled'], 1)
        def show(key, whole):
            return ', '.join(number(100 * ratio(kernels[name][key], whole(kernels[name])), 0) if name in kernels else '-'
                             for name in w.names())
        rows.append((w.name, show('lapsed', lambda own: own['tokens']), show('throttled', lambda own: sms),
                     *(number(total[key], 0) for key in ('noc_given', 'noc_used', 'dram_given', 'dram_used'))))
    return ['## Where controllers lose', '', '% of tokens that lapsed, % of cycles in which a request waited for one, by kernel; '
            '% of the sustainable NoC and DRAM given and used.', '',
            *table(('', 'lapsed', 'throttled', 'NoC given', 'used', 'DRAM given', 'used'), rows)]


def late(workloads, out):
    """How a kernel that comes later gets its share: the others' blocks run to their end, or leave with their context."""
    rows = []
    for w in LATE:
        if not all(name in ALONE for name in w.names()):
            continue
        for policy in ('leftover', 'duet', 'preempt', 'spatial', 'warped-slicer', 'ccbp'):
            for run in (f'late:{policy}', f'late:{policy}+preempt'):
                if run not in w.runs:
                    continue
                own, second = w.runs[run]['total'].get('preempt', {}), w.grids(run).get(w.names()[1], {})
                rows.append((w.name.replace('~', ', then '), run[5:], *(number(speed) for speed in w.speedups(run)),
                             number(w.harmonic(run)), number(ratio(min(w.speedups(run)), max(w.speedups(run)))),
                             number(second['first_block'] / w.runs[run]['config']['core_mhz'], 1) if 'first_block' in second else 'never',
                             number(own.get('switched_blocks', 0), 0),
                             number(own['preempt_us'], 1) if own.get('requests') else ''))
    return ['## A kernel that comes later: by draining, or by switching; GPUDuet has one kernel at a time on an SM', '',
            'Speedups of both over themselves alone, that of the second from when it comes; the lower of them over the higher; '
            'microseconds until the second has its first block; blocks that left with their context, and microseconds until those of a '
            'request had.', '',
            *table(('', 'policy', 'first', 'second', 'H', 'fairness', 'first block, us', 'blocks switched', 'us'), rows)]


FIGURES = (
    kernels,
    blocks_and_latency,
    demand_figure('figure-4-3', 'Figure 4.3: demand on the NoC in windows of 400 cycles', (f'{BESIDE}-{SENSITIVE}',),
                  lambda config: ('icnt_flits_asked',), lambda config: 0.6 * noc_peak(config)),
    demand_figure('figure-4-4', 'Figure 4.4: use of DRAM in windows of 400 cycles', (f'{BESIDE}-{STREAM}', STREAM),
                  lambda config: ('dram_reads', 'dram_writes'), lambda config: 0.85 * dram_peak(config) / config['sector']),
    latency_over_time,
    one_block,
    bars_of('figure-harmonic', 'Harmonic speedup', Workload.harmonic, 'H'),
    bars_of('figure-weighted', 'Weighted speedup', Workload.weighted, 'W'),
    by_class,
    waiting,
    given,
    losses,
    slowdowns,
    late,
    windows,
)
