"""killed.py TIMELINE.pftrace: slices of blocks that were killed, and of copies in bulk to them, end when they were."""
import sys

from perfetto import named, read_trace

tracks, slices, _ = read_trace(sys.argv[1])
killed = cut = 0
for sm in range(2):
    every = {kind: [s for track in named(tracks, f'SM {sm}', kind + r'.*').values() for s in slices[track]] for kind in ('block', 'bulk copy', 'policy')}
    for note in every['policy']:
        if note[2] != 'block killed':
            continue
        ended = [s for s in every['block'] if s[3]['block'] == note[3]['block'] and s[1] == note[0]]
        assert ended, (note, every['block'])
        killed += 1
        cut += sum(s[3]['block'] == note[3]['block'] and s[1] == note[0] for s in every['bulk copy'])
    assert all(s[1] > s[0] for s in every['bulk copy']), every['bulk copy']
assert killed > 4 and cut > 0, (killed, cut)
