"""Prints the judged waits of each kernel in the JSON of `heddle info` that has bulk copies, by name."""
import json
import re
import sys


def kernels(value):
    if isinstance(value, dict) and 'async' in value:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from kernels(inner)


for name, waits in sorted((re.match(r'_Z\d+([a-z_]+?)P', found['name'])[1], found['async'])
                          for found in kernels(json.load(sys.stdin)) if re.match(r'_Z\d+[a-z_]+?PKfPf', found['name'])):
    print(name, waits['ahead_waits'], 'ahead', waits['serial_waits'], 'serial', waits['unproven_waits'], 'unproven')
