"""inlined.py DATA.json LISTING: the calls of inlined.cu whose callees stand in their place, and its floating-point operations."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    data = json.load(file)
calls = data['calls']


def chain(call):
    """Names and lines of the calls around an instruction, innermost first."""
    return [(calls[call]['callee'], calls[call]['line'])] + chain(calls[call]['outer']) if call >= 0 else []


both, = [f for f in data['functions'] if f['demangled'].startswith('both') and not f['linear']]
code = both['code']
chains = {}
for text, line, call in zip(code['text'], code['line'], code['inlined']):
    chains.setdefault(tuple(chain(call)), []).append((text.split()[0], line))
assert set(chains) == {(), (('scale', 12),), (('limit', 6), ('scale', 12)), (('limit', 12),)}, chains
# Each copy of limit compares with 0 and 1, and all of it is line 2; the product and the sums of scale are those of its lines.
for around, rows in chains.items():
    if around and around[0][0] == 'limit':
        assert {line for _, line in rows} == {2} and sum('FSETP' in text for text, _ in rows) == 2, rows
    elif around:
        assert {line for _, line in rows} <= {5, 6} and 'FFMA' in [text for text, _ in rows], rows
assert all(f['name'] == 'inlined.cu' for f in data['files']) and all(call['file'] == 0 for call in calls)

# A thread of the first 1,000: x * 3 + 1 as one multiply-add, + 2, and the difference.
run, = data['runs']
assert run['flop'] == {'single': 4 * 1000, 'double': 0, 'half': 0, 'tensor': 0}, run['flop']
with open(sys.argv[2], encoding='utf-8') as file:
    assert 'inlined.cu:2 in limit, called at inlined.cu:6 in scale, called at inlined.cu:12' in file.read()
print(len(calls), 'inlined calls')
