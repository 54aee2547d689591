#!/usr/bin/python3
"""memory = reserved beside memory = exact: the error of cycles over all workloads, and the host time of both.

    scripts/memory_error.py [-h] [--gpu NAME] [--policy NAME] [--size COLUMN] [--build B] [--out FOLDER] [-j N]
                            [--limit MEAN WORST] [NAME...]

Runs the programs of examples/workloads.txt (NAME: only those) with both values of the key `memory` on one host thread, and
prints for each program the cycles, the error of `reserved` in percent of `exact`, and the host's seconds; then mean and median of
the errors' absolute values, and the worst: of all, and of every second one, which whoever changes the mode
should leave unseen.
Results are kept by what decides them, so that only what has changed runs again.
With --limit, exit status 1 when the mean or the worst is larger.
"""
import argparse
import os
import statistics
import sys

import figures
from workloads_table import COLUMNS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODES = ('exact', 'reserved')


def workloads(names):
    """Rows of examples/workloads.txt, those of these names; a row that runs what another one runs is left out."""
    with open(os.path.join(ROOT, 'examples', 'workloads.txt'), encoding='utf-8') as file:
        rows = [line.split() for line in file if line.strip() and line[0] != '#']
    if unknown := figures.unknown_workloads(names, {row[0] for row in rows}):
        raise figures.RunFailed(unknown)
    return [row for row in rows if not names or row[0] in names]


def wanted_runs(options):
    runs = {}
    for row in workloads(options.names):
        path = os.path.join('examples', row[1])
        files = [os.path.relpath(file, ROOT) for file in figures.sources_of(os.path.join(ROOT, path))]
        for mode in MODES:
            runs[row[0], mode] = figures.Run(files, options.gpu, row[COLUMNS[options.size]].split(','),
                                             policy=options.policy, settings=(f'memory={mode}',))
    return runs


def measured(result):
    found = result['statistics']
    return found['total']['cycles'], found['host']['user_seconds']


def summary(errors):
    sizes = [abs(error) for error in errors.values()]
    worst = max(errors, key=lambda name: abs(errors[name]))
    return (f'mean error {figures.mean(sizes):.2f} %, median {statistics.median(sizes):.2f} %, '
            f'worst {errors[worst]:+.2f} % ({worst})')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--gpu', default='v100')
    parser.add_argument('--policy', default='baseline')
    parser.add_argument('--size', choices=sorted(COLUMNS), default='tests', help='column of examples/workloads.txt')
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('--out', help='folder of the plan and its runs (default B/memory-error, runs in B/results)')
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--limit', nargs=2, type=float, metavar=('MEAN', 'WORST'), help='percent that are allowed')
    parser.add_argument('names', nargs='*', metavar='NAME', help='a workload')
    options = parser.parse_args()
    os.environ['HEDDLE_THREADS'] = '1'  # runs are beside each other
    plan = os.path.join(os.path.abspath(options.out or os.path.join(options.build, 'memory-error')), 'plan.ini')
    try:
        wanted = wanted_runs(options)
        made = figures.sweep_runs(options.build, figures.store_of(options.build, options.out), plan, options.j, wanted)
    except figures.RunFailed as error:
        return f'memory_error: {error}'
    errors, seconds = {}, dict.fromkeys(MODES, 0.0)
    print(f'{"workload":<20}{"exact":>12}{"reserved":>12}{"error":>10}{"exact, s":>10}{"reserved":>10}')
    for name in dict.fromkeys(name for name, _ in wanted):
        (exact, first), (reserved, second) = (measured(made[name, mode]) for mode in MODES)
        errors[name] = 100 * (reserved / exact - 1)
        seconds['exact'] += first
        seconds['reserved'] += second
        print(f'{name:<20}{exact:>12}{reserved:>12}{errors[name]:>+8.2f} %{first:>10.2f}{second:>10.2f}')
    worst, mean = max(errors, key=lambda name: abs(errors[name])), figures.mean(map(abs, errors.values()))
    print(f'{len(errors)} workloads on {options.gpu}, {options.policy}: {summary(errors)}; '
          f'{seconds["exact"]:.1f} s exact, {seconds["reserved"]:.1f} s reserved')
    aside = dict(list(errors.items())[1::2])
    if aside:
        print(f'{len(aside)} of these, every second one: {summary(aside)}')
    if options.limit and (mean > options.limit[0] or abs(errors[worst]) > options.limit[1]):
        return 'memory_error: the error is larger than {:g} % on average or {:g} % at most'.format(*options.limit)
    return None


if __name__ == '__main__':
    sys.exit(main())
