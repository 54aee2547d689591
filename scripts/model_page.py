#!/usr/bin/python3
"""The tables of docs/model.md: keys of each unit, from include/heddle/config.def, and errors, from `make validate`.

    scripts/model_page.py                        # writes the tables of keys
    scripts/model_page.py --errors RESULTS.json  # those of errors, too; scripts/validate.py --markdown does so
    scripts/model_page.py --check [PAGE]         # exit status 1 and the difference where keys are not as in the table

The page has places for them: `<!-- keys: HEADING -->`, of the comment in config.def under which the keys stand, and
`<!-- errors: PREFIX... -->`, of rows of examples/micro, each up to `<!-- end -->`. Every heading has a place, once.
"""
import argparse
import difflib
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'model.md')
TABLE = os.path.join(ROOT, 'include', 'heddle', 'config.def')
PLACE = re.compile(r'(<!-- (keys|errors): ([^\n]*) -->\n)(.*?)(<!-- end -->\n)', re.DOTALL)
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


def outside(value, low, high):
    return value / low - 1 if value < low else value / high - 1 if value > high else 0.0


def error_table(results, prefixes):
    """Results: {gpu: {row: [value, low, high, unit, source]}}."""
    lines = ['| GPU | row | model | published | outside | source |', '|---|---|---|---|---|---|']
    for gpu, rows in sorted(results.items()):
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


def summary(results):
    lines, every = ['| GPU | published rows | within 5 % | within 10 % | mean error | worst |', '|---|---|---|---|---|---|'], {}
    for gpu, rows in sorted(results.items()):
        errors = {name: outside(*row[:3]) for name, row in rows.items()}
        every.update({f'{name} of {gpu}': error for name, error in errors.items()})
        if errors:
            lines.append(summary_row(gpu, errors))
    if every:
        lines.append(summary_row('all', every))
    return '\n'.join([*lines, ''])


def fill(page, keys, results):
    """The page with its tables; errors stay as they are where there are no results."""
    left = dict(keys)

    def table(match):
        begin, kind, names, old, end = match.groups()
        if kind == 'keys':
            if names not in left:
                sys.exit(f'model_page: config.def has no keys under "{names}", or the page has two places for them; '
                         f'left: {", ".join(left)}')
            return begin + key_table(left.pop(names)) + end
        if results is None:
            return match.group(0)
        return begin + (summary(results) if names == 'all' else error_table(results, names.split())) + end

    text = PLACE.sub(table, page)
    if left:
        sys.exit(f'model_page: the page has no place for the keys under: {", ".join(left)}')
    return text


def write(path, results=None, check=False):
    """The tables of the page at `path`; with `check` it stays as it is. What differs, as a list of lines."""
    with open(path, encoding='utf-8') as file:
        old = file.read()
    new = fill(old, headings(TABLE, [names for _, kind, names, _, _ in PLACE.findall(old) if kind == 'keys']), results)
    if not check:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(new)
    return list(difflib.unified_diff(old.splitlines(True), new.splitlines(True), path, 'config.def'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true', help='change nothing, tell what differs')
    parser.add_argument('--errors', help='results that scripts/validate.py has written')
    parser.add_argument('page', nargs='?', default=PAGE)
    options = parser.parse_args()
    results = None
    if options.errors:
        with open(options.errors, encoding='utf-8') as file:
            results = json.load(file)
    difference = write(options.page, results, options.check)
    if options.check:
        sys.stdout.writelines(difference)
        if difference:
            return 'model_page: not as the table has it; scripts/model_page.py writes it'
        print('keys as the table has them')
    return None


if __name__ == '__main__':
    sys.exit(main())
