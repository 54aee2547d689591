"""preempt.py LOOP BESIDE STRAIGHT NONE URGENT: what must hold of the figures of preemption and its comparators."""
import json
import sys


def runs_of(path):
    with open(path, encoding='utf-8') as file:
        return {run['policy']: run for run in json.load(file)['runs']}


def own(run):
    return run['total'][run['policy'].split(':')[0]]


loop, beside, straight, none, urgent = (runs_of(path) for path in sys.argv[1:])
for runs in (loop, beside, straight):
    base = runs['baseline']['total']
    for policy, run in runs.items():
        if policy == 'baseline':
            continue
        figures, total = own(run), run['total']
        assert figures['requests'] > 0, (policy, figures)
        assert figures['drain_cycles'] + figures['spill_cycles'] == figures['preempt_cycles'], (policy, figures)
        if policy.startswith('preempt'):
            registers = sum(figures[name] for name in ('dead', 'uniform', 'strided', 'random'))
            assert registers * 128 == figures['occupied_bytes'], (policy, figures)
            assert total['barriers'] == base['barriers'], policy
            assert total['warp_instructions'] == base['warp_instructions'] + 2 * figures['points'], policy
            assert (figures['points'] > 0) == (runs is beside and policy != 'preempt:naive'), (policy, figures)
            sectors = figures['register_bytes'] + figures['shared_bytes'] + figures['stack_bytes'] + figures['own_bytes']
            assert total['transfer_bytes_out'] == total['transfer_bytes_in'] >= sectors, policy
            assert total['transfer_register_reads'] == figures['live_bytes'] / 128, policy
        else:
            assert figures['flushed_blocks'] == 0 or policy != 'drain', figures

for runs in (loop, beside):
    plain, live, naive = (own(runs[policy]) for policy in ('preempt', 'preempt:live', 'preempt:naive'))
    assert plain['switched_blocks'] > 20 and plain['drained_blocks'] < plain['switched_blocks'] / 10, plain
    assert plain['register_bytes'] < live['register_bytes'] / 2 < naive['register_bytes'] / 2, (plain, live, naive)
    assert plain['spill_us'] < live['spill_us'] < naive['spill_us'], (plain, live, naive)
    assert own(runs['drain'])['preempt_us'] > plain['preempt_us'], runs['drain']
    assert 0 < own(runs['flush'])['flushed_blocks'], runs['flush']

assert own(straight['preempt'])['switched_blocks'] == 0 < own(straight['preempt'])['drained_blocks']
assert own(straight['preempt:naive'])['switched_blocks'] > 0
assert none['baseline']['total']['cycles'] == none['preempt']['total']['cycles']


def cycles_of(run, kernel):
    return [launch['cycles'] for launch in run['launches'] if launch['kernel'].startswith(kernel)][0]


first = cycles_of(urgent['baseline'], 'beside')
for policy in ('preempt', 'preempt:in-place', 'flush'):
    figures = own(urgent[policy])
    assert cycles_of(urgent[policy], 'beside') < 0.9 * first, policy
    assert figures['requests'] > 0 and figures['idle'] == figures['dropped'] == 0, figures
assert own(urgent['preempt:in-place'])['kept_bytes'] > 0 == own(urgent['preempt'])['kept_bytes'], urgent
assert own(urgent['drain'])['drained_blocks'] > 0
print('the figures agree')
