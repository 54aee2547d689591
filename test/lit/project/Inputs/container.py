"""container.py ROOT: whether what .devcontainer and Dockerfile name is there: scripts, files, goals of make, variables.

The containers themselves are not made: `scripts/check-fresh.sh COMMAND...` runs their commands on a bare Debian 12.
"""
import json
import os
import re
import subprocess
import sys

root = sys.argv[1]
KNOWN = {'name', 'image', 'onCreateCommand', 'postCreateCommand', 'remoteEnv', 'customizations'}
VARIABLES = {'containerWorkspaceFolder', 'containerEnv:PATH'}
wrong = []


def expect(holds, *text):
    if not holds:
        wrong.append(' '.join(map(str, text)))


def read(path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def goals():
    """What make can be asked for by name."""
    done = subprocess.run(['make', '-C', root, '-pnrR', 'help'], stdout=subprocess.PIPE, encoding='utf-8', check=True)
    return set(re.findall(r'^([\w-]+):', done.stdout, re.MULTILINE))


def check_command(where, command, made):
    """A script is there and may be run; make knows its goals."""
    expect(subprocess.run(['sh', '-n', '-c', command]).returncode == 0, where, 'is no command of sh')
    for part in re.split(r'&&|\|\||;', command):
        words = part.split()
        if words and words[0].startswith('scripts/'):
            expect(os.access(os.path.join(root, words[0]), os.X_OK), where, 'runs', words[0])
        if words and words[0] == 'make':
            for goal in (word for word in words[1:] if word[0] != '-' and '=' not in word):
                expect(goal in made, where, 'makes', goal)


def check_devcontainer(made):
    text = read('.devcontainer/devcontainer.json')
    container = json.loads(re.sub(r'^\s*//.*$', '', text, flags=re.MULTILINE))
    expect(set(container) <= KNOWN, 'keys of devcontainer.json:', *sorted(set(container) - KNOWN))
    used = set(re.findall(r'\$\{([^}]+)\}', text))
    expect(used <= VARIABLES, 'variables of devcontainer.json:', *sorted(used - VARIABLES))
    for key in ('onCreateCommand', 'postCreateCommand'):
        check_command(key, container[key], made)
    installed = container['onCreateCommand'].split()
    for extension, package in {'llvm-vs-code-extensions.vscode-clangd': 'clangd-19'}.items():
        if extension in container['customizations']['vscode']['extensions']:
            expect(package in installed, extension, 'needs', package)
    expect(container['customizations']['vscode']['settings']['clangd.path'] in installed, 'clangd.path is not installed')
    # What `make tidy` installs where it is missing.
    for package in re.search(r'^tidy:.*\n\t@scripts/setup.sh (.*)$', read('Makefile'), re.MULTILINE)[1].split():
        expect(package in installed, 'make tidy needs', package)
    return container['image']


def check_dockerfile(made, image):
    for line in read('Dockerfile').replace('\\\n', ' ').split('\n'):
        word, _, rest = line.partition(' ')
        if word == 'FROM':
            expect(rest == image, 'Dockerfile is from', rest, 'and devcontainer.json from', image)
        elif word == 'RUN':
            check_command('Dockerfile', rest, made)
        elif word == 'COPY':
            for source in rest.split()[:-1]:
                expect(os.path.exists(os.path.join(root, source)), 'Dockerfile copies', source)
        elif word == 'CMD':
            check_command('CMD', ' '.join(json.loads(rest)), made)


named = goals()
check_dockerfile(named, check_devcontainer(named))
print('\n'.join(wrong) or 'containers: as they are described')
sys.exit(bool(wrong))
