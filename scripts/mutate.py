#!/usr/bin/python3
"""Which small errors do the tests miss? Changes lib, passes and runtime one token at a time and runs the tests.

    make check-mutants MUTANTS_FLAGS="--rooms passes/analysis,runtime/sm --count 25"

A sample of each room's mutants (mutants.py makes them; the same seed gives the same sample) is compiled in a copy of
the tree under build/mutants. One whose object code is the original's, debug information aside, is no mutant. The
others meet the tests, those first that are near and quick: unit programs that hold the object, lit and golden tests
that run what is linked with it, then the programs of test/e2e that the table below names for the room. The first failure
kills, as do a test and a mutant that do not end. A test of test/e2e kills only if it passes on the original right
afterwards, in the same copy: it may fail by the limits here, or by the load of other tests. With --tests lines mutants of
runtime and lib meet the unit programs
that run their line alone, without a copy of the tree (mutants_lines.py): seconds each. What survives that meets the tests
of --after one by one in a copy, the cheapest first.

What survives is a behaviour no test holds, or one nobody can see: those stand in test/mutants-same.txt with the reason
and are not counted. Ends with a table of the rooms, the survivors' lines, and status 1 when a room has more survivors
than --allow. Results: build/mutants/results.jsonl; --resume goes on there.
"""
import argparse
import collections
import ctypes
import filecmp
import hashlib
import itertools
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import mutants
import mutants_lines

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
B = os.environ.get('B', 'build')
LLVM = os.environ.get('HEDDLE_LLVM', '19')
HOME = os.path.join(ROOT, B, 'mutants')
RESULTS = os.path.join(HOME, 'results.jsonl')
SAME = os.path.join(ROOT, 'test', 'mutants-same.txt')
CASE_LIMIT = 120   # seconds for a unit case, and five times as many for a lit test
MEMORY = (2 << 40) + (1 << 39)  # address space of a process, which reserves the store (lib/store.c) and, up to twice, the GPU's memory, and
FILE_SIZE = 17 << 30  # what it may write: an error must not fill the machine, and the GPU's memory is a file (devmem.c)

# room: folders of test/lit that look at it first, tests of test/e2e that look at it last
ROOMS = {
    'lib': ('', 'errors kernel.test'),
    'lib/machine': ('lower', 'errors/objects.test kernel.test'),
    'lib/metadata': ('plugin', 'errors/objects.test diff'),
    'lib/object': ('plugin', 'errors/objects.test rdc'),
    'passes/affine': ('affine linear', 'linear.test check'),
    'passes/analysis': ('liveness preempt switch stackdepth intervals reuse', 'cars.test preempt-everywhere.test check remarks'),
    'passes/emit': ('lower plugin', 'kernel.test examples'),
    'passes/graph': ('lower uniformity', 'reconverge.test examples'),
    'passes/ir': ('uniformity affine', 'uniform.test examples'),
    'passes/legalize': ('lower', 'cover undefined.test'),
    'passes/linear': ('linear', 'linear.test programs/undefined.test'),
    'passes/mir': ('lower liveness', 'reconverge.test examples'),
    'passes/opt': ('lower', 'examples cover'),
    'passes/ptx': ('lower', 'cover/asm.test cover/asm-errors.ll simd.test'),
    'passes/regalloc': ('lower', 'examples programs/corners.test'),
    'passes/report': ('plugin', 'remarks check'),
    'passes/select': ('lower', 'cover examples'),
    'runtime/check': ('', 'check-sync.test check-init.test check-lanes.test check-heap.test check-race-global.test '
                          'check-correct.test'),
    'runtime/checkpoint': ('checkpoint', 'checkpoint.test'),
    'runtime/corun': ('grids', 'corun.test corun-programs.test'),
    'runtime/cudart': ('', 'runtime-api.test texture.test grids.test'),
    'runtime/exec': ('', 'cover warp-intrinsics.test reconverge.test'),
    'runtime/memory': ('', 'reserved.test async-copy.test bulk.test clusters.test texture-unit.test check/sectors.test '
                           'examples'),
    'runtime/policy': ('', 'cars.test cars-paths.test ccbp.test duet.test cars-duet.test ltrf.test malekeh.test r2d2.test '
                           'shuffle.test shares.test preempt.test grids.test combinations.test errors/unknown-names.test '
                           'calls/fib.test calls/comparators.test'),
    'runtime/gpu': ('', 'kernel.test grids.test errors'),
    'runtime/sampling': ('sampling', 'sampling.test'),
    'runtime/sim': ('', 'kernel.test trace.test grids.test streams.test records.test managed.test timeline copies.test '
                        'checkpoint.test refused-launches.test errors'),
    'runtime/sm': ('', 'examples/reduce.test groups.test grids.test cars.test accelsim.test barriers.test bulk.test '
                       'control.test dependence.test mbarrier.test policy-objects.test setmaxnreg.test wgmma.test '
                       'texture-unit.test errors/faults.test'),
    'runtime/watch': ('', 'trace.test kernel.test errors'),
    'runtime/verify': ('', 'linear.test errors/faults.test preempt-everywhere.test'),
}
# Tests of test/lit and test/golden that run something linked with a component.
RUNS = {'runtime': re.compile(r'%heddle(?!-cc)\b|%cudart|%check-golden'),
        'passes': re.compile(r'%plugin|%heddle|%opt|%check-golden'),
        'lib': re.compile(r'%plugin|%heddle|%cudart|%opt|%check-golden')}


