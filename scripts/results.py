"""results.py [--check] ROOT: the measured figures of the pages, which come from docs/results/*.json.

A page marks a figure with a comment, and the number follows it: `<!--cars.speedup-->1.23` is the value of `speedup` in
docs/results/cars.json, `<!--minus cars.speedup-->` its negative (for "2 % slower"). The text after the comment says how the
number is written: decimals, a sign, a comma in thousands. `<!--builds-->` and `<!--/builds-->` enclose the list of the
builds that measured the page's figures. Builds more than OLD commits ago are listed with their age; without git, ages stay
as they are. Where a run measured some rows of a value and others stayed, the builds of these follow (`earlier`).

Without --check, the pages are filled in. With --check, nothing is written, and these are errors: a number that is not its
value, a key that has no value, a value that no page shows, a list of builds that is not right, a commit that HEAD does not
come from, and a figure without a comment (in %, times or cycles) that docs/results/unmarked.txt does not excuse.

`make figures-X` writes the values (record()): those that pages show of docs/results/X.json, or X-SIZE.json; `make validate`
and `make validate-programs` theirs, and the rows of docs/model.md's tables (X.tsv; scripts/model_page.py).
"""
import glob
import json
import os
import re
import subprocess
import sys

FOLDER = os.path.join('docs', 'results')
PAGES = ('README.md', 'docs/papers.md', 'docs/limits.md', 'docs/artifact.md', 'examples/README.md', 'examples/*/README.md')
MEASURED = ('passes', 'lib', 'runtime', 'tools', 'include', 'examples')  # sources that decide figures
OLD = 30  # commits
MARK = re.compile(r'<!--(minus )?([a-z0-9-]+)\.([a-z0-9@-]+)-->([-+]?\d[\d,]*(?:\.\d+)?)?')
BUILDS = re.compile(r'(<!--builds-->\n)(.*?)(<!--/builds-->)', re.DOTALL)
AGE = re.compile(r', \d+ commits before this page')
FIGURE = re.compile(r'\d[\d.,]*(?: (?:to|and|or) [-+]?\d[\d.,]*)? ?(?:%|percent\b|times\b|cycles\b)')


def pages(root):
    found = [path for pattern in PAGES for path in sorted(glob.glob(os.path.join(root, pattern)))]
    return [os.path.relpath(path, root) for path in found]


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def read_results(root):
    """{file: {key: {value, size, command, commit, date, earlier: [{command, commit, date}]}}}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(root, FOLDER, '*.json'))):
        with open(path, encoding='utf-8') as file:
            found[os.path.basename(path)[:-5]] = json.load(file)
    return found


def git(root, *words):
    done = subprocess.run(['git', '-C', root, *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def written(value, as_text):
    """A number in the form of another: its decimals, sign and comma."""
    digits = len(as_text.partition('.')[2])
    sign = '+' if as_text[:1] in '+-' else ''
    return f'{value:{sign}{"," if "," in as_text else ""}.{digits}f}'


def shown_by(mark, entry):
    """The number of a comment, as the text after it is written."""
    return written(-entry['value'] if mark[1] else entry['value'], mark[4] or '0')


def origins(entry):
    """The builds of a value, the newest first: (command, commit, date)."""
    return [(build['command'], build['commit'], build['date']) for build in (entry, *entry.get('earlier', ()))]


# ---------------------------------------------------------------- pages

def builds_of(text, results, age_of):
    """Lines for the list of builds: figures of one command and commit are one entry, in the page's order."""
    entries = {}  # in order, without values
    for mark in MARK.finditer(text):
        entry = results.get(mark[2], {}).get(mark[3])
        if entry:
            entries.update(dict.fromkeys((entry['size'], *build) for build in origins(entry)))
    lines = []
    for size, command, commit, date in entries:
        count = age_of(commit)
        age = f', {count} commits before this page' if count > OLD else ''
        sizes = '' if size == 'full' or size in command else f' ({size})'
        lines.append(f'- `{command}`{sizes}: commit {commit} of {date}{age}\n')
    return ''.join(lines)


