"""ends.py STATS: what the statistics say of processes and launches, in a line each. Fails where totals are no sums."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    stats = json.load(file)
failed = []
launches = stats['launches']
print('partial' if stats.get('partial') else 'whole', end='')
for each in launches:
    process = f'{each["process"]}:' if 'process' in each else ''
    print(f' {process}{each["kernel"].split("(")[0]}', end='+' if each.get('partial') else '')
print()
for each in stats.get('processes', []):
    mark = ', partial' if each.get('partial') else ''
    print(f'process of {each["launches"]}{mark}, {each["total"]["cycles"]} cycles' if not mark else f'process of {each["launches"]}{mark}')
total = stats['total']
for key in ('cycles', 'warp_instructions', 'l1d_accesses', 'ctas'):
    if total[key] != sum(each[key] for each in launches):
        failed.append(f'total {key}')
for group in ('l1d', 'stalls'):
    for key in total[group]:
        if total[group][key] != sum(each[group][key] for each in launches):
            failed.append(f'total {group} {key}')
if total['energy'].keys() != launches[0]['energy'].keys():
    failed.append('total energy')
for key in total['energy']:
    parts = sum(each['energy'][key] for each in launches)
    if abs(total['energy'][key] - parts) > 1e-9 * parts:
        failed.append(f'total energy {key}')
energy = sum(each['energy_joules'] for each in launches)
if abs(total['energy_joules'] - energy) > 1e-9 * energy:
    failed.append(f'{energy} J')
if not total['ipc'] == 0 and abs(total['ipc'] - total['warp_instructions'] / total['cycles']) > 1e-9:
    failed.append('ipc')
if failed:
    sys.exit('FAILED: ' + ', '.join(failed))
