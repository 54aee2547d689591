"""signals.py HEDDLE HEDDLE-CC PROGRAM: ends tools by signals; what they started and what is temporary has to be gone.

Works in the current folder, which has to be empty but for the program.
"""

import fcntl
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
import time

HEDDLE, HEDDLE_CC, PROGRAM = sys.argv[1:]
NOTES, TMP = os.path.abspath('notes'), os.path.abspath('tmp')
PATIENCE = 60 # seconds; only what fails waits for so long
ENDING = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM]
started = []


def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            sys.exit(f'FAILED: {what}')
        time.sleep(0.01)


def notes(kind):
    if not os.path.exists(NOTES):
        return []
    with open(NOTES, encoding='utf-8') as file:
        return [int(n) for n in re.findall(rf'^{kind} (\d+)\n', file.read(), re.M)]


def gone(pid):
    """Also a zombie, which waits for a parent that may be slow."""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            return file.read().rsplit(')', 1)[1].split()[0] in 'ZX'
    except OSError:
        return True


def start(command, processes, environment=None, **more):
    for path in (NOTES, TMP):
        shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
    os.mkdir(TMP)
    more.setdefault('stdout', subprocess.DEVNULL)
    tool = subprocess.Popen(command, env=dict(os.environ, TMPDIR=TMP, **(environment or {})), text=True, **more)
    started.append(tool)
    until(lambda: len(notes('pid')) == processes, f'{command} does not start')
    return tool


def finish(tool, name, number, temporary=0):
    output = tool.communicate(timeout=PATIENCE)[0]
    if tool.returncode != -number:
        sys.exit(f'FAILED: {name}: status {tool.returncode} for signal {number}')
    for pid in notes('pid'):
        until(lambda: gone(pid), f'{name}: process {pid} stays after signal {number}')
    until(lambda: len(os.listdir(TMP)) <= temporary, f'{name}: {os.listdir(TMP)} stay after signal {number}')
    return output


def end(name, command, number, processes=1, temporary=0, **more):
    tool = start(command, processes, **more)
    tool.send_signal(number)
    return finish(tool, name, number, temporary)


def run(*arguments, options=()):
    return [HEDDLE, 'run', '--quiet', *options, '--', PROGRAM, NOTES, *arguments]


def programs():
    for number in ENDING + [signal.SIGKILL]:
        end('program', run(), number)
        end('program with children', run('children'), number, processes=3)
    end('shell', [HEDDLE, 'run', '--quiet', '--', 'sh', '-c', f'{PROGRAM} {NOTES}; exit 3'], signal.SIGKILL)
    end('shell', [HEDDLE, 'run', '--quiet', '--', 'sh', '-c', f'{PROGRAM} {NOTES}; exit 3'], signal.SIGTERM)
    # A program that ends in its own way; and the figures of the runs that were complete.
    end('program that takes it', run('take'), signal.SIGTERM)
    if notes('signal') != [signal.SIGTERM]:
        sys.exit(f'FAILED: the program got {notes("signal")}')
    command = [HEDDLE, 'run', '--policy', 'baseline', '--policy', 'swl:1', '--policy', 'swl:2', '--', PROGRAM, NOTES, 'policy']
    output = end('second policy', command, signal.SIGTERM, stdout=subprocess.PIPE)
    if not re.search(r'^cycles +\d+ +(-|\d+) +-$', output, re.M):
        sys.exit(f'FAILED: no figures of the first policy:\n{output}')


def ignored():
    """What the starter has ignored stays ignored (nohup)."""
    tool = start(run(), 1, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    tool.send_signal(signal.SIGHUP)
    tool.send_signal(signal.SIGTERM)
    finish(tool, 'nohup', signal.SIGTERM)


def terminal():
    """Ctrl-C reaches the program once."""
    try:
        master, slave = pty.openpty()
    except OSError as error: # a chroot or container without /dev/pts
        print(f'Ctrl-C not tested: {error}')
        return
    tool = start(run('take'), 1, stdin=slave, start_new_session=True,
                 preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.write(master, b'\x03')
    until(lambda: notes('signal'), 'Ctrl-C does not arrive')
    tool.send_signal(signal.SIGTERM)
    finish(tool, 'terminal', signal.SIGINT)
    if notes('signal') != [signal.SIGINT, signal.SIGTERM]:
        sys.exit(f'FAILED: the program got {notes("signal")} for Ctrl-C and SIGTERM')
    os.close(master)
    os.close(slave)


def compilers():
    """A compiler that never ends."""
    with open('slow', 'w', encoding='utf-8') as file:
        file.write(f'#!/bin/sh\necho pid $$ >> {NOTES}\nexec sleep 1000\n')
    os.chmod('slow', 0o755)
    slow = os.path.abspath('slow')
    for name in ('source.cu', 'module.ll', 'spec.ini'):
        with open(name, 'w', encoding='utf-8') as file:
            file.write('[launch]\ngrid = 1\nblock = 32\n' if name == 'spec.ini' else '')
    compile_one = [HEDDLE_CC, '-c', '-o', 'source.o', 'source.cu']
    kernel = [HEDDLE, 'run', '--kernel', 'k', '--launch', 'spec.ini', 'module.ll']
    for number in ENDING:
        end('heddle-cc', compile_one, number, environment={'HEDDLE_CLANG': slow})
        end('heddle run --kernel', kernel, number, environment={'HEDDLE_OPT': slow})
    end('heddle-cc', compile_one, signal.SIGKILL, environment={'HEDDLE_CLANG': slow})
    end('heddle run --kernel', kernel, signal.SIGKILL, environment={'HEDDLE_OPT': slow})
    # A compiler that dies is named.
    with open('slow', 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\nkill -9 $$\n')
    done = subprocess.run(compile_one, env=dict(os.environ, HEDDLE_CLANG=slow), stderr=subprocess.PIPE, text=True)
    if done.returncode != 2 or 'error: ' + slow + ': killed by signal 9' not in done.stderr:
        sys.exit(f'FAILED: a killed compiler: {done.returncode} {done.stderr}')


# Whoever runs the tests may have some of them ignored.
for each in ENDING:
    signal.signal(each, signal.SIG_DFL)
try:
    for test in (programs, ignored, terminal, compilers):
        test()
finally:
    for left in started:
        left.kill()
    for pid in notes('pid'):
        if not gone(pid):
            os.kill(pid, signal.SIGKILL)
print('PASSED')
