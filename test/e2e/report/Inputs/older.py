"""older.py STATS OUT: the statistics without what kernels have of the functions that they call."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    statistics = json.load(file)
for rows in ('lines', 'instructions'):
    for row in statistics['slots'][rows]:
        row.pop('kernels', None)
with open(sys.argv[2], 'w', encoding='utf-8') as file:
    json.dump(statistics, file)