# ---------------------------------------------------------------- processes

def become_subreaper():
    """What a killed test leaves behind becomes a child of this process."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def descendants():
    parents = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open(f'/proc/{name}/stat', encoding='utf-8', errors='replace') as file:
                    parents[int(name)] = int(file.read().rsplit(')', 1)[1].split()[1])
            except OSError:
                pass
    found = [os.getpid()]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def end_descendants():
    while True:
        alive = descendants()
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def end_with_all(*_):
    end_descendants()
    os._exit(1)


def limit_resources():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open('/proc/self/oom_score_adj', 'w', encoding='utf-8') as file:
        file.write('1000')  # when memory runs out, it is this process that goes


def run(command, tree, seconds, jobs):
    """(exit status, output); the status is None when the time was up."""
    # Of make's flags only variables, so that the copy is built as the checkout is.
    variables = os.environ.get('MAKEFLAGS', '').partition(' -- ')[2]
    return run_in(command, tree, tree, seconds, {'B': B, 'JOBS': str(jobs), 'MAKEFLAGS': ' -- ' + variables if variables else ''})


def run_here(command, folder, seconds, environment=None):
    """The same in the checkout itself; the output's file lies in the folder."""
    return run_in(command, ROOT, folder, seconds, environment or {})


def run_in(command, where, folder, seconds, environment):
    log = os.path.join(folder, 'mutate.log')
    with open(log, 'wb') as file:
        process = subprocess.Popen(command, cwd=where, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL,
                                   stdout=file, stderr=subprocess.STDOUT, preexec_fn=limit_resources)
        try:
            status = process.wait(timeout=max(seconds, 1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
    end_descendants()
    with open(log, encoding='utf-8', errors='replace') as file:
        return status, file.read()


def make(goals, tree, seconds, jobs):
    return run(['make', f'B={B}', f'-j{jobs}', *goals], tree, seconds, jobs)


# ---------------------------------------------------------------- the copy of the tree

def checkout_files():
    listed = subprocess.check_output(['git', 'ls-files', '-co', '--exclude-standard', '-z'], cwd=ROOT).decode()
    return sorted(path for path in listed.split('\0') if path and os.path.isfile(os.path.join(ROOT, path)))


def digest_of(paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(os.path.join(ROOT, path), 'rb') as file:
            digest.update(path.encode() + b'\0' + hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def copy_tree(tree, files, digest):
    """Sources and what is built of them, with their times, so that make finds nothing to do."""
    mark = os.path.join(tree, 'copied')
    if os.path.exists(mark) and open(mark, encoding='utf-8').read() == digest:
        return
    shutil.rmtree(tree, ignore_errors=True)
    for path in files:
        os.makedirs(os.path.join(tree, os.path.dirname(path)), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, path), os.path.join(tree, path), follow_symlinks=False)
    for name in os.listdir(os.path.join(ROOT, B)):
        source, target = os.path.join(ROOT, B, name), os.path.join(tree, B, name)
        if name == 'flags':
            shutil.copy2(source, target)
        elif name in ('bin', 'lib', 'obj', 'share', 'include', 'test'):
            shutil.copytree(source, target, symlinks=True,
                            ignore=shutil.ignore_patterns('out', 'tmp', '*.tap', 'bench'))
    with open(mark, 'w', encoding='utf-8') as file:
        file.write(digest)


# ---------------------------------------------------------------- which tests, in which order

def symbols(path):
    """Names of the functions and variables that an object or a program defines for others."""
    listed = subprocess.run([f'llvm-nm-{LLVM}', '--defined-only', path], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {line.split()[-1]: line.split()[-2] for line in listed.splitlines() if len(line.split()) >= 2}


def unit_programs(objects):
    """The unit programs that each object is linked into, by the object's own external symbols."""
    folder = os.path.join(ROOT, B, 'test', 'unit')
    names = sorted(name for name in os.listdir(folder) if re.fullmatch(r'test_\w+', name))
    held = {name: set(symbols(os.path.join(folder, name))) for name in names}
    found = {}
    for path in objects:
        own = {name for name, kind in symbols(object_of(ROOT, path)).items() if kind.isupper()}
        found[path] = [name for name in names if own & held[name]]
    return found


def words_of(name):
    return set(re.split(r'[_\W]', name)) - {'test', 'program', 'c', ''}


def near_and_far(path, programs):
    """The two programs, at most, whose names have the most words of the file's name or the room's, and the others."""
    words = words_of(os.path.splitext(os.path.basename(path))[0]) | words_of(os.path.basename(os.path.dirname(path)))
    ordered = sorted(programs, key=lambda name: (-len(words & words_of(name)), name))
    near = [name for name in ordered if words & words_of(name)][:2]
    return near, [name for name in ordered if name not in near]


def lit_tests(room):
    """Files of test/lit and test/golden that run something of the room, its own folders first."""
    first, _ = ROOMS[room]
    runs = RUNS[room.split('/')[0]]
    found = []
    for top in ('lit', 'golden'):
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, 'test', top))):
            if 'Inputs' in folder:
                continue
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith(('.ll', '.test', '.cu')) and runs.search(open(path, encoding='utf-8').read()):
                    found.append(os.path.relpath(path, ROOT))
    near = [path for path in found if path.split('/')[2] in first.split()]
    return near, [path for path in found if path not in near]


def e2e_tests(room):
    return ['test/e2e/' + name for name in ROOMS[room][1].split()]


def folders_of(path):
    """The folders that hold a path, nearest first."""
    while path := os.path.dirname(path):
        yield path


def object_of(tree, path):
    return os.path.join(tree, B, 'obj', os.path.splitext(path)[0] + '.o')


def test_command(tests):
    return ['test/run', '--fail-fast', '--limit', str(CASE_LIMIT), *tests]


def first_failure(output):
    match = re.search(r'^(?:FAIL|TIMEOUT): (?:heddle :: )?(\S+)', output, re.MULTILINE)
    return match.group(1) if match else output.strip().rsplit('\n', 1)[-1][:100]


# ---------------------------------------------------------------- one mutant

def stripped(source, target):
    subprocess.run([f'llvm-objcopy-{LLVM}', '--strip-debug', source, target], check=True)
    return target


def judge(mutant, text, tree, programs, options):
    """(verdict, by what): same, invalid, killed or survived."""
    room = os.path.dirname(mutant.path)
    jobs, end = options.cores, time.monotonic() + options.limit
    left = lambda: end - time.monotonic()
    target = object_of('', mutant.path)
    before = stripped(os.path.join(tree, target), os.path.join(tree, 'before.o'))
    if make([target], tree, left(), 1)[0] != 0:
        return 'invalid', 'compiler'
    if filecmp.cmp(before, stripped(os.path.join(tree, target), os.path.join(tree, 'after.o')), shallow=False):
        return 'same', 'object code'
    if options.after:
        return judge_after(mutant, text, tree, options)
    near, rest = lit_tests(room)
    stages = [*near_and_far(mutant.path, programs), near, rest, e2e_tests(room)]
    for number, tests in enumerate(stages[:{'unit': 2, 'fast': 4, 'all': 5}[options.tests]]):
        if not tests:
            continue
        goals = [f'{B}/test/unit/{name}' for name in tests] if number < 2 else ['all', 'fuzz', *(['programs'] if number > 3 else [])]
        status, output = make(goals, tree, left(), jobs)
        if status is not None and status != 0:
            status = make(goals, tree, left(), jobs)[0]
            if status != 0:
                return ('killed', 'what is built with it') if number >= 2 else ('invalid', 'linker')
        if status == 0 and number == 4:
            return judge_one_by_one(mutant, text, tree, tests, goals, options)
        if status == 0:
            status, output = run(test_command(tests), tree, left(), jobs)
        if status is None:
            return 'killed', 'time'
        if status != 0:
            return 'killed', first_failure(output)
    return 'survived', ''


def work(mutant, text, tree, programs, options):
    """Judges one mutant in a copy of the tree and puts the copy right again; returns its record."""
    path = os.path.join(tree, mutant.path)
    started = time.monotonic()
    with open(path, 'w', encoding='utf-8') as file:
        file.write(mutants.apply(mutant, text))
    try:
        verdict, by = judge(mutant, text, tree, programs, options)
    finally:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    status, output = make([object_of('', mutant.path)], tree, 600, 1)
    if status != 0:
        raise RuntimeError(f'{tree} cannot be put right: {output}')
    return record_of(mutant, text, verdict, by, started)


def work_by_lines(mutant, text, folder, programs, options):
    """As work, with the programs that run the mutant's line and, for what survives them, the tests of --after in a copy."""
    started = time.monotonic()
    wanted = options.lines.programs(mutant, programs, near_and_far(mutant.path, programs)[0])
    verdict, by = options.lines.judge(mutant, text, wanted, folder)
    if verdict == 'survived' and options.after:
        return work(mutant, text, os.path.join(HOME, 'tree-' + folder.rsplit('-', 1)[1]), programs, options)
    return record_of(mutant, text, verdict, by, started)


def judge_after(mutant, text, tree, options):
    """(verdict, by what) of a mutant whose object is compiled in the copy of the tree: the tests of --after, one by one."""
    room = os.path.dirname(mutant.path)
    tests = [*itertools.chain(*(e2e_tests(room) if test == 'room' else [test] for test in options.after))]
    goals = ['all', 'programs'] if any(is_whole(test) for test in tests) else ['all']
    if make(goals, tree, options.limit, options.cores)[0]:
        return 'killed', 'what is built with it'
    return judge_one_by_one(mutant, text, tree, tests, goals, options)


def is_whole(test):
    return test.startswith('test/e2e')


def tests_in(path):
    """The files of a folder of tests, or the file itself."""
    found = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(ROOT, path)) for name in names
             if name.endswith(('.test', '.ll', '.cu')) and 'Inputs' not in folder]
    return sorted(os.path.relpath(each, ROOT) for each in found) or [path]


