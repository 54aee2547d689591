"""The figures of GPUDuet on programs of the kinds that the paper has, beside its numbers.

A quarter of the paper's GPU is simulated: four SMs, slices of L2 and channels. Programs run to their end, training of
20,000 cycles a kernel included; the paper's run for 4 million cycles. Classes are those of Table 3.3, of each program's
longest kernel on the baseline; unsaturated are the programs whose kernel is underutilised or moderately utilised here.
"""
import os
import re

import figures
import workloads_table
from figures import Bars, Headline, geomean, mean, number, picture, ratio, table

TITLE = 'GPUDuet: more warps than there is room for'
STATIC = (1, 2, 3, 4, 8)
WARPS = (1, 2, 4, 8, 16, 24, 32, 48, 64)
WIRES = (16, 32, 64)
CROSSBARS = {2: 0.75, 4: 0.655, 8: 0.618, 16: None}  # what Karol has for so many ports
CLASSES = {'under': ('BFS', 'BT', 'DWT_2', 'HG', 'HS'), 'moderate': ('MMS', 'CONV', 'MM', 'ST', 'SPMV'),
           'saturated': ('BP', 'CFD', 'KM', 'LBM', 'SAD')}  # the paper's
# What limits the blocks of an SM in the paper: 3.7.2 has those of registers and shared memory, the others want slots. 3.7.2 has
# the number for one program.
LIMITS = {**dict.fromkeys(('CFD', 'LBM', 'ST', 'MMS', 'DWT_2', 'HS'), 'registers'), 'HG': 'shared memory'}
BLOCKS = {'DWT_2': 10}
FILLED = 3  # times the blocks that the GPU holds: a grid has as many at least
PLAN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'plans', 'duet.ini')
KERNELS = []  # (name, Kernel), of all workloads: prepare


class Workload(figures.Workload):
    def used(self):
        """The kernels that take a tenth of the baseline's cycles, the longest first."""
        return [kernel for kernel, _ in workloads_table.kernels_of(self.runs['base'])]

    def kind(self):
        return class_of(self.used()[0])

    def unsaturated(self):
        return self.kind() != 'saturated'

    def speedup(self, run, over='base'):
        """Where L1 holds contexts over the baseline without L1, as the paper has it."""
        in_l1 = self.total(run).get('duet', {}).get('kernels_in_l1')
        return super().speedup(run, 'nol1' if in_l1 and over == 'base' else over)

    def launch(self, run):
        return max(self.runs[run]['launches'], key=lambda launch: launch['cycles'])

    def own(self, run):
        total = self.total(run)
        return total.get('duet') or total['vt']

    def facts(self, run):
        """Of the longest launch."""
        launch = self.launch(run)
        return launch.get('duet') or launch['vt']

    def parallelism(self, run, over=None):
        """The most blocks of an SM, of those that it has room for."""
        facts = self.facts(run)
        return 1 + ratio(facts['extra_blocks'], facts['native_blocks'])

    def contexts(self):
        """Registers of a context, of all of a warp."""
        facts = self.facts('static:duet:8')
        return ratio(facts['context_registers'], facts['warp_registers'])

    def best(self):
        return max(STATIC, key=lambda extra: self.speedup(f'static:duet:{extra}'))

    def busy(self, run):
        """% of the cycles in which an SM's contexts move."""
        return 100 * ratio(self.own(run)['transfer_cycles'], self.total(run)['cycles'] * self.runs[run]['config']['sm_count'])


def uses(kernel):
    return (kernel.scheduler(), max(kernel.network('up'), kernel.network('down')), kernel.dram(), kernel.l1(), kernel.l2())


def class_of(kernel):
    return workloads_table.throughput_class(*uses(kernel))


def is_shown(w):
    return 'duet' in w.runs


def prepare(workloads):
    KERNELS[:] = [(w.name if len(w.used()) == 1 else f'{w.name} {workloads_table.bare(kernel.name)}', kernel)
                  for w in workloads for kernel in w.used()]


# ---------------------------------------------------------------- headlines

