#!/usr/bin/python3
"""The tables of docs/model.md: keys of each unit, from include/heddle/config.def; errors, from docs/results/validate.tsv and
validate-programs.tsv, which `make validate` and `make validate-programs` write, beside what is published.

    scripts/model_page.py [--results ROOT] [PAGE]          # writes the tables; ROOT: whose docs/results
    scripts/model_page.py --check [--results ROOT] [PAGE]  # exit status 1 and the difference where they are not so

The page has places for them: `<!-- keys: HEADING -->`, of the comment in config.def under which the keys stand,
`<!-- errors: PREFIX... -->`, of rows of examples/micro, and `<!-- programs -->`, of kernels of examples/cards, each up to
`<!-- end -->`. Every heading has a place, once.
"""
import argparse
import difflib
import os
import re
import sys

import programs
import results

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'model.md')
TABLE = os.path.join(ROOT, 'include', 'heddle', 'config.def')
PROGRAMS = os.path.join(ROOT, 'examples', 'cards', 'published.csv')
PLACE = re.compile(r'(<!-- (keys|errors|programs):? ?([^\n]*) -->\n)(.*?)(<!-- end -->\n)', re.DOTALL)
KEY = re.compile(r'^HD_CONFIG_(INT|REAL|ENUM)\((\w+), ([^,]+), (.*)\)$')
LEVELS = (0.05, 0.10)  # parts of a published value


def headings(path, places):
    """[(first words of a comment, [lines of keys under it])], for comments that the page has a place for; the file's own
    comment is `chip`."""
    found, comment = [('chip', [])], None
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith('/*'):
                comment = line[2:].strip(' */\n')
            elif comment == '' and line.startswith(' * '):
                comment = line[3:].strip()
            if line.startswith('HD_CONFIG_') and KEY.match(line.strip()):
                words = re.split(r'[:.;,(]', comment or '')
                name = words[1 if words[0] == 'SM' and len(words) > 1 else 0].strip()
                if found[0][1] and name in places:
                    found.append((name, []))
                comment = None
                found[-1][1].append(line.strip())
    return found


def strings(text):
    return [''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', text[begin:end]))
            for begin, end in [(match.start(), match.end()) for match in re.finditer(r'"(?:[^"\\]|\\.)*"', text)]]


def row(line):
    kind, name, default, rest = KEY.match(line).groups()
    texts = strings(rest)
    if kind == 'ENUM':
        names = texts[0].split('|')
        return f'| `{name}` | {names[int(default)]} | {", ".join(names)} | {texts[1]} |'
    low, high = (part.strip() for part in rest.split(',')[:2])
    unit = f' {texts[0]}' if texts[0] else ''
    return f'| `{name}` | {default} | {low} to {high}{unit} | {texts[1]} |'


def key_table(lines):
    return '\n'.join(['| key | default | range | |', '|---|---|---|---|', *map(row, lines), ''])


def lines_of(path):
    """Without comments and blank ones."""
    with open(os.path.join(ROOT, 'examples', path), encoding='utf-8') as file:
        return [line.strip() for line in file if line.strip() and not line.startswith('#')]


def published():
    """{(gpu, row): (low, high, source)}"""
    rows = [line.split(None, 4) for line in lines_of('micro/published.txt') if not line.startswith('clocks ')]
    return {(gpu, row): (float(low), float(high), source) for gpu, row, low, high, source in rows}


def outside(value, low, high):
    """How far a value is outside of its bracket, as a part of the edge that it passes; 0 within."""
    return value / low - 1 if value < low else value / high - 1 if value > high else 0.0


def measured(root):
    """{gpu: {row: (value, low, high, unit, source)}} of docs/results."""
    found, known = {}, published()
    for gpu, row, value, unit in results.read_rows(root, 'validate') or []:
        if (gpu, row) in known:
            low, high, source = known[gpu, row]
            found.setdefault(gpu, {})[row] = float(value), low, high, unit, source
    return found


def program_key(row):
    """A row of PROGRAMS in docs/results/validate-programs.tsv."""
    return row.program, row.arguments, row.kernel


