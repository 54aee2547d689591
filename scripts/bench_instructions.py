"""bench_instructions.py BUILD [--update | --limit PERCENT] [--out FOLDER]: host instructions of small simulations.

Runs each line of test/e2e/Inputs/host-instructions.txt on one host thread under valgrind's callgrind, and prints its host
instructions beside those that the line has. The program's own instructions and the loader's do not count: what it prepares
and checks is no simulation. Counts do not depend on the machine's load; another libc or compiler changes them a little.

--update writes the counts into the file. With --limit, exit status 1 when a run takes more than so many percent more than
its line has. Needs valgrind and a finished build.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

import figures

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RUNS = os.path.join(ROOT, 'test', 'e2e', 'Inputs', 'host-instructions.txt')
COLUMNS = ('name', 'source', 'arguments', 'environment', 'instructions')


def read_runs():
    """The file's lines, and the runs that they have: None for a comment."""
    with open(RUNS, encoding='utf-8') as file:
        lines = file.read().splitlines()
    return lines, [dict(zip(COLUMNS, line.split())) if line.strip() and line[0] != '#' else None for line in lines]


def prepare(build, out):
    """The library without debug information, which valgrind 3.19 cannot read."""
    os.makedirs(out, exist_ok=True)
    subprocess.run(['objcopy', '--strip-debug', os.path.join(build, 'lib', 'libheddle-cudart.so'),
                    os.path.join(out, 'libheddle-cudart.so')], check=True)


def compile_program(build, out, run):
    files = figures.sources_of(os.path.join(ROOT, run['source']))
    options = ['-O3'] + (['-rdc=true'] if len(files) > 1 else [])
    program = os.path.join(out, run['name'])
    subprocess.run([os.path.join(build, 'bin', 'heddle-cc'), *options, '-o', program, *files], check=True)
    return program


def self_cost(path, program):
    """Instructions of a callgrind file, without the program's own and the loader's."""
    names, skip, called, total = {}, False, False, 0
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith('ob='):
                number, name = re.match(r'ob=(\(\d+\)) ?(.*)', line).groups()
                if name:
                    names[number] = name
                skip = names[number] == program or os.path.basename(names[number]).startswith('ld-linux')
            elif line.startswith('cob=') and line.rstrip()[-1] != ')':
                number, name = re.match(r'cob=(\(\d+\)) (.*)', line).groups()
                names[number] = name
            elif line.startswith('calls='):
                called = True
            elif line[0].isdigit() or line[0] in '+-*':
                if not called and not skip:
                    total += int(line.split()[1])
                called = False
    return total


def count(build, out, run):
    program = compile_program(build, out, run)
    result = os.path.join(out, run['name'] + '.callgrind')
    environment = {name: value for name, value in os.environ.items() if not name.startswith('HEDDLE_')}
    environment |= {'HEDDLE_DATA': os.path.join(build, 'share', 'heddle'), 'HEDDLE_THREADS': '1', 'LD_LIBRARY_PATH': out}
    environment |= dict(item.split('=', 1) for item in run['environment'].split(';') if item != '-')
    done = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={result}', program,
                           *[word for word in run['arguments'].split(',') if word != '-']],
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench_instructions.py: error: {run['name']}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    instructions = self_cost(result, program)
    os.remove(result)
    return instructions


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build')
    parser.add_argument('--update', action='store_true', help='write the counts into the file')
    parser.add_argument('--limit', type=float, help='percent of growth from which the run fails')
    parser.add_argument('--out', help='folder of programs and counts (default BUILD/bench/instructions)')
    arguments = parser.parse_args()
    if not shutil.which('valgrind'):
        sys.exit('bench_instructions.py: error: no valgrind (Debian: valgrind)')
    build = os.path.abspath(arguments.build)
    out = os.path.abspath(arguments.out or os.path.join(build, 'bench', 'instructions'))
    prepare(build, out)
    lines, runs = read_runs()
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS') or os.cpu_count() or 2)) as pool:
        counts = list(pool.map(lambda run: run and count(build, out, run), runs))
    failed = 0
    print(f"{'run':<18}{'kept':>15}{'now':>15}{'change':>9}")
    for number, (run, now) in enumerate(zip(runs, counts)):
        if not run:
            continue
        kept = int(run['instructions'].replace(',', ''))
        change = 100 * (now / kept - 1) if kept else 0.0
        grown = arguments.limit is not None and change > arguments.limit
        failed += grown
        print(f"{run['name']:<18}{kept:>15,}{now:>15,}{change:>+8.1f} %{'  grown' if grown else ''}")
        lines[number] = re.sub(r'\S+$', f'{now}', lines[number])
    if arguments.update:
        with open(RUNS, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
    if arguments.limit is not None:
        print(f"{sum(run is not None for run in runs) - failed} runs within {arguments.limit:g} %, {failed} grown")
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
