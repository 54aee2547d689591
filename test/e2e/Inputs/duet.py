"""Statistics of programs under baseline, duet:0 and duet:8 in this order: duet.py CONTEXT_CYCLES FILE.json...; and under
baseline and duet: duet.py monitor FILE.json"""
import json
import sys


def check(path, cycles):
    baseline, none, extra = (run['total'] for run in json.load(open(path))['runs'][:3])
    for key in ('cycles', 'warp_instructions', 'icnt_flits_down', 'dram_reads', 'stalls'):
        assert baseline[key] == none[key], (path, key)
    own = extra['duet']
    assert extra['warp_instructions'] == baseline['warp_instructions'] and extra['ctas'] == baseline['ctas']
    assert own['began'] > 0 and own['swaps'] > 0 and own['switched_out'] == own['switched_in'] > 0, own
    moves = own['switched_out'] + own['switched_in'] + own['turned_back']
    assert own['transfer_cycles'] * 128 == own['transfer_bytes'], own
    assert own['transfer_cycles'] > 2 * moves, own  # of two kernels in levels, each with a size
    if cycles:
        assert own['transfer_cycles'] == moves * cycles, own
    assert own['stalls'] >= own['barrier_stalls'] > 0 or 'levels' in path, own
    assert own['switched_out'] <= own['stalls'], own


if sys.argv[1] == 'monitor':
    total = json.load(open(sys.argv[2]))['runs'][1]['total']['duet']
    assert total['kernels'] == total['kernels_grown'] == 1 and total['kernels_saturated'] == 0, total
    print(int(total['most_extra_blocks']), 'blocks more')
    sys.exit()
for name in sys.argv[2:]:
    check(name, int(sys.argv[1]) if 'duet' in name.split('.')[-2] else 0)
print('switched')
