"""figures.py PAGE SCRIPTS ROOT: the plan and the description that docs/figures.md shows, as a target of its own: a copy of
SCRIPTS in the current folder with both in their places, at a small size."""
import os
import re
import shutil
import sys

page, scripts, root = sys.argv[1:]
with open(page, encoding='utf-8') as file:
    blocks = [re.sub(r'^    ', '', block, flags=re.M) for block in re.findall(r'(?:^    .*\n|^\n(?=    ))+', file.read(), flags=re.M)]
plan = next(block for block in blocks if '[sweep]' in block)
description = next(block for block in blocks if 'HEADLINES' in block)
shutil.copytree(scripts, 'scripts')
for path, text in (('scripts/plans/shown.ini', plan.replace('root = ../..', f'root = {root}').replace('5120 8', '256 5')),
                   ('scripts/figures/shown.py', description.lstrip())):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
os.makedirs('programs')
