"""The figures of R2D2 on programs of the kinds that the paper has, beside its numbers.

The GPU is the paper's TITAN V, a part of it, with one register file for all warps of an SM. Programs are written from the
same algorithms and compiled by Heddle's compiler; coefficients and index parts are linear versions that it makes. Dynamic
instructions are warp instructions that are issued, linear streams included; energy is the whole GPU's, static
power and the board included, and what scalar pipelines save is taken off: for constants, as in the paper's baseline,
everywhere, and for all scalar operands in DARSIE+Scalar.
"""
import figures
from figures import Bars, Headline, geomean, mean, number, picture, ratio, table

TITLE = 'R2D2: linear code decoupled'
DESIGNS = {'R2D2': 'r2d2', 'DAC': 'dac', 'DARSIE': 'darsie', 'DARSIE+Scalar': 'scalar'}
SIZES = 'BP_'  # Table 3
BOUND = 50  # % of the DRAM bandwidth or of the issue slots from which on these are said to limit a run, as in ladders


def defines(options):
    """The part of the GPU: an eighth, or all of it where grids fill it."""
    return {'part': 1} if options.size == 'chip' else {}


def only(options):
    """Whole chips take an hour with the latencies of 5.4 and 5.8.2."""
    return {'configuration': 'base,' + ','.join(DESIGNS.values())} if options.size == 'chip' else {}


class Workload(figures.Workload):
    def removed(self, run, over='base'):
        """% of the baseline's warp instructions."""
        return 100 * (1 - self.total(run)['warp_instructions'] / self.total(over)['warp_instructions'])

    def whole_energy(self, run, over='base'):
        return self.joules(run) / self.joules(over)

    def joules(self, run):
        """Without what scalar pipelines save: the baseline's for constants, DARSIE+Scalar's."""
        total = self.total(run)
        return total['energy_joules'] - sum(total[name]['scalar_saves_joules'] for name in ('scalar', 'darsie-scalar') if name in total)

    def streams(self, part=None):
        """% of the baseline's warp instructions that are linear streams."""
        own = self.total('r2d2')['r2d2']
        parts = [part] if part else ['coefficient', 'thread', 'block']
        return 100 * ratio(sum(own[p + '_instructions'] for p in parts), self.total('base')['warp_instructions'])

    def dram(self):
        """% of its bandwidth that the baseline uses."""
        return figures.dram_use(self.total('base'), self.runs['base']['config'])

    def limit(self):
        return 'DRAM' if self.dram() >= BOUND else 'issue' if self.slots('base', 'issued') >= BOUND else 'neither'

    def stream_cycles(self, _run=None, _over=None):
        """% of the cycles of SMs with warps in which some warp runs a stream."""
        return 100 * ratio(self.total('r2d2')['r2d2']['stream_cycles'], self.total('r2d2')['active_sm_cycles'])

    def ideal(self, machine):
        return 100 * ratio(self.total('base')[f'ideal_{machine}_threads'], self.total('base')['thread_instructions'])

    def fell_back(self):
        total = self.total('r2d2')
        reasons = (('without', 'no version'), ('check_fallbacks', 'a condition'), ('small_fallbacks', 'the grid is small'),
                   ('register_fallbacks', 'registers'))
        return ', '.join(f'{total["linear_" + key]} {text}' for key, text in reasons if total['linear_' + key])


def is_shown(workload):
    return not workload.name.startswith(SIZES)


def prepare(workloads):
    """In the paper's order: by what LN removes."""
    workloads.sort(key=lambda w: w.ideal('ln'))


def gain(run, over='base'):
    return lambda ws: 100 * (geomean(w.speedup(run, over) for w in ws) - 1)


def removed(run):
    return lambda ws: mean(w.removed(run) for w in ws)


def energy(run):
    return lambda ws: 100 * (mean(w.whole_energy(run) for w in ws) - 1)


def loss(run):
    return lambda ws: 100 * (geomean(w.speedup(run, 'r2d2') for w in ws) - 1) if have(ws, run) else ''


def have(ws, run):
    return all(run in w.runs for w in ws)


def those_limited(ws, kind):
    return [w for w in ws if w.limit() == kind]


def by_limit(ws):
    """Of R2D2, for a reason."""
    groups = [(kind, those_limited(ws, kind)) for kind in ('DRAM', 'issue', 'neither')]
    return '; '.join(f'{gain("r2d2")(found):+.1f} % in the {len(found)} that {kind} limits' for kind, found in groups if found)


def one(name, value):
    def find(ws):
        return next((value(w) for w in ws if w.name == name), '')
    return find


