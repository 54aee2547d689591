"""Rows of the microbenchmarks on standard input, against examples/micro/published.txt: published.py FILE GPU PERCENT.

Every row that the file has a bracket for on this GPU is inside of it, or outside by at most PERCENT of its edge.
"""
import sys

path, gpu, percent = sys.argv[1], sys.argv[2], float(sys.argv[3])
with open(path, encoding='utf-8') as file:
    lines = [line.split() for line in file if line.strip() and not line.startswith('#')]
brackets = {row: (float(low), float(high)) for name, row, low, high, *_ in lines if name == gpu}
compared, wrong = 0, []
for row, value, _ in (line.split() for line in sys.stdin):
    if row not in brackets:
        continue
    compared += 1
    low, high = brackets[row]
    if not low * (1 - percent / 100) <= float(value) <= high * (1 + percent / 100):
        wrong.append(f'{row}: {value}, published {low:g} to {high:g}')
assert compared and not wrong, f'{gpu}: {compared} rows, {wrong}'
print(f'{gpu}: {compared} rows as published')
