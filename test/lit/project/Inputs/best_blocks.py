"""best_blocks.py SCRIPTS: the search of scripts/best_blocks.py over runs that are made up."""
import sys
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])
import best_blocks
import figures

SHORT, WHOLE = 100, 1000
ALONE = {'path': 2.0, 'triad': 4.0}
# IPC of path and triad in the short window: 1,1 leads there, then 2,3 and 4,1; in the whole window 4,1 leads of these three.
SPEEDS = {(SHORT, '1,1'): (1.8, 3.6), (SHORT, '2,3'): (1.6, 3.2), (SHORT, '4,1'): (1.5, 3.0),
          (WHOLE, '1,1'): (0.4, 0.8), (WHOLE, '2,3'): (0.6, 1.2), (WHOLE, '4,1'): (2.0, 4 / 3),
          (WHOLE, 'ccbp'): (1.0, 4.0), (WHOLE, 'smk'): (0.5, 1.0)}


def rates_of(names, policy, window):
    if len(names) == 1:
        return [ALONE[names[0]]]
    speeds = dict(zip(ALONE, SPEEDS.get((window, policy.split(':')[-1]), (0.2, 0.4))))
    return [speeds[name] for name in names]


def made(build, store, plan, workers, wanted):
    runs = {}
    for (*names, policy), run in wanted.items():
        window = int(run.options.split('=')[1])
        print('run:', window, *names, policy, *run.settings, *run.arguments)
        grids = [{'kernel': f'{name}(float*)', 'ipc': rate} for name, rate in zip(names, rates_of(names, policy, window))]
        if policy == 'smk':
            del grids[1]  # it never began
        runs[(*names, policy)] = {'statistics': {'coruns': [{'grids': grids}]}}
    return runs


figures.sweep_runs = made
options = SimpleNamespace(build='build', j=1, window=WHOLE, short=SHORT, keep=3)
for pair, blocks, *speeds in best_blocks.search(options, [('path', 'triad')], {'path': ('192', '512'), 'triad': ('192', '512')}):
    print('best:', '-'.join(pair), blocks, *(f'{h:.4g}' for h in speeds))
for key, value in best_blocks.summary_of([(('a', 'b'), '1,1', 0.5, 0.6, 0.25), (('a', 'c'), '1,1', 0.8, 0.6, 0.4), (('b', 'c'), '1,1', 0.5, 0.5, 0.25)]).items():
    print('value:', key, f'{value:.4g}')
sizes, pairs = best_blocks.workloads()
print('plan:', len(sizes), len(pairs), len(set(pairs)), 'walk' in [name for pair in pairs for name in pair])
