#!/usr/bin/python3
"""Each key of a GPU's configuration at the ends of its range, under a small program: a run, or a clear error.

    scripts/sweep_config.py [-h] [--build B] [-j N] [--gpu NAME]... [--set KEY=VALUE]... [--ends] [--between N]
                            [--keys REGEX] [--random N [--seed S] [--policies]] [--part K/N] [--together N]
                            [PROGRAM]

PROGRAM (default: test/e2e/Inputs/sweep.cu, compiled into B/sweep) ends with 0 when its results are right. A value passes
when the run ends so, or when something says `error:` and ends with 2 or, as CUDA has it, with the program's own status.
A crash, a failed assertion, a run that stops making progress or does not end, and wrong results are told, and the exit
status is 1. Values are the least, the one above it, and the greatest of each key, and each name of a list; --ends leaves
the second out. --between N adds N values in the range, spread by their logarithms, and each rounded to a power of two, which
many keys have to be a multiple of; they are the same each time, others for each key and GPU. --gpu all is each that there
is. Further --set hold for all runs: fewer SMs make them short.

With --random each of N runs sets up to eight keys at once, any value of their ranges, on any of the GPUs; --policies draws a
policy for each as well. The seed gives the same runs again.

--part K/N does every Nth of these runs, from the Kth on: parts 1/N to N/N together are all. --together N tries N values of
different keys in one run, and each by itself where that does not end with right results: most of what each finds, in less
time.
"""
import argparse
import concurrent.futures
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEY = re.compile(r'^HD_CONFIG_(INT|REAL|ENUM)\((\w+), [^,]+, (.*)\)$')
SECONDS, CYCLES = 120, 20000000
STUCK = re.compile(r'killed by signal|no progress|watchdog|--max-cycles|Assertion|AddressSanitizer|runtime error')


def between(gpu, key, kind, low, high, count):
    """Values of the range, without its ends; each a number and the nearest power of two."""
    draw, found = random.Random(f'{gpu} {key}'), []
    for _ in range(count):
        value = math.exp(draw.uniform(math.log(low + 1), math.log(high + 1))) - 1
        found += [value, 2 ** round(math.log2(value))] if value > 0 else []
    if kind == 'INT':
        found = [round(value) for value in found]
    return [f'{value:.6g}' if kind == 'REAL' else str(value) for value in dict.fromkeys(found) if low < value < high]


def all_keys(options):
    """[(kind, key, what a value may be: names, or least and greatest)]"""
    with open(os.path.join(ROOT, 'include', 'heddle', 'config.def'), encoding='utf-8') as file:
        keys = [KEY.match(line.strip()).groups() for line in file if KEY.match(line.strip())]
    return [(kind, key, rest.split('"')[1].split('|') if kind == 'ENUM' else [part.strip() for part in rest.split(',')[:2]])
            for kind, key, rest in keys if re.search(options.keys, key)]


def values(gpu, options):
    """[(key, value)]"""
    found = []
    for kind, key, words in all_keys(options):
        if kind == 'ENUM':
            found += [(key, name) for name in words]
            continue
        low, high = words
        second = [str(int(low) + 1)] if kind == 'INT' and not options.ends and int(low) + 1 < int(high) else []
        inner = between(gpu, key, kind, float(low), float(high), options.between)
        found += [(key, value) for value in dict.fromkeys([low, *second, *inner, high])]
    return found


def drawn(draw, kind, words):
    """Any value of a key. Each size of number is as likely as another, and half of all are powers of two."""
    if kind == 'ENUM':
        return draw.choice(words)
    low, high = (float(word) for word in words)
    value = math.exp(draw.uniform(math.log(low + 1), math.log(high + 1))) - 1
    if draw.random() < 0.5 and value > 0:
        value = 2.0 ** round(math.log2(value))
    value = min(max(value, low), high)
    return f'{value:.6g}' if kind == 'REAL' else str(round(value))


def random_settings(options):
    """[(gpu, policy, ((key, value), ...))]"""
    draw, keys, found = random.Random(options.seed), all_keys(options), []
    policies = ['baseline']
    if options.policies:
        listed = subprocess.run([os.path.join(options.build, 'bin', 'heddle'), 'policies', '--json'], check=True,
                                capture_output=True, text=True).stdout
        policies = [policy['name'] for policy in json.loads(listed)]
    for _ in range(options.random):
        chosen = draw.sample(keys, draw.randint(2, 8))
        found.append((draw.choice(gpus(options)), draw.choice(policies),
                      tuple((key, drawn(draw, kind, words)) for kind, key, words in chosen)))
    return found


