"""skip.py STATS IDEAL: baseline, dac, darsie, darsie-scalar, r2d2, scalar, wp, tb and ln on the same program; baseline and
r2d2 with --ideal."""

import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    baseline, dac, darsie, scalar, linear, constants, *counted = (run['total'] for run in json.load(file)['runs'])
with open(sys.argv[2], encoding='utf-8') as file:
    ideal, left = (run['total'] for run in json.load(file)['runs'])
for run in (dac, darsie, scalar):
    assert run['elided'] > 0 and run['warp_instructions'] + run['elided'] == baseline['warp_instructions']
    assert run['stalls']['issued'] == run['warp_instructions']
    assert run['bank_reads'] < baseline['bank_reads']
# The scalar pipeline takes nothing but energy.
assert scalar['cycles'] == darsie['cycles'] and scalar['elided'] == darsie['elided']
assert scalar['darsie-scalar']['scalar_instructions'] > 0 and scalar['darsie-scalar']['scalar_saves_joules'] > 0
assert linear['warp_instructions'] < baseline['warp_instructions']
# The baseline's own has constants alone, and takes no time either.
assert constants['cycles'] == baseline['cycles'] and constants['energy_joules'] == baseline['energy_joules']
assert 0 < constants['scalar']['scalar_instructions'] < baseline['warp_instructions'] / 4
# Ideal machines are counted, in the baseline's time.
for name, run in zip(('wp', 'tb', 'ln'), counted):
    assert run['cycles'] == baseline['cycles']
    assert run[name]['removed_threads'] == ideal[f'ideal_{name}_threads'] > 0
    assert abs(run[name]['removed'] - 100 * run[name]['removed_threads'] / run['thread_instructions']) < 1e-6
assert counted[2]['ln']['removed_warps'] == ideal['ideal_ln_warps'] > 0 and 'removed_warps' not in counted[0]['wp']
# What bodies work on: each instruction is one of nine; linear versions leave all that loads, stores, or works on data,
# and of what is linear but a part.
WORKS = ('memory', 'flow', 'data', 'counter', 'uniform', 'index', 'predicate', 'select', 'nonlinear')
for run in (ideal, left):
    assert sum(run[f'ideal_{work}_warps'] for work in WORKS) == run['warp_instructions'] - run.get('stream_instructions', 0)
assert left['cycles'] == linear['cycles'] and left['stream_instructions'] > 0
for work in ('memory', 'data', 'predicate'):
    assert left[f'ideal_{work}_warps'] == ideal[f'ideal_{work}_warps'] > 0, work
# Places in the tree of sums depend on a power that is computed in the loop.
assert 0 < left['ideal_index_warps'] < ideal['ideal_index_warps'] / 3
