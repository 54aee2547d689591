"""CARS and GPUDuet on call-heavy programs: fewer spills, more warps, and both, which no paper has.

One SM of GPUDuet's GPU is simulated, with grids of about 160 warps, of which 64 have room. Under both, warps have the
registers that CARS gives them, and register stacks move with contexts. Speedups are of cycles over the baseline; what both
give beyond each alone is their speedup over the product of the two.
"""
import figures
from figures import Bars, Headline, geomean, mean, number, ratio, table

TITLE = 'CARS and GPUDuet on calls'


class Workload(figures.Workload):
    def beyond(self, both='both', duet='duet'):
        return self.speedup(both) / (self.speedup('cars') * self.speedup(duet))

    def facts(self, run):
        """Of GPUDuet, in the longest launch."""
        return max(self.runs[run]['launches'], key=lambda launch: launch['cycles'])['duet']

    def busy(self, run):
        """% of the cycles in which contexts move."""
        return 100 * ratio(self.total(run)['duet']['transfer_cycles'], self.total(run)['cycles'])

    def stacks(self, run):
        """% of what moves."""
        own = self.total(run)['duet']
        return 100 * ratio(own['stack_bytes'], own['transfer_bytes'])


def gain(run, pick=geomean):
    return lambda workloads: 100 * (pick(w.speedup(run) for w in workloads) - 1)


def beyond(both, duet):
    return lambda workloads: 100 * (geomean(w.beyond(both, duet) for w in workloads) - 1)


def extreme(run, pick):
    return lambda workloads: pick(workloads, key=lambda w: w.speedup(run)).name


def grown(workloads):
    return f'{sum(w.total("both")["duet"]["kernels_grown"] > 0 for w in workloads)} of {len(workloads)} programs get extra blocks'


HEADLINES = (
    Headline('speedup of CARS, geometric mean', gain('cars'), None, ' %', 1, lambda ws: figures.slots_moved(ws, 'cars')),
    Headline('of GPUDuet', gain('duet'), None, ' %', 1, lambda ws: figures.slots_moved(ws, 'duet')),
    Headline('of both', gain('both'), None, ' %', 1, grown),
    Headline('beyond the product of the two', beyond('both', 'duet'), None, ' %', 1),
    Headline('of GPUDuet with ME 4', gain('duet4'), None, ' %', 1),
    Headline('of both with ME 4', gain('both4'), None, ' %', 1),
    Headline('beyond the product of the two', beyond('both4', 'duet4'), None, ' %', 1),
    Headline('both with ME 4, best', gain('both4', max), None, ' %', 1, extreme('both4', max)),
    Headline('least', gain('both4', min), None, ' %', 1, extreme('both4', min)),
    Headline('the same with the Low allocation', gain('low'), None, ' %', 1),
    Headline('with High', gain('high'), None, ' %', 1),
    Headline('twice the context resources', gain('doubled:baseline'), None, ' %', 1),
    Headline('with CARS', gain('doubled:cars'), None, ' %', 1),
    Headline('register stacks, of what moves, ME 4', lambda ws: mean(w.stacks('both4') for w in ws), None, ' %', 1),
)


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key."""
    values = {key: 1 + gain(run)(of_paper) / 100 for key, run in
              (('cars', 'cars'), ('duet', 'duet'), ('both', 'both'), ('duet-4', 'duet4'), ('both-4', 'both4'), ('low', 'low'), ('high', 'high'),
               ('doubled-cars', 'doubled:cars'))}
    for w in of_paper:
        values.update({f'{w.name}-{key}'.replace('_', '-'): w.speedup(run) for key, run in
                       (('cars', 'cars'), ('duet', 'duet'), ('both', 'both'), ('duet-4', 'duet4'), ('both-4', 'both4'))})
    values.update({f'mean-{key}': values[key] for key in ('cars', 'duet', 'both', 'duet-4', 'both-4')})
    values['grown'] = sum(w.total('both')['duet']['kernels_grown'] > 0 for w in of_paper)
    values.update({f'both-4-{key}': pick(w.speedup('both4') for w in of_paper) for key, pick in (('most', max), ('least', min))})
    return {**values, 'beyond': beyond('both', 'duet')(of_paper), 'beyond-4': beyond('both4', 'duet4')(of_paper),
            'stacks': mean(w.stacks('both4') for w in of_paper)}


def contexts(workloads, out):
    """Of the longest launch."""
    rows = []
    for w in workloads:
        alone, both = w.facts('duet4'), w.facts('both4')
        rows.append((w.name, *(number(facts[key], 0) for key in ('warp_registers', 'context_registers', 'native_blocks', 'extra_blocks')
                               for facts in (alone, both)), number(both['stack_registers'], 0), number(w.busy('duet4'), 0),
                     number(w.busy('both4'), 0), number(w.stacks('both4'), 0)))
    head = [f'{what}, {who}' for what in ('registers', 'context', 'blocks', 'extra') for who in ('GPUDuet', 'both')]
    return ['## Contexts with ME 4', '',
            'Registers of a warp and of its context at most, blocks that have room and beyond; rows of a stack at most; % of the '
            'cycles in which contexts move; % of the bytes that are of stacks.', '',
            *table(('workload', *head, 'stack', 'engine, GPUDuet, %', 'both, %', 'stacks, %'), rows)]


FIGURES = (
    Bars('figure-both', 'Speedup', {'CARS': ('cars',), 'GPUDuet': ('duet',), 'both': ('both',)}),
    Bars('figure-both-4', 'Speedup with ME 4', {'CARS': ('cars',), 'GPUDuet, ME 4': ('duet4',), 'both, ME 4': ('both4',),
                                                'both, Low': ('low',), 'both, High': ('high',)}),
    Bars('figure-beyond', 'What both give beyond the product of the two', {'both': ('both', 'duet'), 'ME 4': ('both4', 'duet4')},
         value=Workload.beyond),
    Bars('figure-doubled', 'Speedup with twice the context resources', {'baseline': ('doubled:baseline',), 'CARS': ('doubled:cars',)}),
    contexts,
)
