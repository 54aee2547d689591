"""fetch_limit.py STATISTICS NAME: prints NAME and the sectors that the only launch read from DRAM, rounded: its sum has some, too."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    launch, = json.load(file)['launches']
print(f'{sys.argv[2]}: {launch["dram_reads"] // 64 * 64}')
