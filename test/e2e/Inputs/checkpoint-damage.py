"""checkpoint-damage.py HEDDLE FOLDER CHECKPOINT OPTION... -- PROGRAM [ARG...]

Files that are no checkpoints, or no longer, are refused: exit status 2, with the file's name and what is wrong with it,
and the program does not start. One of another Heddle is refused when the program comes to use the GPU. One whose bytes
and checksum are made to say something else shows that what it has of finished launches is believed, not simulated again.
"""
import hashlib
import os
import struct
import subprocess
import sys

MAGIC, SUM = b'HEDDLECK', 64


def resume(name):
    done = subprocess.run([heddle, 'run', '--quiet', '--resume', name] + options + ['--'] + program, capture_output=True,
                          text=True)
    return done.returncode, done.stdout, done.stderr


def refuse(what, data, expected, started=False):
    name = os.path.join(folder, what)
    with open(name, 'wb') as file:
        file.write(data)
    status, out, errors = resume(name)
    if status != 2 or (out and not started) or name not in errors or expected not in errors or errors.count('error:') != 1:
        sys.exit(f'{what}: status {status}, expected "{expected}":\n{out}{errors}')
    os.remove(name)


def signed(data):
    data = data[:-SUM - 16]
    return data + struct.pack('<IIQ', 6, 0, SUM) + hashlib.sha256(data).hexdigest().encode()


at = sys.argv.index('--')
heddle, folder, source = sys.argv[1:4]
options, program = sys.argv[4:at], sys.argv[at + 1:]
os.makedirs(folder, exist_ok=True)
with open(source, 'rb') as file:
    whole = file.read()
head = 16 + struct.unpack_from('<I', whole, 12)[0]

assert signed(whole) == whole
refuse('empty', b'', 'not a checkpoint file')
refuse('text', b'HEDDLE is not enough\n', 'not a checkpoint file')
refuse('magic', whole[:8], 'truncated')
refuse('half-head', whole[:head - 5], 'truncated')
refuse('head-only', whole[:head], 'truncated')
refuse('half', whole[:len(whole) // 2], 'truncated')
refuse('without-end', whole[:-SUM - 16], 'truncated')
refuse('without-last', whole[:-1], 'truncated')
refuse('longer', whole + b'\0', 'data after the end')
refuse('format', whole[:8] + b'\3\0\0\0' + whole[12:], 'format 3, but this Heddle reads format 2')
refuse('head-size', whole[:12] + b'\xff\xff\xff\x7f' + whole[16:], 'damaged')
refuse('kind', whole[:head] + b'\x63' + whole[head + 1:], 'no entry at byte')
refuse('size', whole[:head + 12] + b'\x63' + whole[head + 13:], 'truncated')
for part in range(1, 10):
    place = head + 40 + (len(whole) - head) * part // 11
    refuse(f'flipped-{part}', whole[:place] + bytes([whole[place] ^ 1 << part % 8]) + whole[place + 1:], 'checksum')
refuse('sum', whole[:-1] + (b'0' if whole[-1:] != b'0' else b'1'), 'checksum')
refuse('in-head', whole[:20] + b'?' + whole[21:], 'checksum')
refuse('version', signed(whole.replace(b'"producer":"heddle ', b'"producer":"Heddle ', 1)), 'another version', True)
build = whole.index(b'"build":"') + 9
refuse('build', signed(whole[:build] + bytes(b ^ 1 for b in whole[build:build + 4]) + whole[build + 4:]), 'another build', True)

for name, expected in (('nowhere', 'cannot read'), ('.', 'not a regular file')):
    status, out, errors = resume(os.path.join(folder, name))
    if status != 2 or out or expected not in errors:
        sys.exit(f'{name}: status {status}\n{out}{errors}')

# The first launch's own number, as it changed the memory.
known, told = bytes.fromhex('ed5eed5e'), bytes.fromhex('efbeadde')
place = whole.index(known)
with open(source, 'wb') as file:
    file.write(signed(whole[:place] + told + whole[place + 4:]))
status, out, errors = resume(source)
if not out.startswith('marked deadbeef\n'):
    sys.exit(f'the first launch was simulated again: status {status}\n{out}{errors}')
print('refused')
