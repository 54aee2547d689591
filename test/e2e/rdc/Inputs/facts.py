"""Prints what the tests look at: facts.py METADATA DISASSEMBLY."""
import json
import os
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    metadata = json.load(file)
with open(sys.argv[2], encoding='utf-8') as file:
    text = file.read()
print('mode', metadata['mode'], 'module', metadata['module'])
for kernel in metadata['kernels']:
    launches = [f'{os.path.basename(site["source"]["file"])}:{site["source"]["line"]} {site["block"]}'
                for site in kernel.get('launches', [])]
    print(kernel['demangled'], 'depth', kernel['call_depth'], 'launches', *launches)
kinds = {call['kind'] for entry in metadata['kernels'] + metadata['functions'] for call in entry['calls']}
print('calls', *sorted(kinds))
assert ('CALL' in text) == bool(kinds)
