"""gather.py HEDDLE: the database, the table and the lines of a small sweep against its results. Works in the current folder."""
import csv
import json
import sqlite3
import subprocess
import sys

HEDDLE = sys.argv[1]


def check(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')


def heddle(*words, status=0):
    done = subprocess.run([HEDDLE, 'sweep', *words, 'gather.ini'], text=True, capture_output=True)
    check(done.returncode == status, f'{words}: {done.returncode}: {done.stdout}{done.stderr}')
    return done.stdout


def listed():
    runs = [json.loads(line) for line in heddle('--list').splitlines()]
    for run in runs:
        if run['state'] == 'done':
            with open(run['result'], encoding='utf-8') as file:
                run.update(json.load(file))
    return runs


def name(run):
    """What tells runs apart here."""
    at = run['coordinates']
    return at['arguments'], at['policy'], at['l1_latency']


heddle('-n')
heddle(status=1)
runs = listed()
check([run['state'] for run in runs] == ['done'] * 15 + ['failed'] * 2, [run['state'] for run in runs])
done = {name(run): run['statistics'] for run in runs if run['state'] == 'done'}
check(heddle('--gather', status=1) == '15 of 17 runs have results\n', 'the count')
db = sqlite3.connect('out/results.db')

# Rows: each run with its counters, its coordinates, what its design counted, its kernels, its configuration.
rows = db.execute('SELECT arguments, policy, (SELECT value FROM coordinates WHERE run = id AND name = "l1_latency"), cycles, '
                  'dram_reads, stall_idle, energy_joules, id FROM results ORDER BY id').fetchall()
check(len(rows) == 15, rows)
for *key, cycles, reads, idle, energy, number in rows:
    stats = done[tuple(key)]
    total = stats['total']
    check((cycles, reads, idle, energy) == (total['cycles'], total['dram_reads'], total['stalls']['idle'], total['energy_joules']), key)
    kernels = db.execute('SELECT kernel, launches, cycles FROM kernels WHERE run = ?', (number,)).fetchall()
    check(kernels == [(stats['launches'][0]['kernel'], 1, total['cycles'])], kernels)
    limit = db.execute('SELECT value FROM figures WHERE run = ? AND design = "swl" AND name = "limit"', (number,)).fetchall()
    check(limit == ([(total['swl']['limit'],)] if 'swl' in total else []), limit)
    config = dict(db.execute('SELECT name, value FROM config_values JOIN runs USING (config) WHERE id = ?', (number,)))
    check(config == stats['config'], number)
check(db.execute('SELECT DISTINCT design FROM runs ORDER BY design').fetchall() == [('baseline',), ('swl',)], 'designs')
failed = db.execute('SELECT state, cause FROM runs WHERE workload = "other"').fetchall()
check(len(failed) == 2 and all(state == 'failed' and cause.startswith('status 2: ') for state, cause in failed), failed)

# Every run of a workload beside the baseline with the same arguments.
speedups = db.execute('SELECT run, speedup, efficiency FROM speedup ORDER BY run').fetchall()
check(len(speedups) == 15, speedups)
for number, speedup, efficiency in speedups:
    key = name(runs[number])
    total, base = done[key]['total'], done[key[0], 'baseline', '28']['total']
    check(speedup == base['cycles'] / total['cycles'] and efficiency == base['energy_joules'] / total['energy_joules'], key)

# The best n and the best swl for given arguments and latency.
for view, where in (('best', 'name = "n"'), ('best_parameter', 'design = "swl"')):
    best = db.execute(f'SELECT run, cycles, among FROM {view} WHERE {where}').fetchall()
    want = {}
    for key, stats in done.items():
        if key[1] != 'baseline':
            want.setdefault((key[0], key[2]), []).append(stats['total']['cycles'])
    check(sorted((cycles, among) for _, cycles, among in best) == sorted((min(all), len(all)) for all in want.values()), (view, best))
    check(all(done[name(runs[run])]['total']['cycles'] == cycles for run, cycles, _ in best), view)

heddle('--csv', 'out.csv', '--jsonl', 'out.jsonl', status=1)
with open('out.csv', newline='', encoding='utf-8') as file:
    table = list(csv.DictReader(file))
with open('out.jsonl', encoding='utf-8') as file:
    lines = [json.loads(line) for line in file]
check(len(table) == len(lines) == 17, 'rows')
for run, row, line in zip(runs, table, lines):
    at = run['coordinates']
    check(line['coordinates'] == at and all(row[key] == value for key, value in at.items()), row)
    check(row['state'] == line['state'] == run['state'], row)
    if run['state'] == 'done':
        check(line['total'] == run['statistics']['total'] and int(row['cycles']) == line['total']['cycles'], row)
        check(float(row['energy_joules']) == line['total']['energy_joules'], row)
    else:
        check('total' not in line and row['cycles'] == '' and line['cause'] == run['cause'], row)

# The same again, and nothing beside it.
first = {path: open(path, 'rb').read() for path in ('out.csv', 'out.jsonl', 'out/results.db')}
heddle('--database', 'out/results.db', '--csv', 'out.csv', '--jsonl', 'out.jsonl', status=1)
check(all(open(path, 'rb').read() == text for path, text in first.items()), 'not the same twice')
check(heddle('--gather', '--only', 'policy=none') == '0 of 0 runs have results\n', 'none')
print('PASSED')
