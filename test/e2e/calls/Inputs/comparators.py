"""comparators.py HEDDLE-CC HEDDLE EXAMPLES FOLDER NAME[:SIZES] [GPU]: a call-heavy workload of workloads.txt at its sizes for tests,
under CARS and all that it is compared with, on the GPUs of the paper or on one of them.

Each run checks itself under --verify and must print what the baseline's prints; then the counters are held against what
each configuration promises. Of each GPU there are two SMs with half the registers, so that a small grid fills them:
warps wait, stacks overflow, and half of the SMs is one of each. Ends with what was seen, for the test to look at.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

GPUS = {'v100': 2, 'rtx3070': 2}  # L2 slices of a DRAM channel
PART = {'sm_count': 2, 'dram_channels': 1, 'registers': 32768}
LIMITS = (1, 2, 3, 4, 8, 16)
PORTS = (1, 2, 4, 8)
CARS = ('cars', 'cars:1', 'cars:low', 'cars:high')
POLICIES = ('baseline', *CARS, 'vw', 'all-hit', *(f'swl:{n}' for n in LIMITS))
# Kernels of these go on until nothing changes, or number what they make: how much they do depends on the order of warps.
ORDERED = ('pointsto', 'refine', 'mst', 'sssp')
RECURSIVE = ('fib',)
# What a program does, however long it takes.
WORK = ('ctas', 'warps', 'barriers', 'calls', 'divergent_branches', 'callee_saves', 'callee_restores', 'spill_stores',
        'spill_loads', 'l1d_global', 'l1d_other_local', 'shared_accesses')


class Failure(Exception):
    pass


def expect(holds, *what):
    if not holds:
        raise Failure(' '.join(str(part) for part in what))


def call(command):
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, *command, 'ended with', done.returncode, '\n' + done.stdout + done.stderr)
    return done.stdout


def build(compiler, sources, program):
    options = ['-DCALLS_INLINE'] if program.endswith('.lto') else []
    objects = []
    for source in sorted(glob.glob(os.path.join(sources, '*.cu'))):
        objects.append(os.path.basename(source)[:-3] + '.o')
        call([compiler, '-O2', '-Xcompiler', '-O0', *options, '-dc', '-o', objects[-1], source])
    call([compiler, '-O2', *(['-dlto'] if options else []), '-o', program, *objects])


class Workload:
    """Runs a program, and keeps what it should print."""

    def __init__(self, heddle, name, program, sizes):
        self.heddle, self.name, self.program, self.sizes, self.printed = heddle, name, program, sizes, None

    def run(self, gpu, policies, suffix='', **settings):
        """The statistics of each policy."""
        settings = {**PART, 'l2_slices': GPUS[gpu], **settings}
        options = [text for key, value in settings.items() for text in ('--set', f'{key}={value}')]
        options += [text for policy in policies for text in ('--policy', policy)]
        lines = call([self.heddle, 'run', '--verify', '--quiet', '--gpu', gpu, *options, '--stats', 'stats.json', '--',
                      './' + self.program + suffix, *self.sizes]).splitlines()
        for line in lines:
            # Rounds, and what is allocated in them, depend on the order of warps as well.
            settled = re.sub(r', \d+ (rounds|chunks)\b', '', line)
            self.printed = self.printed or settled
            expect(settled == self.printed and ': PASSED' in line, gpu, policies, settings, 'printed', line, 'not', self.printed)
        expect(len(lines) == len(policies), 'there are', len(lines), 'lines, for', policies)
        with open('stats.json') as file:
            runs = json.load(file)
        return {run['policy']: run for run in runs.get('runs', [runs])}


def check_sums(run):
    total = run['total']
    expect(total['l1d_accesses'] == total['l1d_hits'] + total['l1d_pending_hits'] + total['l1d_misses'], 'L1 outcomes')
    expect(total['l1d_accesses'] == total['l1d_spill_fill'] + total['l1d_global'] + total['l1d_other_local'], 'L1 kinds')
    expect(total['l1d_spill_fill_misses'] <= min(total['l1d_misses'], total['l1d_spill_fill']), 'misses of spills')


def check_work(name, base, run):
    if name in ORDERED:
        return
    for key in WORK:
        expect(run['total'][key] == base['total'][key], key, 'is', run['total'][key], 'not', base['total'][key])


def bits_for(values):
    return (values - 1).bit_length()


def check_cars(name, run):
    total, cars, config = run['total'], run['total']['cars'], run['config']
    warps, rows = config['max_warps'], config['registers'] // 32
    bits = warps * (bits_for(warps) + bits_for(rows // warps) + 2 * bits_for(rows))
    expect(cars['storage'] == bits / 8, 'storage', cars['storage'], 'not', bits / 8)
    expect(cars['calls'] == total['calls'], 'calls')
    if not cars['unrenamed_calls']:
        expect((cars['pushes'], cars['pops']) == (total['callee_saves'], total['callee_restores']), 'pushes and pops')
        expect(total['l1d_spill_fill'] >= total['injected'], 'accesses of traps')
    expect(total['micro_operations'] == cars['calls'] - cars['unrenamed_calls'], 'pushes of RFP')
    moved = cars['spilled_bytes'] + cars['filled_bytes'] + cars['switched_bytes']
    expect((moved > 0) == (total['injected'] > 0) == (cars['traps'] + cars['switches'] > 0), 'traps move rows')
    expect(cars['filled_bytes'] <= cars['spilled_bytes'], 'filled what was not spilled')
    expect(not cars['switches'] or total['barriers'], 'switches without barriers')
    if run['policy'] == 'cars:high' and name not in RECURSIVE:
        expect(not cars['traps'], cars['traps'], 'traps with High')
    if run['policy'] in ('cars:1', 'cars:low'):
        expect(not cars['stalled_warps'], cars['stalled_warps'], 'warps without registers with Low')


def check_policies(name, runs):
    base = runs['baseline']
    for policy, run in runs.items():
        check_sums(run)
        check_work(name, base, run)
        if policy in CARS:
            check_cars(name, run)
        if policy.startswith('swl:'):
            most, limit = run['total']['swl']['most_warps'], int(policy[4:])
            expect(0 < most <= limit, policy, 'let', most, 'warps issue')
            expect(most == min(limit, 2) or limit > 2, policy, 'let only', most, 'warps issue')
    hit = runs['all-hit']['total']
    expect(not hit['l1d_spill_fill_misses'] and hit['l1d_hits'] >= hit['l1d_spill_fill'], 'misses of spills in all-hit')
    for mine, theirs in zip(runs['vw']['launches'], base['launches']):
        expect(mine['resident_ctas'] >= theirs['resident_ctas'], 'virtual warps have fewer blocks in', mine['kernel'])


def check_caches(workload, gpu, runs):
    run = workload.run(gpu, ('baseline',), l1_bytes=10 << 20)['baseline']
    check_sums(run)
    check_work(workload.name, runs['baseline'], run)
    small, large = runs['baseline']['total'], run['total']
    if workload.name not in ORDERED:
        expect(large['l1d_misses'] <= small['l1d_misses'], large['l1d_misses'], 'misses of 10 MB, of less', small['l1d_misses'])
    waits = {'baseline': [], 'cars': []}
    for ports in PORTS:
        for policy, run in workload.run(gpu, waits, l1_ports=ports).items():
            check_sums(run)
            check_work(workload.name, runs[policy], run)
            waits[policy].append(run['total']['l1d_port_stalls'])
            if ports == 1:
                expect(run['total'] == runs[policy]['total'], policy, 'is not the same twice')
    for policy, cycles in waits.items():
        falls = all(wide <= narrow for narrow, wide in zip(cycles, cycles[1:]))
        expect(falls or workload.name in ORDERED, policy, 'waits for 1, 2, 4, 8 ports:', cycles)


def check_inlined(workload, gpu, runs):
    for policy, run in workload.run(gpu, ('baseline', 'cars'), '.lto').items():
        check_sums(run)
        expect(run['total']['calls'] < runs[policy]['total']['calls'] or workload.name in RECURSIVE, 'calls, inlined')
        if policy == 'cars':
            check_cars(workload.name, run)


def main():
    compiler, heddle, examples, folder, name, *gpus = sys.argv[1:]
    name, _, own = name.partition(':')
    sources = os.path.join(examples, 'calls')
    with open(os.path.join(examples, 'workloads.txt')) as file:
        source, sizes = next(line.split()[1:3] for line in file if line.split()[:1] == [name])
    program = os.path.basename(source)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    for output in (program, program + '.lto'):
        build(compiler, os.path.join(sources, program), output)
    workload, seen = Workload(heddle, name, program, (own or sizes).split(',')), dict.fromkeys(('traps', 'stalled_warps', 'switches'), 0)
    for gpu in gpus or GPUS:
        try:
            runs = workload.run(gpu, POLICIES)
            check_policies(name, runs)
            if gpu == 'v100': # sizes and ports of L1 are of the configuration, not of the card
                check_caches(workload, gpu, runs)
            check_inlined(workload, gpu, runs)
        except Failure as failure:
            sys.exit(f'{name} on {gpu}: {failure}')
        for key in seen:
            seen[key] += sum(int(runs[policy]['total']['cars'][key]) for policy in CARS)
    print(f'{name}: compared, ' + ', '.join(f'{key} {value}' for key, value in seen.items()))


if __name__ == '__main__':
    main()
