#!/usr/bin/python3
"""Compares what two builds of Heddle make of the same programs, byte for byte.

    scripts/compare_builds.py OLD NEW [--seeds N] [--first N] [--sources FOLDER] [--no-run]

OLD and NEW are build trees (build, or another checkout's build). Each compiles all examples and N seeds of the fuzz
test's random kernels (NEW's generator), and runs those that take no more than a small size; kernel objects, metadata
and statistics are compared, but for what states the host's time and memory. For changes that are to leave behaviour as
it is. Prints each difference; exit status 1 when there is one.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LLVM = subprocess.check_output(['llvm-config-' + os.environ.get('HEDDLE_LLVM', '19'), '--bindir'], text=True).strip()
POLICIES = ['baseline', 'cars', 'r2d2', 'r2d2-functional', 'swl:4', 'preempt', 'duet', 'ltrf-plus', 'malekeh', 'rfc']
COLLECTORS = {'ltrf-plus', 'malekeh', 'rfc'}  # need a GPU that has operand collectors
LIMIT = 600  # seconds that a step may take
os.environ['HEDDLE_THREADS'] = '1'  # steps run beside each other


class Failed(Exception):
    pass


def execute(command, folder):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=LIMIT)
    if done.returncode:
        raise Failed(f'{" ".join(command[:2])} ...: exit status {done.returncode}\n{done.stdout.decode(errors="replace")[-800:]}')


def without_host(path):
    """Statistics without what depends on the host: rewritten in place."""
    if not os.path.exists(path):
        return
    with open(path, encoding='utf-8') as file:
        stats = json.load(file)

    def strip(value):
        if isinstance(value, dict):
            return {key: strip(part) for key, part in value.items() if key != 'host'}
        return [strip(part) for part in value] if isinstance(value, list) else value
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(strip(stats), file, indent=1)


def workloads(folder):
    """Programs with the arguments of their tests: (name, sources, arguments)."""
    with open(os.path.join(folder, 'workloads.txt'), encoding='utf-8') as file:
        rows = [line.split() for line in file if line.strip() and line[0] != '#']
    for source, arguments in {row[1]: row[2].split(',') for row in reversed(rows)}.items():
        path, name = os.path.join(folder, source), source.removesuffix('.cu').replace('/', '-')
        yield name, [path] if os.path.isfile(path) else sorted(glob.glob(os.path.join(path, '*.cu'))), arguments


def example(build, folder, case, options):
    name, sources, arguments = case
    compiler = os.path.join(build, 'bin', 'heddle-cc')
    objects = []
    for source in sources:
        base = f'{name}-{os.path.basename(source)[:-3]}'
        execute([compiler, '-O2', '-dc', '-keep', '-o', base + '.o', source], folder)
        objects.append(base + '.o')
    execute([compiler, '-O2', '-keep', '-o', name] + objects, folder)
    if not options.no_run:
        for policy in POLICIES:
            stats = os.path.join(folder, f'{name}.{policy}.stats.json')
            gpu = 'rtx2060-third' if policy in COLLECTORS else 'v100'
            execute([os.path.join(build, 'bin', 'heddle'), 'run', '--quiet', '--gpu', gpu, '--policy', policy,
                     '--stats', stats, '--', './' + name] + arguments, folder)
            without_host(stats)


def seed(build, folder, case, options):
    prefix = f'seed{case}'
    generator = os.path.join(options.new, 'test', 'fuzz', 'heddle-generate')
    execute([generator, str(case), prefix], folder)
    level = ['', 'default<O3>,', 'function(reg2mem),'][case % 3]
    keys = ['', 'linear=always;', 'maxrregcount=24;', 'uniform=always;', 'ipra;'][case % 5]
    try:
        execute([os.path.join(LLVM, 'opt'), f'-load-pass-plugin={build}/lib/HeddlePasses.so', '-S',
                 '-o', prefix + '.annotated.ll', f'-passes={level}heddle<{keys}o={prefix}>', prefix + '.ll'], folder)
    except Failed as failure: # refused by both alike, or a difference
        with open(os.path.join(folder, prefix + '.refused'), 'w', encoding='utf-8') as file:
            file.write(str(failure).replace(build, 'BUILD'))
        return
    if not options.no_run:
        stats = os.path.join(folder, prefix + '.stats.json')
        execute([os.path.join(build, 'bin', 'heddle'), 'run', '--quiet', '--kernel', 'k', '--launch', prefix + '.ini',
                 '--stats', stats, prefix + '.hdo'], folder)
        without_host(stats)


COMPARED = ('.hdo', '.json', '.ll', '.refused')


def contents(path):
    """The bytes of a file; of IR without the first line, which names a temporary file."""
    with open(path, 'rb') as file:
        return file.read() if not path.endswith('.ll') else file.read().split(b'\n', 1)[-1]


def compare(old, new):
    """Names that differ or that one side lacks."""
    found = []
    names = {name for folder in (old, new) for name in os.listdir(folder) if name.endswith(COMPARED)}
    for name in sorted(names):
        left, right = os.path.join(old, name), os.path.join(new, name)
        if not (os.path.exists(left) and os.path.exists(right)):
            found.append(f'{name}: only one build made it')
        elif contents(left) != contents(right):
            found.append(f'{name}: differs')
    return found, len(names)


def make(options, side, tasks):
    """Everything that one build makes, each case in a folder of its own. Returns the failures by case.

    Outputs name files of the build that made them (headers, libraries), so that both builds stand in one place in turn.
    """
    build = os.path.join(options.work, 'build')
    shutil.rmtree(build, ignore_errors=True)
    for part in ('bin', 'lib', 'share'):
        shutil.copytree(os.path.join(getattr(options, side), part), os.path.join(build, part), symlinks=True)
    cases = os.path.join(options.work, 'cases')
    os.mkdir(cases)

    def run(task):
        action, case = task
        folder = os.path.join(cases, case_name(case))
        os.mkdir(folder)
        try:
            action(build, folder, case, options)
        except (Failed, subprocess.TimeoutExpired) as failure:
            return f'{side}: {failure}'
        return None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = list(pool.map(run, tasks))
    os.rename(cases, os.path.join(options.work, side))
    return failures


def case_name(case):
    return f'seed{case}' if isinstance(case, int) else case[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('old')
    parser.add_argument('new')
    parser.add_argument('--seeds', type=int, default=500)
    parser.add_argument('--first', type=int, default=1, help='the first seed')
    parser.add_argument('--sources', default=os.path.join(ROOT, 'examples'), help='folder of examples')
    parser.add_argument('--no-run', action='store_true', help='compare objects and metadata only')
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.old, options.new = os.path.abspath(options.old), os.path.abspath(options.new)
    options.work = tempfile.mkdtemp(prefix='heddle-compare-')
    tasks = [(example, case) for case in workloads(options.sources)]
    tasks += [(seed, case) for case in range(options.first, options.first + options.seeds)]
    differences = files = 0
    try:
        failures = [make(options, side, tasks) for side in ('old', 'new')]
        for (_, case), *failed in zip(tasks, *failures):
            found, count = compare(*(os.path.join(options.work, side, case_name(case)) for side in ('old', 'new')))
            found += [text for text in failed if text]
            files += count
            differences += len(found)
            for text in found:
                print(f'{case_name(case)}: {text}', flush=True)
    finally:
        shutil.rmtree(options.work, ignore_errors=True)
    print(f'{files} files compared, {differences} differences')
    return 1 if differences or not files else 0


if __name__ == '__main__':
    sys.exit(main())
