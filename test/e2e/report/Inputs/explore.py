"""explore.py PAGE.html DATA.json STATS.json: the data in the page are those of --format data; slots are all there, by instruction
and by what they wait for; accesses, live registers and producers of nbody.cu are what its source says; colours differ."""
import base64
import json
import re
import sys
import zlib

page = open(sys.argv[1], encoding='utf-8').read()
data, stats = (json.load(open(f, encoding='utf-8')) for f in sys.argv[2:])
packed = re.search('<script type="text/plain" id="data">([^<]*)</script>', page)[1]
inside = json.loads(zlib.decompress(base64.b64decode(packed)))


def same(a, b):
    """Numbers of the page have fewer digits."""
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return abs(a - b) <= 1e-8 * abs(b) if isinstance(a, float) else a == b


assert same(inside, data)
assert len(page) < 500_000 and not re.search(r'(?:src|href)="(?!#)|@import|url\(|https?://(?!www\.w3\.org/2000/svg)', page)

reasons = [reason['name'] for reason in data['reasons']]
assert reasons == list(stats['runs'][0]['total']['stalls'])
functions = {f['demangled'].split('(')[0]: i for i, f in enumerate(data['functions']) if not f['linear']}
for run, of in zip(data['runs'], stats['runs']):
    total = [of['total']['stalls'][reason] for reason in reasons]
    counted = list(run['nowhere'])
    assert not run['elsewhere']
    for code in run['code']:
        for stalls in code['stalls']:
            for reason, count in zip(stalls[::2], stalls[1::2]):
                counted[reason] += count
    assert counted == total, (counted, total)
    # What is lost is handed back whole.
    lost = [0] * len(reasons)
    for waits in run['waits']:
        for waiter, reason, slots, producer, *other in waits['rows']:
            assert slots > 0 and reasons[reason] not in ('issued', 'idle')
            assert producer is None or -1 <= producer < len(data['functions'][other[0] if other else waits['function']]['code']['text'])
            lost[reason] += slots
    assert all(lost[i] == total[i] - run['nowhere'][i] for i, reason in enumerate(reasons) if reason not in ('issued', 'idle')), (lost, total)
    assert all(count['help'] for count in run['counts']), [count['name'] for count in run['counts'] if not count['help']]

# step's float4 loads are 512 bytes a warp, 16 sectors; its float3s are 12 bytes apart, so that a word each lies in 12
# sectors where 4 would do. All lanes read one body at a time, which is one sector.
run, step = data['runs'][0], functions['step']
code, = [code for code in run['code'] if code['function'] == step]
seen = {}
for at, access in zip(code['at'], code['access']):
    text = data['functions'][step]['code']['text'][at].split()[0]
    if text.split('.')[0] in ('LDG', 'STG') and access:
        seen.setdefault(text, set()).add((access['sectors'] / access['requests'], access['ideal_sectors'] / access['requests'], access['threads'] / access['requests']))
assert seen == {'LDG.128': {(16, 16, 32)}, 'LDG': {(12, 4, 32)}, 'STG': {(12, 4, 32)}, 'STG.128': {(16, 16, 32)}}, seen
acceleration = functions['acceleration']
code, = [code for code in run['code'] if code['function'] == acceleration]
text = data['functions'][acceleration]['code']['text']
uniform = [access for at, access in zip(code['at'], code['access']) if text[at].startswith('LD.128')]
assert uniform and all(access['sectors'] == access['requests'] == access['ideal_sectors'] for access in uniform)

# Warps that wait for memory there wait for these loads; one that saves a register, for what its caller has loaded.
waits, = [waits['rows'] for waits in run['waits'] if waits['function'] == acceleration]
memory = [(waiter, slots, producer) for waiter, reason, slots, producer, *_ in waits if reasons[reason] == 'data_memory']
assert memory
for waiter, _, producer in memory:
    saves = text[waiter].startswith('STL')
    assert producer == -1 if saves else text[producer].split()[0] in ('LD.128', 'LDL'), (text[waiter], producer)
assert max(memory, key=lambda row: row[1])[2] in [at for at, t in enumerate(text) if t.startswith('LD.128')]

# The kernel's live registers are those of the compiler's analysis.
liveness, live = data['functions'][step]['meta']['liveness'], data['functions'][step]['code']['live']
assert max(live) == liveness['max_live'] and live.index(max(live)) * 16 == liveness['max_live_pc']
part, = data['files'][0]['parts']
source = open('examples/nbody.cu', encoding='utf-8').read().split('\n')
assert part['lines'] == source[part['from'] - 1:part['from'] - 1 + len(part['lines'])]


def lab(colour):
    """CIE L*a*b* of #rrggbb."""
    linear = [(c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4) for c in (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))]
    r, g, b = linear
    xyz = (.4124 * r + .3576 * g + .1805 * b) / .95047, .2126 * r + .7152 * g + .0722 * b, (.0193 * r + .1192 * g + .9505 * b) / 1.08883
    x, y, z = (t ** (1 / 3) if t > .008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


# The points of a launch cover its cycles, whatever is left of the last interval.
for run in data['runs']:
    for launch in run['launches']:
        if 'samples' in launch:
            assert abs(sum(launch['samples']['cycles']) - launch['cycles']) < 1, launch['samples']['cycles'][-3:]
# A reason has a colour of its own: 10 is a difference that nobody misses, and bars have small parts.
colours = [lab(re.search(rf'\.c{i} {{ background: (#[0-9a-f]{{6}});', page)[1]) for i in range(len(reasons))]
distance = {(i, j): sum((p - q) ** 2 for p, q in zip(colours[i], colours[j])) ** .5 for i in range(len(colours)) for j in range(i)}
nearest = min(distance, key=distance.get)
assert distance[nearest] > 18, (distance[nearest], [reasons[i] for i in nearest])
print(f"{len(data['functions'])} functions and {len(data['runs'])} runs in the page as in its data")