def judge_one_by_one(mutant, text, tree, tests, goals, options):
    """Of a mutant that is built. Whole programs have the limits of their tests, others those of the mutant."""
    end, left = time.monotonic() + options.limit, list(tests)
    while left:
        test = left.pop(0)
        seconds = options.limit + 5 * CASE_LIMIT if is_whole(test) else end - time.monotonic()
        status, output = run(test_command([test]), tree, seconds, options.cores)
        if status == 0:
            continue
        by = 'time' if status is None else first_failure(output)
        failed = 'test/' + by if os.path.isfile(os.path.join(ROOT, 'test', by)) else test
        if not is_whole(test) or passes_on_original(mutant, text, tree, failed, goals, options):
            return 'killed', by
        print(f'{failed} fails on the original, too, and says nothing of {mutant.id}', flush=True)
        left[:0] = [each for each in tests_in(test) if failed not in (each, test)]
    return 'survived', ''


def passes_on_original(mutant, text, tree, test, goals, options):
    """Whether it does in the same copy, with the same limits and beside the same load; the mutant is there again afterwards."""
    status = None
    for content in (text, mutants.apply(mutant, text)):
        with open(os.path.join(tree, mutant.path), 'w', encoding='utf-8') as file:
            file.write(content)
        if make(goals, tree, 3600, options.cores)[0] != 0:
            raise RuntimeError(f'{tree} cannot be built with {"the original" if content == text else mutant.id}')
        if content == text:
            status, _ = run(test_command([test]), tree, options.limit + 5 * CASE_LIMIT, options.cores)
    return status == 0


