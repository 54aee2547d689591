"""allocations.py LIBRARY POINTS OUT COMMAND...: COMMAND where one allocation fails, and where all from there on fail.

POINTS allocations of it, spread over its run, the first ones and the last included; `all`: each. It must end as it does
with memory enough, with the same output and OUT, or with status 2 and a message, and OUT is whole or not there. OUT is a file that
COMMAND writes ('-': none).
"""
import os
import re
import signal
import subprocess
import sys

library, points, out, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
FIRST = 12  # allocations of the command line and of the first files


def run(**environment):
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run(command, env=dict(os.environ, LD_PRELOAD=library, **environment), capture_output=True, timeout=120)
    written = None
    if os.path.exists(out):
        with open(out, 'rb') as file:
            # The host's own time and memory are others in each run.
            written = re.sub(rb'"(user_seconds|peak_bytes)": [0-9.e+-]+', b'', file.read())
    return done, (done.stdout, written)


counts = library + '.counts' # not beside OUT: a process that makes a precompiled header may end, and write, after COMMAND
if os.path.exists(counts):
    os.remove(counts)
good, expected = run(FAIL_COUNT=counts)
assert good.returncode == 0, good.stderr
with open(counts, encoding='utf-8') as file:
    total = max(int(line) for line in file)
step = 1 if points == 'all' else max(total // int(points), 1)
failed = tried = 0
folder = os.path.dirname(out) or '.'
before = set(os.listdir(folder))
for at in sorted({*range(1, FIRST), *range(FIRST, total + 1, step), total}):
    for on in ({}, {'FAIL_ON': '1'}):
        done, made = run(FAIL_AT=str(at), **on)
        tried += 1
        wrong = None
        if done.returncode < 0:
            wrong = signal.Signals(-done.returncode).name
        elif done.returncode == 0 and made != expected:
            wrong = 'another output, without an error'
        elif done.returncode not in (0, 2):
            wrong = f'status {done.returncode}'
        elif done.returncode == 2 and (not done.stderr or made[1] not in (None, expected[1])):
            wrong = 'no message' if not done.stderr else 'half an output'
        left = set(os.listdir(folder)) - before - {os.path.basename(out)}
        wrong = wrong or (f'left {sorted(left)}' if left else None)
        if wrong:
            failed += 1
            print(f'{command[1]}: allocation {at} of {total}{" and later ones" if on else ""}: {wrong}: {done.stderr[:200]}')
            before |= left
print(f'{command[1]}: {"some" if tried else "no"} allocations failed, {failed} of them with a wrong end')
