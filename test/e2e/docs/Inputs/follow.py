"""follow.py [--changes] PAGE ROOT BUILD FOLDER: does what a page of docs/ says, word by word, in a copy of the tree.

FOLDER gets the sources of ROOT and what was built in BUILD, with their times, so that make there makes anew only what the
page changes. Then each fenced block of the page, in order:

    ```LANGUAGE file=PATH    is a new file
    ```diff file=PATH        is a change to one: where the lines that begin with ' ' and '-' stand, once, those with ' ' and
                             '+' come; a line `@@` begins the next place
    ```console               `$ COMMAND`, run by bash in FOLDER, and what it prints; a line `...` stands for any lines
    ```console figures       the same, and each number stands for any

Blocks of other kinds are there to be read. With --changes nothing is run: only whether the changes fit. The first thing that does not hold ends it, with its line of the page.
"""
import os
import re
import shutil
import subprocess
import sys

changes_only = sys.argv[1] == '--changes'
page, root, build, folder = sys.argv[1 + changes_only:]
LEFT_OUT = {'.git', 'build', '__pycache__'}
# Of a build tree. heddle: precompiled headers, which name the headers of the tree that they are for.
NOT_NEEDED = {'test', 'examples', 'figures', 'demo', 'debug', 'san', 'heddle', 'bench', 'validate', 'ccache'}


def stop(line, text):
    sys.exit(f'{page}:{line}: {text}')


def copy_tree():
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root, folder, symlinks=True,
                    ignore=lambda at, names: LEFT_OUT & set(names) if at == root else {'__pycache__'})
    if changes_only:
        return
    subprocess.run(['git', 'init', '-q', folder], check=True) # places are told relative to the repository
    shutil.copytree(build, os.path.join(folder, 'build'), symlinks=True,
                    ignore=lambda at, names: NOT_NEEDED & set(names) if at == build else ())


def blocks(text):
    """(line, language, attributes, lines) of each fenced block; a word without a value is an attribute, too."""
    opened = None
    for number, line in enumerate(text.split('\n'), 1):
        fence = re.match(r'```(\w*) ?(.*)$', line)
        if opened is None and fence:
            opened = (number, fence[1], dict(re.findall(r'(\w+)=?(\S*)', fence[2])), [])
        elif opened is not None and line == '```':
            yield opened
            opened = None
        elif opened is not None:
            opened[3].append(line)


def create(line, path, lines):
    target = os.path.join(folder, path)
    if os.path.exists(target):
        stop(line, f'{path} is there already')
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def change(line, path, lines):
    target = os.path.join(folder, path)
    with open(target, encoding='utf-8') as file:
        text = file.read().split('\n')
    for place in '\n'.join(lines).split('\n@@\n'):
        place = [each for each in place.split('\n') if each != '@@']
        before = [each[1:] for each in place if each[:1] != '+']
        after = [each[1:] for each in place if each[:1] != '-']
        found = [at for at in range(len(text)) if text[at:at + len(before)] == before]
        if len(found) != 1:
            stop(line, f'{path} has {len(found)} places with these lines:\n' + '\n'.join(before))
        text[found[0]:found[0] + len(before)] = after
    with open(target, 'w', encoding='utf-8') as file:
        file.write('\n'.join(text))


def pattern_of(line, figures):
    if not figures:
        return re.escape(line)
    # Numbers, and what lines them up.
    parts = re.split(r'(\d+(?:\.\d+)?|  +)', line)
    return ''.join(re.escape(part) if at % 2 == 0 else r'\d+(?:\.\d+)?' if part[0] != ' ' else ' +'
                   for at, part in enumerate(parts))


def same(expected, printed, figures):
    """Whether the lines are as expected, where `...` stands for any."""
    pattern = '\n'.join('(?:.*\n)*?' if each == '...' else pattern_of(each, figures) for each in expected)
    return re.fullmatch(pattern.replace('(?:.*\n)*?\n', '(?:.*\n)*?') + '\n?' if expected else '', '\n'.join(printed) + '\n'
                        if printed else '')


def run(line, command, expected, figures):
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(os.path.realpath(folder), 'build'), # as make there has it
                       MAKEFLAGS=f'-j{os.cpu_count() or 2} ' + os.environ.get('MAKEFLAGS', ''))
    done = subprocess.run(['bash', '-c', command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace')
    printed = [each.rstrip() for each in done.stdout.rstrip('\n').split('\n')] if done.stdout else []
    if done.returncode or not same(expected, printed, figures):
        stop(line, f'exit status {done.returncode} of: {command}\nprinted:\n' + '\n'.join(printed))


def console(line, lines, figures):
    command, expected, at = None, [], line
    for number, each in enumerate(lines + ['$ '], line + 1):
        if command is not None and command.endswith('\\') and not expected:
            command += '\n' + each
        elif each.startswith('$ '):
            if command is not None:
                run(at, command, expected, figures)
            command, expected, at = each[2:], [], number
        else:
            expected.append(each.rstrip())


copy_tree()
done = 0
for number, language, attributes, lines in blocks(open(os.path.join(root, page), encoding='utf-8').read()):
    if language == 'console':
        if changes_only:
            continue
        console(number, lines, 'figures' in attributes)
    elif 'file' in attributes:
        (change if language == 'diff' else create)(number, attributes['file'], lines)
    else:
        continue
    done += 1
shutil.rmtree(folder)
if not done:
    stop(1, 'nothing to follow')
print(f'{page}: followed')