def record_of(mutant, text, verdict, by, started):
    return {'id': mutant.id, 'path': mutant.path, 'line': mutant.line, 'kind': mutant.kind, 'verdict': verdict, 'by': by,
            'seconds': round(time.monotonic() - started, 1), 'diff': mutants.diff(mutant, text)}


def worker(tree, tasks, results, options):
    """Takes (mutant, text, unit programs) from a queue until None comes."""
    become_subreaper()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end_with_all)
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)  # sent when the master ends
    for mutant, text, programs in iter(tasks.get, None):
        try:
            results.put((work_by_lines if options.lines else work)(mutant, text, tree, programs, options))
        except Exception as error:  # the master ends the run
            results.put(error)
            return


# ---------------------------------------------------------------- the run

def rank(seed, mutant):
    return hashlib.sha256(f'{seed}:{mutant.id}'.encode()).digest()


# Files and functions of runtime/ that show, write or read something, check what others did, or warm the host's caches.
FOR_PEOPLE = re.compile(r'(^|_)(api|blame|checkpoint\w*|counts|dump|describe|explain|fault|figures?|format|inject|json|'
                        r'keeps_lost|keys|lost_positions|name|object|prefetch|print|profile|progress|put|recorder|report|'
                        r'record_(head|start|rest|launch|corun|end)|shares|show|text|trace|verify|watchdog|why_held|window_of|write_\w+|sampling_report)(_|$|\.c)')
