"""statistics.py FILE: variants of the statistics in FILE that no gate may take for figures, as bad-NAME.json."""
import copy
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    good = json.load(file)


def write(name, document):
    with open(f'bad-{name}.json', 'w', encoding='utf-8') as file:
        json.dump(document, file)


write('failed', {'runs': [None]})
write('other', {'total': 3})
bad = copy.deepcopy(good)
bad['runs'][1]['partial'] = True
write('partial', bad)
bad = copy.deepcopy(good)
del bad['runs'][0]['launches'][1]['cycles']
write('launch', bad)
bad = copy.deepcopy(good)
bad['runs'][0].update({'gpu': 'mine', 'config': {'nonsense': 1}})
write('gpu', bad)
# The sums that the gates have to make of the launches.
run = good['runs'][0]
of_scale = [launch for launch in run['launches'] if launch['kernel'].startswith('scale(')]
assert len(of_scale) == 2 and of_scale[0]['source'] == {'file': 'runs.cu', 'line': 10}
print('cycles', sum(launch['cycles'] for launch in of_scale))
print('hit rate', round(100 * sum(launch['l1d_hits'] for launch in of_scale) /
                        sum(launch['l1d_accesses'] for launch in of_scale), 2))
