"""code.py ANNOTATED.ll METADATA.json HEDDLE OBJECT: joins !heddle.code and divergent_pcs with the disassembly."""
import json
import re
import subprocess
import sys

ir, metadata, heddle, kernel = sys.argv[1:]
with open(metadata, encoding='utf-8') as file:
    facts = json.load(file)['kernels'][0]
listing = json.loads(subprocess.check_output([heddle, 'dis', '--json', kernel]))
code = {inst['pc']: inst for inst in listing['objects'][0]['functions'][0]['instructions']}
with open(ir, encoding='utf-8') as file:
    text = file.read()
nodes = dict(re.findall(r'^!(\d+) = !\{(.*)\}$', text, re.M))
joined = 0
for line in re.findall(r'^  .*!heddle\.code !\d+.*$', text, re.M):
    operation = re.sub(r'^\s*(%\w+ = )?', '', line).split()[0]
    numbers = [int(n) for n in re.findall(r'i32 (\d+)', nodes[re.search(r'!heddle\.code !(\d+)', line)[1]])]
    pcs = dict(zip(numbers[::2], numbers[1::2]))
    joined += len(pcs)
    print(f'{operation}:', ' '.join(code[pc]['opcode'] for pc in pcs))
    if operation == 'mul':
        print('tags of mul:', *(tag & 1 for tag in pcs.values()), 'at its result')
    assert all(facts['reuse']['tags'][pc // 16] == f'{tag:x}' for pc, tag in pcs.items())
assert joined == sum(inst['ir'] is not None for inst in code.values())
branches = facts['liveness']['divergent_pcs']
assert len(branches) == facts['liveness']['divergent_branches']
print('divergent:', len(branches), 'of', len(branches) + facts['liveness']['uniform_branches'],
      'all of them', ' or '.join(sorted({code[pc]['opcode'] for pc in branches})))
