"""figures.py HEDDLE METADATA.json: every number, flag and list in the metadata of every kernel and function can be limited by
its path, and the limit is held against what the document says: just met it passes, just missed it is the finding."""
import json
import subprocess
import sys

heddle, path = sys.argv[1:]
document = json.load(open(path, encoding='utf-8'))


def figures(value, at=''):
    if isinstance(value, dict):
        for key, child in value.items():
            yield from figures(child, f'{at}.{key}' if at else key)
    elif isinstance(value, (bool, int, float)):
        yield at, float(value)
    elif isinstance(value, list):
        yield at, float(len(value))


def check(budget):
    with open('figures.ini', 'w', encoding='utf-8') as file:
        file.write(budget)
    done = subprocess.run([heddle, 'check', '-q', '--root', '.', '--budget', 'figures.ini', '--json', path],
                          capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)['findings']


met, missed, wanted = '', '', set()
for kind in ('kernel', 'function'):
    for function in document[kind + 's']:
        head = f'[{kind} "{function["name"]}"]\n'
        met, missed = met + head, missed + head
        for name, value in figures(function):
            met += f'{name} <= {value:.17g}\n{name} >= {value:.17g}\n'
            missed += f'{name} >= {value + 1:.17g}\n'
            wanted.add((function['name'], name))
assert check(met) == (0, [])
status, found = check(missed)
assert status == 1 and len(found) == len(wanted)
assert {(finding['symbol'], finding['metric']) for finding in found} == wanted
print(f'{len(wanted)} figures, {len({name for _, name in wanted})} names')
