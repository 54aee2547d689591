"""hostile.py HEDDLE OBJECT: inputs that claim far more than they hold, or nest without an end. Each is an error with status 2 and a
message, of a process that has a gigabyte of addresses; sanitizers need more, and get no limit.
"""
import os
import resource
import struct
import subprocess
import sys

HEDDLE, OBJECT = sys.argv[1:]


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def write(name, contents):
    with open(name, 'wb') as file:
        file.write(contents)
    return name


def patched(name, at, fmt, number):
    with open(OBJECT, 'rb') as file:
        contents = bytearray(file.read())
    struct.pack_into(fmt, contents, at, number)
    return write(name, bytes(contents))


DEEP = write('deep.json', b'[' * 5000000)
KEYS = write('keys.json', b'{"a":' * 1000000 + b'1' + b'}' * 1000000)
HEAD = b"{'descr': '<i4', 'fortran_order': False, 'shape': (%d, %d), }" % (1 << 31, 1 << 29)
NPY = write('claims.npy', b'\x93NUMPY\x01\x00' + struct.pack('<H', len(HEAD) + 1) + HEAD + b'\n')
SPEC = '[launch]\ngrid = 1\nblock = 1\n[arg0]\nkind = buffer\ntype = i32\n%s\n[arg1]\nkind = buffer\ntype = i32\ncount = 1\n'
COMMANDS = {
    'statistics': ['explain', DEEP, DEEP],
    'statistics of keys': ['explain', KEYS, KEYS],
    'a baseline': ['check', '--baseline', DEEP, OBJECT],
    'a budget': ['check', '--budget', KEYS, OBJECT],
    'metadata': ['info', DEEP],
    'metadata of keys': ['diff', KEYS, KEYS],
    'a buffer of a launch': ['run', '--kernel', 'k', '--launch', write('count.ini', (SPEC % 'count = 1000000000000000000').encode()), OBJECT],
    'a file of a launch': ['run', '--kernel', 'k', '--launch', write('npy.ini', (SPEC % f'file = {NPY}').encode()), OBJECT],
    # Of ELF's header: how many sections there are, how large each description is, where they are.
    'sections': ['info', patched('sections.hdo', 60, '<H', 0xfff0)],
    'a description': ['info', patched('description.hdo', 58, '<H', 0xffff)],
    'a place': ['info', patched('place.hdo', 40, '<Q', 1 << 62)],
}

wrong = 0
for what, words in COMMANDS.items():
    done = subprocess.run([HEDDLE, *words], capture_output=True, text=True, check=False,
                          preexec_fn=None if os.environ.get('NO_LIMIT') else limit)
    said = done.stderr.strip().split('\n')[0]
    if done.returncode != 2 or 'error:' not in said or 'out of memory' in said:
        wrong += 1
        print(f'{what}: status {done.returncode}: {said[:200]}')
for name in (DEEP, KEYS):
    os.remove(name)
print(f'{len(COMMANDS)} inputs, {wrong} of them with a wrong end')
