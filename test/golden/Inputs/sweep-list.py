"""The coordinates of `heddle sweep --list`, a line each."""
import json
import sys

for line in sys.stdin:
    run = json.loads(line)
    print(run['state'], *(f'{key}={value}' for key, value in run['coordinates'].items()))
