"""helper-frames.py LLVM-DIS BUILTINS.bc OPT PLUGIN HEDDLE FOLDER: the helpers of the device library need no stack.

Writes a kernel for each function of the library that lowering can call, compiles it, and reads what the metadata says of the function: one that only computes is a helper, and has scratch registers
alone, so that its callers' stacks are what ptxas shows. Those of 128-bit integers may spill.
"""
import json
import os
import re
import subprocess
import sys

INLINED = 'sdiv128', 'smod128', 'smulo128'  # and those of 32 bits

disassemble, library, opt, plugin, heddle, folder = sys.argv[1:]
text = subprocess.run([disassemble, '-o', '-', library], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout
functions = re.findall(r'^define dso_local [^@]*?(\w+) @(__heddle_\w+)\(([^)]*)\)', text, re.M)
assert len(functions) > 50, len(functions)

# A division, for which the library is linked in.
lines = ['define ptx_kernel void @asks(ptr addrspace(1) %p) {\n  %v = load volatile i64, ptr addrspace(1) %p\n'
         '  %q = udiv i64 1000, %v\n  store volatile i64 %q, ptr addrspace(1) %p\n  ret void\n}']
for result, name, parameters in functions:
    if result == 'void':  # a lock waits for other threads: no helper
        continue
    types = [parameter.split()[0] for parameter in parameters.split(', ')]
    lines.append(f'declare {result} @{name}({", ".join(types)})')
    loads = [f'  %p{i} = getelementptr i8, ptr addrspace(1) %in, i64 {16 * i}\n'
             f'  %v{i} = load volatile {kind}, ptr addrspace(1) %p{i}, align 16\n' for i, kind in enumerate(types)]
    arguments = ', '.join(f'{kind} %v{i}' for i, kind in enumerate(types))
    lines.append(f'define ptx_kernel void @k{name}(ptr addrspace(1) %in, ptr addrspace(1) %out) {{\n{"".join(loads)}'
                 f'  %r = call {result} @{name}({arguments})\n'
                 f'  store volatile {result} %r, ptr addrspace(1) %out, align 16\n  ret void\n}}')
ir = os.path.join(folder, 'helpers.ll')
with open(ir, 'w', encoding='utf-8') as file:
    file.write('target triple = "nvptx64-nvidia-cuda"\n' + '\n'.join(lines) + '\n')
output = os.path.join(folder, 'helpers')
subprocess.run([opt, f'-load-pass-plugin={plugin}', f'-passes=heddle<o={output}>', '-disable-output', ir], check=True)
with open(output + '.heddle.json', encoding='utf-8') as file:
    document = json.load(file)
helpers = [function for function in document['functions'] if function.get('helper')]
framed = {function['name']: function['stack_bytes'] for function in helpers if function['stack_bytes']}
assert not framed, framed
# Nor does its code touch local memory.
listing = subprocess.run([heddle, 'dis', output + '.hdo'], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout
bodies = re.findall(r'^function (\S+)\n(.*?)(?=^function |^kernel |\Z)', listing, re.M | re.S)
local = [name for name, body in bodies if name in {h['name'] for h in helpers} and re.search(r'\b(LDL|STL)\b', body)]
assert len(bodies) >= len(helpers) and not local, local
names = {function['name'] for function in helpers}
missing = [name for _, name, _ in functions if name not in names and not name.endswith('32') and name[9:] not in INLINED]
print(f'{len(helpers)} helpers without a frame; no helpers: {" ".join(missing)}')
