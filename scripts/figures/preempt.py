"""The figures of preemption by lightweight context switching, beside the paper's numbers.

A third of the paper's GPU is simulated: five SMs, four slices of L2 and two channels. A request comes to one of the SMs
after the other; the SM goes on with its own blocks as soon as their contexts are in memory. Sizes are those of registers
of warps whose contexts were saved; a program whose kernels have no preemption point where requests found them has no
context of its own in these figures, and its blocks were drained.
"""
import figures
from figures import Bars, Headline, mean, number, picture, ratio, table

TITLE = 'Preemption by lightweight context switching'


class Workload(figures.Workload):
    def own(self, run):
        total = self.total(run)
        return next(total[name] for name in ('preempt', 'drain', 'flush', 'integrated') if name in total)

    def size(self, run, over=None):
        """Of saved registers in memory, of what the warps occupied."""
        own = self.own(run)
        return ratio(own['register_bytes'], own['occupied_bytes'])

    def time(self, run, over='naive'):
        """Until an SM is free."""
        return ratio(self.own(run)['preempt_us'], self.own(over)['preempt_us'])

    def spill(self, run, over='naive'):
        own, other = self.own(run), self.own(over)
        return ratio(ratio(own['warp_cycles'], own['warps']), ratio(other['warp_cycles'], other['warps']))

    def spread(self, run, over=None):
        return ratio(self.own(run)['longest_us'], self.own(run)['preempt_us'])

    def slowdown(self, run, over='base'):
        return self.total(run)['cycles'] / self.total(over)['cycles']


PAIRS = []


def is_pair(w):
    return w.name.startswith('+')


def prepare(workloads):
    PAIRS.extend(w for w in workloads if is_pair(w))


def is_shown(w):
    """Programs with contexts of their own, more than a few."""
    return not is_pair(w) and w.own('switch')['warps'] >= 16 and w.own('switch')['switched_blocks'] > w.own('switch')['drained_blocks']


def percent(value):
    return lambda workloads: 100 * (mean(value(w) for w in workloads) - 1)


def microseconds(run, key):
    return lambda workloads: mean(w.own(run)[key] for w in workloads)


def part_of_drain(workloads):
    return 100 * mean(ratio(w.own('switch')['drain_us'], w.own('switch')['preempt_us']) for w in workloads)


def registers(run):
    def why(workloads):
        kinds = {kind: sum(w.own(run)[kind] for w in workloads) for kind in ('dead', 'uniform', 'strided', 'random')}
        return 'registers: ' + ', '.join(f'{kind} {100 * ratio(count, sum(kinds.values())):.0f} %' for kind, count in kinds.items())
    return why


def requests(run):
    return lambda workloads: f'{sum(w.own(run)["requests"] for w in workloads):.0f} requests'


def by_block(w):
    return w.own('block')['by_block'] > 0


def over_blocks(workloads):
    return 100 * (mean(ratio(w.size('block'), w.size('switch')) for w in workloads if by_block(w)) - 1) \
        if any(by_block(w) for w in workloads) else 'none'


def in_place(w):
    """Time to free an SM in place, of that of leaving with everything."""
    return ratio(w.own('pair:preempt:in-place')['preempt_us'], w.own('pair:preempt')['preempt_us'])


def of_pairs(workloads):
    return 100 * (mean(in_place(w) for w in PAIRS) - 1) if PAIRS else 'none'


