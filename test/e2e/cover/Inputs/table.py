#!/usr/bin/python3
"""table.py COVERAGE.MD INSTRUCTION.DEF: holds the table of coverage against the tests and against LLVM's list of instructions."""

import glob
import os
import re
import sys

SPELT = {'atomiccmpxchg': 'cmpxchg', 'vaarg': 'va_arg'}


def main():
    table, definitions = sys.argv[1:]
    text = open(table, encoding='utf-8').read()
    root = os.path.dirname(os.path.abspath(table))
    quoted = set(re.findall(r'`([^`\n]+)`', text))
    files = {name for name in quoted if re.fullmatch(r'(e2e|lit|unit|scripts)/\S+\.\w+', name)}
    wrong = [f'there is no {name}' for name in sorted(files)
             if not glob.glob(os.path.join(root, '..' if name.startswith('scripts/') else '', name))]
    for folder in 'e2e/cover', 'e2e/programs':
        for path in sorted(glob.glob(os.path.join(root, folder, '*.test'))):
            name = os.path.relpath(path, root)
            if name not in files and os.path.basename(name) != 'table.test':
                wrong.append(f'{name} is in no row')
    for name in re.findall(r'HANDLE_\w+_INST\s*\(\s*\d+\s*,\s*(\w+)', open(definitions, encoding='utf-8').read()):
        name = SPELT.get(name.lower(), name.lower())
        if name not in quoted:
            wrong.append(f'the instruction {name} is in no row')
    if wrong:
        sys.exit('\n'.join(wrong))


main()