FOR_PEOPLE_LINE = re.compile(r'printf|hd_(check|probe)_|hd_(tags|warp)_prefetch|hd_gpu_fault|hd_diag|verify|json_|error|'
                             r'add\(context|complain\(|write_record')
FUNCTION = re.compile(r'^(?:static )?[a-z][\w *]*?\b(\w+)\(', re.MULTILINE)


def is_for_people(mutant, text):
    """Whether the line is about something other than cycles and picojoules, as far as names tell."""
    start = text.rfind('\n', 0, mutant.start) + 1
    names = FUNCTION.findall(text, 0, mutant.start)
    return bool(FOR_PEOPLE.search(os.path.basename(mutant.path)) or (names and FOR_PEOPLE.search(names[-1])) or
                FOR_PEOPLE_LINE.search(text[start:text.find('\n', start)]))


def sources_of(room):
    """Its C files and those of its folders that are no rooms themselves; lib/device is code for the GPU."""
    found = []
    for folder, inside, names in os.walk(os.path.join(ROOT, room)):
        here = os.path.relpath(folder, ROOT)
        inside[:] = [name for name in inside if os.path.join(here, name) not in (*ROOMS, 'lib/device')]
        found += [os.path.join(here, name) for name in names if name.endswith('.c')]
    return sorted(found)


