"""The figures of LTRF on programs of the kinds that the paper has, beside its numbers.

Three SMs of the paper's GPU are simulated, with an eighth of its caches and memory. The main register files are those of
Table 2; #1's latency, which the paper does not give, is taken for one cycle, and for two and three in a table of their own.
Code is in the order in which LLVM leaves it, as the PTX is whose intervals the paper measures, with packed registers, and
kernels have as many as they want up to 255: a larger file lets in more warps and does not change the code. Sensitive is, as
in the paper, what registers keep from having more warps: where they limit the resident blocks of the kernels that take most
of the time.
"""
from statistics import median

import figures
from figures import Bars, Headline, geomean, mean, number, picture, ratio, table

TITLE = 'LTRF: a register cache that is filled ahead'
NAMES = {'baseline': 'BL', 'rfc': 'RFC', 'rfc-shared': 'RFC, shared', 'shrf': 'SHRF', 'ltrf-strands': 'LTRF on strands',
         'ltrf': 'LTRF', 'ltrf-plus': 'LTRF+'}
DESIGNS = tuple(NAMES)
LATENCIES = (1, 2, 4, 6, 8)
FEW = (1, 4, 8)
WARPS, WARP_BYTES, KB = 64, 32 * 4, 1024
FERMI_WARPS, FERMI_REGISTERS = 48, 63
INST_BYTES, VECTOR_BYTES = 8, 32

# Of #1's register power in the baseline, what leaks (assumed: the paper has no split). The cache of 16 KB and the control
# blocks, 5.5 % of the file (4.3), leak as their capacity of it does; Table 2's column scales the main file, both parts.
LEAKS = 0.3
CACHE_SHARE, CONTROL_SHARE = 16 / 256, 0.055
POWER = {'one': 1, 'six': 1.05, 'seven': 0.65}
LTRF_ON_1 = 0.77  # 4.3: what the energy of the parts that the paper does not tell is calibrated with


class Workload(figures.Workload):
    energy_scale = 1.0  # of the parts beside the main file; `prepare` calibrates it

    def own(self, run):
        total = self.total(run)
        return next((total[name] for name in ('ltrf', 'ltrf-plus', 'ltrf-strands', 'rfc', 'shrf') if name in total), {})

    def hits(self, run):
        return self.own(run)['read_hits']

    def watts(self, run):
        """Dynamic, of the main file at #1's energies; of the parts beside it."""
        total, config = self.total(run), self.runs['base']['config']
        banks = 1e-12 * (total['bank_reads'] * config['pj_reg_read'] + total['bank_writes'] * config['pj_reg_write'])
        parts = sum(value for key, value in self.own(run).items() if key.endswith('_joules'))
        return banks / total['cycles'], parts / total['cycles']

    def power_parts(self, run):
        """What is known of a run's register power, and what the scale multiplies; over the baseline's on #1."""
        (banks, parts), (norm, _) = self.watts(run), self.watts('base')
        design = self.own(run)
        leaks = LEAKS * (CACHE_SHARE + ('prefetches' in design) * CONTROL_SHARE) if design else 0
        known = POWER[run.split(':')[0]] * ((1 - LEAKS) * banks / norm + LEAKS) + leaks
        return known, (1 - LEAKS) * parts / norm

    def power(self, run, _=None):
        known, scaled = self.power_parts(run)
        return known + Workload.energy_scale * scaled

    def tolerates(self, design, loss, over='base'):
        """Times #1's latency up to which it loses no more than so many percent, between the simulated ones."""
        reference, before = self.total(over)['cycles'], (1, None)
        for latency in LATENCIES:
            lost = 100 * (self.total(f'{design}@{latency}')['cycles'] / reference - 1)
            if lost > loss:
                if before[1] is None:
                    return 1
                return before[0] + (latency - before[0]) * ratio(loss - before[1], lost - before[1])
            before = latency, lost
        return before[0]

    def is_sensitive(self):
        launches = self.runs['base']['launches']
        limited = sum(launch['cycles'] for launch in launches if launch['limiter'] == 'registers')
        return 2 * limited > sum(launch['cycles'] for launch in launches)

    def registers(self):
        return max(kernel['registers'] for kernel in self.kernels)

    def growth(self, bytes_each):
        """Of the code by PREFETCHes, %."""
        vectors = sum(1 for kernel in self.kernels for interval in kernel['intervals'] if interval['working_set'])
        return 100 * ratio(vectors * bytes_each, sum(kernel['instructions'] for kernel in self.kernels) * INST_BYTES)

    def length(self, of):
        """Instructions of an interval in the run: `prefetches`, or the fewest that they could be."""
        own = self.own('one:ltrf')
        entries = own['fewest'] if of == 'fewest' else own['prefetches'] + own['path_switches']
        return ratio(own['instructions'], entries)


