"""lines.py new < arms.cu: of another build, with a line more at its top, identical lines more at the kernel's end, and one arm that is
another statement; lines.py same|builds|crlf EXPLAINED.json OLD.cu NEW.cu: what the places of two runs of arms.cu are;
lines.py sources STATS.json...: files whose texts each has; lines.py spoil STATS.json: with texts that somebody else wrote."""
import json
import re
import sys

REPEATED = '\tx[threadIdx.x ^ 1] += 1.0f;\n'


def new(text):
    return '// One more.\n' + text.replace(REPEATED + '}', REPEATED + '\t__syncthreads();\n' + REPEATED + '}').replace('v * 3.0f', 'v * 5.0f')


def check(kind, explained, old, new):
    sides = [''] + old, [''] + new
    whose = {'a': 0, 'b': 0}
    lone, pairs = set(), set()
    for row in explained['rows']:
        place = re.fullmatch(r'(?:.*/)?arms\.cu:(\d+)(?: \((\d+) in A\)| in ([AB]) alone)?', row['place'])
        if not place:
            continue
        if kind == 'same':
            assert not place[2] and not place[3], row
        if place[3]:
            lone.add((place[3], sides[place[3] != 'A'][int(place[1])].strip()))
            assert row['b' if place[3] == 'A' else 'a'] == 0, row
        line = sides[place[3] != 'A'][int(place[1])].strip()
        # A line that was rewritten, and has no slots in B, has A's text.
        assert row['text'] == line or place[2] and row['text'] == sides[0][int(place[2])].strip(), (row, line)
        if place[2]:
            assert sides[0][int(place[2])].strip().replace('3.0f', '5.0f') == line and int(place[1]) - int(place[2]) in (1, 3), row
            pairs.add((int(place[2]), int(place[1])))
        for arm, other in (('[threadIdx.x + 1024] =', 'b'), ('sqrtf(v)', 'a')):
            if arm in line:
                assert row[other] == 0, row
                whose[other] += 1
    assert whose['a'] and whose['b'], whose
    # As many identical lines are alone as there are more of them; the others are in order, one to one.
    assert lone == ({('B', '__syncthreads();'), ('B', REPEATED.strip())} if kind == 'builds' else set()), lone
    assert len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs), pairs
    assert [new for _, new in sorted(pairs)] == sorted(new for _, new in pairs), pairs
    assert kind != 'builds' or {12, 14, 16} <= {old for old, _ in pairs}, pairs
    print(kind, 'as it should be')


if sys.argv[1] == 'new':
    sys.stdout.write(new(sys.stdin.read()))
elif sys.argv[1] == 'sources':
    for path in sys.argv[2:]:
        print(path, sorted(json.load(open(path, encoding='utf-8'))['slots'].get('sources', {})))
elif sys.argv[1] == 'spoil':
    stats = json.load(open(sys.argv[2], encoding='utf-8'))
    for lines in stats['slots']['sources'].values():
        lines['lines'] = dict.fromkeys(lines['lines'], ' \t\x1b[31mred\x9b\u202e' + 'x' * 45 + 'äää' + 'y' * 400 + '\r')
    stats = json.loads(json.dumps(stats).replace('arms(float*, int)', r'arms(float*, int)\u001b[7m'))
    stats['policy'] = '\x1b[1mbold'
    json.dump(stats, sys.stdout)
else:
    check(sys.argv[1], json.load(open(sys.argv[2], encoding='utf-8')), *(open(path, encoding='utf-8').read().split('\n') for path in sys.argv[3:]))