def sample(rooms, count, seed, timing=False, files=None):
    """{room: the first `count` of its mutants in an order that the seed decides}, and each file's text."""
    texts, chosen = {}, {}
    for room in rooms:
        found = []
        for path in sources_of(room):
            if files and path not in files:
                continue
            with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                texts[path] = file.read()
            found += [mutant for mutant in mutants.mutants_of(path, texts[path])
                      if not (timing and is_for_people(mutant, texts[path]))]
        found.sort(key=lambda mutant: rank(seed, mutant))
        chosen[room] = found[:count] if count else found
    return chosen, texts


def known_same():
    """{id: reason} of mutants that nobody can tell from the original."""
    known = {}
    if os.path.exists(SAME):
        with open(SAME, encoding='utf-8') as file:
            for line in file:
                if line.strip() and not line.startswith('#'):
                    name, reason = line.split(None, 1)
                    known[name] = reason.strip()
    return known


def earlier_results():
    if not os.path.exists(RESULTS):
        return {}
    with open(RESULTS, encoding='utf-8') as file:
        return {record['id']: record for record in map(json.loads, file)}


def check_original(tree, rooms, digest, options):
    """The tests have to pass on what is not changed; once for each state of the tree and set of rooms."""
    mark = os.path.join(HOME, 'original')
    tests = [test for test in options.after if test != 'room'] or ['test/unit']
    if options.tests in ('fast', 'all'):
        tests += ['test/lit', 'test/golden']
    if options.tests == 'all' or 'room' in options.after:
        found = {test for room in rooms for test in e2e_tests(room)}
        tests += sorted(test for test in found if not found & set(folders_of(test)))  # each once: two runs disturb each other
    state = digest + '\n' + '\n'.join(tests) + '\n'
    if os.path.exists(mark) and open(mark, encoding='utf-8').read() == state:
        return
    print('the original: ' + ' '.join(tests), flush=True)
    cores = os.cpu_count() or 1
    status, output = make(['all', *([] if options.after else ['unit', 'fuzz']), 'programs'], tree, 3600, cores)
    if status == 0:
        status, output = run(test_command(tests), tree, 3600, cores)
    if status != 0:
        sys.exit(f'mutate: error: tests fail on the original:\n{output[-3000:]}')
    with open(mark, 'w', encoding='utf-8') as file:
        file.write(state)


def prepare_lines(programs, options):
    lines = mutants_lines.Lines(ROOT, B, HOME, run_here)
    lines.prepare(programs)
    options.trees = [os.path.join(lines.folder, f'worker-{number}') for number in range(options.jobs)]
    for folder in options.trees:
        os.makedirs(folder)
    return lines


def judge_all(wanted, texts, programs, options):
    """Yields the record of each mutant as it is decided."""
    tasks, results = multiprocessing.Queue(), multiprocessing.Queue()
    for mutant in wanted:
        tasks.put((mutant, texts[mutant.path], programs[mutant.path]))
    workers = [multiprocessing.Process(target=worker, args=(tree, tasks, results, options)) for tree in options.trees]
    for process in workers:
        tasks.put(None)
        process.start()
    for _ in wanted:
        record = results.get()
        if isinstance(record, Exception):
            for process in workers:
                process.kill()
            raise record
        yield record
    for process in workers:
        process.join()


def percent(part, whole):
    return f'{100 * part / whole:.1f}' if whole else '-'


