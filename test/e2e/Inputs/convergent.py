#!/usr/bin/python3
"""convergent.py: reads a module (llvm-dis) from stdin and names each function that calls a convergent one, or convergent
assembly, and is not convergent itself; a call of such a function may be moved, and then other lanes take part in it."""

import re
import sys

text = sys.stdin.read()
groups = {number for number, words in re.findall(r'^attributes #(\d+) = \{([^}]*)\}', text, re.M) if re.search(r'\bconvergent\b', words)}
convergent, bodies, own = set(), {}, set()
for kind, line in re.findall(r'^(define|declare) (.*)$', text, re.M):
    name = re.search(r'@([\w.$]+)\(', line).group(1)
    own |= {name} if kind == 'define' else set()
    if set(re.findall(r'\) .*?#(\d+)', line)) & groups or any(g in groups for g in re.findall(r'#(\d+)', line)):
        convergent.add(name)
for name, body in re.findall(r'^define .*?@([\w.$]+)\(.*?\{\n(.*?)^\}', text, re.M | re.S):
    bodies[name] = body
wrong = []
for name, body in bodies.items():
    calls = [line for line in body.split('\n') if ' call ' in line]
    among = [line for line in calls if any(f'@{c}(' in line for c in convergent) or any(g in groups for g in re.findall(r'#(\d+)', line))]
    if among and name not in convergent:
        wrong.append(name)
print(f'{len(bodies)} functions, {len(convergent & own)} convergent, missing: {" ".join(sorted(wrong)) or "none"}')
