#!/usr/bin/python3
"""CCBP beside the best blocks of each pair of kernels (gpu-multiprogramming-lin 4.4).

    scripts/best_blocks.py [-h] [--build B] [-j N] [--window CYCLES] [--short CYCLES] [--keep N] [--record] [PAIR...]

The paper's oracle tries every combination of blocks, with up to eight on an SM. That is 28 runs for each of 78 pairs. This
script tries all of them in a short window and the best ones again in the whole window. It prints for each pair the blocks
found, and the harmonic speedups of these blocks, CCBP and SMK. A pair is A-B, of kernels of scripts/plans/ccbp.ini; without
PAIR: all pairs of that plan.
"""
import argparse
import os
import re
from statistics import median
import sys

import figures
import results

ROOT = figures.ROOT
PLAN = os.path.join(ROOT, 'scripts', 'plans', 'ccbp.ini')
GPU = 'maxwell-cke'
MOST = 8  # blocks of both kernels on an SM
COMBINATIONS = [(a, b) for a in range(1, MOST) for b in range(1, MOST + 1 - a)]


def workloads():
    """The plan's kernels with their sizes for pairs, {name: (rows, columns)}, and its pairs of them."""
    with open(PLAN, encoding='utf-8') as file:
        text = file.read()
    sizes = re.findall(r'^\[workload ([a-z]+)\]\nsource.*\narguments.*\narguments\.pairs = (\d+) (\d+)', text, re.M)
    return {name: size for name, *size in sizes}, re.findall(r'^\[workload ([a-z]+)-([a-z]+)\]', text, re.M)


def run_of(names, policy, window, sizes):
    scheduler = ['scheduler=gto'] if len(names) == 1 else []  # kernels alone are scheduled greedily (4.3.1)
    return figures.Run(['examples/beside/together.cu'], GPU, [*sizes[names[0]], *names], policy=policy,
                       options=f'--corun-cycles={window}', settings=scheduler)


class Window:
    """Runs of one length: `wanted` are (kernels, policy)."""

    def __init__(self, options, window, wanted, sizes):
        runs = {(*names, policy): run_of(names, policy, window, sizes) for names, policy in wanted}
        runs.update({(name, 'baseline'): run_of((name,), 'baseline', window, sizes) for names, _ in wanted for name in names})
        plan = os.path.join(options.build, 'best-blocks', f'{window}.ini')
        self.made = figures.sweep_runs(options.build, figures.store_of(options.build), plan, options.j, runs)

    def rate(self, names, policy, name):
        for grid in self.made[(*names, policy)]['statistics']['coruns'][0]['grids']:
            if grid['kernel'].split('(')[0] == name:
                return grid['ipc']
        return 0  # it never began

    def harmonic(self, names, policy):
        """Harmonic mean of the speedups over each kernel alone (4.3.3)."""
        return figures.harmonic(self.rate(names, policy, name) / self.rate((name,), 'baseline', name) for name in names)


def policy_of(blocks):
    return 'combination:' + ','.join(map(str, blocks))


def search(options, pairs, sizes):
    """Of each pair: the best blocks, and the harmonic speedups of them, CCBP and SMK in the whole window."""
    every = [policy_of(blocks) for blocks in COMBINATIONS]
    short = Window(options, options.short, [(pair, policy) for pair in pairs for policy in every], sizes)
    best = {pair: sorted(every, key=lambda policy, pair=pair: -short.harmonic(pair, policy))[:options.keep] for pair in pairs}
    whole = Window(options, options.window, [(pair, policy) for pair in pairs for policy in (*best[pair], 'ccbp', 'smk')], sizes)
    rows = []
    for pair in pairs:
        blocks = max(best[pair], key=lambda policy, pair=pair: whole.harmonic(pair, policy))
        rows.append((pair, blocks.split(':')[1], *(whole.harmonic(pair, policy) for policy in (blocks, 'ccbp', 'smk'))))
    return rows


def summary_of(rows):
    """Means for pages (scripts/results.py), in %."""
    over = [100 * (ccbp / best - 1) for _, _, best, ccbp, _ in rows]
    return {'pairs': len(rows), 'mean': 100 * (figures.geomean(1 + each / 100 for each in over) - 1), 'median': median(over), 'least': min(over),
            'most': max(over), 'ahead': sum(each > 0 for each in over), 'smk': 100 * (figures.geomean(row[4] / row[2] for row in rows) - 1),
            'over-smk': 100 * (figures.geomean(row[3] / row[4] for row in rows) - 1)}


def count(text):
    """A number of an option."""
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('-j', type=count, default=int(os.environ.get('JOBS') or 2), help='runs at a time')
    parser.add_argument('--window', type=count, default=200000, metavar='CYCLES', help='the whole window (default 200000)')
    parser.add_argument('--short', type=count, default=20000, metavar='CYCLES', help='the window in which all blocks are tried (default 20000)')
    parser.add_argument('--keep', type=count, default=4, metavar='N', help='combinations that are tried again in the whole window (default 4)')
    parser.add_argument('--record', action='store_true', help='write the means to docs/results')
    parser.add_argument('pairs', nargs='*', metavar='PAIR')
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.record and (options.pairs or any(getattr(options, name) != parser.get_default(name) for name in ('window', 'short', 'keep'))):
        parser.error('--record is for all pairs and the standard windows')
    sizes, pairs = workloads()
    pairs = [tuple(pair.split('-')) for pair in options.pairs] or pairs
    for pair in pairs:
        if len(set(pair)) != 2 or not set(pair) <= set(sizes):
            parser.error(f'no pair {"-".join(pair)}; a pair is two of {", ".join(sizes)}, as A-B')
    os.environ['HEDDLE_THREADS'] = '1'  # runs are beside each other
    try:
        rows = search(options, pairs, sizes)
    except (figures.RunFailed, OSError) as error:
        sys.exit(f'best_blocks.py: {error}')
    values = summary_of(rows)
    print('\n'.join(figures.table(('pair', 'best blocks', 'H of these', 'CCBP', 'SMK'),
                                  [('-'.join(pair), blocks, *(f'{h:.3f}' for h in each)) for pair, blocks, *each in rows])))
    print(f'\nCCBP over the best blocks, pairs: {len(rows)}, mean {values["mean"]:+.1f} %, median {values["median"]:+.1f}, least {values["least"]:+.1f}, '
          f'most {values["most"]:+.1f}; ahead in {values["ahead"]}. SMK: mean {values["smk"]:+.1f} %')
    if options.record:
        results.record(ROOT, 'ccbp-best', None, values, 'make best-blocks')


if __name__ == '__main__':
    main()
