"""skip.py STATS: baseline, dac, darsie, darsie-scalar and r2d2 on the same program."""

import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    baseline, dac, darsie, scalar, linear = (run['total'] for run in json.load(file)['runs'])
for run in (dac, darsie, scalar):
    assert run['elided'] > 0 and run['warp_instructions'] + run['elided'] == baseline['warp_instructions']
    assert run['stalls']['issued'] == run['warp_instructions']
    assert run['bank_reads'] < baseline['bank_reads']
# The scalar pipeline takes nothing but energy.
assert scalar['cycles'] == darsie['cycles'] and scalar['elided'] == darsie['elided']
assert scalar['darsie-scalar']['scalar_instructions'] > 0 and scalar['darsie-scalar']['scalar_saves_joules'] > 0
assert linear['warp_instructions'] < baseline['warp_instructions']
