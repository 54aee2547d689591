"""The figures of Malekeh on programs of the kinds that the paper has, beside its numbers.

The GPU is the paper's, a third of an RTX 2060. Traces of NVIDIA's suites are the paper's workloads; here they are programs
written from the same algorithms, compiled by Heddle's compiler, whose near bits come from an estimate of branches. Hits
are counted for each register operand, duplicates included. The energy of the register file is that of banks, collectors,
their crossbar and what a design adds; all but the banks' is assumed.
"""
from statistics import median

import figures
from figures import Bars, Headline, geomean, mean, number, picture, ratio, table

TITLE = 'Malekeh: registers in collector units'
STHLD = (0, 1, 2, 4, 8, 16)
ENTRIES = (3, 4, 6, 8, 12, 16)
RTHLD = (2, 4, 8, 16, 32, 4096)
LARGE = (1, 2, 5)
INTERVAL = 10000  # cycles
LEAST = 0.5  # % of IPC: what is less is no headroom that a part could be taken of
DISTANCES = ('1', '2', '3 to 4', '5 to 8', '9 to 16', '17 to 32', '33 to 64', 'more')
COUNTED = ('distance_1', 'distance_2', 'distance_4', 'distance_8', 'distance_16', 'distance_32', 'distance_64', 'distance_more')


class Workload(figures.Workload):
    def own(self, run):
        total = self.total(run)
        return total.get('malekeh') or total.get('bow')

    def hits(self, run, over=None):
        """% of the register operands."""
        return self.own(run)['read_hits']

    def register_file(self, run):
        """Joules of the register file's accesses."""
        total, config = self.total(run), self.runs[run]['config']
        picojoules = (total['bank_reads'] * (config['pj_reg_read'] + config['pj_operand_crossbar'] + config['pj_collector'])
                      + total['bank_writes'] * config['pj_reg_write'] + total['register_reads'] * config['pj_collector'])
        own = sum(value for key, value in (self.own(run) or {}).items() if key.endswith('_joules'))
        return picojoules * 1e-12 + own

    def gain(self, run):
        """% of the baseline's IPC."""
        return 100 * (self.speedup(run) - 1)

    def sampled(self, series):
        """Of Malekeh's own figures over time, one launch after another."""
        return [value for launch in self.runs['malekeh']['launches'] for value in launch['samples']['malekeh'][series]]

    def energy(self, run, over='base'):
        return self.register_file(run) / self.register_file(over)


def gain(run):
    return lambda workloads: 100 * (geomean(w.speedup(run) for w in workloads) - 1)


def best(run, value, what=max):
    def find(workloads):
        w = what(workloads, key=lambda w: value(w, run))
        return w, value(w, run)
    return find


def best_gain(workloads):
    return 100 * (best('malekeh', Workload.speedup)(workloads)[1] - 1)


def which(run, value, what=max):
    return lambda workloads: f'on {best(run, value, what)(workloads)[0].name}'


def hits(run):
    return lambda workloads: mean(w.hits(run) for w in workloads)


def above_bow(workloads):
    return mean(w.hits('malekeh') - w.hits('bow') for w in workloads)


def energy(workloads):
    return 100 * (mean(w.energy('malekeh') for w in workloads) - 1)


def headroom(workloads):
    there_is, taken = gain('headroom')(workloads), gain('malekeh')(workloads)
    share = 'nothing' if min(taken, there_is) <= 0 else 'all' if taken >= there_is else f'{100 * taken / there_is:.0f} %'
    return (f'unlimited banks and collectors give {there_is:+.1f} %, of which Malekeh takes {share}; without waiting it has '
            f'{gain("nowait")(workloads):+.1f} %; ' + figures.slots_moved(workloads, 'malekeh'))


def bow_storage(workloads):
    ours, other = (workloads[0].own(run)['storage'] for run in ('malekeh', 'bow'))
    return f'BOW keeps {other / 1024:.0f} KB an SM beside the banks, Malekeh adds {ours:.0f} bytes to collectors'


