"""ptx_level.py ROOT: prints where a file of the project compiles device code and states no level of PTX.

A command is a line with those that continue it, and in programs the lines around it that belong to one list.
"""
import os
import re
import sys

DEVICE = re.compile(r'--target=nvptx64|--cuda-gpu-arch=|--cuda-device-only')
LEVEL = re.compile(r'ptx\d\d')
# heddle-cc's are made of pieces, which the test sees from outside; texts about options; this file.
ELSEWHERE = re.compile(r'/tools/heddle-cc/|/ptx_level\.py$|/ptx-level\.test$')
EXPECTED = re.compile(r'[A-Z-]+: ') # what FileCheck looks for is no command
COMMAND = re.compile(r'RUN: |DEFINE: ')


def files(root):
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(name for name in inside if name not in ('.git', 'build'))
        yield from (os.path.join(folder, name) for name in sorted(names))


found = []
for name in files(sys.argv[1]):
    if ELSEWHERE.search(name):
        continue
    try:
        lines = open(name, encoding='utf-8').read().split('\n')
    except (UnicodeDecodeError, OSError):
        continue # not text, or a link that leads nowhere
    for at, line in enumerate(lines):
        if DEVICE.search(line) and (COMMAND.search(line) or not EXPECTED.match(line)):
            first, last = at, at
            while first and re.search(r'[\\,(\[]\s*$', lines[first - 1]):
                first -= 1
            while last + 1 < len(lines) and re.search(r'[\\,(\[]\s*$', lines[last]):
                last += 1
            if not LEVEL.search('\n'.join(lines[first:last + 1])):
                found.append(f'{name}:{at + 1}: no level of PTX: {line.strip()}')
print('\n'.join(found))
sys.exit(bool(found))
