"""The figures of LTRF on programs of the kinds that the paper has, beside its numbers.

Three SMs of the paper's GPU are simulated, with an eighth of its caches and memory. The main register files are those of
Table 2; #1's latency, which the paper does not give, is taken for one cycle. Kernels are compiled once, with as many
registers as they want up to 255, so that a larger file lets in more warps and does not change the code. Sensitive is what
an ideal file of eight times the capacity makes faster by 5 % or more.
"""
import figures
from figures import Bars, Headline, geomean, mean, number, picture, ratio, table

TITLE = 'LTRF: a register cache that is filled ahead'
DESIGNS = ('baseline', 'rfc', 'ltrf-strands', 'ltrf', 'ltrf-plus')
NAMES = {'baseline': 'BL', 'rfc': 'RFC', 'ltrf-strands': 'LTRF on strands', 'ltrf': 'LTRF', 'ltrf-plus': 'LTRF+'}
LATENCIES = (2, 4, 8)


class Workload(figures.Workload):
    def own(self, run):
        total = self.total(run)
        return total.get('ltrf') or total.get('ltrf-plus') or total.get('ltrf-strands') or total.get('rfc') or {}

    def hits(self, run, over=None):
        return self.own(run)['read_hits']

    def power(self, run, over='base'):
        """Of the register file's accesses, over that of another run."""
        def watts(name):
            total, config = self.total(name), self.runs[name]['config']
            joules = 1e-12 * (total['bank_reads'] * config['pj_reg_read'] + total['bank_writes'] * config['pj_reg_write'])
            joules += sum(value for key, value in self.own(name).items() if key.endswith('_joules'))
            return joules / total['cycles']
        return watts(run) / watts(over)

    def tolerates(self, design, loss):
        """Times #1's latency up to which it loses no more than so many percent, between the simulated ones."""
        reference, before = self.total('base')['cycles'], (1, None)
        for latency in (1, *LATENCIES):
            run = f'{design}@{latency}'
            lost = 100 * (self.total(run)['cycles'] / reference - 1)
            if lost > loss:
                if before[1] is None:
                    return 1
                return before[0] + (latency - before[0]) * ratio(loss - before[1], lost - before[1])
            before = latency, lost
        return before[0]


def prepare(workloads):
    """design@latency, whatever else the runs of `slow` differ in."""
    for w in workloads:
        for name in [name for name in w.runs if name.startswith('slow:')]:
            _, design, *rest = name.split(':')
            w.runs[f'{design}@{rest[-1]}'] = w.runs[name]
        w.runs['baseline@1'] = w.runs['base']
        for design in ('ltrf', 'ltrf-plus'):
            w.runs[f'{design}@1'] = w.runs[f'one:{design}']
        for design in ('rfc', 'ltrf-strands'):
            w.runs[f'{design}@1'] = w.runs[f'{design}@{LATENCIES[0]}']


def is_sensitive(w):
    return w.speedup('ideal') >= 1.05


def of_sensitive(value):
    """Of the sensitive ones; none here: of all."""
    return lambda workloads: value([w for w in workloads if is_sensitive(w)] or workloads)


def gain(run):
    return lambda workloads: 100 * (geomean(w.speedup(run) for w in workloads) - 1)


def groups(workloads):
    names = [w.name for w in workloads if is_sensitive(w)]
    return f'register-sensitive: {", ".join(names) or "none"}'


def moved(run):
    return lambda workloads: figures.slots_moved(workloads, run)


def power(run):
    return lambda workloads: 100 * (mean(w.power(run) for w in workloads) - 1)


def tolerated(design, loss=5):
    return lambda workloads: mean(w.tolerates(design, loss) for w in workloads)


def reduction(workloads):
    return mean(w.own('one:ltrf')['main_access_reduction'] for w in workloads)