HEADLINES = (
    Headline('register contexts, live registers only', percent(lambda w: w.size('live')), -34.3, ' %', 1, registers('live')),
    Headline('and compressed by warp', percent(lambda w: w.size('switch')), -91.5, ' %', 1, registers('switch')),
    Headline('and by block, of that, where blocks are at barriers', over_blocks, -36.1, ' %', 1, registers('block')),
    Headline('time to free an SM, naive', microseconds('naive', 'preempt_us'), 9.9, ' us', 1, requests('naive')),
    Headline('lightweight', microseconds('switch', 'preempt_us'), 4.0, ' us', 1, requests('switch')),
    Headline('of this, waiting for points', part_of_drain, 55.8, ' %', 1),
    Headline('registers of a warp leave, of the time without points, masks and compression',
             lambda workloads: 100 * mean(w.spill('switch') for w in workloads), 17.7, ' %', 1),
    Headline('time to free an SM, of the naive one', lambda workloads: 100 * mean(w.time('switch') for w in workloads), 40.3, ' %', 1),
    Headline('draining', microseconds('drain', 'preempt_us'), None, ' us', 1, requests('drain')),
    Headline('longest over mean: naive', lambda workloads: mean(w.spread('naive') for w in workloads), 1.4, '', 1),
    Headline('lightweight', lambda workloads: mean(w.spread('switch') for w in workloads), 1.6, '', 1),
    Headline('draining', lambda workloads: mean(w.spread('drain') for w in workloads), 2.4, '', 1),
    Headline('in place, for another kernel, of the time of leaving with everything', of_pairs, -21.5, ' %', 1),
    Headline('cost of points without requests', percent(lambda w: w.slowdown('points')), None, ' %', 1),
    Headline('time until an SM goes on again, lightweight', microseconds('switch', 'restore_us'), None, ' us', 1),
    Headline('naive', microseconds('naive', 'restore_us'), None, ' us', 1),
)


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key."""
    kinds = {kind: sum(w.own('switch')[kind] for w in of_paper) for kind in ('dead', 'uniform', 'strided', 'random')}
    values = {'live': percent(lambda w: w.size('live'))(of_paper), 'compressed': percent(lambda w: w.size('switch'))(of_paper),
              'by-block': over_blocks(of_paper), 'waiting': part_of_drain(of_paper), 'in-place': of_pairs(of_paper),
              'dead': 100 * ratio(kinds['dead'], sum(kinds.values())), 'random': 100 * ratio(kinds['random'], sum(kinds.values())),
              'saving': 100 * mean(w.spill('switch') for w in of_paper), 'freeing': 100 * mean(w.time('switch') for w in of_paper),
              'points': percent(lambda w: w.slowdown('points'))(of_paper)}
    for key, run in (('naive', 'naive'), ('lightweight', 'switch'), ('draining', 'drain')):
        values[f'us-{key}'] = microseconds(run, 'preempt_us')(of_paper)
        values[f'spread-{key}'] = mean(w.spread(run) for w in of_paper)
    for key, run in (('naive', 'naive'), ('lightweight', 'switch')):
        values[f'restore-us-{key}'] = microseconds(run, 'restore_us')(of_paper)
    return values


def figure_8(workloads, out):
    path, shown = picture(out, 'figure-2-8')
    kinds = ('dead', 'uniform', 'strided', 'random')
    rows = [(w.name, *(100 * ratio(w.own('switch')[kind], sum(w.own('switch')[k] for k in kinds)) for kind in kinds))
            for w in workloads]
    figures.stacked(path, 'Registers of saved warps', '%', kinds, rows)
    return ['## Figure 2.8: registers of saved warps, by the patterns of their values, %', '', shown, '',
            *table(('workload', *kinds), [(row[0], *(number(value, 1) for value in row[1:])) for row in rows])]


def figure_9(workloads, out):
    rows = [(w.name, number(own['uniform'] + own['strided'], 0), number(100 * ratio(own['by_block'], own['uniform'] + own['strided']), 1),
             number(ratio(w.size('block'), w.size('switch'))), number(ratio(own['preempt_us'], w.own('switch')['preempt_us'])))
            for w, own in ((w, w.own('block')) for w in workloads)]
    return ['## Figure 2.9: uniform and strided registers that are one pattern through all warps of a block', '',
            'At barriers that are preemption points; bytes and the time to free an SM are those of compression by warp times as much.', '',
            *table(('workload', 'uniform, strided', '% by block', 'bytes', 'time'), rows)]


def kilobytes(own):
    """Saved by a request."""
    return ratio(own['register_bytes'] + own['shared_bytes'] + own['stack_bytes'], own['requests']) / 1024


def figure_17(workloads, out):
    if not PAIRS:
        return ['## Figure 2.17: in place', '']
    path, shown = picture(out, 'figure-2-17')
    rows = [(w.name[1:], in_place(w)) for w in PAIRS]
    figures.bars(path, 'Time to free an SM in place', 'of leaving with everything', ['in place'], rows, 1)
    return ['## Figure 2.17: time to free an SM in place, of leaving with everything (the second kernel preempts the first)', '', shown, '',
            *table(('pair', 'time', 'drain, us', 'in place', 'spill, us', 'in place', 'KB saved', 'in place'), [
                (w.name[1:], number(in_place(w)),
                 *(number(w.own(f'pair:{run}')[key]) for key in ('drain_us', 'spill_us') for run in ('preempt', 'preempt:in-place')),
                 *(number(kilobytes(w.own(f'pair:{run}')), 1) for run in ('preempt', 'preempt:in-place')))
                for w in PAIRS])]


def figure_14(workloads, out):
    path, shown = picture(out, 'figure-2-14')
    rows = []
    for w in workloads:
        whole = sum(w.own('naive')[part] for part in ('register_phase', 'shared_phase', 'stack_phase')) / w.own('naive')['switched_blocks']
        for run in ('naive', 'live', 'switch'):
            own = w.own(run)
            rows.append((f'{w.name} {run}', *(ratio(own[part] / own['switched_blocks'], whole)
                                              for part in ('register_phase', 'shared_phase', 'stack_phase'))))
        rows.append(())
    figures.stacked(path, 'Time in which a block leaves', 'of the naive one', ('registers', 'shared memory', 'stacks'), rows)
    return ['## Figure 2.14: time in which a block leaves, from its first stop', '', shown, '',
            *table(('', 'registers', 'shared memory', 'stacks'), [(row[0], *(number(value) for value in row[1:])) for row in rows if row])]


def left_out(workloads, out):
    rows = [(w.name, *(number(w.own('switch')[key], 0) for key in ('requests', 'switched_blocks', 'drained_blocks')),
             number(w.own('drain')['preempt_us']), number(w.slowdown('switch')), number(w.slowdown('naive')),
             number(w.slowdown('flush')), number(w.slowdown('integrated')))
            for w in workloads]
    return ['## Requests, and what they cost the program', '',
            *table(('', 'requests', 'blocks switched', 'drained', 'drain, us', 'time, lightweight', 'naive', 'flush', 'integrated'), rows)]


FIGURES = (
    Bars('figure-2-6', 'Figures 2.3 and 2.6: saved registers in memory, of those occupied',
         {'live': ('live',), 'live and compressed': ('switch',), 'by block': ('block',)},
         {'live': '0.66', 'live and compressed': '0.09'},
         value=Workload.size, ylabel='bytes', average=mean),
    figure_8,
    figure_9,
    figure_14,
    Bars('figure-2-15', 'Figure 2.15: time to free an SM, of the naive one',
         {'lightweight': ('switch',), 'draining': ('drain',), 'integrated': ('integrated',)}, {'lightweight': '0.40'},
         value=Workload.time, ylabel='time', average=mean),
    Bars('figure-2-16', 'Figure 2.16: longest over mean', {'naive': ('naive',), 'lightweight': ('switch',), 'draining': ('drain',)},
         {'naive': '1.4', 'lightweight': '1.6', 'draining': '2.4'}, value=Workload.spread, ylabel='longest over mean', average=mean),
    figure_17,
    left_out,
)
