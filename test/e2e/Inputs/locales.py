"""locales.py HEDDLE OBJECT: the same commands under the locales C.UTF-8 and de_DE.UTF-8, in a folder that has locales/, the programs
`program` and `vecadd`, half.ini, budget.ini and plan.ini. Numbers are compared as numbers."""
import csv
import json
import os
import shutil
import subprocess
import sys

heddle, kernels = sys.argv[1:3]


def run(locale, words, status=0, **settings):
    environment = dict(os.environ, LOCPATH=os.path.abspath('locales'), LC_ALL=locale, **settings)
    done = subprocess.run(words, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != status:
        sys.exit(f"{locale}: {' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def numbers(value, path=''):
    """What differs from run to run is the host's."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key != 'host':
                yield from numbers(item, f'{path}.{key}')
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from numbers(item, f'{path}[{i}]')
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def rows(name):
    with open(name, encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file):
            assert None not in row and None not in row.values(), f'{name}: a row of another length'
            yield {key: text for key, text in row.items() if 'host' not in key and 'seconds' not in key and key != 'peak_bytes'}


def collect(locale):
    found = {'set': run(locale, ['./program'], HEDDLE_GPU=os.path.abspath('half.ini')).split(' ')[1]}
    for name, program in (('own', './program'), ('other', './vecadd')):
        run(locale, [heddle, 'run', '--quiet', '--gpu', os.path.abspath('half.ini'), '--set', 'dram_mhz=1848.5', '--stats', 'stats.json', '--', program])
        with open('stats.json', encoding='utf-8') as file:
            found[name] = list(numbers(json.load(file)))
        assert any(value % 1 for _, value in found[name]), 'no number with a point'
    shutil.rmtree('out', ignore_errors=True)
    run(locale, [heddle, 'sweep', '--quiet', 'plan.ini'])
    run(locale, [heddle, 'sweep', '--quiet', '--csv=table.csv', 'plan.ini'])
    found['csv'] = list(rows('table.csv'))
    assert len(found['csv']) == 2 and any('.' in text for row in found['csv'] for text in row.values()), found['csv']
    found['gpu'] = run(locale, [heddle, 'gpus', 'rtx2060-third'])
    for words in (['info', '--json', kernels], ['gpus', '--json']):
        found[words[0]] = list(numbers(json.loads(run(locale, [heddle, *words]))))
    found['text'] = run(locale, [heddle, 'info', kernels]) + run(locale, [heddle, 'check', '-q', '--budget', 'budget.ini', kernels], status=1)
    return found


plain, comma = collect('C.UTF-8'), collect('de_DE.UTF-8')
for what, value in plain.items():
    if comma[what] != value:
        sys.exit(f'{what}: {[pair for pair in zip(value, comma[what]) if pair[0] != pair[1]][:5]}')
print('the same numbers')
