#!/usr/bin/python3
"""The workloads beside the published programs for which they stand: the table of examples/published.txt in docs/workloads.md.

    scripts/published.py [-h] [--check] [--build B] [--out FOLDER]

Writes the table into the page. --check compares the page with it instead, compiles and runs the workloads with the tests'
sizes, and compares registers, shared memory and the shape of blocks with their rows: these do not depend on sizes. It fails
as well where a workload's row differs from the suite's in other columns than it says.
"""
import argparse
import os
import re
import sys

import figures
from workloads_table import bare, read_table, static_facts

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE, PAGE = os.path.join(ROOT, 'examples', 'published.txt'), os.path.join(ROOT, 'docs', 'workloads.md')
COLUMNS = ('program', 'workload', 'kernel', 'arguments', 'launches', 'blocks', 'threads', 'registers', 'shared', 'instructions',
           'lanes', 'slots', 'dram', 'uniform', 'differs')
FACTS = ('threads', 'registers', 'shared')
# How far ours may be from the suite's before the page says that it differs: a part of it, or points.
PARTS = {'registers': 0.25, 'shared': 0.25, 'instructions': 0.25}
POINTS = {'lanes': 4, 'slots': 15, 'dram': 15, 'uniform': 5}
GPU, COMPILE = 'titanv', '-O2 -arch=sm_70'


def read_pairs():
    """(row of the suite's program, row of ours), each a dictionary."""
    with open(TABLE, encoding='utf-8') as file:
        words = [line.split() for line in file if line.strip() and line[0] != '#']
    rows = [dict(zip(COLUMNS, row + ['-'] * (len(row) == len(COLUMNS) - 1), strict=True)) for row in words]
    pairs = list(zip(rows[::2], rows[1::2], strict=True))
    for suite, own in pairs:
        if own['program'] != '-' or suite['program'] == '-' or suite['workload'] != own['workload']:
            sys.exit(f'{TABLE}: {suite["kernel"]} is not followed by a row of our workload')
    return pairs


def differs(suite, own):
    """The columns in which ours is another kind of program."""
    found = ['threads'] if suite['threads'] != own['threads'] else []
    found += [name for name, part in PARTS.items() if abs(int(own[name]) - int(suite[name])) > part * int(suite[name])]
    return found + [name for name, points in POINTS.items() if abs(int(own[name]) - int(suite[name])) > points]


def lines():
    rows = []
    for suite, own in read_pairs():
        both = [f'{suite[name]}, {own[name]}' for name in COLUMNS[5:-1]]
        rows.append((f'{suite["program"]}: `{suite["kernel"]}`', f'{own["workload"]}: `{own["kernel"]}`', *both,
                     ', '.join(differs(suite, own)) or '-'))
    return '\n'.join(figures.table(('suite', 'ours', *COLUMNS[5:]), rows)[:-1]) + '\n'


def filled(page):
    place = re.compile(r'(<!-- published -->\n).*?(<!-- end -->)', re.S)
    if not place.search(page):
        sys.exit('docs/workloads.md: no place for the table of published programs')
    return place.sub(lambda found: found[1] + lines() + found[2], page)


def facts_of(options):
    """{(workload, kernel): FACTS} with the tests' sizes."""
    table, wanted = read_table('tests'), {}
    for _, own in read_pairs():
        workload = table[own['workload']]
        sources = [os.path.relpath(path, ROOT) for path in figures.sources_of(os.path.join(ROOT, 'examples', workload.source))]
        wanted[workload.name,] = figures.Run(sources, GPU, workload.sizes, COMPILE, settings=['share=8'])
    found = {}
    store = figures.store_of(options.build, options.out)
    for (name,), result in figures.sweep_runs(options.build, store, os.path.join(store, 'plan.ini'), 1, wanted).items():
        facts = static_facts(options.build, result['built'])
        for launch in result['statistics']['launches']:
            kernel = facts[launch['kernel']]
            shape = 'x'.join(str(side) for side in launch['block'] if side > 1) or '1'
            found[name, bare(launch['kernel'])] = {'threads': shape, 'registers': str(kernel['registers']),
                                                   'shared': str(kernel['shared_bytes'])}
    return found


def check(options):
    with open(PAGE, encoding='utf-8') as file:
        page = file.read()
    wrong = [] if page == filled(page) else ['docs/workloads.md: not the table of examples/published.txt: make docs']
    found = facts_of(options)
    for suite, own in read_pairs():
        key = own['workload'], own['kernel']
        differing = ','.join(differs(suite, own)) or '-'
        if differing != own['differs']:
            wrong.append(f'{key[0]}, {key[1]}: {differing} differ from {suite["program"]}, not {own["differs"]}')
        is_now = found.get(key)
        if not is_now:
            wrong.append(f'{key[0]}: no kernel {key[1]}')
        else:
            wrong += [f'{key[0]}, {key[1]}: {name} is {is_now[name]}, not {own[name]}' for name in FACTS if is_now[name] != own[name]]
    print('\n'.join(wrong or [f'{len(found)} kernels are as examples/published.txt has them']))
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('--check', action='store_true', help='compare the page with the table, and the workloads with their rows')
    parser.add_argument('--out', help='folder of the runs')
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.check:
        sys.exit(check(options))
    with open(PAGE, encoding='utf-8') as file:
        page = file.read()
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(filled(page))


if __name__ == '__main__':
    main()