HEADLINES = (
    Headline('ideal file of 8 times the capacity, sensitive', of_sensitive(gain('ideal')), 37, ' %', 1, groups),
    Headline('LTRF on #6, sensitive', of_sensitive(gain('six:ltrf')), 32, ' %', 1, moved('six:ltrf')),
    Headline('LTRF on #7, sensitive', of_sensitive(gain('seven:ltrf')), 28, ' %', 1, moved('seven:ltrf')),
    Headline('LTRF+ on #7, sensitive', of_sensitive(gain('seven:ltrf-plus')), 31, ' %', 1, moved('seven:ltrf-plus')),
    Headline('the baseline on #7, all', gain('seven:baseline'), None, ' %', 1, moved('seven:baseline')),
    Headline('register power on #7: RFC', power('seven:rfc'), -35.1, ' %', 1),
    Headline('LTRF', power('seven:ltrf'), -35.4, ' %', 1),
    Headline('LTRF+', power('seven:ltrf-plus'), -46.1, ' %', 1),
    Headline('register power on #1: LTRF', power('one:ltrf'), -23, ' %', 1),
    Headline('latency for 5 % loss: RFC', tolerated('rfc'), 2.1, ' times', 1),
    Headline('LTRF', tolerated('ltrf'), 5.3, ' times', 1, lambda ws: f'up to {LATENCIES[-1]} times is simulated'),
    Headline('LTRF+', tolerated('ltrf-plus'), 6.2, ' times', 1),
    Headline('accesses of the main file, times fewer (LTRF)', reduction, '4 to 6', '', 1),
    Headline('storage of the control blocks', lambda ws: ws[0].own('one:ltrf')['storage'] * 8, 114880, ' bits', 0),
)


def figure_4(workloads, out):
    rows = [(w.name, number(w.hits('six:rfc'), 1)) for w in workloads]
    return ['## Figure 4: hit rate of RFC, %', '', *table(('workload', 'RFC'), rows), 'Paper: 8 to 30 %.', '']


def figure_11(workloads, out):
    path, shown = picture(out, 'figure-14')
    curves = {NAMES[design]: [(n, geomean(w.speedup(f'{design}@{n}') for w in workloads)) for n in (1, *LATENCIES)]
              for design in DESIGNS}
    figures.lines(path, "IPC over the main file's latency", 'times', 'of the baseline', curves)
    rows = [(NAMES[design], *(number(mean(w.tolerates(design, loss) for w in workloads), 1) for loss in (1, 5, 10)))
            for design in DESIGNS]
    rows += [('paper: RFC', 1.4, 2.1, 2.9), ('paper: LTRF', 2.8, 5.3, 6.5), ('paper: LTRF+', 3.5, 6.2, 7.9)]
    return ["## Figures 11 and 14: latency that is tolerated, times #1's", '', shown, '',
            *table(('design', '1 % loss', '5 %', '10 %'), rows),
            'RFC and strands at 1 are taken as at 2.', '']


def traffic(workloads, out):
    keys = ('prefetches', 'path_switches', 'activations', 'prefetched', 'refetched', 'written_back', 'saved', 'dropped')
    rows = [(f'{w.name}, {NAMES[design]}', *(number(1e3 * w.own(f'one:{design}')[key] / w.total('base')['warp_instructions'], 0)
                                             for key in keys), number(w.own(f'one:{design}')['main_access_reduction']))
            for w in workloads for design in ('ltrf', 'ltrf-plus')]
    return ['## What moves, for a thousand warp instructions', '', *table(('', *keys, 'fewer accesses'), rows)]


FIGURES = (
    figure_4,
    Bars('figure-9a', 'Figure 9: IPC on main register file #6', {**{NAMES[d]: (f'six:{d}',) for d in DESIGNS if d != 'ltrf-strands'},
                                                                'ideal': ('ideal',)}, {'LTRF': '1.32 of sensitive ones'}),
    Bars('figure-9b', 'Figure 9: IPC on main register file #7', {NAMES[d]: (f'seven:{d}',) for d in DESIGNS},
         {'LTRF': '1.28', 'LTRF+': '1.31'}),
    Bars('figure-10', 'Figure 10: register power on #7', {NAMES[d]: (f'seven:{d}',) for d in ('rfc', 'ltrf', 'ltrf-plus')},
         {'RFC': '0.65', 'LTRF': '0.65', 'LTRF+': '0.54'}, value=Workload.power, ylabel='power', average=mean),
    figure_11,
    traffic,
)
