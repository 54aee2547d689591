"""Statistics of cars-duet.cu: cars-duet.py moved FILE.json, under baseline, duet, cars:low, cars:low+duet, the same in the
other order, and cars:high+duet; cars-duet.py launches FILE.json, of a kernel's launches under cars+duet; cars-duet.py
blocks FILE.json..., of policies under which blocks switch."""
import json
import sys

SLOT_BYTES = 256  # default of duet.slot_bytes

files = [json.load(open(name)) for name in sys.argv[2:]]
runs = [run for each in files for run in each.get('runs', [each])]
totals = [run['total'] for run in runs]


def moved():
    baseline, duet, cars, low, swapped, high = totals
    for key in ('cycles', 'warp_instructions', 'cars', 'duet'):
        assert low[key] == swapped[key], key
    assert duet['duet']['stack_bytes'] == 0 and 'duet' not in cars
    for total in (low, high):
        own, stacks = total['duet'], total['cars']
        assert own['switched_out'] == own['switched_in'] > 0 and own['swaps'] > 0 and own['barrier_outs'] > 0, own
        # What moves is what is in use: of all contexts at their largest it is a part, and so of their stacks.
        facts = next(run for run in runs if run['total'] is total)['launches'][0]['duet']
        moves = own['switched_out'] + own['switched_in'] + own['turned_back']
        fixed = facts['context_bytes'] - 128 * facts['stack_registers']
        below = own['transfer_bytes'] - own['stack_bytes']
        assert moves * SLOT_BYTES < below < moves * fixed, (own, facts)
        assert 0 < own['stack_bytes'] < moves * 128 * facts['stack_registers'], (own, facts)
        assert own['transfer_cycles'] * 128 == own['transfer_bytes'], own
        # Nobody waits for rows, and nobody's go to memory at barriers.
        assert stacks['stalled_warps'] == stacks['switches'] == stacks['switched_bytes'] == 0, stacks
        assert stacks['calls'] == cars['cars']['calls'] and stacks['pushes'] == cars['cars']['pushes'], stacks
    assert low['cars']['traps'] == cars['cars']['traps'] > high['cars']['traps'], (low['cars'], cars['cars'])
    print('moved')


def launches():
    print(*(int(launch['duet']['warp_registers']) for launch in runs[0]['launches']))
    assert all(launch['duet']['extra_blocks'] == launch['duet']['bound_blocks'] > 0 for launch in runs[0]['launches'])


def blocks():
    more = 0
    for total in totals:
        own = total.get('duet') or total['vt']
        assert own['blocks_out'] == own['blocks_in'] and own['switched_out'] == own['switched_in'], own
        assert (own['blocks_out'] > 0) == (own['most_extra_blocks'] > 0), own
        more += own['blocks_out'] > 0
    print(more, 'of', len(totals), 'have blocks more')


{'moved': moved, 'launches': launches, 'blocks': blocks}[sys.argv[1]]()
