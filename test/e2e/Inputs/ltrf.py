"""ltrf.py FAST SLOW: what must hold of the figures of LTRF and its comparators on the first main register file of Table 2
and on the last, whatever the program."""
import json
import sys

fast, slow = ({run['policy']: run for run in json.load(open(path, encoding='utf-8'))['runs']} for path in sys.argv[1:])
assert slow['baseline']['config']['register_latency'] == 6.3 and slow['baseline']['config']['registers'] == 524288
assert slow['baseline']['total']['cycles'] > fast['baseline']['total']['cycles']
for runs in fast, slow:
    base = runs['baseline']['total']
    moved = {}
    for policy in 'ltrf', 'ltrf-plus', 'ltrf-strands':
        total = runs[policy]['total']
        own = total[policy]
        assert total['warp_instructions'] == base['warp_instructions'], policy
        # The code of these programs is all in intervals: operands come from the cache, as many as the baseline reads.
        assert own['main_reads'] == 0 and own['cache_reads'] == base['bank_reads'], (policy, own)
        assert own['cache_writes'] + own['main_writes'] == base['bank_writes'], (policy, own)
        assert total['bank_reads'] == own['prefetched'] + own['refetched'], (policy, own)
        assert total['bank_writes'] == own['written_back'] + own['saved'] + own['main_writes'], (policy, own)
        assert own['storage'] == 114880 / 8, own
        assert (own['dropped'] > 0) == (policy == 'ltrf-plus'), (policy, own)
        assert own['prefetches'] + own['activations'] > 0 and own['cache_read_events'] > own['cache_reads'], (policy, own)
        moved[policy] = total['bank_reads'] + total['bank_writes']
    assert moved['ltrf-plus'] < moved['ltrf'], moved
    rfc = runs['rfc']['total']
    assert 0 < rfc['rfc']['hits'] < rfc['rfc']['operands'] == base['bank_reads'], rfc['rfc']
    assert rfc['bank_reads'] == rfc['rfc']['operands'] - rfc['rfc']['hits'], rfc['rfc']
    shrf = runs['shrf']['total']
    assert 0 < shrf['shrf']['hits'] < shrf['shrf']['operands'] == base['bank_reads'], shrf['shrf']
    assert shrf['bank_reads'] == shrf['shrf']['operands'] - shrf['shrf']['hits'], shrf['shrf']
    assert shrf['bank_writes'] == base['bank_writes'] - shrf['shrf']['results'] + shrf['shrf']['written_back'] \
        + shrf['shrf']['saved'], shrf['shrf']
    # What a slow register file costs, the cache takes back in part.
    if runs is slow:
        assert runs['ltrf-plus']['total']['cycles'] < base['cycles'], (base['cycles'], moved)
print('the figures agree')
