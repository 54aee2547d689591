"""timeline.py STATS.json TRACE.txt COARSE.pftrace FINE.pftrace KANATA.zst: reads the files by their formats' definitions, without the
writer's code, and holds them against the statistics and the lines of --trace=issue,writeback,cta of the same run."""
import collections
import json
import re
import subprocess
import sys

from perfetto import named, read_trace

stats = json.load(open(sys.argv[1], encoding='utf-8'))
lines = open(sys.argv[2], encoding='utf-8').read().split('\n')

# ---- both: launches and blocks
blocks = collections.Counter()
for line in lines:
    match = re.match(r'(\d+) cta sm (\d+) cta (\d+) (launched|retired)', line)
    if match:
        blocks[int(match[2]), int(match[3]), int(match[1]), match[4]] += 1
for path in sys.argv[3:5]:
    tracks, slices, values = read_trace(path)
    launches = [s for track in named(tracks, 'GPU', r'stream \d+').values() for s in slices[track]]
    assert [s[2] for s in launches] == [launch['kernel'] for launch in stats['launches']]
    for s, launch in zip(launches, stats['launches']):
        assert s[3] == {'blocks': launch['grid'][0], 'threads per block': launch['block'][0]}
        assert s[1] - s[0] <= launch['cycles'] <= s[1] - s[0] + launch['launch_cycles'] + 1, (s, launch['cycles'])
    seen = collections.Counter()
    for number, track in tracks.items():
        sm = re.fullmatch(r'SM (\d+)', tracks[track['parent']]['name'] if track['parent'] else '')
        if sm and re.fullmatch(r'block \d+', track['name']):
            for begin, end, _, notes in slices[number]:
                seen[int(sm[1]), notes['block'], begin, 'launched'] += 1
                seen[int(sm[1]), notes['block'], end, 'retired'] += 1
        if sm and track['counter']:
            assert values[number][-1][1] == 0 and max(v for _, v in values[number]) > 0
    assert seen == blocks, (seen - blocks, blocks - seen)

# ---- fine: every issue of every warp ends a slice, and schedulers' slots are the counters
issues, written = collections.defaultdict(list), collections.defaultdict(list)
for line in lines:
    match = re.match(r'(\d+) (issue|writeback) sm (\d+) warp (\d+) cta \S+ in (\S+) pc 0x(\w+) (\w+)  (.*)', line)
    if match:
        (issues if match[2] == 'issue' else written)[int(match[3]), int(match[4])].append(
            (int(match[1]), int(match[6], 16), match[8], bin(int(match[7], 16)).count('1')))
for (sm, warp), events in issues.items():
    track, = named(tracks, f'SM {sm}', f'warp {warp}').values()
    assert [(s[1] - 1, s[3]['pc'], s[2], s[3]['lanes']) for s in slices[track]] == events
    assert all(a[1] == b[0] for a, b in zip(slices[track], slices[track][1:])), 'a warp is always at some instruction'
reasons = collections.Counter()
for number, track in tracks.items():
    if re.fullmatch(r'scheduler \d+', track['name']):
        for begin, end, name, _ in slices[number]:
            reasons[name] += end - begin
stalls = {reason: count for reason, count in stats['total']['stalls'].items() if reason != 'idle' and count}
reasons.pop('idle', None)
assert reasons == stalls, (reasons, stalls)

# ---- Konata: rows of SM 0 in the order of cycles
text = subprocess.run(['zstd', '-dc', sys.argv[5]], stdout=subprocess.PIPE, check=True).stdout.decode().split('\n')
assert text[0] == 'Kanata\t0004' and text[1].startswith('C=\t') and text[-1] == ''
now, rows, arrows = int(text[1][3:]), {}, []
for line in text[2:-1]:
    key, *rest = line.split('\t')
    if key == 'C':
        now += int(rest[0])
        assert int(rest[0]) > 0
    elif key == 'I':
        assert int(rest[0]) not in rows
        rows[int(rest[0])] = {'warp': int(rest[2]), 'stages': [], 'labels': {}}
    elif key == 'L':
        rows[int(rest[0])]['labels'][rest[1]] = rest[2]
    elif key == 'S':
        assert rest[1] == '0'
        rows[int(rest[0])]['stages'].append((rest[2], now))
    elif key == 'W':
        arrows.append((int(rest[0]), int(rest[1])))
    else:
        assert key == 'R' and 'end' not in rows[int(rest[0])]
        rows[int(rest[0])]['end'] = now
by_warp, loads = collections.defaultdict(list), 0
for number in sorted(rows):
    row = rows[number]
    stage = dict(row['stages'])
    assert [name for name, _ in row['stages']] in (['W', 'X'], ['W', 'X', 'M']) and row['end'] > stage['X'] >= stage['W'], row
    pc, instruction = row['labels']['0'].split(' ', 1)
    # A load is in the memory system from the cycle after its issue until its value is there.
    if re.search(r'\bLDG?\b', instruction) and row['end'] > stage['X'] + 1:
        loads += 1
        assert stage['M'] == stage['X'] + 1, row
    by_warp[row['warp']].append((stage['X'], int(pc, 16), instruction, int(row['labels']['1'].split()[-2])))
assert by_warp == {warp: events for (sm, warp), events in issues.items() if sm == 0}
assert loads
# A result's row ends when it is written.
ends = collections.Counter((row['warp'], row['end'], int(row['labels']['0'][:4], 16)) for row in rows.values())
for (sm, warp), events in written.items():
    assert sm or all((warp, when, pc) in ends for when, pc, _, _ in events)
# Arrows lead from a writer of a register to an instruction of the same warp that reads it, later.
assert arrows
for reader, writer in arrows:
    a, b = rows[writer], rows[reader]
    target = re.search(r'\bR(\d+)', a['labels']['0'].split(' ', 2)[2] if a['labels']['0'].split(' ')[1][0] != '@' else a['labels']['0'].split(' ', 3)[3])
    assert writer < reader and a['warp'] == b['warp'] and target and re.search(r'\bR\d+', b['labels']['0']), (a, b)
print(f'{len(launches)} launches, {sum(map(len, issues.values()))} instructions in Perfetto\'s file, {len(rows)} and {len(arrows)} arrows in Konata\'s')