def moved(ws):
    return f'{by_limit(ws)}; {figures.slots_moved(ws, "r2d2")}'


def original(ws):
    return f'{sum(1 for w in ws if not w.total("r2d2")["linear_launches"])} of {len(ws)} run nothing but original code'


HEADLINES = (
    Headline('warp instructions removed, R2D2', removed('r2d2'), 28, ' %', 1, original),
    Headline('DAC', removed('dac'), 20, ' %', 1),
    Headline('DARSIE', removed('darsie'), 18, ' %', 1),
    Headline('DARSIE+Scalar', removed('scalar'), 18, ' %', 1, lambda ws: "18 in Figure 12's caption, 19 in 5.1"),
    Headline('time, geometric mean, R2D2', gain('r2d2'), 25, ' %', 1, moved),
    Headline('DAC', gain('dac'), 15, ' %', 1),
    Headline('DARSIE', gain('darsie'), 14, ' %', 1),
    Headline('DARSIE+Scalar', gain('scalar'), 14, ' %', 1),
    Headline('LPS: instructions removed', one('LPS', lambda w: w.removed('r2d2')), 48, ' %', 1),
    Headline('LPS: speedup', one('LPS', lambda w: w.speedup('r2d2')), 1.56),
    Headline('SPM: instructions removed', one('SPM', lambda w: w.removed('r2d2')), 47, ' %', 1),
    Headline('SPM: speedup', one('SPM', lambda w: w.speedup('r2d2')), 1.36),
    Headline('BFS: speedup', one('BFS', lambda w: w.speedup('r2d2')), 1.4),
    Headline("streams, of the baseline's instructions", lambda ws: mean(w.streams() for w in ws), 1, ' %', 1),
    Headline('LUD: streams', one('LUD', Workload.streams), 19, ' %', 1),
    Headline('LUD: instructions removed', one('LUD', lambda w: w.removed('r2d2')), 25, ' %', 1),
    Headline('cycles in which an SM runs a stream', lambda ws: mean(w.stream_cycles() for w in ws), 1, ' %', 1),
    Headline('energy, R2D2', energy('r2d2'), -17, ' %', 1),
    Headline('energy, DAC', energy('dac'), -9, ' %', 1),
    Headline('energy, DARSIE', energy('darsie'), -8, ' %', 1),
    Headline('energy, DARSIE+Scalar', energy('scalar'), -9, ' %', 1),
    Headline('7 cycles more to start a stream (5.4)', loss('start'), -1, ' %', 1),
    Headline("5 cycles more to find a register's id (5.4)", loss('ids'), -1, ' %', 1),
    Headline('no cycles for the addition', loss('noadd'), None, ' %', 1),
    Headline('R2D2 with a register file for each scheduler', lambda ws: gain('copies', 'split')(ws) if have(ws, 'copies') else '', None, ' %', 1,
             lambda ws: 'linear registers are in each; over the baseline with the same'),
    Headline('FFT: speedup (5.7)', one('FFT', lambda w: w.speedup('r2d2'))),
    Headline('FFT_PT: speedup (5.7)', one('FFT_PT', lambda w: w.speedup('r2d2'))),
)


def speedups_by_sms(workloads):
    """{simulated SMs: geometric mean}"""
    found = {}
    for w in workloads:
        for run in w.runs:
            if run.startswith('sms:'):
                found.setdefault(run[4:], []).append(w.speedup('smslinear:' + run[4:], run))
    return {count: geomean(values) for count, values in found.items()}


def results(of_paper, workloads):
    """What pages show (scripts/results.py), by key."""
    by_dram = those_limited(of_paper, 'DRAM')
    groups = {'dram': by_dram, 'rest': [w for w in of_paper if w not in by_dram]}
    values = {'limited-dram': len(by_dram)}
    values.update({f'speedup-{run}-{name}': 1 + gain(run)(found) / 100 for name, found in groups.items() if found for run in ('r2d2', 'dac')})
    values |= {'stream-cycles': mean(w.stream_cycles() for w in of_paper), 'streams': mean(w.streams() for w in of_paper),
              'issued': mean(w.slots('base', 'issued') for w in of_paper)}
    values |= {run: -loss(run)(of_paper) for run in ('start', 'ids') if have(of_paper, run)}
    for key, run in (('r2d2', 'r2d2'), ('dac', 'dac'), ('darsie', 'darsie'), ('scalar', 'scalar')):
        values.update({f'removed-{key}': removed(run)(of_paper), f'speedup-{key}': 1 + gain(run)(of_paper) / 100,
                       f'energy-{key}': energy(run)(of_paper)})
    for work in WORKS.values():
        for key, run in (('had', 'base'), ('left', 'r2d2')):
            values[f'{work}-{key}'] = mean(100 * ratio(w.total(run)[f'ideal_{work}_warps'], w.total('base')['warp_instructions'])
                                           for w in of_paper)
    for key in ('had', 'left'):
        values[f'linear-{key}'] = sum(values[f'{work}-{key}'] for work in ('counter', 'uniform', 'index'))
    values['flow-gain'] = values['flow-had'] - values['flow-left']
    for w in of_paper:
        if w.name == 'STC':
            values.update({'stc-removed': w.removed('r2d2'), 'stc-removed-dac': w.removed('dac')})
    sizes = [w for w in workloads if w.name.startswith(SIZES)]
    at_sms = speedups_by_sms(workloads)
    for key, pick in (('least', min), ('most', max)):
        if sizes:
            values.update({f'bp-removed-{key}': pick(w.removed('r2d2') for w in sizes),
                           f'bp-speedup-{key}': pick(w.speedup('r2d2') for w in sizes)})
        if at_sms:
            values[f'sms-{key}'] = pick(at_sms.values())
    return values


