"""terminal.py COLUMNS COMMAND...: runs the command on a terminal of its own with so many columns, TERM and COLUMNS of the
environment, and prints what reaches the terminal. The status is the command's."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
child = subprocess.Popen(sys.argv[2:], stdin=slave, stdout=slave, stderr=slave)
os.close(slave)
text = b''
while True:
    try:
        part = os.read(master, 65536)
    except OSError:  # the last one has closed it
        part = b''
    if not part:
        break
    text += part
sys.stdout.buffer.write(text.replace(b'\r\n', b'\n'))
sys.stdout.flush()
sys.exit(child.wait())
