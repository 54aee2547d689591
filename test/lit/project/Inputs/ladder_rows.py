"""Prints the rows that scripts/ladder.py takes from runs, what it hands to pages, and its plans. ladder_rows.py SCRIPTS FOLDER"""
import argparse
import json
import os
import sys

sys.path.insert(0, sys.argv[1])
import figures
import ladder
import results

FOLDER = sys.argv[2]
# A channel moves 1 byte twice a clock of 1,000 MHz, which is 4 bytes a cycle of a core at 500 MHz.
CONFIG = {'dram_bus': 1, 'dram_ratio': 2, 'dram_channels': 1, 'dram_mhz': 1000, 'core_mhz': 500, 'sector': 32}


def run(number, coordinates, cycles, launches, **stalls):
    path = os.path.join(FOLDER, f'{number}.json')
    total = {'cycles': cycles, 'warp_instructions': 7, 'dram_reads': 3, 'dram_writes': 1, 'stalls': stalls}
    ladder.write(path, json.dumps({'statistics': {'total': total, 'launches': launches, 'config': CONFIG}}))
    return {'coordinates': coordinates, 'result': path}


def show_rows():
    small = {'cycles': 10, 'block': [32, 1, 1], 'resident_ctas': 9}
    # 33 * 2 * 1 threads are three warps.
    large = {'cycles': 90, 'block': [33, 2, 1], 'resident_ctas': 4}
    at = lambda rung, policy: {'configuration': rung, 'workload': 'w', 'policy': policy}
    runs = [run(0, at('r', 'a'), 64, [small, large], issued=1, unit=2, memory=5),
            run(1, at('s.BL', 'x'), 64, [large, small], issued=4, unit=0, memory=4),
            run(2, at('s.BL', 'y'), 32, [large], issued=2, unit=6, memory=0),
            run(3, at('s.BL', 'z'), 128, [small], issued=0, unit=0, memory=1)]
    figures.swept = lambda command, workers: runs
    for row in ladder.runs_of(argparse.Namespace(build=FOLDER, add=None, only=None, j=1), 'ltrf'):
        print('row:', *row)


def show_values():
    # Cycles of x, y and z: y is 2 and 4 times as fast as x, z 8 and 1. Only in the first workload have y and z more warps
    # to gain from: 4 and 2 times as many, while in the second units are busy.
    rows = [('one', 'a', 'x', 80, 1, 9, 9, 10, 0), ('one', 'a', 'y', 40, 1, 9, 9, 40, 0), ('one', 'a', 'z+ #2', 10, 1, 9, 9, 20, 0),
            ('one', 'b', 'x', 40, 1, 9, 9, 10, 60), ('one', 'b', 'y', 10, 1, 9, 9, 40, 0), ('one', 'b', 'z+ #2', 40, 1, 9, 9, 20, 0)]
    for key, value in ladder.values_of(rows).items():
        print(f'value: {key} {value:g}')
    # As many warps for both: issue slots limit the second workload, in which y is 4 times as fast.
    rows = [('one', 'a', 'x', 80, 1, 9, 9, 10, 0), ('one', 'a', 'y', 40, 1, 9, 9, 10, 0),
            ('one', 'b', 'x', 40, 1, 9, 60, 10, 0), ('one', 'b', 'y', 10, 1, 9, 9, 10, 0)]
    for key, value in ladder.values_of(rows).items():
        print(f'issue: {key} {value:g}')


def show_plan(name, add=None):
    with open(ladder.plan_of(name, FOLDER, add), encoding='utf-8') as file:
        print(''.join(f'{name}: {line}' for line in file if line.strip()), end='')


def show_plans():
    """Of a ladder without workloads, of one that has its own, and of that with the reader's."""
    ladder.PLANS, ladder.ROOT = os.path.join(FOLDER, 'plans'), '/root'
    for name in ('theirs', 'own'):
        ladder.write(os.path.join(ladder.PLANS, f'{name}.ini'), '[sweep]\n[workload paper]\n[policies]\n')
    ladder.write(os.path.join(ladder.PLANS, 'ladders', 'theirs.ini'), '[sweep]\n[configuration r]\n')
    ladder.write(os.path.join(ladder.PLANS, 'ladders', 'own.ini'), '[sweep]\n[configuration r]\nworkload = w\n[workload w]\n')
    ladder.write(os.path.join(FOLDER, 'reader.ini'), '[sweep]\n[workload mine]\n')
    show_plan('theirs')
    show_plan('own')
    show_plan('own', os.path.join(FOLDER, 'reader.ini'))


def show_some():
    """A ladder of two workloads, one of which is measured again: its rows are new, in their old places."""
    results.read_rows = lambda root, name: [['r', 'v', 'x', '9', '1'], ['r', 'w', 'x', '5', '1'], ['s', 'v', 'x', '8', '1']]
    results.write_rows = lambda root, name, rows: [print('some:', name, *row) for row in rows]
    results.record = lambda root, name, size, values, command, some: print('some:', values, command, f'some={some}')
    ladder.runs_of = lambda options, name: print('some:', *ladder.command_of(options, name)[4:]) or [('r', 'w', 'x', 7, 2)]
    ladder.values_of, ladder.table_of, ladder.filled = len, lambda rows, paper: f'some: {rows[1]}', lambda page: page
    ladder.read, ladder.write, ladder.known = lambda path: '', lambda path, text: None, lambda: ['l']
    ladder.plan_of = lambda name, folder, add: name
    sys.argv = ['ladder.py', '--only', 'w', 'l']
    ladder.main()


show_rows()
show_values()
show_plans()
show_some()