def figure_4(workloads, out):
    path, shown = picture(out, 'figure-4')
    machines, paper = ('WP', 'TB', 'LN'), ('27', '22', '33')
    values = [(w.name, *(w.ideal(m.lower()) for m in machines)) for w in workloads]
    last = [mean(row[i + 1] for row in values) for i in range(3)]
    figures.bars(path, 'Figure 4: thread instructions that ideal machines remove', '%', machines, values + [('mean', *last)])
    rows = [(row[0], *(number(v, 1) for v in row[1:])) for row in values]
    rows += [('**mean**', *(number(v, 1) for v in last)), ('paper', *paper)]
    return ['## Figure 4: thread instructions that ideal machines remove, %', '', shown, '', *table(('workload', *machines), rows)]


def figure_14(workloads, out):
    path, shown = picture(out, 'figure-14')
    parts = ('coefficient', 'thread', 'block')
    values = [(w.name, *(w.streams(part) for part in parts), 100 - w.removed('r2d2') - w.streams()) for w in workloads]
    figures.stacked(path, "Figure 14: R2D2's instructions over the baseline's", '%', (*parts, 'rest'), values)
    rows = [(row[0], *(number(v, 2) for v in row[1:]), w.fell_back()) for row, w in zip(values, workloads)]
    return ["## Figure 14: R2D2's instructions, % of the baseline's", '', shown, '',
            *table(('workload', *parts, 'rest', 'launches of the original code'), rows)]


def limits(workloads, out):
    order = {'DRAM': 0, 'issue': 1, 'neither': 2}
    rows = [(w.name, w.limit(), number(w.dram(), 0), number(w.slots('base', 'issued'), 0), *(number(w.speedup(run)) for run in DESIGNS.values()))
            for w in sorted(workloads, key=lambda w: order[w.limit()])]
    for kind in order:
        found = those_limited(workloads, kind)
        if found:
            rows.append((f'**{kind}**, {len(found)}', '', '', '', *(number(geomean(w.speedup(run) for w in found)) for run in DESIGNS.values())))
    return ['## Speedups and what limits the baseline', '',
            f'DRAM, or issue, limits where the baseline uses {BOUND} % of its bandwidth, or of the slots; means are geometric.', '',
            *table(('workload', 'limit', 'DRAM, %', 'issue slots, %', *DESIGNS), rows)]


def table_3(workloads, out):
    paper = {'BP_04': (38.3, 1.35), 'BP_08': (38.8, 1.35), 'BP_16': (39.2, 1.36), 'BP_32': (39.6, 1.36), 'BP_64': (39.7, 1.36)}
    rows = [(w.name, w.arguments, number(w.removed('r2d2'), 1), paper[w.name][0], number(w.speedup('r2d2')), paper[w.name][1])
            for w in sorted(workloads, key=lambda w: w.name) if w.name in paper]
    return ['## Table 3: backprop over its size', '',
            *table(('program', 'arguments', 'removed, %', 'paper', 'speedup', 'paper'), rows)]


def more_sms(workloads, out):
    rows = []
    for w in workloads:
        counts = sorted((run.split(':')[1] for run in w.runs if run.startswith('sms:')), key=int)
        if counts:
            rows.append((w.name, *(number(w.speedup('smslinear:' + n, 'sms:' + n)) for n in counts)))
            head = ('workload', *(f'{4 * int(n)} SMs' for n in counts))
    if not rows:
        return []
    means = [number(geomean(float(row[i]) for row in rows)) for i in range(1, len(head))]
    return ['## More SMs for the same grids (5.8.2)', '', 'A quarter of the SMs, of L2 and of memory; the paper sees no loss.', '',
            *table(head, rows + [('**geometric mean**', *means)])]


