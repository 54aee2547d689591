#!/usr/bin/python3
"""Whole kernels of examples/cards on the modelled V100, beside cycles and DRAM traffic published for a Quadro GV100.

    scripts/validate_programs.py [-h] [--build B] [--out DIR] [-j N] [--small] [--record]

Compiles each program of examples/cards/published.txt, runs it with the size that was measured, and prints for each kernel
the mean of its launches beside what was published, and the mean absolute error of the cycles. --small: with the programs'
own sizes and --verify, to see that all work; nothing is compared then. --record writes what pages show to docs/results;
`make docs` fills the pages in. Runs are kept by what decides their outcome.
"""
import argparse
import os
import statistics
import sys

import figures
import model_page
import results

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def kernels_of(program, result):
    """{kernel: its launches' statistics}"""
    if 'PASSED' not in result['output']:
        raise figures.RunFailed(f'{program}: {result["output"].strip() or "failed"}')
    kernels = {}
    for launch in result['statistics']['launches']:
        kernels.setdefault(launch['kernel'].split('(')[0], []).append(launch)
    return kernels


def means(launches):
    return tuple(figures.mean(launch[key] for launch in launches) for key in ('cycles', 'dram_reads', 'dram_writes'))


def record(found):
    errors = [100 * error for error in model_page.program_errors(found)]
    values = {'mean': figures.mean(errors), 'median': statistics.median(errors), 'worst': max(errors)}
    results.record(ROOT, 'validate-programs', None, values, 'make validate-programs')
    results.write_rows(ROOT, 'validate-programs', [(*key, *numbers) for key, numbers in found.items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('--out', help='folder of the plan and its runs (default B/validate, runs in B/results)')
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--small', action='store_true', help="with the programs' own sizes and --verify, without comparing")
    parser.add_argument('--record', action='store_true', help='write what pages show to docs/results (not with --small)')
    options = parser.parse_args()
    rows = model_page.published_programs()
    plan = os.path.join(os.path.abspath(options.out or os.path.join(options.build, 'validate')), 'programs.ini')
    wanted = {(program,): figures.Run([os.path.join('examples', 'cards', program + '.cu')], 'v100', () if options.small else arguments,
                                      '-O3 -arch=sm_70', options='--verify' if options.small else '')
              for program, arguments, *_ in rows}
    try:
        made = figures.sweep_runs(options.build, figures.store_of(options.build, options.out), plan, options.j, wanted)
        found = {program: kernels_of(program, result) for (program,), result in made.items()}
    except figures.RunFailed as error:
        return f'validate_programs: {error}'
    if missing := [f'{program}: {kernel}' for program, _, kernel, *_ in rows if kernel not in found[program]]:
        return f'validate_programs: no launch of {", ".join(missing)}'
    if options.small:
        print(f'{len(rows)} kernels of {len(wanted)} programs ran')
        return None
    found = {(program, kernel): means(found[program][kernel]) for program, _, kernel, *_ in rows}
    print(model_page.program_table(found))
    if options.record:
        record(found)
    return None


if __name__ == '__main__':
    sys.exit(main())