def those(workloads, chosen):
    """Unsaturated ones, those that the paper has in a class, or all."""
    if chosen == 'unsaturated':
        return [w for w in workloads if w.unsaturated()]
    return [w for w in workloads if w.name in CLASSES[chosen]] if chosen else workloads


def gain(run, chosen='unsaturated', over='base'):
    def value(workloads):
        found = those(workloads, chosen)
        return 100 * (geomean(w.speedup(run, over) for w in found) - 1) if found else 'none'
    return value


def edge(run, what, chosen):
    def value(workloads):
        found = those(workloads, chosen)
        return 100 * (what(w.speedup(run) for w in found) - 1) if found else 'none'
    return value


def best_static(workloads):
    found = those(workloads, 'unsaturated')
    return 100 * (geomean(w.speedup(f'static:duet:{w.best()}') for w in found) - 1) if found else 'none'


def worst_of(name):
    def value(workloads):
        found = [w for w in workloads if w.name == name]
        return 100 * (min(w.speedup(f'static:duet:{extra}') for w in found for extra in STATIC) - 1) if found else 'none'
    return value


def parallelism(run):
    def value(workloads):
        found = those(workloads, 'unsaturated')
        return 100 * (mean(w.parallelism(run) for w in found) - 1) if found else 'none'
    return value


def why_gain(workloads):
    found = those(workloads, 'unsaturated')
    if not found:
        return ''
    return (f'{len(found)} of {len(workloads)} unsaturated; twice of everything gives {gain("doubled")(workloads):+.1f} %; '
            f'contexts move in {mean(w.busy("duet") for w in found):.0f} % of the cycles; {figures.slots_moved(found, "duet")}')


def why_static(workloads):
    return 'ME: ' + ', '.join(f'{w.name} {w.best()}' for w in those(workloads, 'unsaturated'))


def storage(run):
    return lambda workloads: workloads[0].own(run)['storage_bits']


