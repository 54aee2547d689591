"""The two cores beside each other: warps wait by a register scoreboard, or by the control bits of their code.

An eighth of a T4 is simulated, code is compiled for sm_75. Each policy that is defined on both cores stands over its own
comparator on each of them, so that what a core does to both cancels; what is left is said by counters. The papers evaluated
their designs on scoreboards: no paper has these figures. Which policies are refused on control bits, and why, the engine
says (`heddle policies --json`).

Programs of calls take longer with control bits: data of callee-saves must have been read before a call, and restores must
be there before a return (docs/model.md, Two cores). Where waiting grows, a policy that hides or causes it is worth more.
"""
import json
import os
import re
import subprocess

import figures
from figures import Headline, geomean, mean, number, picture, ratio, table

TITLE = 'A register scoreboard and control bits'
CORES = ('scoreboard', 'modern')
CALLS = ('fib', 'gemm_score', 'raytrace', 'life', 'kmeans', 'recurse')
# Name, configuration, what it is held against, which of Workload's values.
OVER_BASE = (('all-hit', 'all-hit', 'base', 'speedup'), ('cars-stages', 'cars-stages', 'base', 'speedup'),
             ('swl:8', 'swl', 'base', 'speedup'), ('vw', 'vw', 'base', 'speedup'), ('ideal-rf', 'ideal-rf', 'base', 'speedup'),
             ('scalar', 'scalar', 'base', 'efficiency'))
PREEMPTION = tuple((name, name, 'drain', 'freeing') for name in ('preempt', 'flush', 'integrated'))
SHARES = tuple((name, name, 'spatial', 'shares') for name in ('smk', 'warped-slicer', 'warped-slicer-memory', 'ccbp')) + (
    ('combination:2,2', 'combination', 'spatial', 'shares'), ('leftover', 'leftover', 'spatial', 'shares_weighted'))
UNITS = {'speedup': 'speedup', 'efficiency': 'energy efficiency', 'freeing': 'time to free an SM', 'shares': 'harmonic speedup',
         'shares_weighted': 'weighted speedup'}
# Those that have no figure, though they are defined on both.
WITHOUT = {'wp': 'counts what is redundant', 'tb': 'counts what is redundant', 'ln': 'counts what is redundant',
           'shuffle': 'a trial of the engine', 'baseline': 'above', 'drain': 'what preemption is held against',
           'spatial': 'what shares are held against', 'mps': 'what users of cards have'}
STATEMENT = {}
ALONE = {}


def defines(options):
    heddle = os.path.join(os.path.abspath(options.build), 'bin', 'heddle')
    listed = subprocess.run([heddle, 'policies', '--json'], capture_output=True, text=True, check=True).stdout
    STATEMENT.update({each['name']: each for each in json.loads(listed)})
    return {}


def at(run, core):
    return f'{run}:{core}'


class Workload(figures.Workload):
    def has(self, run):
        return at(run, CORES[0]) in self.runs

    def own(self, run):
        total = self.total(run)
        return next(total[name] for name in ('preempt', 'drain', 'flush', 'integrated') if name in total)

    def freeing(self, run, over):
        """Time until an SM is free, of that by draining it."""
        return ratio(self.own(run)['preempt_us'], self.own(over)['preempt_us'])

    def speedups(self, run):
        """Of its kernels, over each alone on the same core."""
        core = run.split(':')[-1]
        grids = {grid['kernel'].split('(')[0]: grid for grid in self.runs[run]['coruns'][0]['grids']}
        return [grids[name]['ipc'] / ALONE[name, core] for name in re.split('-', self.name)]

    def harmonic(self, run):
        own = self.speedups(run)
        return len(own) / sum(1 / max(value, 1e-9) for value in own)

    def shares(self, run, over):
        return self.harmonic(run) / self.harmonic(over)

    def shares_weighted(self, run, over):
        return sum(self.speedups(run)) / sum(self.speedups(over))


def prepare(workloads):
    for w in workloads:
        for core in CORES:
            if w.has('alone'):
                ALONE[w.name, core] = w.runs[at('alone', core)]['coruns'][0]['grids'][0]['ipc']


def with_run(workloads, run):
    """Those that have it, and pairs of which both kernels ran alone."""
    return [w for w in workloads if w.has(run) and ('-' not in w.name or all((name, CORES[0]) in ALONE for name in w.name.split('-')))]


def gain(workloads, policy, core):
    """Of a policy over its comparator on a core, the geometric mean."""
    _, run, over, value = policy
    return geomean(max(getattr(w, value)(at(run, core), at(over, core)), 1e-9) for w in with_run(workloads, run))


def moved(workloads, run, over, core):
    """{reason: by how many points of all issue slots it grew from the comparator to the policy}"""
    reasons = workloads[0].total(at(run, core))['stalls']
    return {reason: mean(w.slots(at(run, core), reason) - w.slots(at(over, core), reason) for w in workloads) for reason in reasons}


def most_apart(workloads, policy):
    """The pair on which the cores differ most, with the blocks of its kernels that ended: shares are chosen by what is measured."""
    _, run, over, value = policy
    values = {w.name: [getattr(w, value)(at(run, core), at(over, core)) for core in CORES] for w in workloads}
    w = max(workloads, key=lambda w: (abs(ratio(values[w.name][1], values[w.name][0]) - 1), w.name))
    ended = ['+'.join(str(grid['ctas']) for grid in w.runs[at(run, core)]['coruns'][0]['grids']) for core in CORES]
    return f'most apart {w.name}, {" and ".join(number(each, 3) for each in values[w.name])}, ended blocks {" and ".join(ended)}'


