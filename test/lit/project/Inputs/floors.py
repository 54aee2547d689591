"""floors.py ROOT TABLE [OBJECTS]: prints each #include that goes up a floor, across the two halves, or from tools into
passes, or that brings the names of opcodes into a header; and each name in the runtime's object files (OBJECTS), of a function
or of data, that goes up a floor.

The table names rooms (folders) from the lowest floor up; see its head.
"""
import os
import re
import subprocess
import sys

root, table = sys.argv[1:3]
floor, apart, level = {}, set(), 0
for line in open(table, encoding='utf-8'):
    words = line.split('#')[0].split()
    if words[:1] == ['=']:
        words = words[1:]
        apart.update(words)
    level += 1
    for word in words:
        floor[word] = level


def room_of(path):
    folder = os.path.dirname(path)
    return 'passes/*' + os.path.splitext(path)[1].replace('.cpp', '.c') if folder == 'passes' else folder


def half(path):
    return path.split('/')[0]


# What one half may have of another: both read the contract and lib; tools read the passes' tables.
def crosses(source, target):
    if half(target) in ('include', 'lib') or half(source) == half(target):
        return False
    return not (half(source) == 'tools' and target.endswith('.def'))


found, seen = [], 0
for top in ('lib', 'passes', 'runtime', 'tools', 'include/heddle'):
    for folder, inside, names in os.walk(os.path.join(root, top)):
        inside.sort()
        for name in sorted(names):
            source = os.path.relpath(os.path.join(folder, name), root)
            if not name.endswith(('.c', '.h', '.cpp')) or source.startswith('lib/device/'):
                continue
            for number, line in enumerate(open(os.path.join(root, source), encoding='utf-8'), 1):
                match = re.match(r'\s*#include ["<]((?:lib|passes|runtime|tools|heddle)/[^">]+)', line)
                if not match:
                    continue
                seen += 1
                target = re.sub('^heddle/', 'include/heddle/', match[1])
                here, there = room_of(source), room_of(target)
                place = f'{source}:{number}: {target}'
                if target == 'include/heddle/machine.h' and name.endswith('.h'):
                    found.append(f'{place}: a header includes heddle/inst.h, so that a new opcode recompiles few objects')
                if target.endswith('.def') and half(source) in ('tools', half(target)):
                    continue # tables
                if here not in floor or there not in floor:
                    found.append(f'{place}: {here if here not in floor else there} is in no floor')
                elif crosses(source, target):
                    found.append(f'{place}: {half(source)} may not use {half(target)}')
                elif floor[there] > floor[here]:
                    found.append(f'{place}: {there} is above {here}')
                elif floor[there] == floor[here] and here != there and here in apart:
                    found.append(f'{place}: {there} and {here} do not use each other')
calls = 0
for objects in sys.argv[3:]:
    home, needs, sources = {}, [], []
    for folder, inside, names in os.walk(os.path.join(objects, 'runtime')):
        inside.sort()
        for name in sorted(names):
            source = os.path.relpath(os.path.join(folder, name), objects)
            if name.endswith('.o') and os.path.exists(os.path.join(root, source[:-1] + 'c')): # else the source is gone
                sources.append(source)
    table = subprocess.run(['nm', '-A', *sources], cwd=objects, capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        source, words = line.split(':', 1)[0], line.split()
        if words[-2] in 'TDBR':
            home[words[-1]] = source
        elif words[-2] == 'U':
            needs.append((source, words[-1]))
    for source, symbol in needs:
        if symbol not in home:
            continue
        calls += 1
        here, there = room_of(source), room_of(home[symbol])
        if floor[there] > floor[here]:
            found.append(f'{source} uses {symbol} of {home[symbol]}: {there} is above {here}')
        elif floor[there] == floor[here] and here != there and here in apart:
            found.append(f'{source} uses {symbol} of {home[symbol]}: {there} and {here} do not use each other')
if len(sys.argv) > 3:
    found.append(f'{calls > 500 and "all" or "too few"} calls seen')
failed = len(found) > (len(sys.argv) > 3)
print('\n'.join(found + [f'{seen > 500 and "all" or "too few"} includes seen']))
sys.exit(failed)