def report(chosen, records, known, texts):
    """The table and the survivors as text; {room: percentage of survivors}."""
    lines = ['| room | sample | run | not C | same | killed by unit | lit, golden | e2e | time | survived | % |',
             '|---|---|---|---|---|---|---|---|---|---|---|']
    survivors, shares = [], {}
    total = collections.Counter()
    for room, sampled in chosen.items():
        counts = collections.Counter()
        for mutant in sampled:
            counts['sample'] += 1
            record = records.get(mutant.id)
            if not record:
                continue
            counts['run'] += 1
            if record['verdict'] == 'killed':
                by = record['by']
                counts['e2e' if by.startswith('e2e/') else 'lit' if by.startswith(('lit/', 'golden/')) else
                       'time' if by == 'time' else 'unit'] += 1
            elif record['verdict'] == 'survived' and mutant.id not in known:
                counts['survived'] += 1
                survivors.append(f'{mutant.path}:{mutant.line}: {mutant.id}\n{mutants.diff(mutant, texts[mutant.path])}')
            else:
                counts['invalid' if record['verdict'] == 'invalid' else 'same'] += 1
        shares[room] = row(lines, room, counts)
        total += counts
    row(lines, 'all', total)
    return '\n'.join(lines + [''] + survivors) + '\n', shares


def row(lines, name, counts):
    """Adds a line of the table; returns the percentage of those that count which survived."""
    decided = counts['run'] - counts['invalid'] - counts['same']
    cells = [counts[key] for key in ('sample', 'run', 'invalid', 'same', 'unit', 'lit', 'e2e', 'time', 'survived')]
    lines.append(f'| {name} | ' + ' | '.join(map(str, cells)) + f' | {percent(counts["survived"], decided)} |')
    return 100 * counts['survived'] / decided if decided else 0


