"""power.py STATS OTHER: energy in parts and power over time of one launch; OTHER: with keys of standing power changed."""
import json
import sys

stats, other = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:])
STANDING = ['static', 'idle', 'constant']


def same(a, b):
    assert abs(a - b) <= 1e-9 * max(abs(a), abs(b)), (a, b)


def parts(figures):
    same(figures['dynamic_joules'], sum(figures['energy'].values()))
    same(figures['energy_joules'],
         figures['dynamic_joules'] + sum(figures[part + '_joules'] for part in STANDING))


for run in stats, other:
    config, (launch, ) = run['config'], run['launches']
    parts(run['total'])
    parts(launch)
    second, active, cycles = config['core_mhz'] * 1e6, launch['active_sm_cycles'], launch['cycles']
    assert 0 < active < cycles * config['sm_count']
    same(launch['constant_joules'], config['constant_watts'] * cycles / second)
    same(launch['static_joules'], config['static_sm_watts'] * active / second)
    same(launch['idle_joules'], config['idle_sm_watts'] * (config['sm_count'] * cycles - active) / second)
    samples = launch['samples']
    watts, count = samples['watts'], len(samples['watts']['total'])
    lengths = [samples['interval']] * (count - 1) + [cycles - (count - 1) * samples['interval']]
    for part in ['total', 'dynamic', *STANDING]:
        joules = launch['energy_joules' if part == 'total' else part + '_joules']
        same(joules, sum(watt * length for watt, length in zip(watts[part], lengths)) / second)
    assert set(watts['constant']) == {config['constant_watts']}
    assert all(0 <= sms <= config['sm_count'] * length for sms, length in zip(samples['active_sm_cycles'], lengths))
same(stats['total']['dynamic_joules'], other['total']['dynamic_joules'])
assert other['total']['idle_joules'] == 0 and other['total']['static_joules'] > stats['total']['static_joules']
# A fifth of the way in, the blocks that run are all there are: so many SMs, no more and no less, quiet intervals or not.
blocks = stats['launches'][0]['grid'][0]
at = len(stats['launches'][0]['samples']['active_sm_cycles']) // 5
assert stats['launches'][0]['samples']['active_sm_cycles'][at] == blocks * stats['launches'][0]['samples']['interval']
print('parts and samples add up')
