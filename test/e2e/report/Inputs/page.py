"""page.py PAGE METADATA.json STATS.json: reads PAGE.html with an HTML parser and PAGE.md as GitHub's tables are read, holds
both against PAGE.json, and that against the metadata and the statistics."""
import html
import html.parser
import json
import re
import sys

name, metadata, stats = sys.argv[1], *(json.load(open(f, encoding='utf-8')) for f in sys.argv[2:])
page = json.load(open(name + '.json', encoding='utf-8'))


def shown(cell):
    if isinstance(cell, dict):
        cell = cell['text']
    if cell is None:
        return ''
    text = f'{cell:.6g}' if isinstance(cell, float) else str(cell)
    return re.sub(r'[\x00-\x08\x0e-\x1f]', '\ufffd', text)


class Reader(html.parser.HTMLParser):
    """Every element is closed and nothing is loaded from elsewhere. The page's data and its one script come last."""
    VOID = {'meta'}

    def __init__(self):
        super().__init__()
        self.open, self.tables, self.ids, self.links, self.headings, self.scripts, self.colours = [], [], [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert tag not in ('link', 'img', 'iframe'), tag
        self.scripts += [attrs] if tag == 'script' else []
        assert not any(key.startswith('on') or key == 'src' for key in attrs), attrs
        self.ids += [attrs['id']] if 'id' in attrs else []
        self.links += [attrs['href']] if 'href' in attrs else []
        if tag == 'table':
            self.tables.append([])
        elif tag == 'tr':
            self.tables[-1].append([])
        elif tag in ('td', 'th'):
            self.tables[-1][-1].append('')
        elif re.fullmatch('h[1-6]', tag):
            self.headings.append('')
        elif tag == 'span' and 'title' in attrs:
            self.tables[-1][-1][-1] += attrs['title'] + '; '
        elif tag == 'span' and 'p' in self.open:
            self.colours.append(attrs['class'])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if any(tag in self.open for tag in ('td', 'th')):
            self.tables[-1][-1][-1] += data
        elif self.open and re.fullmatch('h[1-6]', self.open[-1]):
            self.headings[-1] += data


reader = Reader()
reader.feed(open(name + '.html', encoding='utf-8').read())
assert not reader.open
assert reader.scripts == [{'type': 'text/plain', 'id': 'data'}, {}], reader.scripts
assert len(set(reader.ids)) == len(reader.ids) and {link[1:] for link in reader.links} <= set(reader.ids)
# Each reason of the legend has a colour of its own.
assert len(set(reader.colours)) == len(reader.colours) == len(next(iter(stats['runs']))['total']['stalls']), reader.colours
markdown, table = [], None
for line in open(name + '.md', encoding='utf-8'):
    if not line.startswith('|'):
        table = None
        continue
    cells = [html.unescape(cell.strip()) for cell in line.strip()[1:-1].split('|')]
    if table is None:
        markdown.append(table := [])
    table.append(cells)

sections = page['sections']
assert reader.headings == [page['title']] + [shown(s['heading']) for s in sections]
assert page['title'] == 'A & B <i>'
blocks = [b for s in sections for b in s['blocks'] if 'columns' in b or 'bars' in b]
assert len(blocks) == len(reader.tables) == len(markdown)
for block, web, text in zip(blocks, reader.tables, markdown):
    assert re.fullmatch('(-+:?)+', ''.join(text[1]))
    if 'columns' in block:
        rows = [[shown(cell) for cell in row] for row in [block['columns']] + block['rows']]
        grouped = [[f'{cell:,}' if isinstance(cell, int) else shown(cell) for cell in row] for row in [block['columns']] + block['rows']]
        assert web == grouped, (web, grouped)
        assert text[:1] + text[2:] == rows, (text, rows)
        continue
    for bar, line in zip(block['bars'], web):
        parts = {part.rsplit(' ', 2)[0]: float(part.split()[-2]) for part in line[1].split('; ') if part}
        assert all(abs(parts.get(key, 0) - share) <= 0.0501 for key, share in zip(block['legend'], bar['shares'])), (parts, block['legend'], bar['shares'])
        assert abs(sum(bar['shares']) - 100) < 0.1


def table_of(heading, which=0):
    section, = [s for s in sections if s['heading'] == heading]
    block = [b for b in section['blocks'] if 'columns' in b][which]
    return [dict(zip(block['columns'], row)) for row in block['rows']]


runs = {f"{run['policy']} on {run['gpu']}": run for run in stats['runs']}
figures = {row['Figure']: row for row in table_of('Runs')}
for title, run in runs.items():
    total = run['total']
    assert figures['cycles'][title] == total['cycles']
    assert figures['L1D accesses'][title] == total['l1d']['accesses']
    assert abs(figures['- hit rate, %'][title] - 100 * total['l1d']['hits'] / total['l1d']['accesses']) < 0.05
    kernel, = table_of(title)
    assert kernel['launches'] == len(run['launches'])
    assert kernel['cycles'] == sum(launch['cycles'] for launch in run['launches'])
    assert kernel['registers'] == metadata['kernels'][0]['registers']
    bar, = [b for s in sections for block in s['blocks'] for b in block.get('bars', []) if b['name'] == title]
    slots = list(total['stalls'].values())
    assert all(abs(share - 100 * value / sum(slots)) < 0.01 for share, value in zip(bar['shares'], slots))

known = {f['demangled']: f for f in metadata['kernels'] + metadata['functions']}
seen = set()
for row in table_of('Kernels') + table_of('Device functions'):
    title = shown(row.get('Kernel', row.get('Function')))
    if title in known:
        for key in ('registers', 'max_stack_bytes', 'instructions', 'fru', 'max_stack_depth', 'shared_bytes'):
            assert row[key] == known[title][key], (title, key)
        seen.add(title)
assert any('<script>' in shown(row['Function']) for row in table_of('Device functions'))
print(f'{len(blocks)} tables and bars the same in three forms; {len(runs)} runs and {len(seen)} functions '
      'as their documents say')