def rooms_of(text):
    rooms = [room.rstrip('/') for room in text.split(',')]
    for room in rooms:
        if room not in ROOMS:
            sys.exit(f'mutate: error: no room {room}; there are: {", ".join(ROOMS)}')
    return rooms


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--rooms', default=','.join(ROOMS), help='separated by commas (all)')
    parser.add_argument('--files', type=lambda text: text.split(','), help='of the rooms these files alone, separated by commas')
    parser.add_argument('--count', type=int, default=12, help='mutants of each room, 0 for all (12)')
    parser.add_argument('--seed', default='heddle', help='which ones')
    parser.add_argument('--only', action='append', metavar='ID', help='this mutant of --rooms; may be repeated')
    parser.add_argument('--list', action='store_true', help='print the sample and end')
    parser.add_argument('--jobs', type=int, default=max(1, (os.cpu_count() or 1) // 2), help='mutants at once')
    parser.add_argument('--limit', type=int, default=900, help='seconds for a mutant: it is killed when they are over; tests of '
                        'test/e2e have their own limits')
    parser.add_argument('--resume', action='store_true', help='keep what earlier runs decided')
    parser.add_argument('--survivors', action='store_true', help='as --resume, but run again what survived')
    parser.add_argument('--tests', choices=['lines', 'unit', 'fast', 'all'], default='all',
                        help='lines: unit programs that run the mutant\'s line, a second or two for a mutant of runtime or '
                             'lib; unit: unit tests only; fast: lit and golden, too; all: and the rooms\' programs (all)')
    parser.add_argument('--after', metavar='TESTS', type=lambda text: text.split(','), default=[],
                        help='with --tests lines: tests for what survives the unit programs, separated by commas, the '
                             'cheapest first; room: those of the room in test/e2e')
    parser.add_argument('--programs', metavar='NAMES', help='with --tests lines: these unit programs alone, separated by '
                        'commas; with --survivors those that have changed since')
    parser.add_argument('--timing', action='store_true',
                        help='leave out what shows or checks, to see what holds cycles and energy')
    parser.add_argument('--trust', action='store_true', help='the tests pass on the original: do not look')
    parser.add_argument('--allow', type=float, default=5, help='percentage that may survive in a room (5)')
    options = parser.parse_args()
    if options.after and options.tests != 'lines':
        sys.exit('mutate: error: --after goes with --tests lines')
    if not options.list and (options.after or options.tests in ('fast', 'all')):
        check_built()
    return options


def check_built():
    """Tests fail on what is not there, and would kill each mutant."""
    for path in ('bin/heddle', 'bin/heddle-cc', 'lib/libheddle-cudart.so', 'test/programs/vecadd', 'test/programs/linear/vecadd'):
        if not os.path.exists(os.path.join(ROOT, B, path)):
            sys.exit(f'mutate: error: no {B}/{path}: make all unit fuzz programs')


def main():
    options = arguments()
    rooms = rooms_of(options.rooms)
    if options.tests == 'lines' and any(room.startswith('passes') or room == 'runtime/cudart' for room in rooms):
        sys.exit('mutate: error: --tests lines is for rooms of lib and runtime, but for runtime/cudart')
    chosen, texts = sample(rooms, 0 if options.only else options.count, options.seed, options.timing,
                           options.files)
    if options.only:
        chosen = {room: [mutant for mutant in found if mutant.id in options.only] for room, found in chosen.items()}
        unknown = set(options.only) - {mutant.id for found in chosen.values() for mutant in found}
        if unknown:
            sys.exit(f'mutate: error: not in these rooms: {" ".join(sorted(unknown))}')
    # In turns, so that a run that is cut short has seen something of each room.
    everything = [mutant for each in itertools.zip_longest(*chosen.values()) for mutant in each if mutant]
    if options.list:
        for mutant in everything:
            print(f'{mutant.path}:{mutant.line}: {mutant.id}\n{mutants.diff(mutant, texts[mutant.path])}')
        return 0

    known = known_same()
    records = earlier_results() if options.resume or options.survivors else {}
    if options.survivors:
        records = {name: record for name, record in records.items() if record['verdict'] != 'survived'}
    wanted = [mutant for mutant in everything if mutant.id not in records and mutant.id not in known]
    records.update({name: {'verdict': 'survived'} for name in known})
    os.makedirs(HOME, exist_ok=True)
    files = checkout_files()
    digest = digest_of(files)
    options.jobs = max(1, min(options.jobs, len(wanted)))
    options.cores = max(1, (os.cpu_count() or 1) // options.jobs)
    options.trees = [os.path.join(HOME, f'tree-{number}') for number in range(options.jobs)]
    programs = unit_programs(sorted({mutant.path for mutant in wanted}))
    if options.programs:
        programs = {path: [name for name in names if name in options.programs.split(',')] for path, names in programs.items()}
    options.lines = prepare_lines(programs, options) if options.tests == 'lines' else None
    if wanted and (not options.lines or options.after):
        for number in range(options.jobs):
            copy_tree(os.path.join(HOME, f'tree-{number}'), files, digest)
        if not options.trust:
            check_original(os.path.join(HOME, 'tree-0'), rooms, digest, options)
    with open(RESULTS, 'a' if options.resume or options.survivors or options.only else 'w', encoding='utf-8') as file:
        for number, record in enumerate(judge_all(wanted, texts, programs, options), 1):
            records[record['id']] = record
            file.write(json.dumps(record) + '\n')
            file.flush()
            print(f'[{number}/{len(wanted)}] {record["verdict"]}: {record["path"]}:{record["line"]}: {record["id"]} '
                  f'({record["by"] + ", " if record["by"] else ""}{record["seconds"]} s)', flush=True)
    text, shares = report(chosen, records, known, texts)
    with open(os.path.join(HOME, 'report.md'), 'w', encoding='utf-8') as file:
        file.write(text)
    print(text, end='')
    return 1 if any(share > options.allow for share in shares.values()) else 0


if __name__ == '__main__':
    sys.exit(main())
