"""energy.py FREE DEFAULT CHANGED: energy of the probe's own events, in statistics of the same run under other keys."""
import json
import sys

free, default, changed = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:])


def same(a, b):
    assert abs(a - b) <= 1e-9 * abs(b), (a, b)


def part(figures, name):
    return figures['probe'][f'{name}_events'], figures['probe'][f'{name}_joules']


for stats, issue, block in (free, 0, 0), (default, 2, 0.5), (changed, 7, 0.5):
    total = stats['total']
    assert part(total, 'issue')[0] == total['warp_instructions'] and part(total, 'block')[0] == total['ctas']
    for figures in [total, *stats['launches']]:
        same(part(figures, 'issue')[1], figures['warp_instructions'] * issue * 1e-12)
        same(part(figures, 'block')[1], figures['ctas'] * block * 1e-12)
    same(total['energy_joules'], sum(launch['energy_joules'] for launch in stats['launches']))

for a, b, c in zip([free['total'], *free['launches']], [default['total'], *default['launches']],
                   [changed['total'], *changed['launches']]):
    own = b['warp_instructions'] * 2e-12 + b['ctas'] * 0.5e-12
    same(b['energy_joules'] - a['energy_joules'], own)
    config = free['config']
    registers = (a['bank_reads'] * config['pj_reg_read'] + a['bank_writes'] * config['pj_reg_write']) * 1e-12
    same(c['energy_joules'] - b['energy_joules'], b['warp_instructions'] * 5e-12 + 0.5 * registers)
same(changed['config']['pj_reg_read'], 1.5 * free['config']['pj_reg_read'])
