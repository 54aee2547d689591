"""nvcc-options.py HEDDLE-CC OPTIONS.txt SOURCE FOLDER: options that change nothing are taken in every form, silently.

All of them together, as --long VALUE, --long=VALUE, -short VALUE and -short=VALUE, give the bytes that none gives.
"""
import os
import subprocess
import sys

heddle_cc, table, source, folder = sys.argv[1:]
with open(table, encoding='utf-8') as file:
    rows = [line.split() for line in file if not line.startswith('#')]
assert len(rows) > 60


def compiled(arguments):
    output = os.path.join(folder, 'out.o')
    command = [heddle_cc, '-std=c++17', '-c', '-o', output, source, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', check=False)
    assert not done.returncode and not done.stdout, (arguments, done.stdout)
    with open(output, 'rb') as file:
        return file.read()


plain = compiled([])
for form in (0, 1):
    apart = [word for row in rows for word in [row[form], *row[2:]]]
    assert compiled(apart) == plain, apart
    joined = ['='.join([row[form], *row[2:]]) if row[form] != '-O' else '-O3' for row in rows]
    assert compiled(joined) == plain, joined
print(f'{len(rows)} options that change nothing')