HEADLINES = (
    Headline('speedup on unsaturated programs, geometric mean', gain('duet'), 22.0, ' %', 1, why_gain),
    Headline('best', edge('duet', max, 'unsaturated'), 47.0, ' %', 1),
    Headline('those that the paper has underutilised, least', edge('duet', min, 'under'), 23.0, ' %', 1),
    Headline('most', edge('duet', max, 'under'), 47.0, ' %', 1),
    Headline('moderately utilised, most', edge('duet', max, 'moderate'), 25.0, ' %', 1),
    Headline('the best static ME of each unsaturated program', best_static, None, ' %', 1, why_static),
    Headline('KM at static ME, least', worst_of('KM'), -26.0, ' %', 1),
    Headline('over Virtual Thread, all programs', gain('duet', None, 'vt'), 12.0, ' %', 1),
    Headline('unsaturated ones', gain('duet', 'unsaturated', 'vt'), 16.0, ' %', 1),
    Headline('Virtual Thread over the baseline, unsaturated', gain('vt'), None, ' %', 1),
    Headline('blocks alone, unsaturated', gain('blocks'), None, ' %', 1),
    Headline('blocks of an SM, unsaturated', parallelism('duet'), 70.0, ' %', 0),
    Headline('Virtual Thread', parallelism('vt'), 18.0, ' %', 0),
    Headline('port of 256 bytes', gain('ports:256'), 24.0, ' %', 1),
    Headline('of 64 bytes', gain('ports:64'), 18.0, ' %', 1),
    Headline('of 1,024 bytes', gain('ports:1024'), None, ' %', 1),
    Headline('registers of contexts, of all', lambda workloads: 100 * mean(w.contexts() for w in workloads), 44.0, ' %', 0),
    Headline('twice the context resources, unsaturated', gain('doubled'), None, ' %', 1),
    Headline('storage an SM', storage('duet'), 8272, ' bits', 0),
    Headline('Virtual Thread', storage('vt'), 672, ' bits', 0),
)


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key; of unsaturated programs where nothing else is said."""
    others = [w for w in those(of_paper, 'unsaturated') if w.name != 'MM']
    return {'unsaturated': len(those(of_paper, 'unsaturated')), 'gain': gain('duet')(of_paper),
            'mm-loss': next((100 * (1 - w.speedup('duet')) for w in of_paper if w.name == 'MM'), 'none'),
            'others': 100 * (geomean(w.speedup('duet') for w in others) - 1) if others else 'none',
            'best': edge('duet', max, 'unsaturated')(of_paper), 'static': best_static(of_paper), 'doubled': gain('doubled')(of_paper),
            'over-vt-all': gain('duet', None, 'vt')(of_paper), 'over-vt': gain('duet', 'unsaturated', 'vt')(of_paper),
            'blocks': parallelism('duet')(of_paper), 'blocks-vt': parallelism('vt')(of_paper),
            **{f'port-{n}': gain(f'ports:{n}')(of_paper) for n in (64, 256) if f'ports:{n}' in of_paper[0].runs},
            'contexts': 100 * mean(w.contexts() for w in of_paper), 'bits': storage('duet')(of_paper), 'bits-vt': storage('vt')(of_paper)}


# ---------------------------------------------------------------- figures

def with_warps(w, wire):
    """Those that the plan has."""
    runs = [(warps, w.runs.get(f'warps:swl:{warps}:{wire}')) for warps in WARPS]
    return [(warps, run) for warps, run in runs if run]


def kernel_of(run):
    return workloads_table.kernels_of(run)[0][0]


def hit_rate(kernel):
    return 100 * ratio(kernel.count['l1d_hits'], kernel.count['l1d_accesses'])


def with_sweep(workloads):
    return next((w for w in workloads if f'warps:swl:1:{WIRES[0]}' in w.runs), None)


def figure_1(workloads, out):
    w, text = with_sweep(workloads), ['## Figure 3.1: SPMV over the warps of an SM that issue, wires of 16 bytes', '']
    if not w:
        return text
    path, shown = picture(out, 'figure-3-1')
    points = [(warps, kernel_of(run)) for warps, run in with_warps(w, 16)]
    figures.lines(path, 'SPMV', 'warps', '%', {'L1 hits': [(n, hit_rate(k)) for n, k in points],
                                               'DRAM, of its peak': [(n, k.dram()) for n, k in points],
                                               'IPC, of the most': [(n, 100 * k.ipc() / max(o.ipc() for _, o in points)) for n, k in points]})
    return [*text, shown, '', *table(('warps', 'IPC', 'L1 hits, %', 'DRAM, %'),
                                     [(n, number(k.ipc()), number(hit_rate(k), 1), number(k.dram(), 1)) for n, k in points])]


def crossbars(workloads, out):
    """What of its peak a crossbar carries where it is what limits a kernel."""
    w = with_sweep(workloads)
    rows = []
    for ports, published in CROSSBARS.items():
        if not w or f'crossbar-{ports}' not in w.runs:
            continue
        kernel = kernel_of(w.runs[f'crossbar-{ports}'])
        rows.append((ports, number(workloads_table.SUSTAINED * max(kernel.network(way) for way in ('up', 'down')) / 100, 3),
                     number(published, 3) if published else 'about 0.6'))
    return ['## Figure 3.3b: what a crossbar with queues on inputs carries of its peak, under SPMV', '',
            *table(('ports', 'here', 'paper'), rows)]


def utilisation(workloads, out):
    path, shown = picture(out, 'figure-3-4')
    rows = [(name, kernel.scheduler(), kernel.l1(), kernel.network('up'), kernel.network('down'), kernel.l2(), kernel.dram())
            for name, kernel in KERNELS]
    titles = ('issue slots', 'L1', 'SMs to L2', 'L2 to SMs', 'L2', 'DRAM')
    figures.bars(path, 'Utilisation', '%', titles, rows)
    kinds = [class_of(kernel) for _, kernel in KERNELS]
    return ['## Figure 3.4: utilisation by kernel, %, network of what it sustains; class of Table 3.3', '', shown, '',
            *table(('kernel', *titles, 'class'), [(row[0], *(number(value, 0) for value in row[1:]), kind) for row, kind in zip(rows, kinds)])]


def figure_5(workloads, out):
    w, text = with_sweep(workloads), ['## Figure 3.5: SPMV over warps, wires of 16, 32 and 64 bytes', '']
    if not w:
        return text
    path, shown = picture(out, 'figure-3-5')
    points = {wire: [(warps, kernel_of(run)) for warps, run in with_warps(w, wire)] for wire in WIRES}
    figures.lines(path, 'IPC of SPMV', 'warps', 'IPC', {f'{wire} bytes': [(n, k.ipc()) for n, k in at] for wire, at in points.items()})
    rows = [(n, *(cell for wire in WIRES for k in [points[wire][i][1]]
                  for cell in (number(k.ipc()), number(k.l1(), 1), number(max(k.network('up'), k.network('down')), 0))))
            for i, (n, _) in enumerate(points[WIRES[0]])]
    head = [f'{what}, {wire} B' for wire in WIRES for what in ('IPC', 'L1, %', 'network, %')]
    return [*text, shown, '', *table(('warps', *head), rows)]


def taken(w):
    """Of the longest launch: what a block takes of each resource, and how much there is."""
    launch, config = w.launch('base'), w.runs['base']['config']
    fact = next(kernel for kernel in w.kernels if kernel['demangled'] == launch['kernel'])
    x, y, z = launch['block']
    warps = -(-x * y * z // 32)
    shared = -(-(fact['shared_bytes'] + launch['dynamic_shared']) // config['shared_unit']) * config['shared_unit']
    return {'registers': (warps * fact['registers'] * 32, config['registers']), 'shared memory': (shared, config['shared_bytes']),
            'warp slots': (warps, config['max_warps']), 'block slots': (1, config['max_ctas'])}


def occupancy(workloads, out):
    """Of the resources of an SM, by the blocks of each program's longest kernel."""
    path, shown = picture(out, 'figure-3-7')
    rows, limits = [], []
    for w in workloads:
        launch = w.launch('base')
        rows.append((w.name, *(100 * ratio(launch['resident_ctas'] * used, there) for used, there in taken(w).values())))
        limits.append(launch['limiter'])
    titles = ('registers', 'shared memory', 'warp slots', 'block slots')
    figures.bars(path, 'Occupancy', '%', titles, rows)
    return ['## Figure 3.7: occupancy of context resources, %', '', shown, '',
            *table(('workload', *titles, 'limit'), [(row[0], *(number(v, 0) for v in row[1:]), limit) for row, limit in zip(rows, limits)])]


