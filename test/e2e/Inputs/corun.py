"""Figures of a co-run, against those of the program as it is: corun.py ONCE.json CORUN.json CYCLES"""
import json
import sys

once, corun = (json.load(open(path)) for path in sys.argv[1:3])
cycles = int(sys.argv[3])
assert 'coruns' not in once and len(once['launches']) == 3
first, second = corun['coruns']
assert [grid['stream'] != first['grids'][0]['stream'] for grid in first['grids']] == [False, True]
assert first['grids'][0]['kernel'].startswith('compute') and first['grids'][1]['kernel'].startswith('stream')
# What stands behind in a stream makes a co-run of its own, when all of the first have ended.
assert len(second['grids']) == 1 and second['grids'][0]['kernel'].startswith('compute')
assert second['start_cycle'] > first['start_cycle'] + cycles
# Alone, it is counted as exactly, beside what was counted before.
alone = [launch for launch in once['launches'] if launch['grid'] == [1, 1, 1]][0]['warp_instructions']
grid = second['grids'][0]
assert alone * grid['launches'] <= grid['warp_instructions'] <= alone * (grid['launches'] + 1), grid['warp_instructions']
ends = 0
for each in (first, second):
    assert each['cycles'] == cycles
    launches = [launch for launch in corun['launches']
                if 'start_cycle' in launch and launch['start_cycle'] < each['start_cycle'] + cycles]
    for grid in each['grids']:
        assert grid['cycles'] == cycles and abs(grid['ipc'] - grid['warp_instructions'] / cycles) < 1e-9
        mine = [launch for launch in launches if launch['stream'] == grid['stream']]
        # Those that ended in time, and a part of the one that did not.
        ended = [launch for launch in mine if launch['start_cycle'] + launch['cycles'] <= each['start_cycle'] + cycles]
        if each is first:
            assert len(mine) == len(ended) + 1 == grid['launches'] + 1, (len(mine), len(ended), grid['launches'])
            whole = sum(launch['warp_instructions'] for launch in ended)
            assert whole <= grid['warp_instructions'] <= whole + mine[-1]['warp_instructions']
            # Each launch is the program's.
            alone = [launch for launch in once['launches'] if launch['kernel'] == grid['kernel']][0]
            assert all(launch['warp_instructions'] == alone['warp_instructions'] for launch in mine)
            for launch, after in zip(mine, mine[1:]):
                assert after['start_cycle'] == launch['start_cycle'] + launch['cycles']
        ends += grid['launches']
assert ends > 6
print('as it should be')
