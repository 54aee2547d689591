"""malekeh.py STATS: what must hold of Malekeh's and BOW's figures beside the baseline's, whatever the program; and the
values over time that --sample shows."""
import json
import sys

runs = {run['policy']: run for run in json.load(open(sys.argv[1], encoding='utf-8'))['runs']}
base = runs['baseline']['total']
for policy, run in runs.items():
    total = run['total']
    name = policy.split(':')[0]
    if name == 'baseline':
        continue
    own = total[name]
    assert total['warp_instructions'] == base['warp_instructions'], policy
    assert total['bank_writes'] == base['bank_writes'], (policy, total['bank_writes'], base['bank_writes'])
    assert 0 < own['hits'] < own['operands'], (policy, own)
    for launch in run['launches']:
        assert sum(one['hits'] for one in [launch[name]]) <= own['hits']
    assert sum(launch[name]['operands'] for launch in run['launches']) == own['operands'], policy
    if name == 'malekeh':
        assert base['bank_reads'] == own['registers'], (base['bank_reads'], own)
        assert total['bank_reads'] == own['registers'] - own['register_hits'], policy
        assert own['storage'] == 125, own['storage']
        assert own['strayed'] == 0, own['strayed']
        assert own['waits'] >= total['stalls']['withheld'], policy
        assert (own['waits'] == 0) == (policy in ('malekeh:sthld=off', 'malekeh:results')), policy
        assert own['result_events'] == own['cached_results'] > 0, policy
    else:
        assert total['bank_reads'] < base['bank_reads'], policy
        assert own['storage'] == 32 * 3 * 4 * 128, own['storage']

assert runs['malekeh:sthld=4']['total']['malekeh']['read_hits'] >= runs['malekeh:sthld=off']['total']['malekeh']['read_hits'] - 0.5
first = runs['malekeh']['launches'][0]['samples']['malekeh']['sthld']
moves = {i % 2 for i in range(1, len(first)) if first[i] != first[i - 1]}
assert len(moves) <= 1, f'STHLD moves between multiples of 10,000 cycles: {first}'
exact = runs['malekeh:exact']['total']['malekeh']
assert sum(exact[name] for name in exact if name.startswith('distance_')) + exact['unread'] > exact['registers'], exact
assert runs['malekeh:exact']['total']['malekeh']['hits'] > 0.99 * runs['malekeh']['total']['malekeh']['hits']

samples = [launch['samples'] for launch in runs['malekeh']['launches']]
sthld, state = ([value for one in samples for value in one['malekeh'][name]] for name in ('sthld', 'state'))
assert len(sthld) == sum(len(one['warp_instructions']) for one in samples), samples
assert sthld[0] == 0 and state[0] == 1, (sthld, state)
assert base['cycles'] < 22000 or state[-1] != 1 and max(sthld) > 0, (sthld, state)
assert {value for launch in runs['malekeh:sthld=4']['launches'] for value in launch['samples']['malekeh']['sthld']} == {4}
config = runs['malekeh']['config']
assert config['malekeh.entries'] == 8 and config['malekeh.pj_tag'] == 0.2, config
print('the figures agree')
