"""Pairs of policies: which combine, which are refused and why, and what each pair gives.

The engine says which combine: two policies that take over the same structure do not (`heddle policies --json`). Each pair
that combines runs on six workloads: calls, a product of matrices, a stencil, atomics, a search in a tree, and three kernels
beside each other. Speedups are of cycles over the baseline, geometric means. What a pair gives beyond its policies is its
speedup over the product of theirs: above 1 they help each other, below 1 they work on the same loss or are in each other's
way. With small sizes one form of each design is combined, else all policies are. No paper has these figures.

A policy that knows of one kernel at a time has kernels of different streams run one after the other, in pairs, too.
"""
import itertools
import json
import os
import subprocess

import figures
from figures import Headline, geomean, number, picture, table

TITLE = 'Pairs of policies'
# One form of each design, and comparators that take over something else.
DESIGNS = ('cars', 'swl:8', 'malekeh', 'bow', 'ltrf-plus', 'rfc', 'r2d2', 'dac', 'scalar', 'preempt', 'duet', 'ccbp', 'smk',
           'warped-slicer', 'spatial')
# What may not stand without a parameter, and what is a trial of the engine.
PARAMETERS = {'swl': 'swl:8', 'combination': 'combination:2,2,2', 'shuffle': None}
STATEMENT = {}


def policies():
    """{name: what the engine says of it}, in its order."""
    return STATEMENT


def form(name):
    return PARAMETERS.get(name, name)


def chosen(size):
    names = [name for name in STATEMENT if name != 'baseline' and form(name)]
    if size != 'small':
        return names
    return [each.split(':')[0] for each in DESIGNS]


def pairs_of(names):
    """Those that combine, each once, in the engine's order."""
    return [(a, b) for a, b in itertools.combinations(names, 2) if b in STATEMENT[a]['combines']]


def defines(options):
    heddle = os.path.join(os.path.abspath(options.build), 'bin', 'heddle')
    listed = subprocess.run([heddle, 'policies', '--json'], capture_output=True, text=True, check=True).stdout
    STATEMENT.update({each['name']: each for each in json.loads(listed)})
    names = chosen(options.size)
    quoted = ', '.join(f'"{form(name)}"' for name in names)
    return {'policies': quoted, 'pairs': ', '.join(f'"{form(a)}+{form(b)}"' for a, b in pairs_of(names))}


class Workload(figures.Workload):
    def speedups(self):
        """{policies as they were given: speedup over the baseline}"""
        base = self.runs['base']['total']['cycles']
        return {value['policy']: base / value['total']['cycles'] for run, value in self.runs.items() if run != 'base'}


def names_of(policy):
    return [part.split(':')[0] for part in policy.split('+')]


def means(workloads):
    """{policies: (geometric mean, least, most)} over the workloads."""
    every = [w.speedups() for w in workloads]
    return {policy: (geomean(each[policy] for each in every), min(each[policy] for each in every),
                     max(each[policy] for each in every)) for policy in every[0]}


def gains(workloads):
    """[(a pair, its speedup, what it gives beyond its policies)]"""
    found = means(workloads)
    return [(policy, value[0], value[0] / (found[policy.split('+')[0]][0] * found[policy.split('+')[1]][0]))
            for policy, value in found.items() if '+' in policy]


def refused_pairs():
    return {frozenset((name, each['policy'])): each['both'] for name, own in STATEMENT.items() for each in own['refused']}


def combining_pairs():
    return {frozenset((name, other)) for name, own in STATEMENT.items() for other in own['combines']}


HEADLINES = (
    Headline('pairs that combine', lambda workloads: len(combining_pairs()), None, '', 0),
    Headline('pairs that are refused', lambda workloads: len(refused_pairs()), None, '', 0),
    Headline('pairs that ran', lambda workloads: len(gains(workloads)), None, '', 0),
    Headline('the best pair, over the baseline', lambda workloads: 100 * (max(each[1] for each in gains(workloads)) - 1), None, ' %',
             1, lambda workloads: max(gains(workloads), key=lambda each: each[1])[0]),
    Headline('most that a pair gives beyond its policies', lambda workloads: 100 * (max(each[2] for each in gains(workloads)) - 1),
             None, ' %', 1, lambda workloads: max(gains(workloads), key=lambda each: each[2])[0]),
    Headline('most that it loses', lambda workloads: 100 * (min(each[2] for each in gains(workloads)) - 1), None, ' %', 1,
             lambda workloads: min(gains(workloads), key=lambda each: each[2])[0]),
)


def results(of_paper, _workloads):
    """What pages show (scripts/results.py), by key."""
    found = gains(of_paper)
    return {'combine': len(combining_pairs()), 'refused': len(refused_pairs()), 'ran': len(found),
            'best': 100 * (max(each[1] for each in found) - 1), 'beyond': 100 * (max(each[2] for each in found) - 1),
            'loss': 100 * (min(each[2] for each in found) - 1)}


def who_combines(workloads, out):
    names = [name for name in STATEMENT if name != 'baseline']
    refused = refused_pairs()
    structures = sorted({each for both in refused.values() for each in both})
    letters = {each: chr(ord('A') + i) for i, each in enumerate(structures)}
    rows = []
    for name in names:
        cells = ['' if name == other else ''.join(letters[each] for each in refused.get(frozenset((name, other)), ())) or '+'
                 for other in names]
        rows.append((name, *cells))
    legend = ', '.join(f'{letter}: {each}' for each, letter in letters.items())
    return ['## Which combine', '', f'+: they do. Else what both take over. {legend}.', '', *table(('', *names), rows)]


def what_is_refused(workloads, out):
    groups = {}
    for both in refused_pairs().values():
        groups[', '.join(both)] = groups.get(', '.join(both), 0) + 1
    rows = [(why, count) for why, count in sorted(groups.items(), key=lambda each: (-each[1], each[0]))]
    return ['## Why pairs are refused', '', *table(('both take over', 'pairs'), rows)]


def alone(workloads, out):
    rows = [(policy, *(number(value, 3) for value in values)) for policy, values in means(workloads).items() if '+' not in policy]
    return ['## Policies alone: speedup', '', *table(('', 'mean', 'least', 'most'), rows)]


def together(workloads, out):
    found, beyond = means(workloads), {policy: value for policy, _, value in gains(workloads)}
    rows = [(policy, *(number(value, 3) for value in found[policy]), number(value, 3))
            for policy, value in sorted(beyond.items(), key=lambda each: -found[each[0]][0])]
    path, shown = picture(out, 'figure-beyond')
    extremes = sorted(beyond.items(), key=lambda each: each[1])
    figures.bars(path, 'What pairs give beyond their policies', 'speedup over the product', ['pair'],
                 extremes if len(extremes) <= 24 else [*extremes[:12], *extremes[-12:]], 1)
    return ['## Pairs: speedup, and beyond the product of the two alone', '', shown, '',
            *table(('', 'mean', 'least', 'most', 'beyond'), rows)]


FIGURES = (who_combines, what_is_refused, alone, together)