def name_by_latency(w):
    """design@latency, and what varies of LTRF as name@latency, whatever else those runs differ in."""
    for run in list(w.runs):
        name, *rest = run.split(':')
        if name == 'slow':
            w.runs[f'{rest[0]}@{rest[-1]}'] = w.runs[run]
        elif name == 'slow-shared':
            w.runs[f'rfc-shared@{rest[-1]}'] = w.runs[run]
        elif name.startswith(('n-', 'active-')):
            w.runs[f'{name}@{rest[-1]}'] = w.runs[run]
        elif name == 'one':
            w.runs[f'{rest[0]}@1'] = w.runs[run]
    w.runs['baseline@1'], w.runs['rfc-shared@1'] = w.runs['base'], w.runs['one-shared']
    w.runs['seven:rfc-shared'] = w.runs['seven-shared']


def prepare(workloads):
    for w in workloads:
        name_by_latency(w)
    known, scaled = zip(*(w.power_parts('one:ltrf') for w in workloads))
    Workload.energy_scale = max(0, ratio(LTRF_ON_1 - mean(known), mean(scaled)))


def sensitive(workloads):
    return [w for w in workloads if w.is_sensitive()]


def of_sensitive(value):
    """Of the sensitive ones; where there are none, of all."""
    return lambda workloads: value(sensitive(workloads) or workloads)


def of_others(value):
    return lambda workloads: value([w for w in workloads if not w.is_sensitive()] or workloads)


def gain(run, over='base'):
    return lambda workloads: 100 * (geomean(w.speedup(run, over) for w in workloads) - 1)


def groups(workloads):
    return 'sensitive: ' + (', '.join(w.name for w in sensitive(workloads)) or 'none')


def moved(run):
    return of_sensitive(lambda workloads: figures.slots_moved(workloads, run))


def power(run):
    return lambda workloads: 100 * (mean(w.power(run) for w in workloads) - 1)


def calibrated(workloads):
    scale = Workload.energy_scale
    if not scale:
        return 'what the main file takes is more than the paper leaves it: the other parts are left out'
    return f'calibrated: the other parts take {scale:.2f} of what is assumed for them'


def tolerated(design, over='base', loss=5):
    return lambda workloads: mean(w.tolerates(design, loss, over) for w in workloads)


def reduction(run):
    return lambda workloads: mean(w.own(run)['main_access_reduction'] for w in workloads)


def lengths(workloads):
    return (f'{mean(w.length("prefetches") for w in workloads):.1f} instructions an interval (paper: 31.2); '
            f'{mean(1e3 * w.own("one:ltrf")["activations"] / w.total("base")["warp_instructions"] for w in workloads):.0f} '
            'activations in a thousand')


def code_cost(workloads):
    return 100 * (1 - geomean(w.speedup('one:ltrf', 'free-code') for w in workloads))


def worst_code_cost(workloads):
    return f'worst {max(100 * (1 - w.speedup("one:ltrf", "free-code")) for w in workloads):.1f} % (paper: 1 %)'


def capacity(workloads):
    return mean(w.registers() * WARPS * WARP_BYTES / KB for w in workloads)


