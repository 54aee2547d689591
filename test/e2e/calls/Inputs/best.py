"""best.py FILE: of a run of `--policy baseline --policy best-swl`, the second has the fewest cycles of its search."""
import json
import sys

with open(sys.argv[1]) as file:
    best = json.load(file)['runs'][1]
searched = {one['policy']: one['cycles'] for one in best['best_of']}
assert list(searched) == [f'swl:{n}' for n in (1, 2, 3, 4, 8, 16)], searched
assert searched[best['policy']] == best['total']['cycles'] == min(searched.values()), searched
