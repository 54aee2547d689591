"""nvcc-options.py HEDDLE-CC OPTIONS.txt SOURCE FOLDER: options that change nothing are taken in every form, silently.

All of them together, as --long VALUE and -short VALUE, and then as --long=VALUE and -short=VALUE, give the bytes that none
gives; nvcc takes a long name with one dash, too: -long VALUE, -long=VALUE.
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
names = [(name, row[2:]) for row in rows for name in (row[0], row[1], row[0].replace('--', '-', 1))]
apart = [word for name, values in names for word in [name, *values]]
assert compiled(apart) == plain, apart
joined = ['='.join([name, *values]) if name != '-O' else '-O3' for name, values in names]
assert compiled(joined) == plain, joined
print(f'{len(rows)} options that change nothing')
