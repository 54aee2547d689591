"""records.py STATS: each launch has every figure of the total, in its order, and the total is their sum."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    stats = json.load(file)


def figures(of, policies):
    """Numbers by name, those of objects as group.name, without the policies' own."""
    found = {}
    for key, value in of.items():
        if isinstance(value, dict) and key not in policies:
            found.update({f'{key}.{name}': number for name, number in value.items()})
        elif isinstance(value, (int, float)):
            found[key] = value
    return found


OWN = ('launches', 'source', 'sampling', 'samples')  # of a launch
policies = [key for key in stats['total'] if isinstance(stats['total'][key], dict) and key not in ('l1d', 'stalls', 'energy')]
total = figures(stats['total'], policies)
sums = dict.fromkeys(total, 0)
for launch in stats['launches']:
    assert all(isinstance(launch[policy], dict) for policy in policies), launch['kernel']
    each = figures(launch, [*policies, *OWN])
    names = [name for name in each if name in total]
    assert names == list(total), f'{launch["kernel"]}: {set(total) - set(names) or "another order"}'
    for name, number in total.items():
        assert isinstance(each[name], type(number)), f'{launch["kernel"]}: {name} is {each[name]}'
        sums[name] += each[name]
assert len(stats['launches']) > 2 and len(total) > 40
for name, number in total.items():
    if isinstance(number, int):
        assert sums[name] == number, f'{name}: {sums[name]} in launches, {number} in all'
    elif name != 'ipc':
        assert abs(sums[name] - number) <= 1e-9 * abs(number), f'{name}: {sums[name]} in launches, {number} in all'
if 'ipc' in total:
    assert abs(total['ipc'] - total['warp_instructions'] / total['cycles']) < 1e-9
print('as it should be:', len(stats['launches']), 'launches')
