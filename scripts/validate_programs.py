#!/usr/bin/python3
"""Whole programs on the modelled GPUs, beside cycles published for cards.

    scripts/validate_programs.py [-h] [--build B] [--table FILE.csv [--folder DIR]] [--out DIR] [-j N] [--set NAME]...
                                 [--program NAME]... [--time SECONDS] [--csv FILE] [--small] [--record]

Without --table: the programs of examples/cards, by examples/cards/published.csv. With it: those of your own table, whose
columns scripts/programs.py and docs/running.md list; paths in it are relative to DIR, or to the table's folder. Programs are
compiled and run in parallel by `heddle sweep`, which keeps results in B/results, so that a second call runs only what has
changed. The output has for each kernel its cycles, those published, the error, and what counters say of it; then rows that
could not be compared, and why; then mean, median and worst error of each set. Programs that are not there are no error;
a program that does not compile or fails, and a kernel that it does not launch, make the exit status 1. --csv writes the same
as numbers. --small: the programs' own sizes and --verify, to see that all work; nothing is compared then. --record writes what
pages show to docs/results; `make docs` fills the pages in. With --program or --set, rows that did not run stay as they were.
"""
import argparse
import csv
import dataclasses
import os
import shlex
import sys

import figures
import model_page
import programs
import results

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('--table', metavar='FILE', help='a table of programs and published cycles')
    parser.add_argument('--folder', metavar='DIR', help="where the table's programs are (default: the table's folder)")
    parser.add_argument('--out', help='folder of the plan and its runs (default B/validate, runs in B/results)')
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--set', action='append', help='only rows of this set; may be repeated')
    parser.add_argument('--program', action='append', metavar='NAME', help='only rows of this program, or "program arguments"; may be repeated')
    parser.add_argument('--time', type=int, metavar='SECONDS', help='what a run may take at most (default: no limit)')
    parser.add_argument('--csv', metavar='FILE', help='write the numbers of each kernel there')
    parser.add_argument('--small', action='store_true', help="with the programs' own sizes and --verify, without comparing")
    parser.add_argument('--record', action='store_true', help='write what pages show to docs/results (not with --table, --small)')
    options = parser.parse_args()
    if options.folder and not options.table:
        parser.error('--folder needs --table')
    if options.folder and not os.path.isdir(options.folder):
        parser.error(f'--folder: {options.folder}: no such folder')
    return options


def run_small(options, table, plan):
    """The programs with their own sizes, each once."""
    rows = {row.program: dataclasses.replace(row, arguments='') for row in programs.read(table)}
    build = os.path.abspath(options.build)
    made, reasons = programs.run_rows(build, figures.store_of(build, options.out), plan, options.j, table, os.path.dirname(table),
                                      list(rows.values()), programs.configurations(build, table, rows.values()), '--verify')
    if reasons:
        return '\n'.join(f'validate_programs: {run[0]}: {why}' for run, (why, _) in reasons.items())
    found = {row.program: made[row.run()] for row in rows.values()}
    every = programs.read(table)
    gone = [f'{row.program}: {row.kernel}' for row in every
            if not programs.launches_of(dataclasses.replace(row, blocks=None, threads=None), found[row.program])]
    if gone:
        return f'validate_programs: no launch of {", ".join(gone)}'
    print(f'{len(every)} kernels of {len(rows)} programs ran')
    return None


def write_csv(path, compared):
    head = ('program', 'arguments', 'kernel', 'gpu', 'set', 'cycles', 'published', 'error', 'watts', 'published_watts', 'launches', 'instructions', 'dram_reads',
            'dram_writes', 'l1_misses', 'l2_misses', 'limit', 'source')
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(head)
        for one in compared:
            row = one.row
            writer.writerow([row.program, row.arguments, row.kernel, row.gpu, row.set, f'{one.cycles:.6g}',
                             *([f'{one.published:.6g}', f'{one.error:.4f}'] if one.published else ['', '']), f'{one.watts:.6g}',
                             f'{row.watts:.6g}' if row.watts else '', one.launches, f'{one.instructions:.6g}', f'{one.dram_reads:.6g}', f'{one.dram_writes:.6g}',
                             *('' if part is None else f'{part:.4f}' for part in (one.l1_misses, one.l2_misses)), one.binds, row.source])


def record(compared, parts):
    """`parts`: the options that chose them; none: all rows."""
    rows = results.merge_rows(ROOT, 'validate-programs', 3, [
        (*model_page.program_key(one.row), one.cycles, one.published, one.dram_reads, one.dram_writes, programs.reason(one))
        for one in compared], some=bool(parts))
    found, sets = {tuple(row[:3]): float(row[3]) / float(row[4]) - 1 for row in rows}, {}
    for row in programs.read(model_page.PROGRAMS):
        if model_page.program_key(row) in found:
            sets.setdefault(row.set, []).append(found[model_page.program_key(row)])
    values = {f'{name}-{key}': value for name, errors in sets.items() for key, value in programs.summary(errors).items()}
    command = 'make validate-programs' + (f' VALIDATE_FLAGS="{shlex.join(parts)}"' if parts else '')
    results.record(ROOT, 'validate-programs', None, values, command, some=bool(parts))


def validate(options):
    table = options.table or model_page.PROGRAMS
    folder = options.folder or os.path.dirname(os.path.abspath(table))
    plan = os.path.join(os.path.abspath(options.out or os.path.join(options.build, 'validate')),
                        'table.ini' if options.table else 'programs.ini')
    if options.small:
        return run_small(options, table, plan)
    found = programs.compare_all(options.build, figures.store_of(options.build, options.out), plan, options.j, table, folder,
                                 options.time, options.set, options.program)
    shown = options.table or os.path.relpath(table, ROOT)
    timed, powered = programs.timed(found.compared), programs.powered(found.compared)
    lines = programs.table_lines(timed) + programs.power_lines(powered) + programs.left_lines(found.left, shown)
    lines += (['Cycles:', ''] if powered and timed else []) + programs.summary_lines(timed)
    lines += (['Power:', ''] if powered else []) + programs.summary_lines(powered, 'power_error')
    print('\n'.join(lines), end='')
    print(f'{len(found.compared)} of {len(found.compared) + len(found.left)} kernels compared')
    if options.csv:
        write_csv(options.csv, found.compared)
    wrong = sum(error for _, _, error in found.left)
    if options.record and not options.table and not found.left:
        record(found.compared, [f'--{name}={value}' for name in ('program', 'set') for value in getattr(options, name) or []])
    return f'validate_programs: {wrong} without a result' if wrong or not found.compared else None


def main():
    try:
        return validate(parse())
    except (programs.BadTable, figures.RunFailed) as error:
        print(f'validate_programs: {error}', file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main())
