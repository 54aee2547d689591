#!/usr/bin/python3
"""From our machine to a paper's, one difference after the other: speedups of its designs on each rung.

    scripts/ladder.py [-h] [--build B] [-j N] [--check] [NAME...]

scripts/plans/ladders/NAME.ini has the rungs, as configurations of `heddle sweep`, and the designs, of which the first is
the baseline; the workloads are those of scripts/plans/NAME.ini. Makes the runs, writes docs/results/ladder-NAME.tsv, and
fills in docs/ladders.md. --check only compares the page with these files. Without NAME: all ladders.
"""
import argparse
import difflib
import glob
import json
import os
import re
import sys

import figures
import results

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLANS = os.path.join(ROOT, 'scripts', 'plans')
PAGE = os.path.join(ROOT, 'docs', 'ladders.md')
BOUND = 50  # % of the DRAM bandwidth or of the issue slots from which on these are said to limit a run
SECTION = re.compile(r'^(?=\[)', re.M)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def plan_of(name, folder):
    """The ladder's plan with the workloads of the paper's, in a file of its own."""
    ladder = read(os.path.join(PLANS, 'ladders', f'{name}.ini'))
    paper = read(os.path.join(PLANS, f'{name}.ini'))
    workloads = [section for section in SECTION.split(paper) if section.startswith('[workload ')]
    path = os.path.join(folder, 'ladders', f'{name}.ini')
    write(path, ladder.replace('[sweep]', f'[sweep]\nroot = {ROOT}', 1) + '\n' + ''.join(workloads))
    return path


def runs_of(options, name):
    """(rung, workload, policy, cycles, warp instructions, DRAM's and the issue slots' use in %) of each run, in the plan's order."""
    store = figures.store_of(options.build, None)
    command = [os.path.join(options.build, 'bin', 'heddle'), 'sweep', '--out', store, plan_of(name, options.build)]
    rows = []
    for run in figures.swept(command, options.j):
        with open(run['result'], encoding='utf-8') as file:
            statistics = json.load(file)['statistics']
        names, total = run['coordinates'], statistics['total']
        rows.append((names['configuration'], names['workload'], names['policy'], total['cycles'], total['warp_instructions'],
                     round(figures.dram_use(total, statistics['config']), 1),
                     round(100 * figures.ratio(total['stalls']['issued'], sum(total['stalls'].values())), 1)))
    return rows


def table_of(rows):
    """Speedups over the first design: means of each rung first, then each workload with what the first design uses."""
    rungs, workloads, designs = (list(dict.fromkeys(row[i] for row in rows)) for i in range(3))
    cycles = {row[:3]: int(row[3]) for row in rows}
    speedup = {key: cycles[key[0], key[1], designs[0]] / value for key, value in cycles.items()}
    dram, slots = ({row[:2]: float(row[i]) for row in rows if row[2] == designs[0]} for i in (5, 6))

    def mean(rung, design, those):
        return f'{figures.geomean(speedup[rung, workload, design] for workload in those):.3f}'

    def limit(rung, workload):
        return 'dram' if dram[rung, workload] >= BOUND else 'issue' if slots[rung, workload] >= BOUND else 'neither'

    def limited(rung, kind):
        those = [workload for workload in workloads if limit(rung, workload) == kind]
        return f'{mean(rung, designs[1], those)} ({len(those)})' if those else '-'

    means = []
    for rung in rungs:
        most, best = max((speedup[rung, workload, designs[1]], workload) for workload in workloads)
        means.append([f'`{rung}`', *(mean(rung, design, workloads) for design in designs[1:]),
                      *(limited(rung, kind) for kind in ('dram', 'issue', 'neither')), f'{best}, {most:.2f}'])
    each = [[workload, *(f'{speedup[rung, workload, designs[1]]:.2f} ({dram[rung, workload]:.0f}, {slots[rung, workload]:.0f})'
                         for rung in rungs)] for workload in workloads]
    return '\n'.join([*figures.table(['rung', *(f'`{design}`' for design in designs[1:]), 'DRAM', 'issue', 'neither', 'most'],
                                    means),
                      f'`{designs[1]}` by workload; in brackets the percentages of the DRAM bandwidth and of the issue slots that '
                      f'`{designs[0]}` uses:', '',
                      *figures.table(['workload', *(f'`{rung}`' for rung in rungs)], each)[:-1]]) + '\n'


def known():
    return sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(PLANS, 'ladders', '*.ini')))


def filled(page):
    for name in known():
        rows = [tuple(row) for row in results.read_rows(ROOT, f'ladder-{name}') or ()]
        if not rows:
            continue
        place = re.compile(rf'(<!-- ladder: {name} -->\n).*?(<!-- end -->)', re.S)
        if not place.search(page):
            sys.exit(f'docs/ladders.md: no place for the ladder {name}')
        page = place.sub(lambda found: found[1] + table_of(rows) + found[2], page)
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--check', action='store_true', help='only compare the page with docs/results')
    parser.add_argument('names', nargs='*', metavar='NAME')
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    every = known()
    if unknown := set(options.names) - set(every):
        sys.exit(f'no ladder has the name {", ".join(sorted(unknown))}; known: {", ".join(every)}')
    if options.check:
        page = read(PAGE)
        difference = list(difflib.unified_diff(page.splitlines(), filled(page).splitlines(), lineterm=''))
        print('\n'.join(difference) if difference else 'ladders as docs/results has them')
        sys.exit(bool(difference))
    os.environ['HEDDLE_THREADS'] = '1'  # runs are beside each other
    try:
        for name in options.names or every:
            rows = runs_of(options, name)
            results.write_rows(ROOT, f'ladder-{name}', rows)
            print(table_of(rows))
    except figures.RunFailed as error:
        sys.exit(f'ladder.py: {error}')
    write(PAGE, filled(read(PAGE)))


if __name__ == '__main__':
    main()
