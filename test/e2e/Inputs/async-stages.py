"""Statistics of the pipelined product with one stage and with two: the copies are the same, the time is not."""
import json
import sys

one, two = (json.load(open(path, encoding='utf-8'))['total'] for path in sys.argv[1:])
copies, steps, warps, blocks = 2, 128 // 16, 8, 4
assert one['copies'] == two['copies'] == copies * steps * warps * blocks, one['copies']
assert one['copy_groups'] < two['copy_groups']
# 16 bytes a lane take four passes of 32 banks; of B's tile half a warp writes each row.
assert one['copy_shared_cycles'] == 4 * one['copies'], one['copy_shared_cycles']
assert two['cycles'] < 0.9 * one['cycles'], (one['cycles'], two['cycles'])
print('two stages are faster')
