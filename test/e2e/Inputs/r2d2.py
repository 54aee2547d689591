"""r2d2.py PLAIN LATER-STREAMS LATER-IDS LATER-SUMS REPLICATED: statistics of vecadd with 40,000 elements on four SMs."""

import json
import sys


def total(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)['total']


plain, streams, ids, sums, replicated = (total(path) for path in sys.argv[1:])
blocks = plain['ctas']
for run in (plain, streams, ids, sums, replicated):
    own = run['r2d2']
    assert run['linear_launches'] == 1, run['linear_launches']
    # What was issued with each role is what was issued in streams.
    assert sum(own[part + '_instructions'] for part in ('coefficient', 'thread', 'block')) == run['stream_instructions']
    assert own['block_instructions'] % blocks == 0 and own['block_instructions'] >= blocks
    # Coefficients once an SM, thread-index parts by the warps of one block there.
    assert own['coefficient_instructions'] % 4 == 0
    assert own['thread_instructions'] % (4 * run['warps'] // blocks) == 0
    assert 0 < own['stream_cycles'] <= run['active_sm_cycles']
    assert own == {**plain['r2d2'], 'stream_cycles': own['stream_cycles']}
    assert run['warp_instructions'] == plain['warp_instructions']
assert streams['cycles'] >= plain['cycles'] + 600, (streams['cycles'], plain['cycles'])  # three streams, one after another
assert ids['cycles'] > plain['cycles'] + 60 and sums['cycles'] > plain['cycles'] + 56
assert replicated['bank_lane_writes'] == 4 * plain['bank_lane_writes']
