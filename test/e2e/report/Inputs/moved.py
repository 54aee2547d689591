"""moved.py OLD.cu: kernels.cu with two lines more at its top, one rewritten in place, and one more in `wide`.
moved.py OLD.cu NEW.cu EXPLAINED.json: places of the comparison are those of the same lines."""
import json
import re
import sys

old = open(sys.argv[1], encoding='utf-8').read()
if len(sys.argv) == 2:
    more = '\tif (next[7] & 1024)\n\t\tout[0] = 1;\n'
    print('// One\n// more.\n' + old.replace(', 40)', ', 30)').replace('\tunsigned i =', more + '\tunsigned i ='), end='')
    sys.exit()
sides = old.split('\n'), open(sys.argv[2], encoding='utf-8').read().split('\n')
explained = json.load(open(sys.argv[3], encoding='utf-8'))
seen, issued = set(), set()
for row in explained['rows']:
    place = re.fullmatch(r'(?:.*/)?kernels\.cu:(\d+)(?: \((\d+) in A\)| in ([AB]) alone)', row['place'])
    if not place:
        assert row['reason'] == '-' or '(no line known)' in row['place'], row
        continue
    line = sides[1][int(place[1]) - 1]
    seen.add(line.strip())
    if place[3]:
        assert place[3] == 'B' and line.strip() in ('if (next[7] & 1024)', 'out[0] = 1;') and row['a'] == 0, row
    else:
        before = sides[0][int(place[2]) - 1]
        assert line.replace('30', '40') == before and int(place[1]) - int(place[2]) in (2, 4), (row, before, line)
        # One of the loops is shorter; `i` is computed together with the new condition. What did not change issues what it did.
        if row['reason'] == 'issued' and 'unsigned i =' not in line:
            body = line.strip() in ('at = next[at];', 'sum += at;')
            assert row['b'] < .99 * row['a'] if body else abs(row['b'] - row['a']) <= .02 * row['a'], row
            issued.add(line.strip())
    assert row['text'] == line.strip(), row
assert {'if (next[7] & 1024)', 'at = next[at];', 'out[threadIdx.x] = chase(next, threadIdx.x, 30);'} <= seen, seen
assert {'at = next[at];', 'sum += at;', 'return sum;', 'out[threadIdx.x] = chase(next, threadIdx.x, 30);'} <= issued, issued
assert abs(sum(row['change'] for row in explained['rows']) - (explained['b']['cycles'] - explained['a']['cycles'])) < 1e-6
print(len(explained['rows']), 'rows by text')
