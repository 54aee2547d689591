"""Pairs of policies as `heddle policies --json` has them: combinations.py listed HEDDLE POLICIES.json compares that with what
--policy takes; combinations.py verified HEDDLE POLICIES.json PROGRAM ARGUMENT... runs all pairs that combine under --verify."""
import json
import subprocess
import sys

heddle, stated = sys.argv[2], {each['name']: each for each in json.load(open(sys.argv[3]))}
names = [name for name in stated if name != 'baseline']
PARAMETERS = {'swl': ':4', 'mps': ':50,50', 'combination': ':1', 'shuffle': ':100', 'duet': ':1'}


def run(pair, program, *options):
    text = '+'.join(each + PARAMETERS.get(each, '') for each in pair)
    return subprocess.run([heddle, 'run', '--gpu', 'maxwell-ltrf', *options, '--policy', text, '--', *program],
                          capture_output=True, text=True)


def listed():
    combine = refuse = 0
    for name in names:
        own = stated[name]
        refused = {each['policy']: each['both'] for each in own['refused']}
        assert set(own['combines']) | set(refused) == set(names) - {name} and not set(own['combines']) & set(refused), name
        for other in own['combines']:
            joined = other in own['joins'] or name in stated[other]['joins']
            assert name in stated[other]['combines'], (name, other)
            assert joined or not set(own['takes_over']) & set(stated[other]['takes_over']), (name, other)
        for other, both in refused.items():
            assert both == [each for each in own['takes_over'] if each in stated[other]['takes_over']] and both, (name, other, both)
        combine, refuse = combine + len(own['combines']), refuse + len(refused)
    assert stated['ccbp']['several_grids'] and not stated['cars']['several_grids'] and stated['malekeh']['needs_collectors']
    assert stated['duet']['joins'] == stated['vt']['joins'] == ['cars'] and stated['cars']['joins'] == []
    assert stated['baseline']['combines'] == [] and not stated['cars']['needs_collectors']
    # A program that is not there is found to be so when the policies are taken.
    for name in ('cars', 'ccbp'):
        for other in names[::6]:
            done = run((name, other), ['/nowhere/program'])
            refused = other in [each['policy'] for each in stated[name]['refused']]
            assert name == other or ('cannot combine' in done.stderr) == refused, (name, other, done.stderr)
    print(f'{combine // 2} pairs combine, {refuse // 2} do not')


def verified():
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1:] if b in stated[a]['combines']]
    wrong = 0
    for pair in pairs:
        done = run(pair, sys.argv[4:], '--verify', '--quiet')
        if done.returncode or 'PASSED' not in done.stdout:
            wrong += 1
            print('+'.join(pair), (done.stdout + done.stderr).strip().split('\n')[-1])
    print(f'{len(pairs)} pairs, {wrong} wrong')


{'listed': listed, 'verified': verified}[sys.argv[1]]()
