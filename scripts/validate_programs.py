#!/usr/bin/python3
"""Whole kernels of examples/cards on the modelled V100, beside cycles and DRAM traffic published for a Quadro GV100.

    scripts/validate_programs.py [-h] [--build B] [-j N] [--small] [--markdown PAGE]

Compiles each program of examples/cards/published.txt, runs it with the size that was measured, and prints for each kernel
the mean of its launches beside what was published, and the mean absolute error of the cycles. --small: with the programs'
own sizes and --verify, to see that all work; nothing is compared then. --markdown docs/model.md puts the table into that page.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'examples', 'cards')
PLACE = re.compile(r'(<!-- programs -->\n)(.*?)(<!-- end -->\n)', re.DOTALL)


def published():
    """[(program, arguments, kernel, cycles, sectors read, sectors written, what was measured)]"""
    with open(os.path.join(FOLDER, 'published.txt'), encoding='utf-8') as file:
        rows = [line.split(None, 6) for line in file if line.strip() and not line.startswith('#')]
    return [(program, tuple(size.split(',')), kernel, *map(int, numbers), what.strip())
            for program, size, kernel, *numbers, what in rows]


def run(heddle, program, arguments, scratch, flags):
    """{kernel: its launches' statistics}"""
    path, stats = os.path.join(scratch, program), os.path.join(scratch, program + '.json')
    subprocess.run([heddle + '-cc', '-O3', '-arch=sm_70', '-o', path, os.path.join(FOLDER, program + '.cu')], check=True)
    done = subprocess.run([heddle, 'run', '--quiet', *flags, '--gpu', 'v100', '--stats', stats, '--', path, *arguments],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode or 'PASSED' not in done.stdout:
        raise RuntimeError(f'{program}: {done.stdout.strip() or "failed"}')
    kernels = {}
    with open(stats, encoding='utf-8') as file:
        for launch in json.load(file)['launches']:
            kernels.setdefault(launch['kernel'].split('(')[0], []).append(launch)
    return kernels


def mean(launches, key):
    return sum(launch[key] for launch in launches) / len(launches)


def percent(value, wanted):
    return f'{100 * (value / wanted - 1):+.1f} %'


def table(rows, found):
    page, errors = ['| program | kernel | cycles | published | | read from DRAM | written to it | measured |',
                    '|---|---|---|---|---|---|---|---|'], []
    for program, _, kernel, cycles, reads, writes, what in rows:
        launches = found[program][kernel]
        here = mean(launches, 'cycles')
        errors.append(abs(here / cycles - 1))
        traffic = [percent(mean(launches, key), wanted) if wanted > 1000 else '' for key, wanted in
                   (('dram_reads', reads), ('dram_writes', writes))]
        page.append(f'| {program} | `{kernel}` | {here:.0f} | {cycles} | {percent(here, cycles)} | {traffic[0]} | '
                    f'{traffic[1]} | {what} |')
    geometric = math.exp(sum(math.log(1 + error) for error in errors) / len(errors)) - 1
    return page, f'Mean absolute error of the cycles {100 * sum(errors) / len(errors):.1f} % over {len(errors)} kernels ' \
                 f'(geometric {100 * geometric:.1f} %), {sum(error <= 0.10 for error in errors)} within 10 %.'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--small', action='store_true', help="with the programs' own sizes and --verify, without comparing")
    parser.add_argument('--markdown', metavar='PAGE', help='page whose table is made anew, docs/model.md')
    options = parser.parse_args()
    rows, heddle = published(), os.path.join(os.path.abspath(options.build), 'bin', 'heddle')
    programs = {program: () if options.small else arguments for program, arguments, *_ in rows}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        jobs = {program: pool.submit(run, heddle, program, arguments, scratch, ['--verify'] * options.small) for program, arguments in programs.items()}
        found = {program: job.result() for program, job in jobs.items()}
    if missing := [f'{program}: {kernel}' for program, _, kernel, *_ in rows if kernel not in found[program]]:
        return f'validate_programs: no launch of {", ".join(missing)}'
    if options.small:
        print(f'{len(rows)} kernels of {len(programs)} programs ran')
        return None
    page, last = table(rows, found)
    print('\n'.join([*page, '', last]))
    if options.markdown:
        with open(options.markdown, encoding='utf-8') as file:
            text = file.read()
        with open(options.markdown, 'w', encoding='utf-8') as file:
            file.write(PLACE.sub(lambda place: place[1] + '\n'.join([*page, '', last, '']) + place[3], text))
    return None


if __name__ == '__main__':
    sys.exit(main())