HEADLINES = (
    Headline('ideal file of 8 times the capacity, sensitive', of_sensitive(gain('ideal')), 37, ' %', 1, groups),
    Headline('LTRF on #6, sensitive', of_sensitive(gain('six:ltrf')), 32, ' %', 1, moved('six:ltrf')),
    Headline('LTRF on #7, sensitive', of_sensitive(gain('seven:ltrf')), 28, ' %', 1, moved('seven:ltrf')),
    Headline('LTRF+ on #7, sensitive', of_sensitive(gain('seven:ltrf-plus')), 31, ' %', 1, moved('seven:ltrf-plus')),
    Headline('best of LTRF+ on #7', lambda ws: max(100 * (w.speedup('seven:ltrf-plus') - 1) for w in ws), 86, ' %', 1),
    Headline('LTRF+ on #7, of the ideal file, sensitive', of_sensitive(gain('seven:ltrf-plus', 'ideal')), -5, ' %', 1),
    Headline('the baseline on #7, sensitive', of_sensitive(gain('seven:baseline')), None, ' %', 1, moved('seven:baseline')),
    Headline('LTRF on #7, of the baseline on #7, all', gain('seven:ltrf', 'seven:baseline'), None, ' %', 1),
    Headline('LTRF on #7, insensitive', of_others(gain('seven:ltrf')), 'little', ' %', 1),
    Headline('LTRF on #7, of LTRF on #1, all', gain('seven:ltrf', 'one:ltrf'), None, ' %', 1),
    Headline('register power on #1: LTRF', power('one:ltrf'), -23, ' %', 1, calibrated),
    Headline('register power on #7: RFC', power('seven:rfc'), -35.1, ' %', 1),
    Headline('LTRF', power('seven:ltrf'), -35.4, ' %', 1),
    Headline('LTRF+', power('seven:ltrf-plus'), -46.1, ' %', 1),
    Headline('latency for 5 % loss: RFC, shared', tolerated('rfc-shared'), 2.1, ' times', 1),
    Headline('LTRF', tolerated('ltrf'), 5.3, ' times', 1, lambda ws: f'up to {LATENCIES[-1]} times is simulated'),
    Headline('LTRF+', tolerated('ltrf-plus'), 6.2, ' times', 1),
    Headline('against itself on #1: RFC, shared', tolerated('rfc-shared', 'rfc-shared@1'), 2.1, ' times', 1),
    Headline('LTRF on strands', tolerated('ltrf-strands', 'ltrf-strands@1'), 3, ' times', 1),
    Headline('LTRF', tolerated('ltrf', 'ltrf@1'), 5.3, ' times', 1),
    Headline('LTRF+', tolerated('ltrf-plus', 'ltrf-plus@1'), 6.2, ' times', 1),
    Headline('accesses of the main file, times fewer (LTRF)', reduction('one:ltrf'), '4 to 6', '', 1, lengths),
    Headline('the same, LTRF+', reduction('one:ltrf-plus'), '4 to 6', '', 1),
    Headline('code growth, vectors alone', lambda ws: mean(w.growth(VECTOR_BYTES) for w in ws), 7, ' %', 1),
    Headline('with an instruction each', lambda ws: mean(w.growth(VECTOR_BYTES + INST_BYTES) for w in ws), 9, ' %', 1),
    Headline('what the growth costs in time', code_cost, 0.2, ' %', 1, worst_code_cost),
    Headline('instructions for PREFETCHes, beside bits', gain('explicit', 'one:ltrf'), None, ' %', 1),
    Headline('capacity for all warps, mean (Table 1, Maxwell)', capacity, 588, ' KB', 0),
    Headline('storage of the control blocks', lambda ws: ws[0].own('one:ltrf')['storage'] * 8, 114880, ' bits', 0),
)


