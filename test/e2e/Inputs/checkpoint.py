"""checkpoint.py HEDDLE FOLDER CYCLES [OPTION...] -- PROGRAM [ARG...]

CYCLES is `random` for cycles at random, for HEDDLE_SOAK seconds (default 4) and three at least, by HEDDLE_SOAK_SEED (default 1).
Runs the program; again, with a checkpoint at each of CYCLES (numbers, or shares of all cycles such as 0.5, with commas);
and from each of these in another process. What the program prints and the statistics, but for what is the host's, are the
same each time. All runs have the host's memory where it is without randomisation, since the address of what a program
registers has its place in the caches.
"""
import ctypes
import json
import os
import random
import subprocess
import sys
import time


ADDR_NO_RANDOMIZE = 0x0040000


def without_host(value):
    if isinstance(value, dict):
        return {key: without_host(item) for key, item in value.items() if key != 'host'}
    if isinstance(value, list):
        return [without_host(item) for item in value]
    return value


def run(heddle, statistics, options, program):
    words = [heddle, 'run', '--quiet', '--stats', statistics] + options + ['--'] + program
    done = subprocess.run(words, capture_output=True, text=True,
                          preexec_fn=lambda: ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE))
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    with open(statistics) as file:
        text = json.dumps(without_host(json.load(file)), indent=1)
    return done.stdout, text, done.stderr


def compare(what, first, second):
    for name, one, two in zip(('output', 'statistics'), first, second):
        if one == two:
            continue
        lines = [f'{a.strip()} | {b.strip()}' for a, b in zip(one.splitlines(), two.splitlines()) if a != b]
        sys.exit(f'{what}: another {name}: ' + '; '.join(lines[:5]))


def chosen(cycles):
    if cycles != 'random':
        yield from cycles.split(',')
        return
    numbers = random.Random(int(os.environ.get('HEDDLE_SOAK_SEED') or 1))
    end, made = time.monotonic() + float(os.environ.get('HEDDLE_SOAK') or 4), 0
    while made < 3 or time.monotonic() < end:
        yield str(numbers.uniform(0, 0.99))
        made += 1


def main():
    at = sys.argv.index('--')
    heddle, folder, cycles = sys.argv[1:4]
    options, program = sys.argv[4:at], sys.argv[at + 1:]
    os.makedirs(folder, exist_ok=True)
    statistics, file = os.path.join(folder, 'statistics'), os.path.join(folder, 'checkpoint')
    plain = run(heddle, statistics, options, program)
    total = json.loads(plain[1])['total']['cycles']
    count = 0
    for cycle in chosen(cycles):
        count += 1
        cycle = int(total * float(cycle)) if '.' in cycle else int(cycle)
        if os.path.exists(file):
            os.remove(file)
        written = run(heddle, statistics, options + ['--checkpoint', file, '--checkpoint-at', str(cycle)], program)
        compare(f'with a checkpoint at {cycle}', plain, written)
        if not os.path.exists(file):
            sys.exit(f'no checkpoint at {cycle} of {total}: {written[2]}')
        resumed = run(heddle, statistics, options + ['--resume', file], program)
        compare(f'from {cycle}', plain, resumed)
    print(f'the same from {count} checkpoints')


main()