def limits(workloads, out):
    """What more warps can gain here, and what keeps it from being gained."""
    rows = []
    for w in workloads:
        facts, own, static = w.facts('duet'), w.own('duet'), f'static:duet:{w.best()}'
        fixed = w.own(static)
        rows.append((w.name, w.kind(), w.launch('base')['cycles'] // 10000, number(facts['native_blocks'], 0),
                     number(facts['bound_blocks'], 0), number(own['most_extra_blocks'], 0), number(w.speedup('doubled')),
                     number(w.speedup('duet')), number(w.speedup(static)), w.best(), number(w.busy(static), 0),
                     number(100 * ratio(fixed['too_late'], fixed['switched_out']), 0),
                     number(ratio(fixed['ready_cycles'], fixed['switched_in'] + fixed['began']), 0)))
    return ['## What there is to gain, and what keeps it', '',
            'ME under `duet`, and the best static one. The engine moves contexts in so many % of the cycles with that, so many % of the '
            'warps that left had what they waited for before they were out, and a ready warp waited so many cycles for a place.', '',
            *table(('workload', 'class', 'windows of the longest kernel', 'blocks', 'bound', 'ME', 'doubled', 'duet', 'best static', 'its ME',
                    'engine, %', 'too late, %', 'wait, cycles'), rows)]


# ---------------------------------------------------------------- regimes

def full(w):
    """The resources that have no room for one more block."""
    blocks = w.launch('base')['resident_ctas']
    return [name for name, (used, there) in taken(w).items() if used * (blocks + 1) > there]


def rounds(w):
    """Of the longest launch's grid, how many times what the GPU holds."""
    launch, x, y, z = w.launch('base'), *w.launch('base')['grid']
    return ratio(x * y * z, launch['resident_ctas'] * w.runs['base']['config']['sm_count'])


