"""steps.py ROOT: one word for each compiler step: prints the rows of passes.def and mir.def whose file, function, id or
switch has another name.

A row NAME has the id NAME and the function hd_NAME_run (in passes.def also hd_NAME, or hd_NAME_print_unit where it only
prints), which stands in NAME.c (in passes.def also in program_NAME.c beside it). A switch that turns a whole step off has
the step's name; every switch has a test test/lit/lower/SWITCH.ll.
"""
import glob
import os
import re
import sys

root = sys.argv[1]
found, rows = [], 0


def read(path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def table(path, macro):
    """The rows of a table as lists of their cells."""
    text = re.sub(r'/\*.*?\*/', '', read(path), flags=re.S)
    for start in re.finditer(rf'^{macro}\(', text, flags=re.M):
        cells, depth, cell = [], 1, ''
        for token in re.findall(r'"(?:\\.|[^"\\])*"|[(),]|[^"(),]+', text[start.end():]):
            depth += (token == '(') - (token == ')')
            if token == ',' and depth == 1 or not depth:
                cells.append(cell.strip())
                cell = ''
            else:
                cell += token
            if not depth:
                break
        yield cells


def check_row(path, name, row_id, function, functions, prefixes):
    global rows
    rows += 1
    word = name.replace('-', '_')
    if row_id != word.upper():
        found.append(f'{path}: the id of {name} is {row_id}')
    if function not in (pattern.format(word) for pattern in functions):
        found.append(f'{path}: the function of {name} is {function}')
    files = [file for prefix in prefixes
             for pattern in ('passes', 'passes/*') for file in glob.glob(os.path.join(root, pattern, f'{prefix}{word}.c'))]
    if not any(os.path.basename(file) == f'{word}.c' for file in files):
        found.append(f'{path}: {name} has no file {word}.c')
    elif not any(re.search(rf'^(?:int|void) {function}\(', read(os.path.relpath(file, root)), flags=re.M) for file in files):
        found.append(f'{path}: {function} does not stand in {word}.c')


for cells in table('passes/passes.def', 'HD_PASS'):
    compute, printer = cells[6], cells[7]
    only_prints = compute == 'NULL'
    check_row('passes.def', cells[1].strip('"'), cells[0], printer if only_prints else compute,
              ('hd_{}_print_unit',) if only_prints else ('hd_{}_run', 'hd_{}'), ('', 'program_'))
for cells in table('passes/mir.def', 'HD_STEP'):
    check_row('mir.def', cells[1].strip('"'), cells[0], cells[5], ('hd_{}_run',), ('',))
for cells in table('passes/mir.def', 'HD_SWITCH'):
    rows += 1
    name, step, doc = (cell.strip('"') for cell in cells[1:4])
    if cells[0] != name.replace('-', '_').upper():
        found.append(f'mir.def: the id of {name} is {cells[0]}')
    if doc == 'the whole step' and name != step:
        found.append(f'mir.def: {name} is the whole step {step}')
    if not glob.glob(os.path.join(root, 'test', 'lit', 'lower', f'{name}.ll')):
        found.append(f'mir.def: {name} has no test test/lit/lower/{name}.ll')

print(*found, sep='\n', end='\n' if found else '')
print(f'{rows} rows, {len(found)} with another word')
sys.exit(bool(found))
