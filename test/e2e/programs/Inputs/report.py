#!/usr/bin/python3
"""report.py FILE: the lines of the device are those of the host, in any order."""
import sys

lines = open(sys.argv[1], encoding='utf-8').read().splitlines()
host = sorted(line[5:] for line in lines if line.startswith('host '))
device = sorted(line for line in lines if '|' in line and not line.startswith('host '))
if len(host) != 64 or host != device:
    sys.exit('\n'.join(['the lines differ:'] + [a + '\n' + b for a, b in zip(host, device) if a != b][:3]))
if lines.count('no arguments') != 1 or lines[-1] != 'PASSED' or any('printf gave' in line for line in lines):
    sys.exit('other lines than expected')
