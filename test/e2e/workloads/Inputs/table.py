"""table.py EXAMPLES: every program of examples/ is in workloads.txt, and every line there is of one, in full; the sizes that
a program has without arguments are the default ones of a line, and those that its usage names.

    size_argument(arguments, 2, 16, ...)     what a program has without its second argument
    {"name", run, {512, 128, 128, 1}}        the same for the second argument and on, where the first is a line of a list
"""

import os
import re
import sys

CLASSES = ('nbi', 'dbi', 'ls', 'registers', 'shared', 'regular', 'calls')
PAPERS = ('CARS', 'LTRF', 'Lin', 'Malekeh', 'R2D2')
APART = ('analysis', 'cards', 'ci', 'hopper', 'micro', 'show')  # no workloads, or none for the papers' GPUs
SIZE = re.compile(r'size_argument\((?:argc, argv|arguments), (\d+), ([^,]+),')
LISTED = re.compile(r'^\t\{"[^"]+", \w+, \{([\d, ]+)\}\},$', re.MULTILINE)
USAGE = re.compile(r'\bdefault ([^"]*)"')


def split(sizes):
    assert all(size.isdigit() for size in sizes.split(',')), f'sizes {sizes}'
    return sizes.split(',')


def own_sizes(source):
    """What a program has by itself: the sizes without arguments, and those of each line of its list, the first argument in
    front. What is computed from other sizes (fib N: of N, M and K) is left out."""
    sizes = dict(SIZE.findall(source))
    leading = [sizes[index] for index in sorted(sizes, key=int) if sizes[index].isdigit()]
    listed = [[str(i + 1), *row.split(', ')] for i, row in enumerate(LISTED.findall(source))]
    return leading, listed


def check_defaults(path, rows):
    with open(path, encoding='utf-8') as file:
        source = file.read()
    leading, listed = own_sizes(source)
    assert leading, f'{path}: no sizes'
    usage = iter(re.findall(r'\d+', USAGE.search(source).group(1)))
    assert all(size in usage for size in leading), f'{path}: the usage does not say {leading}'
    if listed:
        for row in listed:
            assert row in rows, f'{path}: {row} is not among the default sizes {rows}'
        assert leading == listed[int(leading[0]) - 1][:1], f'{path}: {leading} and {listed}'
    else:
        assert leading in [row[:len(leading)] for row in rows], f'{path}: {leading} is not among the default sizes {rows}'


def read_rows(examples):
    with open(os.path.join(examples, 'workloads.txt'), encoding='utf-8') as file:
        rows = [line.split(None, 6) for line in file if line.strip() and line[0] != '#']
    assert all(len(row) == 7 for row in rows)
    names = [row[0] for row in rows]
    assert len(names) == len(set(names)), 'a name twice'
    return rows


def programs_of(examples):
    found = set()
    for folder, _, files in os.walk(examples):
        where = os.path.relpath(folder, examples)
        if where.split(os.sep)[0] not in APART:
            programs = [file for file in files if file.endswith('.cu')]
            found |= {where} if where.startswith('calls' + os.sep) and programs else \
                {os.path.normpath(os.path.join(where, file)) for file in programs}
    return found


def main():
    examples = sys.argv[1]
    rows, found = read_rows(examples), programs_of(examples)
    defaults = {}
    for name, source, tests, default, figures, kind, stands in rows:
        defaults.setdefault(source, []).append([split(sizes) for sizes in (tests, default, figures)][1])
        assert kind in CLASSES, f'{name}: class {kind}'
        assert stands.strip() == '-' or all(part.split()[0] in PAPERS for part in stands.split('; ')), f'{name}: {stands}'
    listed = set(defaults)
    assert found == listed, f'not listed: {sorted(found - listed)}; not there: {sorted(listed - found)}'
    for source, sizes in defaults.items():
        check_defaults(os.path.join(examples, source, *(['main.cu'] if source.startswith('calls/') else [])), sizes)
    print(f'{len(rows)} workloads of {len(listed)} programs, with the sizes that they have by themselves')


main()
