"""writes.py POINTS OUT FIRST COMMAND...: COMMAND where a write fails, as on a full disk, and where a signal comes at a write.

POINTS of its system calls that write files, spread over its run, the first and the last of each kind included. With a full
disk it must end with status 2 and a message, or as it does without; OUT is whole or as it was. A signal ends it; OUT is whole
or as it was.
Statistics of a program that was stopped have those launches that it finished, and say "partial". No other file stays in
OUT's folder. OUT exists before, with FIRST in it, so that it can be seen to be as it was.
"""
import collections
import os
import re
import signal
import subprocess
import sys

points, out, before, command = int(sys.argv[1]), sys.argv[2], sys.argv[3].encode() + b'\n', sys.argv[4:]
CALLS = 'write,pwrite64,writev,rename,renameat,renameat2,ftruncate,fallocate,link,linkat,fsync,mkdir'
KINDS = 'error=ENOSPC', 'signal=SIGTERM', 'signal=SIGINT'
folder = os.path.dirname(out)
signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored in the background, and commands inherit that


def run(*inject):
    with open(out, 'wb') as file:
        file.write(before)
    trace = out + '.trace'
    done = subprocess.run(['strace', '-f', '-qqq', '-o', trace, '-e', 'trace=' + CALLS, *inject, *command], capture_output=True, timeout=120)
    with open(trace, encoding='utf-8', errors='replace') as file:
        text = file.read()
    os.remove(trace)
    calls = {}  # strace counts for each thread, and each name for itself
    for (_, name), count in collections.Counter(re.findall(r'^(\d+) +(\w+)\(', text, re.MULTILINE)).items():
        calls[name] = max(count, calls.get(name, 0))
    with open(out, 'rb') as file:
        # The host's own time and memory are others in each run.
        return done, calls, bool(re.search(r'write\(2,.*INJECTED', text)), re.sub(rb'"(user_seconds|peak_bytes)": [0-9.e+-]+', b'', file.read())


good, calls, _, expected = run()
assert good.returncode == 0, good.stderr
names, failed = set(os.listdir(folder)), 0
came = collections.Counter()  # of each kind, those that a call of the run got
step = max(sum(calls.values()) // points, 1)
chosen = [(name, at) for name, last in calls.items() for at in sorted({1, last, *range(1, last + 1, step)})]
for name, at in chosen:
    for kind in KINDS:
        done, met, mute, made = run('-e', f'inject={name}:{kind}:when={at}')
        came[kind] += met.get(name, 0) >= at
        wrong = None
        if made not in (before, expected) and not (done.returncode and b'"partial": true' in made):
            wrong = 'half an output'
        elif kind.startswith('signal'):
            # Who runs programs passes the signal on and ends by it, or the last call was behind its end.
            if done.returncode not in (0, 2, -signal.SIGTERM, -signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGINT):
                wrong = f'status {done.returncode}'
        elif done.returncode not in (0, 2):
            wrong = f'status {done.returncode}'
        elif done.returncode == 2 and not done.stderr and not mute:
            wrong = 'no message'
        elif done.returncode == 0 and made != expected:
            wrong = 'no output, without an error'
        left = set(os.listdir(folder)) - names
        wrong = wrong or (f'left {sorted(left)}' if left else None)
        for file in left:
            os.remove(os.path.join(folder, file))
        if wrong:
            failed += 1
            print(f'{command[1]}: {name} {at} of {calls[name]}, {kind}: {wrong}: {done.stderr[:300]}')
print(f'{command[1]}: {"some" if all(came[kind] for kind in KINDS) else "no"} writes failed, {failed} of them with a wrong end')
