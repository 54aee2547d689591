"""interrupt.py NUMBER OUT COMMAND...: runs a command, sends it the signal when it prints `running`, and expects it to end
by that; OUT gets all that it printed."""
import signal
import subprocess
import sys

number, out = int(sys.argv[1]), sys.argv[2]
signal.signal(number, signal.SIG_DFL) # whoever runs the tests may have it ignored
tool = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
printed = ''
for line in tool.stdout:
    printed += line
    if line == 'running\n':
        tool.send_signal(number)
status = tool.wait(timeout=60)
with open(out, 'w', encoding='utf-8') as file:
    file.write(printed)
sys.exit(0 if status == -number else f'FAILED: status {status} for signal {number}:\n{printed}')
