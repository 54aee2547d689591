"""slots.py PLAIN.json PLACES.json [SOURCE]: counts of slots by line and instruction add up to the counters.

PLAIN.json is of the same run without them: nothing else differs. With SOURCE, what its comments name is where it belongs,
and all that was lost for a unit has an instruction in that unit.
"""
import json
import sys


def read(path):
    with open(path, encoding='utf-8') as file:
        document = json.load(file)
    document.pop('host')
    for process in document.get('processes', []):
        process.pop('host')
    return document


def added(rows, nowhere):
    total = dict(nowhere)
    for row in rows:
        assert all(count > 0 for count in row['stalls'].values()), row
        for reason, count in row['stalls'].items():
            total[reason] = total.get(reason, 0) + count
    return total


def most(rows, reason):
    return max(rows, key=lambda row: row['stalls'].get(reason, 0))


def check_places(slots, source):
    """The chased load's value is what memory keeps warps from; one line has the issues of two inlined copies."""
    with open(source, encoding='utf-8') as file:
        lines = file.read().split('\n')
    line = {word: next(i + 1 for i, text in enumerate(lines) if text.endswith(f'// {word}'))
            for word in ('inlined', 'chased', 'awaited')}
    by_line = {row['line']: row['stalls'] for row in slots['lines'] if row.get('file', '').endswith('slots.cu')}
    assert most(slots['lines'], 'data_memory')['line'] == line['chased'], by_line
    assert by_line[line['awaited']].get('barrier', 0) > 0, by_line
    assert by_line[line['inlined']]['issued'] > 0, by_line
    barriers = {row['text'].split()[0] for row in slots['instructions'] if row['stalls'].get('barrier')}
    assert barriers == {'BAR.SYNC'}, barriers
    functions = {row['function'] for row in slots['instructions']}
    assert any('chase' in name for name in functions) and any('smooth' in name for name in functions), functions


plain, places = read(sys.argv[1]), read(sys.argv[2])
slots = places.pop('slots')
assert plain == places, 'to count slots changes something'
stalls = {reason: count for reason, count in places['total']['stalls'].items() if count}
for key in ('instructions', 'lines'):
    assert added(slots[key], slots['nowhere']) == stalls, (key, added(slots[key], slots['nowhere']), stalls)
for row in slots['instructions']:
    held = row.get('holders', {}).values()
    assert all(count > 0 for count in held) and sum(held) <= row['stalls'].get('unit', 0), row
    assert len(sys.argv) < 4 or sum(held) == row['stalls'].get('unit', 0), row
assert not set(slots['nowhere']) - {'idle', 'suspended'}, slots['nowhere']
if len(sys.argv) > 3:
    check_places(slots, sys.argv[3])