HEADLINES = (
    Headline('IPC, geometric mean', gain('malekeh'), 9.6, ' %', 1, headroom),
    Headline('best', best_gain, 59.5, ' %', 1, which('malekeh', Workload.speedup)),
    Headline('over BOW', lambda ws: 100 * (geomean(w.speedup('malekeh', 'bow') for w in ws) - 1), 5.4, ' %', 1, bow_storage),
    Headline('read hits, mean', hits('malekeh'), 48.5, ' %', 1),
    Headline('most', lambda ws: best('malekeh', Workload.hits)(ws)[1], 77, ' %', 1, which('malekeh', Workload.hits)),
    Headline('least', lambda ws: best('malekeh', Workload.hits, min)(ws)[1], 13.3, ' %', 1, which('malekeh', Workload.hits, min)),
    Headline('above BOW', above_bow, 28.1, ' % points', 1),
    Headline('dynamic energy of the register file, mean', energy, -29.1, ' %', 1),
    Headline('storage', lambda ws: ws[0].own('malekeh')['storage'], 128, ' bytes', 0, lambda ws: '125 bits for each of 8 units'),
)


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key."""
    return {'ipc': gain('malekeh')(of_paper), 'headroom': gain('headroom')(of_paper), 'no-waiting': gain('nowait')(of_paper),
            'headroom-most': max(w.gain('headroom') for w in of_paper), 'ipc-least': min(w.gain('malekeh') for w in of_paper),
            'withheld': mean(w.slots('malekeh', 'withheld') for w in of_paper),
            'withheld-most': max(w.slots('malekeh', 'withheld') for w in of_paper),
            'hits': hits('malekeh')(of_paper), 'hits-exact': hits('exact')(of_paper), 'hits-bow': hits('bow')(of_paper),
            'energy': energy(of_paper), 'energy-least': 100 * (max(w.energy('malekeh') for w in of_paper) - 1),
            'energy-most': 100 * (min(w.energy('malekeh') for w in of_paper) - 1),
            'over-bow': 100 * (geomean(w.speedup('malekeh', 'bow') for w in of_paper) - 1), 'hits-above-bow': above_bow(of_paper),
            **{name: mean(gains) for name, gains in part_gains(of_paper).items()},
            **{f'{name}-{what}': gains[at] for name, gains in part_gains(of_paper).items() for what, at in (('least', 0), ('most', -1))}}


def figure_3(workloads, out):
    hits_path, hits_shown = picture(out, 'figure-3a')
    ipc_path, ipc_shown = picture(out, 'figure-3b')
    runs = {k: f'sthld:malekeh:sthld={k}' for k in STHLD}
    read = [(k, mean(w.hits(runs[k]) for w in workloads)) for k in STHLD]
    speed = [(k, geomean(w.speedup(runs[k]) for w in workloads)) for k in STHLD]
    figures.lines(hits_path, 'Read hits over STHLD', 'STHLD', '%', {'mean': read})
    figures.lines(ipc_path, 'IPC over STHLD, of the baseline', 'STHLD', 'speedup', {'geometric mean': speed})
    rows = [('no waiting', number(hits('nowait')(workloads), 1), number(geomean(w.speedup('nowait') for w in workloads), 3))]
    rows += [(k, number(h, 1), number(s, 3)) for (k, h), (_, s) in zip(read, speed)]
    rows.append(('adaptive', number(hits('malekeh')(workloads), 1), number(geomean(w.speedup('malekeh') for w in workloads), 3)))
    return ['## Figure 3: read hits and IPC over STHLD, measured', '', hits_shown, ipc_shown, '',
            *table(('STHLD', 'read hits, %', 'speedup'), rows)]


def figure_5(workloads, out):
    longest = max(workloads, key=lambda w: w.total('malekeh')['cycles'])
    issued = [value / INTERVAL for launch in longest.runs['malekeh']['launches'] for value in launch['samples']['warp_instructions']]
    path, shown = picture(out, 'figure-5')
    ipc_path, ipc_shown = picture(out, 'figure-5-ipc')
    axis = 'interval of 10,000 cycles'
    figures.lines(path, f'STHLD over time, {longest.name}', axis, 'STHLD', {'STHLD': list(enumerate(longest.sampled('sthld')))})
    figures.lines(ipc_path, f'and the IPC that it follows, {longest.name}', axis, 'IPC', {'IPC': list(enumerate(issued))})
    return [f'## Figure 5: STHLD over time, {longest.name}', '', shown, ipc_shown, '']


def part(gained, there_is):
    return number(gained / there_is, 2) if there_is >= LEAST else ''


def to_gain(workloads, out):
    """What the paper's gain can be here: without conflicts of banks and waits for collectors nothing is faster."""
    rows = [(w.name, number(w.gain('headroom'), 1), number(w.gain('nowait'), 1), part(w.gain('nowait'), w.gain('headroom')),
             number(w.gain('malekeh'), 1), part(w.gain('malekeh'), w.gain('headroom')), number(w.slots('malekeh', 'withheld'), 1),
             number(mean(w.sampled('sthld')), 1), max(launch['cycles'] for launch in w.runs['malekeh']['launches']) // INTERVAL)
            for w in workloads]
    there_is, without, adaptive = (gain(run)(workloads) for run in ('headroom', 'nowait', 'malekeh'))
    rows.append(('**mean**', number(there_is, 1), number(without, 1), part(without, there_is), number(adaptive, 1),
                 part(adaptive, there_is), number(mean(w.slots('malekeh', 'withheld') for w in workloads), 1), '', ''))
    return ['## What there is to gain, and what waiting costs', '',
            f'IPC over the baseline in %, and the part of the headroom, where that is {LEAST} % or more. STHLD moves at the end of '
            'each interval of 10,000 cycles: a kernel of a few ends before it has found a knee.', '',
            *table(('workload', 'unlimited banks and collectors', 'Malekeh without waiting', 'part', 'Malekeh', 'part',
                    'slots withheld, %', 'STHLD, mean', 'intervals of the longest kernel'), rows)]


PARTS = (('port', 'as many banks, ports and collectors as nobody waits for', 'headroom', 'base'),
         ('latency', 'operands that come in no time, besides', 'latency', 'headroom'),
         ('order', "Malekeh's order of warps without waiting, on such a file", 'order', 'latency'),
         ('waiting', 'waiting, under Malekeh on the GPU as it is', 'malekeh', 'nowait'))


def part_gains(workloads):
    """{part: the gain of each workload, %, the least first}"""
    return {name: sorted(100 * (w.speedup(run, over) - 1) for w in workloads) for name, _, run, over in PARTS}


def parts(workloads, out):
    gains = part_gains(workloads)
    rows = [(what, *(number(value, 1) for value in (mean(gains[name]), median(gains[name]), gains[name][0], gains[name][-1])))
            for name, what, _, _ in PARTS]
    return ['## Port, latency, order and waiting', '', 'What each of these gives by itself, in % of IPC over the run without it.', '',
            *table(('', 'mean', 'median', 'least', 'most'), rows)]


def executed(workloads):
    """% of the registers that executed instructions read or write, by the distances of a run."""
    shares = []
    for w in workloads:
        counts = [w.own('exact')[name] for name in (*COUNTED, 'unread')]
        shares.append([ratio(100 * count, sum(counts)) for count in counts])
    return list(map(mean, zip(*shares)))


def distances(workloads, out):
    """Of the code's operands, each counted once, and of executed ones; the means are of workloads' shares."""
    path, shown = picture(out, 'reuse-distances')
    shares, dead = [], []
    for w in workloads:
        known = [kernel['reuse'] for kernel in w.kernels if kernel.get('reuse')]
        counts = [sum(column) for column in zip(*(reuse['histogram'] for reuse in known))]
        unread = sum(reuse['dead'] for reuse in known)
        shares.append([ratio(100 * count, sum(counts) + unread) for count in counts])
        dead.append(ratio(100 * unread, sum(counts) + unread))
    rows = list(zip(DISTANCES, map(mean, zip(*shares)))) + [('not read', mean(dead))]
    rows = [(name, share, run) for (name, share), run in zip(rows, executed(workloads))]
    figures.bars(path, 'Register operands by the distance to the next read', '% of operands', ['in the code', 'executed'],
                 rows)
    return ['## Reuse distances: instructions of the warp to the next read', '', shown, '',
            "In the code: each operand once, results too, with the compiler's expectation. Executed: each register that an "
            'instruction reads or writes in a run, with the distance that it had there.', '',
            *table(('distance', '% in the code', '% executed'), [(name, *(number(share, 1) for share in shares))
                                                                 for name, *shares in rows])]


def swept(workloads, out, name, heading, what, runs):
    """Read hits, speedup and energy over a parameter; `runs` maps its values to runs."""
    path, shown = picture(out, name)
    rows = [(value, mean(w.hits(run) for w in workloads), geomean(w.speedup(run) for w in workloads),
             mean(w.energy(run) for w in workloads)) for value, run in runs.items()]
    figures.bars(path, heading, '%', ['read hits'], [(str(value), hits) for value, hits, _, _ in rows])
    return [f'## {heading}', '', shown, '',
            *table((what, 'read hits, %', 'speedup', 'register-file energy'),
                   [(value, number(h, 1), number(s, 3), number(e, 2)) for value, h, s, e in rows])]


def entries(workloads, out):
    runs = {n: 'malekeh' if n == 8 else f'entries:{n}' for n in ENTRIES}
    return swept(workloads, out, 'entries', 'Entries of a unit', 'entries', runs)


def thresholds(workloads, out):
    runs = {n: 'malekeh' if n == 16 else f'rthld:-O2 -arch=sm_75 -Xheddle rthld={n}' for n in RTHLD}
    return swept(workloads, out, 'rthld', 'RTHLD: from which distance a value is far', 'RTHLD', runs)


def limits(workloads, out):
    runs = {n: 'malekeh' if n == 1 else f'large:{n}' for n in LARGE}
    return swept(workloads, out, 'large', 'Which change of IPC is large', '%', runs)


def variants(workloads, out):
    rows = []
    for run, what in (('malekeh', 'Malekeh'), ('exact', 'with exact distances of a run before'), ('nowait', 'without waiting'),
                      ('unordered', "in the GPU's own order of warps"), ('results', 'results alone in the units (as RFC)'),
                      ('bow', 'BOW'), ('headroom', 'unlimited banks and collectors')):
        own = workloads[0].own(run)
        rows.append((what, number(geomean(w.speedup(run) for w in workloads), 3),
                     number(mean(w.hits(run) for w in workloads), 1) if own else '',
                     number(mean(w.energy(run) for w in workloads), 2) if own else ''))
    return ['## Variants and comparators', '', *table(('design', 'speedup', 'read hits, %', 'register-file energy'), rows)]


FIGURES = (
    figure_3, figure_5,
    Bars('figure-6', 'Figure 6: IPC over the baseline', {'BOW': ('bow',), 'Malekeh': ('malekeh',)}, {'Malekeh': '1.10'}),
    Bars('figure-7', 'Figure 7: read hits, %', {'BOW': ('bow',), 'Malekeh': ('malekeh',)}, {'BOW': '20.4', 'Malekeh': '48.5'},
         value=Workload.hits, ylabel='%', average=mean, level=0),
    Bars('figure-8', 'Figure 8: dynamic energy of the register file over the baseline', {'BOW': ('bow',), 'Malekeh': ('malekeh',)},
         {'Malekeh': '0.71'}, value=Workload.energy, ylabel='energy', average=mean),
    to_gain, parts, variants, distances, entries, thresholds, limits,
)