def fill(root, text, results):
    def number(mark):
        entry = results.get(mark[2], {}).get(mark[3])
        if not entry:
            return mark[0]
        return f'<!--{mark[1] or ""}{mark[2]}.{mark[3]}-->' + shown_by(mark, entry)

    text = MARK.sub(number, text)
    known = dict(re.findall(r'commit (\S+) of \S+, (\d+) commits before', text))

    def age_of(commit):
        return int(git(root, 'rev-list', '--count', f'{commit.rstrip("+")}..HEAD') or known.get(commit, 0))

    return BUILDS.sub(lambda block: block[1] + builds_of(text, results, age_of) + block[3], text)


def excuses(root):
    """(page or *, a heading or the words around a figure, reason) of each row."""
    path = os.path.join(FOLDER, 'unmarked.txt')
    if not os.path.exists(os.path.join(root, path)):
        return []
    rows = [line.split(' | ') for line in read(root, path).split('\n') if line and line[0] != '#']
    return [(row[0], ' | '.join(row[1:-1]), row[-1]) for row in rows]


def without_papers(line, columns):
    """A row of a table without the columns of the paper's own numbers."""
    cells = line.strip().strip('|').split('|')
    return ' | '.join(cell for cell, head in zip(cells, columns) if 'paper' not in head)


def unmarked(text):
    """(line number, heading, line, figure) of each figure that has no comment; not those of code and of the paper's columns."""
    inside, heading, columns = False, '', None
    for number, line in enumerate(text.split('\n'), 1):
        inside ^= line.startswith('```')
        if inside or line.startswith(('```', '    ')):
            continue
        heading = line if line.startswith('#') else heading
        if line.startswith('|'):
            columns = columns or [cell.strip() for cell in line.strip().strip('|').split('|')]
            shown = without_papers(line, columns)
        else:
            columns, shown = None, line
        shown = re.sub(r'`[^`]*`|\(paper: [^()]*\)', '', shown)
        shown = re.sub(MARK.pattern + r'(?: (?:%|percent\b|times\b|cycles\b))?', '', shown)
        for figure in FIGURE.finditer(shown):
            yield number, heading, line, figure[0]


def lost(root, results):
    """Errors: commits of builds that a reader of HEAD's history does not find. None where the history is not there."""
    top = git(root, 'rev-parse', '--show-toplevel')
    if not top or not os.path.samefile(top, root) or git(root, 'rev-parse', '--is-shallow-repository') == 'true':
        print('no whole history of this tree: commits of builds were not looked up')
        return []
    known = {commit[:7] for commit in git(root, 'rev-list', 'HEAD').split()}
    places = {}  # of each commit the first value that names it
    for file, values in results.items():
        for key, entry in values.items():
            for _, commit, _ in origins(entry):
                places.setdefault(commit, f'{file}.json: {key}')
    return [f'{FOLDER}/{place}: commit {commit} is not in the history of HEAD (built on a branch? name the commit that came of it)'
            for commit, place in places.items() if commit != 'unknown' and commit.rstrip('+')[:7] not in known]


def check(root):
    results, rows = read_results(root), excuses(root)
    errors, shown, used, marks = [], set(), set(), 0
    for page in pages(root):
        text = read(root, page)
        for mark in MARK.finditer(text):
            name, where = f'{mark[2]}.{mark[3]}', f'{page}:{text.count(chr(10), 0, mark.start()) + 1}'
            entry = results.get(mark[2], {}).get(mark[3])
            shown.add(name)
            marks += 1
            if not entry:
                errors.append(f'{where}: {FOLDER}/{mark[2]}.json has no value {mark[3]}')
            elif shown_by(mark, entry) != mark[4]:
                errors.append(f'{where}: {name} is {entry["value"]}, not {mark[4]}: make docs')
        block = BUILDS.search(text)
        if block and AGE.sub('', block[2]) != builds_of(text, results, lambda commit: 0):
            errors.append(f'{page}: the list of builds is not that of its figures: make docs')
        if not block and MARK.search(text):
            errors.append(f'{page}: no list of builds (<!--builds-->)')
        for number, heading, line, figure in unmarked(text):
            fits = [row for row in rows if row[0] in (page, '*') and (row[1] == heading or row[1] in line and figure in row[1])]
            used.update(fits[:1])
            if not fits:
                errors.append(f'{page}:{number}: {figure}: no comment names its value, and {FOLDER}/unmarked.txt does not excuse it')
    errors += [f'{FOLDER}/{file}.json: no page shows {key}' for file, values in results.items() for key in values
               if f'{file}.{key}' not in shown]
    errors += lost(root, results)
    errors += [f'{FOLDER}/unmarked.txt: {row[0]} has no figure for "{row[1]}"' for row in rows if row not in used]
    print('\n'.join(errors + [f'{marks} figures, {"not " if errors else ""}all from {FOLDER}']))
    return bool(errors)


