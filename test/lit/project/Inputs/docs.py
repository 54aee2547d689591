"""docs.py ROOT: prints what the pages and the code name that is not there.

Pages are README.md, CONTRIBUTING.md and docs/*.md. Looked up are: each path in backquotes that begins with a folder of the tree (a
pattern has to match something; what a page's own blocks make is left out), links to files and headings, targets of lines
`    make TARGET`, keys of papers, `docs/PAGE.md, Heading` in the code, and the labels of each docs/*.dot in the picture made of it (`make docs`).
"""
import glob
import html
import os
import re
import sys

root = sys.argv[1]
FOLDERS = ('lib', 'passes', 'runtime', 'tools', 'include', 'examples', 'test', 'scripts', 'docs')
CODE = ('lib', 'passes', 'runtime', 'tools', 'include', 'examples', 'test', 'scripts')
KEY = re.compile(r'\b[a-z][a-z0-9]*-(?:hpca|isca|asplos|micro|pact|ispass|taco)\d\d\b|\bgpu-multiprogramming-lin\b')
SHORT = re.compile(r'(?<![\w-])(?:ltrf|lin|cars|r2d2),? (?:section )?(?:[IVX]+\b|\d+\.\d[\d.]*)')
PAGE = re.compile(r'\bdocs/[\w-]+\.md')
found, names, cited = [], 0, 0


def read(path):
    with open(os.path.join(root, path), encoding='utf-8', errors='replace') as file:
        return file.read()


def is_there(path):
    return bool(glob.glob(os.path.join(root, path)))


def headings(path):
    text = re.sub(r'^```.*?^```', '', read(path), flags=re.M | re.S)
    return re.findall(r'^#+ (.*)$', text, flags=re.M)


def slug(heading):
    return re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')


def check_link(page, line, link):
    if re.match(r'\w+:', link):
        return
    path, _, heading = link.partition('#')
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not is_there(target) or heading and heading not in map(slug, headings(target)):
        found.append(f'{page}:{line}: {link} leads nowhere')


def make_targets():
    text = ''.join(read(os.path.relpath(path, root)) for path in
                   glob.glob(os.path.join(root, 'Makefile')) + glob.glob(os.path.join(root, 'scripts', '*.mk')))
    benches = [os.path.basename(path)[:-3] for path in glob.glob(os.path.join(root, 'scripts', 'bench-*.sh'))]
    papers = ['figures-' + os.path.basename(path)[:-3] for path in glob.glob(os.path.join(root, 'scripts', 'figures', '*.py'))]
    return set(' '.join(re.findall(r'^([\w -]+):(?!=)', text, flags=re.M) + benches + papers).split())


def check_page(page):
    global names
    text = read(page)
    made = set(re.findall(r'^```\w+ file=(\S+)', text, flags=re.M))
    inside = False
    for number, line in enumerate(text.split('\n'), 1):
        if line.startswith('```'):
            inside = not inside
        if inside:
            continue
        make = re.match(r'    make ([\w-]+)(?: |$)', line)
        names += bool(make)
        if make and make[1] not in targets:
            found.append(f"{page}:{number}: '{make[1]}' is no target of make")
        for span in re.findall(r'`([^`]+)`', line):
            if not re.fullmatch(r'[\w.*-]+(?:/[\w.*-]+)+/?', span) or span.split('/')[0] not in FOLDERS or span in made:
                continue
            names += 1
            if not is_there(span):
                found.append(f'{page}:{number}: {span} is not there')
        for link in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`]*`', '', line)):
            names += 1
            check_link(page, number, link)


def check_code(path, keys):
    global names, cited
    text = re.sub(r'\s*\n[\s*#;/]*', ' ', read(path)) # comments go on in the next line
    for key in KEY.findall(text):
        cited += 1
        if key not in keys:
            found.append(f'{path}: {key} is no key of docs/papers.md')
    for short in SHORT.findall(text):
        found.append(f"{path}: '{short}' is no key of docs/papers.md")
    for match in PAGE.finditer(text):
        names += 1
        if not is_there(match[0]):
            found.append(f'{path}: {match[0]} is not there')
            continue
        rest = text[match.end():match.end() + 60]
        if re.match(r', [A-Z]', rest) and not any(rest[2:].startswith(heading) for heading in headings(match[0])):
            found.append(f"{path}: {match[0]} has no heading for '{rest[2:].split('. ')[0].strip()}'")


def check_picture(path):
    picture = path[:-4] + '.svg'
    shown = html.unescape(read(picture)).replace('\xa0', ' ') if is_there(picture) else ''
    for label in re.findall(r'label = "([^"]*)"', read(path)):
        for line in label.split('\\n'):
            if f'>{line}<' not in shown:
                found.append(f"{path}: '{line}' is not in {picture}: make docs")


def files(folder):
    for at, inside, here in os.walk(os.path.join(root, folder)):
        inside[:] = sorted(name for name in inside if name not in ('__pycache__', 'corpora'))
        yield from (os.path.relpath(os.path.join(at, name), root) for name in sorted(here)
                    if name.endswith(('.c', '.h', '.cpp', '.def', '.py', '.sh', '.ini', '.ll', '.test', '.md', '.mk')))


pages = [page for page in ('README.md', 'CONTRIBUTING.md') if is_there(page)]
pages += sorted(os.path.relpath(path, root) for path in glob.glob(os.path.join(root, 'docs', '*.md')))
keys = set(re.findall(r'^\| `([\w-]+)` \|', read('docs/papers.md'), flags=re.M))
targets = make_targets()
for page in pages:
    check_page(page)
    for key in KEY.findall(read(page)):
        if key not in keys:
            found.append(f'{page}: {key} is no key of docs/papers.md')
for path in sorted(glob.glob(os.path.join(root, 'docs', '*.dot'))):
    check_picture(os.path.relpath(path, root))
for folder in CODE:
    for path in files(folder):
        if not path.endswith(('/project/docs.test', '/project/Inputs/docs.py')):
            check_code(path, keys)
print('\n'.join(found + [f'{names} names, {cited} keys, {"not " if found else ""}all there']))
sys.exit(bool(found))
