"""r2d2.py INFO PLAIN LATER-STREAMS LATER-IDS LATER-SUMS REPLICATED: statistics of vecadd with 40,000 elements on four SMs."""

import json
import re
import sys


def total(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)['total']


plain, streams, ids, sums, replicated = (total(path) for path in sys.argv[2:])
with open(sys.argv[1], encoding='utf-8') as file:
    coefficient, thread, block = map(int, re.search(r'streams of (\d+), (\d+) and (\d+)', file.read()).groups())
blocks = plain['ctas']
for run in (plain, streams, ids, sums, replicated):
    own = run['r2d2']
    assert run['linear_launches'] == 1, run['linear_launches']
    # What was issued with each role is what was issued in streams.
    assert sum(own[part + '_instructions'] for part in ('coefficient', 'thread', 'block')) == run['stream_instructions']
    # Coefficients once an SM, thread-index parts by each warp of one block there, block-index parts once a block.
    assert own['coefficient_instructions'] == 4 * coefficient, own
    assert own['thread_instructions'] == 4 * run['warps'] // blocks * thread, own
    assert own['block_instructions'] == blocks * block, own
    assert 0 < own['stream_cycles'] <= run['active_sm_cycles']
    assert own == {**plain['r2d2'], 'stream_cycles': own['stream_cycles']}
    assert run['warp_instructions'] == plain['warp_instructions']
assert streams['cycles'] >= plain['cycles'] + 600, (streams['cycles'], plain['cycles'])  # three streams, one after another
assert ids['cycles'] > plain['cycles'] + 60 and sums['cycles'] > plain['cycles'] + 56
assert replicated['bank_lane_writes'] == 4 * plain['bank_lane_writes']
