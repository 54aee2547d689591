"""explain.py STATS.json EXPLAINED.json: the rows are those of the statistics, and add up to the difference in cycles."""
import json
import sys

stats, explained = (json.load(open(f, encoding='utf-8')) for f in sys.argv[1:])
runs = stats['runs'][:2]
cycles = [run['total']['cycles'] for run in runs]
slots = [sum(count for reason, count in run['total']['stalls'].items() if reason != 'idle') for run in runs]
per_slot = sum(c / s for c, s in zip(cycles, slots)) / 2
rows = {(row['place'], row['reason']): row for row in explained['rows']}
assert len(rows) == len(explained['rows'])
lost = {}
for which, run in enumerate(runs):
    for row in run['slots']['lines']:
        place = f"{row['file']}:{row['line']}" if 'file' in row else f"{row['function']} (no line known)"
        for reason, count in row['stalls'].items():
            lost.setdefault((place, reason), [0, 0])[which] += count
for key, counts in lost.items():
    row = rows.pop(key)
    assert all(abs(row[side] - count * per_slot) < 1e-6 * max(1, row[side]) for side, count in zip('ab', counts)), row
    assert abs(row['change'] - (row['b'] - row['a'])) < 1e-6
# One row is left: how many schedulers had a warp at a time. What they did not do together is what it carries.
(place, reason), row = rows.popitem()
assert not rows and reason == '-'
assert place == f'schedulers with a warp at a time: {slots[0] / cycles[0]:.1f} in A, {slots[1] / cycles[1]:.1f} in B', place
for side, count in zip('ab', cycles):
    assert abs(sum(r[side] for r in explained['rows']) - count) < 1e-6 * count
changes = [abs(row['change']) for row in explained['rows']]
assert changes == sorted(changes, reverse=True)
assert abs(sum(row['change'] for row in explained['rows']) - (cycles[1] - cycles[0])) < 1e-5
print(f'{len(lost)} rows as the statistics have them, {cycles[1] - cycles[0]:+} cycles')
