"""sums.py CYCLES STATS ...: one warp of vecadd on an idle SM, with so many cycles for adding the parts of an operand.

Three linear operands follow one another: that of the comparison, of the loads together, and of the store.
"""

import json
import sys

runs = {}
for add, path in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(path, encoding='utf-8') as file:
        runs[int(add)] = json.load(file)['total']['cycles']
assert len(runs) > 2 and all(cycles == runs[0] + 3 * add for add, cycles in runs.items()), runs
