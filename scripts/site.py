#!/usr/bin/env python3
"""site.py ROOT SITE: writes README.md and the pages of docs/ as one searchable static site, with MkDocs (Debian: mkdocs), and checks
its links: each leads to a file of the site, and each fragment to an anchor there. Exit status 1 where one does not.

Links to files of the source tree that are no pages become their text: the site stands alone. A link to a file that the tree has not
is an error, too. SITE takes the place of an earlier site, once the new one is whole and its links are right; another folder that is
not empty is refused."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

MARK = '.heddle-site'  # a file of each site
LINK = re.compile(r'(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)')


class Wrong(Exception):
    """Why there is no site."""


def relink(text, page, pages, root):
    """The page's links as the site has them: all pages lie in one folder, README.md is index.md."""
    def replace(match):
        picture, words, target = match.groups()
        if re.match(r'[a-z]+:', target) or target.startswith('#'):
            return match.group(0)
        path, _, fragment = target.partition('#')
        full = os.path.normpath(os.path.join(root, os.path.dirname(page), path))
        name = pages.get(os.path.relpath(full, root))
        if not name and not os.path.exists(full):
            raise Wrong(f'{page}: the link {target} leads to no file')
        if not name:
            return words
        return f'{picture}[{words}]({name}{"#" + fragment if fragment else ""})'
    parts = re.split(r'(^```.*?^```\s*$|`[^`\n]*`)', text, flags=re.MULTILINE | re.DOTALL)
    return ''.join(part if i % 2 else LINK.sub(replace, part) for i, part in enumerate(parts))


def slug(words, separator):
    """As GitHub names a heading's anchor."""
    return re.sub(r'[^\w\- ]', '', words.strip().lower()).replace(' ', separator)


def title_of(text, name):
    found = re.search(r'^# (.*)$', text, re.MULTILINE)
    return re.sub(r'[`*]', '', found.group(1)) if found else name


def build(root, site):
    pages = {'README.md': 'index.md', 'CHANGELOG.md': 'changes.md', 'CONTRIBUTING.md': 'contributing.md'}
    docs = sorted(os.listdir(os.path.join(root, 'docs')))
    pages.update({f'docs/{name}': name for name in docs if name.endswith(('.md', '.svg', '.png'))})
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, 'pages')
        os.mkdir(folder)
        titles = {}
        for page, name in pages.items():
            if not page.endswith('.md'):
                shutil.copy(os.path.join(root, page), os.path.join(folder, name))
                continue
            with open(os.path.join(root, page), encoding='utf-8') as file:
                text = file.read()
            titles[name] = 'Heddle' if page == 'README.md' else title_of(text, name)
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(relink(text, page, pages, root))
        shutil.copy(__file__, os.path.join(work, 'site_slug.py'))
        first = ['index.md', 'changes.md', 'contributing.md']
        nav = [{titles['index.md']: 'index.md'}, {'Pages': [{titles[name]: name} for name in titles if name not in first]},
               *({titles[name]: name} for name in first[1:])]
        # YAML contains JSON, but for the one value that names a function of Python.
        config = json.dumps({'site_name': 'Heddle', 'docs_dir': folder, 'site_dir': os.path.abspath(site), 'theme': 'mkdocs',
                             'use_directory_urls': False, 'plugins': ['search'], 'nav': nav,
                             'markdown_extensions': ['tables', 'fenced_code', {'toc': {'slugify': 'SLUG'}}]})
        config = config.replace('"SLUG"', "!!python/name:site_slug.slug ''")
        with open(os.path.join(work, 'mkdocs.yml'), 'w', encoding='utf-8') as file:
            file.write(config)
        environment = dict(os.environ, PYTHONPATH=work, PYTHONDONTWRITEBYTECODE='1')
        command = ['mkdocs', 'build', '--quiet', '--config-file', os.path.join(work, 'mkdocs.yml')]
        try:
            done = subprocess.run(command, env=environment, check=False).returncode
        except FileNotFoundError:
            raise Wrong('mkdocs is not installed (scripts/setup.sh mkdocs)') from None
        if done:
            raise Wrong(f'mkdocs ended with status {done}')


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {''}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ('href', 'src') and value and tag != 'base':
                self.links.append(value)
            if key in ('id', 'name') and value:
                self.anchors.add(value)


def check(site):
    pages = {}
    for name in sorted(os.listdir(site)):
        if name.endswith('.html'):
            with open(os.path.join(site, name), encoding='utf-8') as file:
                pages[name] = Page(file.read())
    bad = 0
    for name, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = urllib.parse.unquote(parts.path) or name
            found = os.path.exists(os.path.join(site, path))
            if found and path in pages:
                found = urllib.parse.unquote(parts.fragment) in pages[path].anchors
            if not found and name != '404.html':
                print(f'{name}: error: the link {link} leads nowhere', file=sys.stderr)
                bad += 1
    print(f'{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {bad} of them lead nowhere')
    return 1 if bad else 0


def main(root, site):
    site = os.path.abspath(site)
    earlier = os.path.exists(os.path.join(site, MARK))
    if os.path.lexists(site) and not earlier and not (os.path.isdir(site) and not os.listdir(site)):
        raise Wrong(f'{site} is not a site that this made: remove it, or name another folder')
    os.makedirs(os.path.dirname(site), exist_ok=True)
    # Beside it, so that its place is taken at once.
    with tempfile.TemporaryDirectory(prefix='.site-', dir=os.path.dirname(site)) as work:
        new = os.path.join(work, 'new')
        build(root, new)
        if check(new):
            return 1
        with open(os.path.join(new, MARK), 'w', encoding='utf-8') as file:
            file.write('make site replaces this folder.\n')
        if os.path.lexists(site):
            os.rename(site, os.path.join(work, 'old'))
        os.rename(new, site)
    return 0


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    except (Wrong, OSError) as error:
        print(f'site: error: {error}', file=sys.stderr)
        sys.exit(2)
