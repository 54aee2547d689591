#!/usr/bin/python3
"""From our machine to a paper's, one difference after the other: speedups of its designs on each rung.

    scripts/ladder.py [-h] [--build B] [-j N] [--check] [--add PLAN | --only WORKLOAD,...] [NAME...]

scripts/plans/ladders/NAME.ini has the rungs, as configurations of `heddle sweep`, and the designs, of which the first is
the baseline. Where designs stand on different machines, it has instead sections [rung NAME] with what is different from the
rung before, and [machine NAME] for each design; [rung NAME, MACHINE] is for one of them. An empty value takes a key away;
of several values the fastest run counts.
The workloads are those of the ladder's plan, or of scripts/plans/NAME.ini where it has none. Makes the runs, writes
docs/results/ladder-NAME.tsv, and fills in docs/ladders.md; with --only the rows of these workloads are new, and others stay.
--check only compares the page with these files. Without NAME: all ladders.
"""
import argparse
import difflib
import glob
import json
import os
import re
import shlex
from statistics import median
import sys

import added
import figures
import results

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLANS = os.path.join(ROOT, 'scripts', 'plans')
PAGE = os.path.join(ROOT, 'docs', 'ladders.md')
BOUND = 50  # % of the DRAM bandwidth or of the issue slots from which on these are said to limit a run
FEWER = 1.5  # times as many resident warps without the limit of registers: these are said to limit a run
SECTION = re.compile(r'^(?=\[)', re.M)
PAPER = {'cars': {'cars': '1.26'}, 'r2d2': {'r2d2+scalar': '1.25', 'dac+scalar': '1.15'}, 'malekeh': {'malekeh': '1.096'}, 'malekeh-full': {'malekeh': '1.096'},
         'ltrf': {'LTRF+ #7': '1.31', 'LTRF #7': '1.28', 'LTRF #6': '1.32', 'BL #6': 'below 1', 'ideal': '1.37'},
         'ltrf-active': {'8 warps': '1.369', '16 warps': 'as 8'}}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def keys_of(section):
    """The keys of a section of a plan."""
    return dict(re.findall(r'^(\S+) *= *(.*?)(?:\s+;.*)?$', section, re.M))


def configurations_of(sections):
    """[rung NAME] and [machine NAME] as configurations RUNG.MACHINE: each rung has the keys of those before it."""
    named = {section[1:section.index(']')]: keys_of(section) for section in sections}
    machines = [name.split(' ', 1)[1] for name in named if name.startswith('machine ')]
    keys, text = {machine: {} for machine in machines}, ''
    for rung in [name.split(' ', 1)[1] for name in named if name.startswith('rung ') and ',' not in name]:
        for machine in machines:
            for part in (f'rung {rung}', f'rung {rung}, {machine}'):
                keys[machine].update(named.get(part, {}))
            of_both = {**keys[machine], **named[f'machine {machine}'], **named.get(f'rung {rung}, {machine}', {})}
            lines = [f'{key} = {value}\n' for key, value in of_both.items() if value]
            text += f'[configuration {rung}.{machine}]\n' + ''.join(lines)
    return text


def with_workloads(section, names):
    """A configuration for these workloads; what a ladder excludes are its own."""
    named = f'workload = {", ".join(names)}\n'
    return re.sub(r'^workload *=.*\n', named, section, flags=re.M) if section.startswith('[configuration ') else section


def plan_of(name, folder, add=None):
    """The ladder's plan with the workloads of the paper's, in a file of its own; `add`: with those of that plan instead."""
    sections = SECTION.split(read(os.path.join(PLANS, 'ladders', f'{name}.ini')))
    own = [section for section in sections if section.startswith(('[rung ', '[machine '))]
    text = ''.join(section for section in sections if section not in own) + configurations_of(own)
    if '\n[workload ' not in text:
        paper = SECTION.split(read(os.path.join(PLANS, f'{name}.ini')))
        text += '\n' + ''.join(section for section in paper if section.startswith('[workload '))
    if add:
        text, names = added.plan_with(text, add)
        text = ''.join(with_workloads(section, names) for section in SECTION.split(text))
    path = os.path.join(folder, 'ladders', f'{name}.ini')
    write(path, text.replace('[sweep]', f'[sweep]\nroot = {ROOT}', 1))
    return path


