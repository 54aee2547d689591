"""Loads that constant caches served, of the launches in v100.json, and whether any is counted in the other file."""
import json
import sys

def launches(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)['launches']

for launch in launches(sys.argv[1])[:2]:
    print(launch['kernel'].split('(')[0], launch['constant_accesses'], 'loads', launch['constant_passes'], 'passes')
counted = sum(launch['constant_passes'] for launch in launches(sys.argv[2]))
print('without:', counted or 'none')
