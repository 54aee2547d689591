#!/usr/bin/python3
"""apply_fixes.py SARIF: prints the region of the first result with fixes, and its line with the fixes applied."""

import json
import sys

with open(sys.argv[1], encoding='utf-8') as sarif:
    result = next(result for run in json.load(sarif)['runs'] for result in run['results'] if 'fixes' in result)
region = result['locations'][0]['physicalLocation']['region']
print(f"region {region['startLine']}:{region['startColumn']} to {region['endLine']}:{region['endColumn']}: {region['snippet']['text']}")
change = result['fixes'][0]['artifactChanges'][0]
with open(change['artifactLocation']['uri'], encoding='utf-8') as source:
    lines = source.read().split('\n')
for replacement in reversed(change['replacements']):
    deleted, number = replacement['deletedRegion'], replacement['deletedRegion']['startLine'] - 1
    line = lines[number]
    lines[number] = line[:deleted['startColumn'] - 1] + replacement['insertedContent']['text'] + line[deleted['endColumn'] - 1:]
print(lines[region['startLine'] - 1].strip())
