"""unknown.py STATS OUT: the statistics with two instructions more, of a function that no input has."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    statistics = json.load(file)
rows = statistics['slots']['instructions']
rows += [{**row, 'function': 'elsewhere'} for row in rows[:2]]
with open(sys.argv[2], 'w', encoding='utf-8') as file:
    json.dump(statistics, file)
