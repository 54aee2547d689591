"""pending.py DATA.json SOURCE.cu: the waits that the source's comments name are for what they say, and each loses slots."""
import json
import re
import sys

data = json.load(open(sys.argv[1], encoding='utf-8'))
lines = open(sys.argv[2], encoding='utf-8').read().split('\n')
starts, awaited = {}, {}
for number, line in enumerate(lines, 1):
    comment = re.search(r'; /\* (?:(\w+):)? ?(?:awaits ([\w ]+?))? ?\*/', line)
    if comment and comment[1]:
        starts[number] = comment[1]
    if comment and comment[2]:
        awaited[number] = set(comment[2].split())
reasons = [reason['name'] for reason in data['reasons']]
lost = {}
for waits in data['runs'][0]['waits']:
    code = data['functions'][waits['function']]['code']
    for waiter, reason, slots, producer in waits['rows']:
        line = code['line'][waiter]
        kind = reasons[reason]
        if kind in ('async', 'bulk', 'tensor', 'fence') or kind == 'data_memory' and code['text'][waiter].startswith('DEPBAR'):
            if producer is None and code['text'][waiter].startswith('WGMMA'):
                continue # the first product: its own issue
            assert line in awaited and producer is not None, (line, code['text'][waiter], kind)
            of = lost.setdefault(line, {})
            name = starts.get(code['line'][producer], code['text'][producer])
            of[name] = of.get(name, 0) + slots
        elif kind == 'data_memory' and code['text'][waiter].startswith('EXIT'):
            assert producer is not None, waits
for line, names in awaited.items():
    assert set(lost[line]) == names and all(slots > 0 for slots in lost[line].values()), (line, names, lost[line])
# Copies of one warp that issued once each have equal shares, but for a slot.
three, = [of for of in lost.values() if set(of) == {'G1', 'G2', 'G3'}]
assert max(three.values()) - min(three.values()) <= 1, three
# The ring's first copy issued once, the loop's 19 times.
turn, = [of for of in lost.values() if set(of) == {'R0', 'R1'}]
assert 18.5 < turn['R1'] / turn['R0'] < 19.5, turn
print(f'{len(awaited)} waits for what they name')