def program_table(found):
    """`found`: {program_key: (cycles, those published, sectors read, sectors written, reason)}."""
    page = ['| set | program | kernel | cycles | published | | read from DRAM | written to it | measured | counters |', '|' + '---|' * 10]
    sets, left = {}, []
    for row in programs.read(PROGRAMS):
        if program_key(row) not in found:
            left.append(f'`{row.kernel}` of {row.program.removesuffix(".cu")} {row.arguments}')
            continue
        cycles, wanted_cycles, *sectors, reason = found[program_key(row)]
        traffic = [programs.percent(value, wanted, 1) if (wanted or 0) > 1000 else ''
                   for value, wanted in zip(sectors, (row.dram_reads, row.dram_writes))]
        page.append(f'| {row.set} | {" ".join([row.program.removesuffix(".cu"), row.arguments]).strip()} | `{row.kernel}` | {cycles:.0f} | {wanted_cycles:.0f} | '
                    f'{programs.percent(cycles, wanted_cycles, 1)} | {traffic[0]} | {traffic[1]} | {row.source} | {reason} |')
        sets.setdefault(row.set, []).append(cycles / wanted_cycles - 1)
    lines = ['- `{}`: mean absolute error of the cycles {mean:.1f} % over {count} kernels, median {median:.1f} %, worst {worst:.1f} %.'.format(
        name, **programs.summary(errors)) for name, errors in sets.items()]
    lines += ['', f'Not measured yet: {", ".join(left)}.'] if left else []
    return '\n'.join([*page, '', '\n'.join(lines), ''])


def error_table(rows_of, prefixes):
    """rows_of: {gpu: {row: (value, low, high, unit, source)}}."""
    lines = ['| GPU | row | model | published | outside | source |', '|---|---|---|---|---|---|']
    for gpu, rows in sorted(rows_of.items()):
        for name, (value, low, high, unit, source) in rows.items():
            if name.startswith(tuple(prefixes)):
                bracket = f'{low:g}' if low == high else f'{low:g} to {high:g}'
                lines.append(f'| {gpu} | {name} | {value:.2f} {unit} | {bracket} | '
                             f'{100 * outside(value, low, high):+.1f} % | {source} |')
    return '\n'.join([*lines, '']) if len(lines) > 2 else 'Nothing is published of it.\n'


def summary_row(name, errors):
    """Errors: {row: part of the published value}."""
    worst = max(errors, key=lambda row: abs(errors[row]))
    within = [sum(abs(error) <= level for error in errors.values()) for level in LEVELS]
    mean = sum(map(abs, errors.values())) / len(errors)
    return (f'| {name} | {len(errors)} | {within[0]} | {within[1]} | {100 * mean:.1f} % | '
            f'{worst}, {100 * errors[worst]:+.0f} % |')


def summary(rows_of):
    lines, every = ['| GPU | published rows | within 5 % | within 10 % | mean error | worst |', '|---|---|---|---|---|---|'], {}
    for gpu, rows in sorted(rows_of.items()):
        errors = {name: outside(*row[:3]) for name, row in rows.items()}
        every.update({f'{name} of {gpu}': error for name, error in errors.items()})
        if errors:
            lines.append(summary_row(gpu, errors))
    if every:
        lines.append(summary_row('all', every))
    return '\n'.join([*lines, ''])


def fill(page, keys, root):
    """The page with its tables; those of which docs/results has nothing stay as they are."""
    left, rows = dict(keys), measured(root)
    kernels = {tuple(cells[:3]): (*map(float, cells[3:7]), cells[7]) for cells in results.read_rows(root, 'validate-programs') or []}

    def table(match):
        begin, kind, names, old, end = match.groups()
        if kind == 'keys':
            if names not in left:
                sys.exit(f'model_page: config.def has no keys under "{names}", or the page has two places for them; '
                         f'left: {", ".join(left)}')
            return begin + key_table(left.pop(names)) + end
        if kind == 'programs':
            return begin + program_table(kernels) + end if kernels else match.group(0)
        if not rows:
            return match.group(0)
        return begin + (summary(rows) if names == 'all' else error_table(rows, names.split())) + end

    text = PLACE.sub(table, page)
    if left:
        sys.exit(f'model_page: the page has no place for the keys under: {", ".join(left)}')
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true', help='change nothing, tell what differs')
    parser.add_argument('--results', metavar='ROOT', default=ROOT, help='folder whose docs/results has the rows of errors')
    parser.add_argument('page', nargs='?', default=PAGE)
    options = parser.parse_args()
    with open(options.page, encoding='utf-8') as file:
        old = file.read()
    new = fill(old, headings(TABLE, [names for _, kind, names, _, _ in PLACE.findall(old) if kind == 'keys']), options.results)
    if not options.check:
        with open(options.page, 'w', encoding='utf-8') as file:
            file.write(new)
        return None
    difference = list(difflib.unified_diff(old.splitlines(True), new.splitlines(True), options.page, 'config.def and docs/results'))
    sys.stdout.writelines(difference)
    if difference:
        return 'model_page: not as the tables have it; scripts/model_page.py writes it'
    print('keys and errors as the tables have them')
    return None


if __name__ == '__main__':
    sys.exit(main())