def gpus(options):
    if options.gpu == ['all']:
        names = os.listdir(os.path.join(options.build, 'share', 'heddle', 'gpus'))
        return sorted(name[:-4] for name in names if name.endswith('.ini'))
    return options.gpu or ['v100']


def part(text):
    """K/N as the slice of a list."""
    first, every = (int(word) for word in text.split('/'))
    if not 1 <= first <= every:
        raise ValueError(text)
    return slice(first - 1, None, every)


def verdict(command):
    """(whether it ran to its end, None or what is wrong with it)"""
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False, f'has not ended after {SECONDS} s'
    last = (run.stderr.strip().splitlines() or [''])[-1]
    if run.returncode < 0 or run.returncode > 128:
        return False, f'ended by a signal (status {run.returncode}): {last}'
    if STUCK.search(run.stderr):
        return False, STUCK.search(run.stderr).group(0) + ': ' + run.stderr.strip().splitlines()[0]
    if run.returncode == 0:
        return True, None
    refused = 'error:' in run.stderr and run.returncode in (2, 3, 4)
    return False, None if refused else f'status {run.returncode}: {run.stdout}{last}'


def verdicts(command, group):
    """[(point, its verdict)] of points that differ in their settings alone; where all run in one, those run."""
    (gpu, policy, _), *_ = group
    together = [pair for *_, settings in group for pair in settings]
    if 1 < len(group) == len(dict(together)) and verdict(command(gpu, policy, together))[0]:
        return [(point, (True, None)) for point in group]
    return [(point, verdict(command(*point))) for point in group]


def groups(points, size):
    """Points of one GPU each, far from each other in the list, so that hardly any two are of one key."""
    for gpu in dict.fromkeys(point[0] for point in points):
        own = [point for point in points if point[0] == gpu]
        count = math.ceil(len(own) / size)
        yield from (own[first::count] for first in range(count))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--gpu', action='append', help='default: v100; all: each; may be repeated')
    parser.add_argument('--set', action='append', default=[], help='for all runs; may be repeated')
    parser.add_argument('--ends', action='store_true', help='least and greatest values alone')
    parser.add_argument('--between', type=int, default=0, metavar='N', help='and N values in the range')
    parser.add_argument('--keys', default='', help='only those that match')
    parser.add_argument('--random', type=int, metavar='N', help='N runs of several keys at once')
    parser.add_argument('--seed', default='1', help='of --random')
    parser.add_argument('--policies', action='store_true', help='with --random: each run under some policy')
    parser.add_argument('--part', type=part, default='1/1', metavar='K/N', help='every Nth run, from the Kth on')
    parser.add_argument('--together', type=int, default=1, metavar='N', help='N values in a run')
    parser.add_argument('program', nargs='?')
    options = parser.parse_args()
    if options.together < 1:
        parser.error('--together N is 1 or more')
    if options.random and options.together > 1:
        parser.error('--together is not for --random, of which each run has several keys')
    program = options.program or os.path.join(options.build, 'sweep')
    if options.program:
        program = os.path.abspath(program)
    else:
        subprocess.run([os.path.join(options.build, 'bin', 'heddle-cc'), '-O2', '-o', program,
                        os.path.join(ROOT, 'test', 'e2e', 'Inputs', 'sweep.cu')], check=True)
    always = [word for setting in options.set for word in ('--set', setting)]
    if options.random:
        points = random_settings(options)
    else:
        points = [(gpu, 'baseline', (setting,)) for gpu in gpus(options) for setting in values(gpu, options)]
    points = points[options.part]
    heddle = [os.path.join(options.build, 'bin', 'heddle'), 'run', '--quiet', '--threads', '1', '--max-cycles', str(CYCLES)]

    def command(gpu, policy, settings):
        return [*heddle, '--gpu', gpu, '--policy', policy, *always,
                *(word for key, value in settings for word in ('--set', f'{key}={value}')), '--', program]

    bad = ran = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        found = pool.map(lambda group: verdicts(command, group), groups(points, options.together))
        for (gpu, policy, settings), (ended, wrong) in itertools.chain.from_iterable(found):
            ran += ended
            if wrong:
                bad += 1
                under = f' under {policy}' if policy != 'baseline' else ''
                print(f'{gpu}{under}, {", ".join(f"{key}={value}" for key, value in settings)}: {wrong}', flush=True)
    if options.random:
        print(f'{ran} runs end with right results')
    print(f'{len(points)} {"runs" if options.random else "values"}, {bad} of them neither run nor are refused')
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
