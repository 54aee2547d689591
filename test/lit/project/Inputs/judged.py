"""judged.py FOLDER: what scripts/mutate.py makes of tests that fail, with tests of its own in place of test/run."""
import os
import sys
import types

import mutate
import mutants

tree = sys.argv[1]
text = 'int f(void)\n{\n\treturn 1;\n}\n'
mutant = mutants.mutants_of('lib/x.c', text)[0]._replace(id='mutate-1')
changed = mutants.apply(mutant, text)
options = types.SimpleNamespace(limit=9, cores=1)
fails = {}


def run(command, tree, seconds, jobs):
    """test/run of one test: fails[test] on the mutant, and on the original."""
    test = command[-1]
    with open(os.path.join(tree, mutant.path), encoding='utf-8') as file:
        status = fails.get(test, (0, 0))[file.read() == text]
    return status, '' if status == 0 else f'FAIL: heddle :: {test.removeprefix("test/")} (1 of 1)\n'


mutate.run, mutate.make = run, lambda *_: (0, '')
first, second = 'test/e2e/dependence.test', 'test/e2e/cars.test'
for what, fails in (('found', {first: (1, 0)}), ('fails anyway', {first: (1, 1)}), ('no end anyway', {first: (None, None)}),
                    ('the next one finds it', {first: (1, 1), second: (1, 0)})):
    with open(os.path.join(tree, mutant.path), 'w', encoding='utf-8') as file:
        file.write(changed)
    print(f'{what}:', *mutate.judge_one_by_one(mutant, text, tree, [first, second], ['all'], options))
with open(os.path.join(tree, mutant.path), encoding='utf-8') as file:
    print('the mutant is there:', file.read() == changed)
