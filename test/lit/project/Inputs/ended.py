"""ended.py SCRIPTS SIGNAL: a script of figures that is ended ends its sweep, for which a shell stands here."""
import os
import signal
import subprocess
import sys
import time

SCRIPT = """import sys; sys.path.insert(0, sys.argv[1]); import figures
figures.swept(['sh', '-c', 'echo $$ > pid.new; mv pid.new pid; exec sleep 60'], 1)"""
script = subprocess.Popen([sys.executable, '-c', SCRIPT, sys.argv[1]])
while not os.path.exists('pid'):
    if script.poll() is not None:
        sys.exit('the script ended by itself')
    time.sleep(.01)
with open('pid', encoding='utf-8') as file:
    pid = int(file.read())
script.send_signal(getattr(signal, sys.argv[2]))
script.wait()
for _ in range(500):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        sys.exit()
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        if file.read().rsplit(')', 1)[1].split()[0] == 'Z':
            sys.exit()
    time.sleep(.01)
os.kill(pid, signal.SIGKILL)
sys.exit('it goes on')