def resident(statistics):
    """Warps that an SM holds of the longest launch."""
    launch = max(statistics['launches'], key=lambda launch: launch['cycles'])
    x, y, z = launch['block']
    return launch['resident_ctas'] * -(-x * y * z // 32)


def command_of(options, name):
    command = [os.path.join(options.build, 'bin', 'heddle'), 'sweep', '--out', figures.store_of(options.build, None)]
    if options.add:
        with open(options.add, encoding='utf-8') as file:
            names = [added.name_of(section) for section in added.workloads_of(file.read())]
        command += ['--only', 'workload=' + ','.join(names)]
    command += ['--only', 'workload=' + options.only] if options.only else []
    return [*command, plan_of(name, options.build, options.add)]


def runs_of(options, name):
    """Of each run, in the plan's order and of several the fastest: rung, workload, design, cycles, warp instructions, use of DRAM and of issue slots in %,
    resident warps, and issue slots lost to busy units in %."""
    rows = {}
    for run in figures.swept(command_of(options, name), options.j):
        with open(run['result'], encoding='utf-8') as file:
            statistics = json.load(file)['statistics']
        names, total = run['coordinates'], statistics['total']
        rung, _, machine = names['configuration'].partition('.')
        slots = sum(total['stalls'].values())
        key = rung, names['workload'], machine or names['policy']
        if key not in rows or total['cycles'] < rows[key][3]:
            rows[key] = (*key, total['cycles'], total['warp_instructions'], round(figures.dram_use(total, statistics['config']), 1),
                         round(100 * figures.ratio(total['stalls']['issued'], slots), 1), resident(statistics),
                         round(100 * figures.ratio(total['stalls']['unit'], slots), 1))
    return list(rows.values())


class Ladder:
    """The rows of a ladder's file. Its first design is the baseline; the second is the one that tables show by workload."""

    def __init__(self, rows, paper):
        self.paper = paper
        self.rungs, self.workloads, self.designs = (list(dict.fromkeys(row[i] for row in rows)) for i in range(3))
        cycles = {row[:3]: int(row[3]) for row in rows}
        self.speedup = {key: cycles[key[0], key[1], self.designs[0]] / value for key, value in cycles.items()}
        self.of_base = {row[:2]: [float(cell) for cell in row[5:]] for row in rows if row[2] == self.designs[0]}
        self.of_design = {row[:2]: [float(cell) for cell in row[5:]] for row in rows if row[2] == self.designs[1]}

    def mean(self, rung, design, those):
        return f'{figures.geomean(self.speedup[rung, workload, design] for workload in those):.3f}'

    def has_residency(self):
        """Whether designs hold other numbers of warps than the baseline."""
        return any(len(base) > 2 and base[2] != self.of_design[key][2] for key, base in self.of_base.items())

    def limit(self, rung, workload):
        dram, slots, *more = self.of_base[rung, workload]
        return 'DRAM' if dram >= BOUND else 'issue' if slots >= BOUND else \
            'units' if self.has_residency() and more[1] >= BOUND else 'neither'

    def limited(self, rung, kind, design=None):
        """The design's mean (the second's) where `kind` limits the baseline; `registers`: they do, and nothing else does."""
        def fits(workload):
            if kind != 'registers':
                return self.limit(rung, workload) == kind
            more = self.of_design[rung, workload][2] >= FEWER * self.of_base[rung, workload][2]
            return more and self.limit(rung, workload) == 'neither'
        those = [workload for workload in self.workloads if fits(workload)]
        return f'{self.mean(rung, design or self.designs[1], those)} ({len(those)})' if those else '-'

    def kinds(self):
        return ('DRAM', 'issue', 'units', 'registers') if self.has_residency() else ('DRAM', 'issue', 'neither')

    def means(self):
        rows = []
        for rung in self.rungs:
            each = sorted((self.speedup[rung, workload, self.designs[1]], workload) for workload in self.workloads)
            rows.append([f'`{rung}`', *(self.mean(rung, design, self.workloads) for design in self.designs[1:]),
                         *(self.limited(rung, kind) for kind in self.kinds()), f'{median(speedup for speedup, _ in each):.3f}',
                         *(f'{workload}, {speedup:.2f}' for speedup, workload in (each[0], each[-1]))])
        if self.paper:
            rows.append(['paper', *(self.paper.get(design, '') for design in self.designs[1:]), *('' for _ in self.kinds()), '', '', ''])
        return figures.table(['rung', *(f'`{design}`' for design in self.designs[1:]), *self.kinds(), 'median', 'least', 'most'], rows)

    def cell(self, rung, workload):
        text = ', '.join(f'{value:.0f}' for value in self.of_base[rung, workload][:2])
        if self.has_residency():
            base, design = self.of_base[rung, workload], self.of_design[rung, workload]
            text += f', {base[3]:.0f}; {base[2]:.0f} to {design[2]:.0f}'
        return f'{self.speedup[rung, workload, self.designs[1]]:.2f} ({text})'

    def each(self):
        rows = [[workload, *(self.cell(rung, workload) for rung in self.rungs)] for workload in self.workloads]
        more = (', and lost to busy units; then the resident warps of an SM, of both'
                if self.has_residency() else '')
        return [f'`{self.designs[1]}` by workload; in brackets the percentages of the DRAM bandwidth and of the issue slots that '
                f'`{self.designs[0]}` uses{more}:', '',
                *figures.table(['workload', *(f'`{rung}`' for rung in self.rungs)], rows)[:-1]]


def key_of(rung, design):
    return re.sub('[^a-z0-9]+', '-', f'{rung}-{design}'.lower().replace('+', '-plus')).strip('-')


def values_of(rows):
    """Means for pages (scripts/results.py), by `rung-design`; `rung-design-registers` where only registers limit, or, where no
    design holds more warps than another, `rung-design-issue` where issue slots do."""
    ladder = Ladder(rows, {})
    values = {'workloads': len(ladder.workloads)}
    for rung in ladder.rungs:
        for design in ladder.designs[1:]:
            key = key_of(rung, design)
            values[key] = float(ladder.mean(rung, design, ladder.workloads))
            kind = 'registers' if ladder.has_residency() else 'issue'
            limited = ladder.limited(rung, kind, design)
            if limited != '-':
                values[f'{key}-{kind}'] = float(limited.split(' ')[0])
        for first, second in zip(ladder.designs[1:], ladder.designs[2:]):  # of each design over the one before it
            of = figures.geomean(ladder.speedup[rung, w, second] / ladder.speedup[rung, w, first] for w in ladder.workloads)
            values[key_of(rung, second.split(' ')[0] + ' of ' + first.split(' ')[0])] = of
    return values


def table_of(rows, paper=None):
    """Speedups over the first design: means of each rung first, then each workload with what the first design uses."""
    ladder = Ladder(rows, paper or {})
    return '\n'.join([*ladder.means(), *ladder.each()]) + '\n'


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
        page = place.sub(lambda found: found[1] + table_of(rows, PAPER.get(name)) + found[2], page)
    return page


def made_by(options, name):
    words = ['--only', options.only, name] if options.only else [name]
    return f'make ladders LADDERS={shlex.quote(" ".join(words))}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--check', action='store_true', help='only compare the page with docs/results')
    some = parser.add_mutually_exclusive_group()
    some.add_argument('--only', metavar='WORKLOAD,...', help='measure only these workloads again; rows of others stay as they are')
    some.add_argument('--add', metavar='PLAN', help='print the ladder of the workloads of this plan; write nothing')
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
            if not options.add:
                rows = [tuple(row) for row in results.merge_rows(ROOT, f'ladder-{name}', 3, rows, options.only)]
                results.record(ROOT, f'ladder-{name}', None, values_of(rows), made_by(options, name), some=bool(options.only))
            print(table_of(rows, PAPER.get(name)))
    except (figures.RunFailed, added.BadPlan, OSError) as error:
        sys.exit(f'ladder.py: {error}')
    if not options.add:
        write(PAGE, filled(read(PAGE)))


if __name__ == '__main__':
    main()
