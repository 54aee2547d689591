"""slices.py STATS SLICE: two kernels had the SMs in turns of so many cycles."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    runs = {run['policy']: run for run in json.load(file)['runs']}
slice_cycles = int(sys.argv[2])


def cycles(policy):
    return [launch['cycles'] for launch in runs[policy]['launches']]


first, last = cycles('baseline')
assert first < last / 2, 'the second waits for the first'
for policy in ('preempt', 'preempt:in-place'):
    own, total = runs[policy]['total']['preempt'], runs[policy]['total']
    assert cycles(policy)[0] > 1.5 * first, (policy, cycles(policy))
    turns = 2 * total['cycles'] / slice_cycles  # two SMs
    assert turns / 4 < own['requests'] <= turns, (policy, own)
    assert own['switched_blocks'] > 3 * own['requests'] and own['restore_cycles'] == 0, (policy, own)
assert runs['preempt:in-place']['total']['preempt']['kept_bytes'] > 0
print('in turns')
