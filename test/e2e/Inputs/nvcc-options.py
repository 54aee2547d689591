"""nvcc-options.py HEDDLE-CC OPTIONS.txt SOURCE FOLDER: options that change nothing are taken in every form, silently.

All of them together, as --long VALUE, --long=VALUE, -short VALUE and -short=VALUE, give the bytes that none gives; nvcc takes
a long name with one dash, too: -long VALUE, -long=VALUE.
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
    command = [heddle_cc, '-c', '-o', output, source, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', check=False)
    assert not done.returncode and not done.stdout, (arguments, done.stdout)
    with open(output, 'rb') as file:
        return file.read()


plain = compiled([])
for name_of in (lambda row: row[0], lambda row: row[1], lambda row: row[0].replace('--', '-', 1)):
    apart = [word for row in rows for word in [name_of(row), *row[2:]]]
    assert compiled(apart) == plain, apart
    joined = ['='.join([name_of(row), *row[2:]]) if name_of(row) != '-O' else '-O3' for row in rows]
    assert compiled(joined) == plain, joined
print(f'{len(rows)} options that change nothing')
