"""bulk.py JOINED.pftrace: the copies of bulk.cu in two runs of one file."""
import sys

from perfetto import named, read_trace

tracks, slices, _ = read_trace(sys.argv[1])
assert {track['name'] for track in tracks.values() if track['parent'] is None} == {f'{run}: {name}' for run in ('one', 'other') for name in ('GPU', 'SM 0', 'SM 1')}
for run in ('one', 'other'):
    copies, = [slices[track] for track in named(tracks, run + ': GPU', 'copies').values()]
    assert [(s[2], s[3]['bytes']) for s in copies] == [('memset', 2048), ('device to host', 2048)], copies
    for sm in range(2):
        # The first one takes the time of memory, the second one begins when that has landed.
        (block,), = [slices[track] for track in named(tracks, f'{run}: SM {sm}', r'block \d+').values()]
        there, back = [s for track in named(tracks, f'{run}: SM {sm}', r'bulk copy \d+').values() for s in slices[track]]
        for copy in (there, back):
            assert copy[2] == 'copy in bulk' and copy[3] == {'block': block[3]['block'], 'warp': 0, 'bytes': 1024}, copy
        assert block[0] < there[0] and there[1] - there[0] > 300 and there[1] <= back[0] == back[1] < block[1], (block, there, back)