# ---------------------------------------------------------------- values

def asked(root, name):
    """The keys of a file of results that pages show."""
    return {mark[3] for page in pages(root) for mark in MARK.finditer(read(root, page)) if mark[2] == name}


def build_of(root):
    """The commit and its date; a + if sources differ from it."""
    commit = git(root, 'rev-parse', '--short=7', 'HEAD')
    if not commit:
        return 'unknown', 'unknown'
    return commit + '+' * bool(git(root, 'status', '--porcelain', '-uno', '--', *MEASURED, ':!*.md')), git(root, 'log', '-1', '--format=%cs')


def write(path, values):
    lines = [f'  {json.dumps(key)}: {json.dumps(values[key])}' for key in sorted(values)]
    with open(path + '.part', 'w', encoding='utf-8') as file:
        file.write('{\n' + ',\n'.join(lines) + '\n}\n')
    os.replace(path + '.part', path)


def earlier_of(entry, command):
    """The builds whose rows stay beside what `command` measured."""
    return [dict(zip(('command', 'commit', 'date'), build)) for build in origins(entry) if build[0] != command]


def record(root, name, size, values, command=None, some=False):
    """Of `values`, {key: number}, those that pages show go to docs/results/NAME.json, or NAME-SIZE.json. Others in that file
    stay as they are. `some`: only some rows of the values were measured now, and `command` says which."""
    file = name + (f'-{size}' if size else '')
    path = os.path.join(root, FOLDER, file + '.json')
    wanted = asked(root, file) & set(values)
    if not wanted:
        return
    commit, date = build_of(root)
    command = command or f'make figures-{name}' + (f" FIGURES_FLAGS='--size {size}'" if size else '')
    known = read_results(root).get(file, {})
    for key in wanted:
        earlier = earlier_of(known[key], command) if some and key in known else []
        known[key] = {'value': round(values[key], 4), 'size': size or 'full', 'command': command, 'commit': commit, 'date': date,
                      **({'earlier': earlier} if earlier else {})}
    write(path, known)
    print(f'{path}: {len(wanted)} values; make docs fills in the pages')


def write_rows(root, name, rows):
    """Rows of numbers of a page's tables, as docs/results/NAME.tsv."""
    path = os.path.join(root, FOLDER, name + '.tsv')
    with open(path + '.part', 'w', encoding='utf-8') as file:
        file.writelines('\t'.join(f'{cell:.6g}' if isinstance(cell, float) else str(cell) for cell in row) + '\n' for row in rows)
    os.replace(path + '.part', path)
    print(f'{path}: {len(rows)} rows; make docs fills in the pages')


def read_rows(root, name):
    """Those, each a list of texts; None: they have never been measured."""
    path = os.path.join(root, FOLDER, name + '.tsv')
    if not os.path.exists(path):
        return None
    with open(path, encoding='utf-8') as file:
        return [line.rstrip('\n').split('\t') for line in file]


def merge_rows(root, name, keys, rows, some):
    """As write_rows; with `some`, only these rows were measured, and others stay as they are. A row's first `keys` cells say
    which it is. Returns all, as texts."""
    every = {tuple(row[:keys]): row for row in (read_rows(root, name) or [] if some else [])}
    every.update({tuple(row[:keys]): [f'{cell:.6g}' if isinstance(cell, float) else str(cell) for cell in row] for row in rows})
    write_rows(root, name, list(every.values()))
    return list(every.values())


def main():
    checks, root = sys.argv[1] == '--check', sys.argv[-1]
    if checks:
        sys.exit(check(root))
    results = read_results(root)
    for page in pages(root):
        before = read(root, page)
        after = fill(root, before, results)
        if after != before:
            with open(os.path.join(root, page), 'w', encoding='utf-8') as file:
                file.write(after)
            print(f'{page}: filled in')


if __name__ == '__main__':
    main()
