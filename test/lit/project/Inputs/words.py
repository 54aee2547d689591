"""Phrases of words.txt in the project's pages and in what the programs print about themselves.

    words.py ROOT HEDDLE HEDDLE_CC [FILE...]

Reads README.md, CONTRIBUTING.md, docs/*.md and examples/*/README.md under ROOT (or only FILEs, given after the programs), and
runs --help, --man and the lists of both programs. Code blocks and `code` are skipped. Prints PLACE: phrase (what to write).
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = (['gpus', 'v100'], ['policies', '--keys', '--counts'], ['passes'], ['check', '--list-metrics'], ['run', '--list-stalls'])


def phrases():
    with open(os.path.join(HERE, 'words.txt'), encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file if line.strip() and not line.startswith('#')]
    return [(re.compile(pattern), instead) for pattern, instead in rows]


def pages(root):
    for pattern in ('README.md', 'CONTRIBUTING.md', 'docs/*.md', 'examples/*/README.md'):
        yield from sorted(glob.glob(os.path.join(root, pattern)))


def page_lines(path):
    """(place, text) of each line outside of code."""
    with open(path, encoding='utf-8') as file:
        code = False
        for number, line in enumerate(file, 1):
            if line.startswith('```'):
                code = not code
            elif not code and not line.startswith('    '):
                yield f'{path}:{number}', re.sub(r'`[^`]*`', '``', line)


def printed(program, *words):
    text = subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
    name = ' '.join([os.path.basename(program), *words])
    for line in text.splitlines():
        yield name, line.strip()
        for part in re.split(r'\s{2,}|: ', line.strip())[1:]: # the text behind an option, a key or a unit
            yield name, part


def program_lines(heddle, compiler):
    names = subprocess.run([heddle, '--options'], capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        yield from printed(heddle, name, '--help')
    for words in (['--help'], ['--man'], ['--man', 'passes'], *LISTS):
        yield from printed(heddle, *words)
    yield from printed(compiler, '--help')


def main():
    root, heddle, compiler, *files = sys.argv[1:]
    lines = [line for page in files or pages(root) for line in page_lines(page)]
    if not files:
        lines += program_lines(heddle, compiler)
    found = {f'{place}: "{match.group()}" ({instead})' for place, text in lines for pattern, instead in phrases()
             for match in [pattern.search(text)] if match}
    for line in sorted(found):
        print(line)
    print(f'{len(lines)} lines, {len(found)} of them to rewrite')
    return bool(found)


sys.exit(main())
