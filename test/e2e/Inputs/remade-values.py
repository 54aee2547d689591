"""Spills of the kernels of one `heddle info --json` beside those of another one, which was compiled without the step."""
import json
import sys


def spills(path):
    with open(path, encoding='utf-8') as file:
        return {kernel['name']: kernel['spill_store_bytes'] + kernel['spill_load_bytes']
                for item in json.load(file)['objects'] for kernel in item['kernels']}


own, without = (spills(path) for path in sys.argv[1:])
print(f'{sum(bytes > 0 for bytes in without.values())} kernels spill; with the step '
      f'{sum(own[name] < without[name] for name in own)} less, {sum(own[name] > without[name] for name in own)} more')
