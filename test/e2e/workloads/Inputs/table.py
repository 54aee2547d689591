"""table.py EXAMPLES: every program of examples/ is in workloads.txt, and every line there is of one, in full."""

import os
import sys

CLASSES = ('nbi', 'dbi', 'ls', 'registers', 'shared', 'regular', 'calls')
PAPERS = ('CARS', 'LTRF', 'Lin', 'Malekeh', 'R2D2')
APART = ('analysis', 'ci', 'micro')  # no workloads

examples = sys.argv[1]
with open(os.path.join(examples, 'workloads.txt'), encoding='utf-8') as file:
    rows = [line.split(None, 6) for line in file if line.strip() and line[0] != '#']
assert all(len(row) == 7 for row in rows)
names = [row[0] for row in rows]
assert len(names) == len(set(names)), 'a name twice'

found = set()
for folder, _, files in os.walk(examples):
    where = os.path.relpath(folder, examples)
    if where.split(os.sep)[0] not in APART:
        programs = [file for file in files if file.endswith('.cu')]
        found |= {where} if where.startswith('calls' + os.sep) and programs else \
            {os.path.normpath(os.path.join(where, file)) for file in programs}
listed = {row[1] for row in rows}
assert found == listed, f'not listed: {sorted(found - listed)}; not there: {sorted(listed - found)}'

for name, _, tests, default, figures, kind, stands in rows:
    for sizes in (tests, default, figures):
        assert sizes == '-' or all(size.isdigit() for size in sizes.split(',')), f'{name}: sizes {sizes}'
    assert kind in CLASSES, f'{name}: class {kind}'
    assert stands.strip() == '-' or all(part.split()[0] in PAPERS for part in stands.split('; ')), f'{name}: {stands}'
print(f'{len(rows)} workloads of {len(listed)} programs')
