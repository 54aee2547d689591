"""sizes.py PLAN.ini WORKLOADS.txt: whether the plan's workloads have the table's sizes, for tests (small) and for figures."""
import configparser
import sys

plan = configparser.ConfigParser(strict=False, inline_comment_prefixes=';', interpolation=None)
plan.read(sys.argv[1])
count = 0
with open(sys.argv[2], encoding='utf-8') as file:
    rows = [line.split() for line in file if line.strip() and not line.startswith('#')]
for name, source, tests, _, full, *_ in rows:
    if not source.startswith('calls/'):
        continue
    section = plan[f'workload {name}']
    if (section['arguments'], section['arguments.small']) != (full.replace(',', ' '), tests.replace(',', ' ')):
        sys.exit(f'{name}: {full} and {tests} in the table, {section["arguments"]} and {section["arguments.small"]} in the plan')
    count += 1
print(f'{count} workloads, the same sizes')