def regime(w):
    """{what: (here, paper, whether they agree)}"""
    paper = next(kind for kind, names in CLASSES.items() if w.name in names)
    limit, blocks = LIMITS.get(w.name, 'warp slots'), BLOCKS.get(w.name)
    here = w.launch('base')['resident_ctas']
    return {'class': (w.kind(), paper, w.kind() == paper), 'limit': (', '.join(full(w)), limit, limit in full(w)),
            'blocks': (here, '' if blocks is None else blocks, blocks in (None, here)),
            'grid': (number(rounds(w), 1), '', rounds(w) >= FILLED)}


def reasons():
    """{(workload, what): why}, of lines `; WHAT differs: WHY` behind the name of a plan's workload."""
    with open(PLAN, encoding='utf-8') as file:
        sections = re.split(r'^(?=\[)', file.read(), flags=re.M)
    return {(section[len('[workload '):section.index(']')], what): why for section in sections if section.startswith('[workload ')
            for what, why in re.findall(r'^; (\w+) differs: (.*)$', section, re.M)}


def in_classes(workloads):
    return [w for w in workloads if any(w.name in names for names in CLASSES.values())]


def regimes(workloads, out):
    said, rows = reasons(), []
    for w in in_classes(workloads):
        found = regime(w)
        why = '; '.join(f'{what}: {said.get((w.name, what), "no reason is known")}' for what, (_, _, agrees) in found.items() if not agrees)
        rows.append((w.name, *(cell for what in ('class', 'limit', 'blocks') for cell in found[what][:2]), found['grid'][0], why))
    return ['## Regimes: what limits each program here and in the paper', '',
            'Resources that have no room for another block of the longest kernel, blocks of an SM, and how many times the GPU\'s blocks the '
            'grid has.', '', *table(('program', 'class', 'paper', 'limit', 'paper', 'blocks', 'paper', 'grid', 'why they differ'), rows)]


def check(workloads):
    """With full sizes: what differs from the paper without a reason in the plan, and reasons that are none any more."""
    said, found = reasons(), {w.name: regime(w) for w in in_classes(workloads)}
    return ([f'{name}: {what} is {here}, in the paper {paper or "more"} (scripts/plans/duet.ini has no line "; {what} differs: WHY" for it)'
             for name, parts in found.items() for what, (here, paper, agrees) in parts.items() if not agrees and (name, what) not in said] +
            [f'{name}: {what} differs no more' for (name, what) in said if name in found and found[name][what][2]])


def table_4(workloads, out):
    return ['## Table 3.4: bits of an SM', '', *table(('', 'here', 'paper'), [
        ('GPUDuet', number(workloads[0].own('duet')['storage_bits'], 0), 8272),
        ('Virtual Thread', number(workloads[0].own('vt')['storage_bits'], 0), 672)])]


FIGURES = (
    figure_1,
    crossbars,
    figure_5,
    regimes,
    occupancy,
    Bars('figure-3-12', 'Figure 3.12: speedup by extra blocks', {**{f'ME {n}': (f'static:duet:{n}',) for n in STATIC}, 'dynamic': ('duet',)}),
    Bars('figure-3-13', 'Figure 3.13: speedup', {'Virtual Thread': ('vt',), 'blocks alone': ('blocks',), 'GPUDuet': ('duet',)}),
    Bars('figure-3-14', 'Figure 3.14: most blocks of an SM, of those that it has room for',
         {'Virtual Thread': ('vt',), 'GPUDuet': ('duet',), 'GPUDuet, ME 8': ('static:duet:8',)}, value=Workload.parallelism, ylabel='blocks',
         average=mean),
    Bars('figure-3-15', 'Figure 3.15: speedup by bytes of a port', {'64': ('ports:64',), '128': ('duet',), '256': ('ports:256',), '1,024': ('ports:1024',)}),
    limits,
    table_4,
)
OF_ALL = (utilisation, Bars('figure-3-6', 'Figure 3.6: speedup with twice the context resources', {'doubled': ('doubled',)}))
