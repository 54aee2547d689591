"""linear.py NAME STATS.json: every launch ran the linear version of its kernel, and its streams were executed."""

import json
import sys

name, path = sys.argv[1:]
with open(path, encoding='utf-8') as file:
    total = json.load(file)['total']
missing = {key: total[key] for key in ('linear_without', 'linear_check_fallbacks', 'linear_small_fallbacks', 'linear_register_fallbacks') if total[key]}
assert not missing, f'{name}: {missing}'
assert total['linear_launches'], f'{name}: no launch'
for stream in ('coefficient', 'thread', 'block'):
    assert total[f'linear_{stream}_instructions'], f'{name}: no {stream} stream'
print(f'{name}: every launch is of a linear version')
