"""explain.py STATS.json:N STATS.json:N EXPLAINED.json [LINES]: the rows are those of runs N of the statistics, kernel by kernel where
kernels ran one after the other, and add up to the difference in cycles. LINES, as FROM-TO, cost the same in both."""
import json
import sys


def run_of(argument):
    path, _, index = argument.rpartition(':')
    with open(path, encoding='utf-8') as file:
        document = json.load(file)
    return document.get('runs', [document])[int(index)]


def busy_stalls(stalls):
    return {reason: count for reason, count in stalls.items() if reason != 'idle'}


def kernels_of(run):
    """Cycles and stalls of each kernel."""
    kernels = {}
    for launch in run['launches']:
        kernel = kernels.setdefault(launch['kernel'], {'cycles': 0, 'stalls': {}})
        kernel['cycles'] += launch['cycles']
        for reason, count in busy_stalls(launch['stalls']).items():
            kernel['stalls'][reason] = kernel['stalls'].get(reason, 0) + count
    return kernels


runs = [run_of(argument) for argument in sys.argv[1:3]]
explained = json.load(open(sys.argv[3], encoding='utf-8'))
cycles = [run['total']['cycles'] for run in runs]
apart = not any('shared' in launch for run in runs for launch in run['launches'])
kernels = [kernels_of(run) if apart else {'': {'cycles': run['total']['cycles'], 'stalls': busy_stalls(run['total']['stalls'])}} for run in runs]
names = sorted(set(kernels[0]) | set(kernels[1]))
slots = [{name: sum(of[name]['stalls'].values()) if name in of else 0 for name in names} for of in kernels]
rates = {name: [of[name]['cycles'] / count[name] for of, count in zip(kernels, slots) if name in of] for name in names}
per_slot = {name: sum(each) / len(each) for name, each in rates.items()}

expected = {}
for which, run in enumerate(runs):
    left = {name: dict(kernel['stalls']) for name, kernel in kernels[which].items()}
    names_of = run['slots']['kernels']
    for row in run['slots']['lines']:
        place = f"{row['file']}:{row['line']}" if 'file' in row else f"{row['function']} (no line known)"
        pieces = row.get('kernels') or {names_of[row['function']]: row['stalls']}
        for reason, count in row['stalls'].items():
            assert sum(stalls.get(reason, 0) for stalls in pieces.values()) == count, row
        for kernel, stalls in pieces.items():
            kernel = kernel if apart else ''
            for reason, count in stalls.items():
                left[kernel][reason] -= count
                expected.setdefault((place, reason), [0, 0])[which] += count * per_slot[kernel]
    # The slots of each kernel are those of the lines that its warps ran.
    assert not any(count for stalls in left.values() for count in stalls.values()), left

rows = {(row['place'], row['reason']): row for row in explained['rows']}
assert len(rows) == len(explained['rows'])
for key, counts in expected.items():
    row = rows.pop(key)
    assert all(abs(row[side] - count) < 1e-6 * max(1, row[side]) for side, count in zip('ab', counts)), (row, counts)
    assert abs(row['change'] - (row['b'] - row['a'])) < 1e-6
# A row of each kernel is left: how many schedulers had a warp at a time. What they did not do together is what it carries.
for name in names:
    busy = [count[name] / of[name]['cycles'] if name in of else 0 for count, of in zip(slots, kernels)]
    label = f'schedulers with a warp at a time: {busy[0]:.1f} in A, {busy[1]:.1f} in B' + (f' ({name})' if len(names) > 1 else '')
    row = rows.pop((label, '-'))
    for side, of, count in zip('ab', kernels, slots):
        assert abs(row[side] - (of[name]['cycles'] if name in of else 0) + count[name] * per_slot[name]) < 1e-6 * max(cycles), row
assert not rows, rows
for side, count in zip('ab', cycles):
    assert abs(sum(r[side] for r in explained['rows']) - count) < 1e-6 * count
changes = [abs(row['change']) for row in explained['rows']]
assert changes == sorted(changes, reverse=True)
assert abs(sum(row['change'] for row in explained['rows']) - (cycles[1] - cycles[0])) < 1e-5
if len(sys.argv) > 4:
    first, last = map(int, sys.argv[4].split('-'))
    same = [row for row in explained['rows'] if '.cu:' in row['place'] and first <= int(row['place'].rpartition(':')[2]) <= last]
    assert same and all(row['a'] > 0 and row['change'] == 0 for row in same), same
if apart:
    assert {k['kernel']: (k['a'], k['b']) for k in explained['kernels']} == \
        {name: tuple(of[name]['cycles'] if name in of else 0 for of in kernels) for name in names}
print(f"{len(expected)} rows and {len(explained['kernels'])} kernels as the statistics have them, {cycles[1] - cycles[0]:+} cycles")
