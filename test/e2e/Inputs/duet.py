"""Statistics of programs under baseline, duet:0 and duet:8 in this order: duet.py METADATA FILE.json..., with that of the
program named duet; where slots alone move: duet.py slots FILE.json; under baseline and duet: duet.py monitor FILE.json; under baseline and policies under which blocks switch:
duet.py blocks FILE.json [METADATA];
of programs whose contexts are in L1: duet.py l1 FILE.json;
of the time that switching hides, with the cycles of a context: duet.py hidden CYCLES FILE.json"""
import json
import math
import sys

PORT, SLOT_BYTES = 128, 256  # defaults of duet.port and duet.slot_bytes


def context_cycles(path):
    """Of a warp of the only kernel: what the compiler says of its registers, and its slot."""
    kernel, = json.load(open(path))['kernels']
    return -(-kernel['switch']['switch_context_bytes'] // PORT) + SLOT_BYTES // PORT


def check(path, cycles):
    baseline, none, extra = (run['total'] for run in json.load(open(path))['runs'][:3])
    for key in ('cycles', 'warp_instructions', 'icnt_flits_down', 'dram_reads', 'stalls'):
        assert baseline[key] == none[key], (path, key)
    own = extra['duet']
    assert extra['warp_instructions'] == baseline['warp_instructions'] and extra['ctas'] == baseline['ctas']
    assert own['began'] > 0 and own['swaps'] > 0 and own['switched_out'] == own['switched_in'] > 0, own
    moves = own['switched_out'] + own['switched_in'] + own['turned_back']
    assert own['transfer_cycles'] * 128 == own['transfer_bytes'], own
    slots = moves * SLOT_BYTES // PORT
    if cycles == 'slots':
        assert own['transfer_cycles'] == slots, own
    else:  # what points keep: less than the largest of them
        assert slots < own['transfer_cycles'] < (moves * cycles if cycles else math.inf), own
    assert own['stalls'] >= own['barrier_stalls'] > 0 or 'levels' in path, own
    assert own['barrier_outs'] + own['too_late'] <= own['switched_out'] <= own['stalls'], own
    assert own['barrier_outs'] > 0 or 'levels' in path, own
    assert own['absent_cycles'] > 0 and own['ready_cycles'] > 0 and own['blocks_out'] == 0, own


def policy_of(run):
    return next((run['total'][name] for name in ('duet', 'vt') if name in run['total']), None)


def check_blocks(path, context):
    """A block moves with all of its warps, and each move takes the same time."""
    runs = json.load(open(path))['runs']
    for run in runs[1:]:
        own = policy_of(run)
        assert run['total']['warp_instructions'] == runs[0]['total']['warp_instructions'], own
        assert own['blocks_out'] == own['blocks_in'] > 0 and own['blocks_began'] > 0 and own['swaps'] > 0, own
        assert own['switched_out'] == own['switched_in'] <= 4 * own['blocks_out'], own
        assert own['began'] == 4 * own['blocks_began'] and own['barrier_stalls'] > 0, own
        moves = 2 * own['blocks_out']
        assert own['transfer_cycles'] % moves == 0 and own['transfer_cycles'] * 128 == own['transfer_bytes'], own
        cycles = int(own['transfer_cycles'] // moves)
        assert not context or run['policy'] == 'vt' or cycles == 4 * context, (cycles, context)
        print(cycles, 'cycles')


def check_hidden(path, cycles):
    runs = [run['total'] for run in json.load(open(path))['runs']]
    own = runs[1]['duet']
    assert runs[1]['cycles'] < 0.65 * runs[0]['cycles'], (runs[0]['cycles'], runs[1]['cycles'])
    moves = own['blocks_out'] + own['blocks_in'] or own['switched_out'] + own['switched_in']
    assert own['transfer_cycles'] == moves * cycles, own


if sys.argv[1] == 'monitor':
    total = json.load(open(sys.argv[2]))['runs'][1]['total']['duet']
    assert total['kernels'] == total['kernels_grown'] == 1 and total['kernels_saturated'] == 0, total
    print(int(total['most_extra_blocks']), 'blocks more')
    sys.exit()
if sys.argv[1] == 'l1':
    for run in json.load(open(sys.argv[2]))['runs']:
        own = run['total'].get('duet', {'kernels_in_l1': 0, 'most_extra_blocks': 0, 'switched_out': 0})
        print(*(int(own[key]) for key in ('kernels_in_l1', 'most_extra_blocks')), own['switched_out'] > 0, run['total']['l1d_hits'] > 1000)
    sys.exit()
if sys.argv[1] == 'blocks':
    check_blocks(sys.argv[2], context_cycles(sys.argv[3]) if sys.argv[3:] else None)
    sys.exit()
if sys.argv[1] == 'hidden':
    check_hidden(sys.argv[3], int(sys.argv[2]))
    print('hidden')
    sys.exit()
if sys.argv[1] == 'slots':
    check(sys.argv[2], 'slots')
    print('slots')
    sys.exit()
for name in sys.argv[2:]:
    check(name, context_cycles(sys.argv[1]) if 'duet' in name.split('.')[-2] else 0)
print('switched')
