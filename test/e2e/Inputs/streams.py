"""What launches of streams count, and the total: streams.py STATS, those of streams.cu."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    stats = json.load(file)
total, launches = stats['total'], stats['launches']
shared = [launch for launch in launches if launch.get('shared')]
streams = {launch['stream'] for launch in shared}
assert len(shared) >= 4 and len(streams) >= 4, (len(shared), streams)
for counter in ('warp_instructions', 'ctas', 'l1d_accesses', 'l2_accesses', 'dram_reads', 'icnt_flits_up'):
    assert total[counter] == sum(launch[counter] for launch in launches), counter
# Time passes once for launches beside each other; every slot of it has one reason.
assert total['cycles'] < sum(launch['cycles'] for launch in launches)
config = stats['config']
assert sum(total['stalls'].values()) == config['schedulers'] * config['sm_count'] * total['cycles']
assert total['stalls']['issued'] == total['warp_instructions']
for launch in shared:
    assert launch['stalls']['issued'] == sum(launch['stalls'].values()) == launch['warp_instructions'], launch
    assert launch['start_cycle'] >= 0 and launch['energy_joules'] > 0
assert total['energy_joules'] < sum(launch['energy_joules'] for launch in launches)
print('figures of streams: as they should be')
