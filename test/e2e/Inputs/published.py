"""Rows of the microbenchmarks on standard input, against examples/micro/published.txt:
published.py [--misses MISSES] FILE GPU PERCENT.

Every row that the file has a bracket for on this GPU is inside of it, or outside by at most PERCENT of its edge. Rows that
MISSES has (GPU, row, value) are known to miss, and miss by what they are known for, within two hundredths: one that comes
nearer or goes away changes that file and docs/model.md.
"""
import argparse
import sys

parser = argparse.ArgumentParser()
parser.add_argument('--misses')
parser.add_argument('file')
parser.add_argument('gpu')
parser.add_argument('percent', type=float)
options = parser.parse_args()


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return [line.split() for line in file if line.strip() and not line.startswith('#')]


brackets = {row: (float(low), float(high)) for name, row, low, high, *_ in lines_of(options.file) if name == options.gpu}
misses = {row: float(value) for name, row, value, *_ in lines_of(options.misses) if name == options.gpu} \
    if options.misses else {}
compared, missed, wrong = 0, 0, []
for row, value, _ in (line.split() for line in sys.stdin):
    if row not in brackets:
        continue
    low, high = brackets[row]
    inside = low * (1 - options.percent / 100) <= float(value) <= high * (1 + options.percent / 100)
    compared += inside
    missed += not inside
    if inside and row in misses:
        wrong.append(f'{row}: {value}, is no miss any more')
    if not inside and (row not in misses or abs(float(value) / misses[row] - 1) > 0.02):
        wrong.append(f'{row}: {value}, published {low:g} to {high:g}, known to give {misses.get(row, "what was published")}')
assert compared + missed and not wrong, f'{options.gpu}: {compared} rows, {wrong}'
print(f'{options.gpu}: {compared} rows as published' + (f', {missed} miss as is known' if missed else ''))
