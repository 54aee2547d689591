"""sampling.py HEDDLE FOLDER [--option=VALUE]... -- MOST PROGRAM [ARGUMENT]...: a program under --sampling.

It does what it does without, counts of what is executed are the same, cycles and energy are within the stated errors,
and nothing depends on host threads or differs from one run to the next. MOST: percents of the instructions with time.
"""
import json
import subprocess
import sys

heddle, folder, *rest = sys.argv[1:]
options, (most, *program) = rest[:rest.index('--')], rest[rest.index('--') + 1:]
EXACT = ['warp_instructions', 'thread_instructions', 'fp32_instructions', 'lsu_instructions', 'barriers']


def run(*more):
    path = f'{folder}/stats.json'
    done = subprocess.run([heddle, 'run', '--quiet', '--stats', path, *options, *more, '--', *program],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8')
    assert done.returncode == 0, done.stdout
    with open(path, encoding='utf-8') as file:
        stats = json.load(file)
    del stats['host']
    return done.stdout, stats


def slots(figures, config):
    assert sum(figures['stalls'].values()) == figures['cycles'] * config['schedulers'] * config['sm_count'], figures
    assert figures['stalls']['issued'] == figures['warp_instructions'] - figures['dual_issued'], figures


text, full = run()
same, sampled = run('--sampling', '--threads=1')
assert text == same, (text, same)
assert run('--sampling', '--threads=2') == (same, sampled)
policy = [option for option in options if option.startswith('--policy')]
total, of_full = sampled['total'], full['total']
assert 'sampling' not in full and sampled['sampling'] == 0.015
assert len(full['launches']) == len(sampled['launches'])
for mine, theirs in zip([*sampled['launches'], total], [*full['launches'], of_full]):
    slots(mine, sampled['config'])
    errors = mine['sampling'].get('errors', {})
    counted = ['ctas', 'warps'] + ([] if policy else EXACT)
    assert not set(counted) & set(errors), errors
    assert all(mine[key] == theirs[key] for key in counted), (mine, theirs)
    if mine['sampling'].get('how') == 'detailed':
        assert not errors
how = [launch['sampling']['how'] for launch in sampled['launches']]
parts = total['sampling']
assert all(parts[kind] == how.count(kind) for kind in ('detailed', 'partly', 'functional', 'beside')), parts
assert parts['launches'] == len(how) and parts['detailed_instructions'] <= float(most) / 100 * parts['instructions'], parts
assert sum(launch['cycles'] for launch in sampled['launches']) == total['cycles']
for key in ('cycles', 'energy_joules'):
    error = parts['errors'][key]
    assert 0 < error < 0.05 * of_full[key], (key, error)
    assert abs(total[key] - of_full[key]) <= error, (key, total[key], of_full[key], error)
print('as it should be', ' '.join(sorted(set(how))))