def apart(workloads, policy, most=3):
    """Where the two cores differ in what a policy does, in issue slots or in parts of the time."""
    name, run, over, value = policy
    own = with_run(workloads, run)
    if value == 'freeing':
        def time(what, key):
            return ' and '.join(number(mean(w.own(at(what, core))[key] for w in own)) for core in CORES)
        def blocks(how):
            return ' and '.join(number(sum(w.own(at(run, core))[f'{how}_blocks'] for w in own), 0) for core in CORES)
        return f'blocks switched {blocks("switched")}, flushed {blocks("flushed")}, drained {blocks("drained")}; us: until they ' \
               f'stop {time(run, "drain_us")}, to save them {time(run, "spill_us")}, in all {time(run, "preempt_us")}; ' \
               f'drained {time(over, "preempt_us")}'
    if value == 'efficiency':
        def joules(core):
            return 1e9 * mean(ratio(w.total(at(over, core))['energy_joules'], w.total(at(over, core))['cycles']) for w in own)
        return 'nJ a cycle without it: ' + ' and '.join(number(joules(core), 1) for core in CORES)
    both = [moved(own, run, over, core) for core in CORES]
    said = most_apart(own, policy) + '; ' if value.startswith('shares') else ''
    reasons = sorted(both[0], key=lambda reason: (-abs(both[1][reason] - both[0][reason]), reason))
    points = ', '.join(f'{reason} {both[0][reason]:+.1f} and {both[1][reason]:+.1f}' for reason in reasons[:most])
    return f'{said}points of issue slots: {points}'


def ratio_of_cores(names_of_calls):
    def value(workloads):
        own = [w for w in workloads if w.has('base') and (w.name in CALLS) == names_of_calls]
        return 100 * (geomean(1 / w.speedup(at('base', 'modern'), at('base', 'scoreboard')) for w in own) - 1) if own else 'none'
    return value


def slots(names_of_calls):
    def why(workloads):
        own = [w for w in workloads if w.has('base') and (w.name in CALLS) == names_of_calls]
        return figures.slots_moved(own, at('base', 'modern'), at('base', 'scoreboard')) if own else ''
    return why


def both(policy):
    def ours(workloads):
        if not with_run(workloads, policy[1]):
            return 'none'
        return ' and '.join(number(gain(workloads, policy, core), 3) for core in CORES)
    return ours


def reason(policy):
    return lambda workloads: apart(workloads, policy) if with_run(workloads, policy[1]) else ''


HEADLINES = (
    Headline('cycles with control bits, over a scoreboard: without calls', ratio_of_cores(False), None, ' %', 1, slots(False)),
    Headline('with calls', ratio_of_cores(True), None, ' %', 1, slots(True)),
    *(Headline(f'{policy[0]} over {"the baseline" if policy[2] == "base" else policy[2]}, {UNITS[policy[3]]}: scoreboard and control bits',
               both(policy), None, '', 3, reason(policy)) for policy in (*OVER_BASE, *PREEMPTION, *SHARES)),
)


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key: cycles with control bits over those with a scoreboard, %."""
    return {'cycles': ratio_of_cores(False)(of_paper), 'cycles-calls': ratio_of_cores(True)(of_paper)}


def baseline(workloads, out):
    own = [w for w in workloads if w.has('base')]
    path, shown = picture(out, 'figure-baseline')
    rows = [(w.name, 1 / w.speedup(at('base', 'modern'), at('base', 'scoreboard'))) for w in own]
    figures.bars(path, 'Cycles with control bits', 'of those with a scoreboard', ['baseline'], rows, 1)
    cells = [(w.name, *(w.total(at('base', core))['cycles'] for core in CORES), number(value, 3),
              figures.slots_moved([w], at('base', 'modern'), at('base', 'scoreboard'), 2).removeprefix('issue slots: '))
             for w, (_, value) in zip(own, rows)]
    return ['## The baseline: cycles', '', shown, '', *table(('workload', *CORES, 'ratio', 'issue slots'), cells)]


def by_workload(name, heading, policies):
    def draw(workloads, out):
        path, shown = picture(out, name)
        bars, rows = [], []
        for policy in policies:
            own = with_run(workloads, policy[1])
            if own:
                bars.append((policy[0], *(gain(workloads, policy, core) for core in CORES)))
            for w in own:
                values = [getattr(w, policy[3])(at(policy[1], core), at(policy[2], core)) for core in CORES]
                rows.append((policy[0], w.name, *(number(value, 3) for value in values), number(ratio(values[1], values[0]), 3)))
        figures.bars(path, heading, 'over the comparator', CORES, bars, 1)
        return [f'## {heading}', '', shown, '', *table(('policy', 'workload', *CORES, 'of each other'), rows)]
    return draw


def refused(workloads, out):
    rows = [(name, each['needs_scoreboard']) for name, each in STATEMENT.items() if 'modern' not in each['cores']]
    drawn = {policy[0].split(':')[0] for policy in (*OVER_BASE, *PREEMPTION, *SHARES)}
    left = [(name, WITHOUT[name]) for name, each in STATEMENT.items() if 'modern' in each['cores'] and name not in drawn]
    return ['## Policies that are refused with control bits', '', *table(('policy', 'why'), rows),
            '## On both, without a figure', '', *table(('policy', 'why'), left)]


FIGURES = (
    baseline,
    by_workload('figure-policies', 'Policies of an SM over the baseline', OVER_BASE),
    by_workload('figure-preemption', 'Time to free an SM, of draining it', PREEMPTION),
    by_workload('figure-shares', 'Kernels beside each other, over SMs of their own', SHARES),
    refused,
)