def of_optimum(workloads):
    """Lengths of intervals in execution, in % of the longest that there can be."""
    return [100 * ratio(w.length('prefetches'), w.length('fewest')) for w in workloads]


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key: `all` 14 workloads, or those that registers limit."""
    values = {'sensitive': len(sensitive(of_paper)), 'ideal': of_sensitive(gain('ideal'))(of_paper),
              'baseline-7': of_sensitive(gain('seven:baseline'))(of_paper), 'ltrf-7': of_sensitive(gain('seven:ltrf'))(of_paper),
              'ltrf-plus-7': of_sensitive(gain('seven:ltrf-plus'))(of_paper), 'all-baseline-7': gain('seven:baseline')(of_paper),
              'all-ltrf-7-over-1': gain('seven:ltrf', 'one:ltrf')(of_paper),
              'all-ltrf-7-over-baseline-7': gain('seven:ltrf', 'seven:baseline')(of_paper),
              'growth': mean(w.growth(VECTOR_BYTES) for w in of_paper), 'growth-time': code_cost(of_paper),
              'length-of-optimum': mean(of_optimum(of_paper)), 'length-median': median(of_optimum(of_paper)),
              'length-least': min(of_optimum(of_paper))}
    for key, design in (('rfc', 'rfc-shared'), ('ltrf', 'ltrf'), ('ltrf-plus', 'ltrf-plus'), ('ltrf-strands', 'ltrf-strands'),
                        ('baseline', 'baseline')):
        values[f'tolerates-{key}'] = tolerated(design)(of_paper)
        values[f'tolerates-{key}-itself'] = tolerated(design, f'{design}@1')(of_paper)
    for key in ('rfc', 'ltrf', 'ltrf-plus'):
        values[f'power-{key}'] = power(f'seven:{key}')(of_paper)
    for key in ('ltrf', 'ltrf-plus'):
        values[f'reduction-{key}'] = reduction(f'one:{key}')(of_paper)
    return values


def table_1(workloads, out):
    fermi = [min(w.registers(), FERMI_REGISTERS) * FERMI_WARPS * WARP_BYTES / KB for w in workloads]
    maxwell = [w.registers() * WARPS * WARP_BYTES / KB for w in workloads]
    rows = [('Fermi, 128 KB', f'{mean(fermi):.0f} KB', f'{max(fermi):.0f} KB', '184 KB', '324 KB'),
            ('Maxwell, 256 KB', f'{mean(maxwell):.0f} KB', f'{max(maxwell):.0f} KB', '588 KB', '1504 KB')]
    each = ', '.join(f'{w.name} {w.registers()}' for w in workloads)
    return ['## Table 1: register files that all warps would fill', '', *table(('', 'mean', 'most', 'paper: mean', 'most'), rows),
            f'Registers a thread: {each}. The paper\'s mean of 588 KB is 73 a thread; up to 32 all warps are resident on #1.', '']


def figure_4(workloads, out):
    runs = {'RFC, shared': 'one-shared', 'RFC, a part for each warp': 'one:rfc', 'SHRF': 'one:shrf'}
    rows = [(w.name, *(number(w.hits(run), 1) for run in runs.values())) for w in workloads]
    rows += [('**mean**', *(number(mean(w.hits(run) for w in workloads), 1) for run in runs.values()))]
    return ['## Figure 4: hit rates of register caches of 16 KB, %', '', *table(('workload', *runs), rows), 'Paper: 8 to 30 %.', '']


def figure_11(workloads, out):
    path, shown = picture(out, 'figure-11')
    designs = ('rfc-shared', 'rfc', 'shrf', 'ltrf-strands', 'ltrf', 'ltrf-plus')
    values = [(w.name, *(w.tolerates(design, 5) for design in designs)) for w in workloads]
    figures.bars(path, 'Latency for a loss of 5 %', 'times', [NAMES[design] for design in designs], values)
    rows = [(NAMES[design], *(number(mean(w.tolerates(design, loss) for w in workloads), 1) for loss in (1, 5, 10)))
            for design in DESIGNS]
    rows += [('paper: RFC', 1.4, 2.1, 2.9), ('paper: LTRF', 2.8, 5.3, 6.5), ('paper: LTRF+', 3.5, 6.2, 7.9)]
    own = [(NAMES[design], *(number(mean(w.tolerates(design, loss, design + '@1') for w in workloads), 1) for loss in (1, 5, 10)))
           for design in DESIGNS]
    return ["## Figure 11: latency that is tolerated, times #1's", '', shown, '', *table(('design', '1 % loss', '5 %', '10 %'), rows),
            'Losses are those against the baseline on #1, and what a design loses there already counts. Against itself on #1, '
            'which the paper may mean, since a loss of 1 % leaves LTRF 2.8 times:', '',
            *table(('design', '1 % loss', '5 %', '10 %'), own)]


def over_latency(name, heading, curves, latencies, note):
    """A figure of lines: {title: run before @latency}."""
    def figure(workloads, out):
        path, shown = picture(out, name)
        points = {title: [(n, geomean(w.speedup(f'{run}@{n}') for w in workloads)) for n in latencies]
                  for title, run in curves.items()}
        figures.lines(path, heading, "times #1's latency", 'IPC of the baseline', points)
        rows = [(title, *(number(value) for _, value in values)) for title, values in points.items()]
        return [f'## {heading}', '', shown, '', *table(('', *(f'{n} times' for n in latencies)), rows), note, '']
    return figure


def table_4(workloads, out):
    real, optimal = ([w.length(of) for w in workloads] for of in ('prefetches', 'fewest'))
    rows = [(w.name, number(a, 1), number(b, 1), number(100 * ratio(a, b), 0)) for w, a, b in zip(workloads, real, optimal)]
    rows += [(title, number(value(real), 1), number(value(optimal), 1), number(100 * ratio(value(real), value(optimal)), 0))
             for title, value in (('**mean**', mean), ('**least**', min), ('**most**', max))]
    return ['## Table 4: dynamic instructions of a register-interval', '', *table(('workload', 'real', 'optimal', '%'), rows),
            'Paper: 31.2 of 34.7 (89 %), least 7 of 9, most 45 of 53. An entry that has its set is no PREFETCH.', '']


def base_latency(workloads, out):
    runs = {1: ('base', 'one:ltrf', 'seven:baseline', 'seven:ltrf'), 2: ('base-2', 'one-2', 'seven-2:baseline', 'seven-2:ltrf'),
            3: ('base-3', 'one-3', 'seven-3:baseline', 'seven-3:ltrf')}
    rows = []
    for title, group in (('all', workloads), ('sensitive', sensitive(workloads))):
        rows += [(f'{cycles}, {title}', *(number(geomean(w.speedup(run, names[0]) for w in group)) for run in names[1:]))
                 for cycles, names in runs.items() if group]
    return ["## #1's latency, which the paper does not give", '', *table(('cycles', 'LTRF on #1', 'BL on #7', 'LTRF on #7'), rows),
            'IPC over the baseline on #1 with that latency. Latencies of arithmetic are measured ones and contain it; the cache '
            'takes a cycle and the control block another in each row.', '']


def readings(workloads, out):
    rows = [(title, number(geomean(w.speedup(run) for w in workloads)), number(mean(w.own(run)['main_access_reduction'] for w in workloads)))
            for title, run in (('LTRF on #7', 'seven:ltrf'), ('PREFETCH moves all of a set', 'reload'),
                               ('one link for both ways', 'simplex'))]
    return ['## How PREFETCHes move', '', *table(('', 'IPC of the baseline', 'fewer accesses, times'), rows)]


def traffic(workloads, out):
    keys = ('prefetches', 'path_switches', 'activations', 'prefetched', 'refetched', 'written_back', 'saved', 'main_writes', 'dropped')
    rows = [(f'{w.name}, {NAMES[design]}', *(number(1e3 * w.own(f'one:{design}')[key] / w.total('base')['warp_instructions'], 0)
                                             for key in keys), number(w.own(f'one:{design}')['main_access_reduction']))
            for w in workloads for design in ('ltrf', 'ltrf-plus')]
    return ['## What moves, for a thousand warp instructions', '', *table(('', *keys, 'fewer accesses'), rows)]


def power_split(workloads, out):
    rows = []
    for run in ('one:ltrf', 'seven:rfc', 'seven:ltrf', 'seven:ltrf-plus'):
        known, scaled = (mean(values) for values in zip(*(w.power_parts(run) for w in workloads)))
        rows.append((run, number(known), number(Workload.energy_scale * scaled), number(known + Workload.energy_scale * scaled)))
    return ['### Its parts', '', *table(('', 'main file and leakage', 'cache, control, links', 'power'), rows),
            f'{100 * LEAKS:.0f} % of the baseline\'s power on #1 is taken for leakage. The energy of the parts beside the main file '
            'is calibrated on #1, where the paper has -23 %, and #7 is the test; where they can take nothing, it is zero.', '']


FIGURES = (
    table_1,
    Bars('figure-3', 'Figure 3: IPC with 8 times the registers, in TFET', {'ideal': ('ideal',), 'real (BL on #6)': ('six:baseline',)},
         {'ideal': '1.37 of sensitive ones', 'real (BL on #6)': 'below 1'}),
    figure_4,
    Bars('figure-9a', 'Figure 9: IPC on main register file #6',
         {**{NAMES[d]: (f'six:{d}',) for d in ('baseline', 'rfc', 'ltrf', 'ltrf-plus')}, 'ideal': ('ideal',)},
         {'LTRF': '1.32 of sensitive ones'}),
    Bars('figure-9b', 'Figure 9: IPC on main register file #7',
         {**{NAMES[d]: (f'seven:{d}',) for d in DESIGNS}, 'ideal': ('ideal',)}, {'LTRF': '1.28', 'LTRF+': '1.31'}),
    Bars('figure-10', 'Figure 10: register power on #7', {NAMES[d]: (f'seven:{d}',) for d in ('rfc', 'ltrf', 'ltrf-plus')},
         {'RFC': '0.65', 'LTRF': '0.65', 'LTRF+': '0.54'}, value=Workload.power, ylabel='power', average=mean),
    power_split,
    figure_11,
    over_latency('figure-12', 'Figure 12: registers of an interval', {'8': 'n-8', '16': 'ltrf', '32': 'n-32'}, FEW,
                 'Paper: 8 falls behind as the file gets slower, more than 16 is not always better.'),
    over_latency('figure-13', 'Figure 13: active warps', {'4': 'active-4', '8': 'ltrf', '16': 'active-16'}, FEW,
                 'Paper: 8 are 36.9 % ahead of 4 on the slowest file, more than 8 give little.'),
    over_latency('figure-14', 'Figure 14: IPC over the latency', {NAMES[d]: d for d in DESIGNS}, LATENCIES,
                 'Paper: RFC and SHRF tolerate 2 times, LTRF on strands 3, LTRF 5.3.'),
    table_4,
    base_latency,
    readings,
    traffic,
)
