"""holders.py STATS.json EXPLAINED.json: slots lost for a unit belong to what is in it, as often as its degree says.

A load of shared memory with 32 conflicts has the load/store unit for 32 cycles, in which each of the 4 schedulers of a
V100 loses its slot unless it issues something or waits for something else. The load behind it has the unit for
lsu_interval cycles. A DFMA has its unit for ii_fp64 cycles, the first of which is its own issue.
"""
import json
import sys

SCHEDULERS, WARPS, LOADS = 4, 32, 64

with open(sys.argv[1], encoding='utf-8') as file:
    stats = json.load(file)
with open(sys.argv[2], encoding='utf-8') as file:
    explained = json.load(file)
rows = {f"{row['function']}+{row['pc']:#x}": row for row in stats['slots']['instructions']}
with open('holders.cu', encoding='utf-8') as file:
    lines = [line.rstrip() for line in file]
line = {word: next(i + 1 for i, text in enumerate(lines) if text.endswith(f'// {word}')) for word in ('32-way', 'none', 'double')}

held, spent, issued = {}, {}, {}
for name, row in rows.items():
    for holder, slots in row.get('holders', {}).items():
        at = rows[holder]['line'] if holder in rows and 'line' in rows[holder] else None
        held[at] = held.get(at, 0) + slots
        spent[holder] = spent.get(holder, 0) + slots
        if row['text'].startswith(('DFMA', 'DADD')):
            assert rows[holder]['text'].startswith(('DFMA', 'DADD')), (row['text'], rows[holder]['text'])
    for reason, slots in row['stalls'].items():
        if row['function'].startswith('_Z8conflict') and reason != 'unit':
            issued[reason] = issued.get(reason, 0) + slots

most = SCHEDULERS * WARPS * LOADS * 32
assert most - sum(issued.values()) <= held[line['32-way']] <= most, (held, most, issued)
assert held[line['none']] <= SCHEDULERS * WARPS * LOADS * stats['config']['lsu_interval'], held
interval = stats['config']['ii_fp64']
for name, slots in spent.items():
    if rows[name]['text'].startswith(('DFMA', 'DADD')):
        assert slots <= (interval - 1) * rows[name]['stalls']['issued'], (name, slots)

# The same in what explain prints: what waits behind the conflicts waits for them.
behind, = [row for row in explained['rows'] if row['place'] == f"holders.cu:{line['none']}" and row['reason'] == 'unit']
conflicts = sum(cause['slots'] for cause in behind['for'] if cause['place'] == f"holders.cu:{line['32-way']}")
assert conflicts > 0.9 * behind['slots'], (conflicts, behind['slots'])
assert sum(row['slots'] for row in explained['rows']) == explained['lost']
total = stats['total']['stalls']
assert explained['lost'] == sum(total.values()) - total['issued'] - total['idle'], explained['lost']
assert explained['slots'] == sum(total.values()) - total['idle']
for row in explained['rows']:
    assert sum(cause['slots'] for cause in row['for']) <= row['slots']
print(f"{held[line['32-way']]} slots of {most} are of the conflicts")
