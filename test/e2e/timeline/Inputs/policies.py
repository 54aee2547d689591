"""policies.py STATS.json JOINED.pftrace: two policies' runs in one file, what the second one did with warps, and the host's copies."""
import collections
import json
import sys

from perfetto import named, read_trace

with open(sys.argv[1], encoding='utf-8') as file:
    runs = json.load(file)['runs']
tracks, slices, _ = read_trace(sys.argv[2])
processes = {track['name'] for track in tracks.values() if track['parent'] is None}
assert processes == {f"{run['policy']}: {name}" for run in runs for name in ('GPU', 'SM 0')}, processes
for run in runs:
    process = run['policy'] + ': GPU'
    launches = [s for track in named(tracks, process, r'stream \d+').values() for s in slices[track]]
    assert [s[2] for s in launches] == [launch['kernel'] for launch in run['launches']]
    # duet.cu copies 128 KB before its kernels, and 12 KB of results behind them.
    copies, = [slices[track] for track in named(tracks, process, 'copies').values()]
    assert [(s[2], s[3]['bytes']) for s in copies] == [('host to device', 131072), ('device to host', 12288)], copies
    assert copies[0][0] <= launches[0][0] and copies[1][0] >= launches[-1][1]
assert not named(tracks, 'baseline: SM 0', 'policy')
notes = [s for track in named(tracks, runs[1]['policy'] + ': SM 0', 'policy').values() for s in slices[track]]
seen, counts = collections.Counter(s[2] for s in notes), runs[1]['total']['duet']
assert seen['warp out'] == counts['switched_out'] > 0 and seen['warp in'] == counts['switched_in'] + counts['began'], (seen, counts)
assert [s[0] for s in notes] == sorted(s[0] for s in notes) and all(s[3]['blocks'] == 12 for s in notes if s[2] == 'quota')
print(f"{seen['warp out']} warps left and {seen['warp in']} came")