UNIT = 8 # registers a thread that launches give at a time


def blocks_of(w, threads, registers):
    """On an SM, by threads and registers."""
    config = w.runs['base']['config']
    a_thread = (registers + UNIT - 1) // UNIT * UNIT
    return min(config['max_ctas'], config['max_threads'] // threads, config['registers'] // (a_thread * threads))


def registers(workloads, out):
    rows = []
    for w in workloads:
        blocks = {launch['kernel']: launch['block'] for launch in w.runs['base']['launches']}
        for kernel in w.kernels:
            block, version = blocks.get(kernel['demangled']), kernel.get('linear_version')
            if not block or not version:
                continue
            threads = -(-block[0] * block[1] * block[2] // 32) * 32
            resident = blocks_of(w, threads, kernel['registers'])
            rows.append((f'{w.name}, {kernel["demangled"].split("(")[0]}', threads, resident, kernel['registers'], version['registers'],
                         version['thread_registers'] * threads + 32 * resident + version['coefficient_registers'],
                         w.runs['base']['config']['registers'] - resident * threads * -(-version['registers'] // UNIT) * UNIT))
    return ["## Registers (5.6): of a thread, and words of an SM that linear registers take, by 5.6's count", '',
            *table(('kernel', 'threads', 'blocks', 'original', 'linear version', 'linear registers', 'left for them'), rows)]


# What warp instructions work on, counters ideal_*_warps: no design of the three removes the first.
WORKS = {'memory': 'memory', 'control': 'flow', 'on loaded data': 'data', 'comparisons': 'predicate', 'selects': 'select',
         'not linear': 'nonlinear', 'loop counters': 'counter', 'uniform': 'uniform', 'linear': 'index'}


def causes(workloads, out):
    """What linear versions leave, and of what: why less is removed than might be."""
    def of(w, run, work):
        return 100 * ratio(w.total(run)[f'ideal_{work}_warps'], w.total('base')['warp_instructions'])
    pairs = [(w.name, *((of(w, 'r2d2', work), of(w, 'base', work)) for work in WORKS.values())) for w in workloads]
    means = [tuple(mean(row[i + 1][k] for row in pairs) for k in range(2)) for i in range(len(WORKS))]
    rows = [(name, *(f'{left:.1f} of {had:.1f}' for left, had in cells), number(w.streams(), 1), number(w.removed('r2d2'), 1))
            for (name, *cells), w in zip(pairs, workloads)]
    last = ('**mean**', *(f'{left:.1f} of {had:.1f}' for left, had in means), number(mean(w.streams() for w in workloads), 1),
            number(mean(w.removed('r2d2') for w in workloads), 1))
    return ["## What linear versions leave, % of the baseline's warp instructions", '',
            'Each instruction by what it works on: memory; control, with barriers and what no lane executes; data that were loaded '
            'or came from other lanes. The rest works on indices and launch constants alone: comparisons, linear or not; selects, '
            'minima and maxima, with what is not linear; divisions, products and bits of indices, and what is made of such; and '
            'what is linear: what loops count up, results that are the same for all threads, and the others.', '',
            *table(('workload', *WORKS, 'streams', 'removed'), rows + [last])]


OF_ALL = (table_3,)
FIGURES = (
    figure_4,
    Bars('figure-12', 'Figure 12: warp instructions removed, %', {t: (r,) for t, r in DESIGNS.items()},
         {'R2D2': '28', 'DAC': '20', 'DARSIE': '18', 'DARSIE+Scalar': '18'}, value=Workload.removed, ylabel='%', average=mean, level=0),
    Bars('figure-13', 'Figure 13: speedup', {t: (r,) for t, r in DESIGNS.items()},
         {'R2D2': '1.25', 'DAC': '1.15', 'DARSIE': '1.14', 'DARSIE+Scalar': '1.14'}),
    limits,
    figure_14,
    causes,
    Bars('figure-15', 'Figure 15: cycles in which an SM runs a stream, %', {'R2D2': ('r2d2',)}, {'R2D2': '1'},
         value=Workload.stream_cycles, ylabel='%', average=mean, level=0),
    Bars('figure-16', 'Figure 16: energy over the baseline', {t: (r,) for t, r in DESIGNS.items()},
         {'R2D2': '0.83', 'DAC': '0.91', 'DARSIE': '0.92', 'DARSIE+Scalar': '0.91'}, value=Workload.whole_energy, ylabel='energy',
         average=mean),
    registers,
    more_sms,
)
