"""Checks statistics of `--policy baseline --policy cars`: cars.py FILE...

The program's own traffic is the same; spills and fills are gone but for what traps and switches moved.
"""
import json
import sys

for path in sys.argv[1:]:
    with open(path) as file:
        baseline, cars = [run['total'] for run in json.load(file)['runs']]
    figures = cars['cars']
    before, after = baseline['l1d']['spill_fill'], cars['l1d']['spill_fill']
    assert after <= before / 10, f'{path}: {after} of {before} spills and fills are left'
    assert baseline['l1d']['global'] == cars['l1d']['global'], path
    assert baseline['calls'] == cars['calls'] == figures['calls'], path
    assert figures['pushes'] == cars['callee_saves'] and figures['pops'] == cars['callee_restores'], path
    assert cars['warp_instructions'] == baseline['warp_instructions'] + cars['injected'] + cars['micro_operations'], path
    assert cars['micro_operations'] == figures['calls'] - figures['unrenamed_calls'], path
    assert (figures['traps'] == 0) == (figures['spilled_bytes'] + figures['filled_bytes'] == 0), path
    assert figures['storage'] == 264, path
