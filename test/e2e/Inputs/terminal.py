"""terminal.py COLUMNS COMMAND...: runs the command on a terminal of its own with so many columns, TERM and COLUMNS of the
environment, and prints what reaches the terminal. The status is the command's."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading

END = b'\0end of terminal.py\0'

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
child = subprocess.Popen(sys.argv[2:], stdin=slave, stdout=slave, stderr=slave)


def end():
    """What is still under way when the last writer closes a terminal may be lost: the last one is this, behind the command."""
    child.wait()
    os.write(slave, END)


threading.Thread(target=end).start()
text = b''
while END not in text[-65536 - len(END):]:
    text += os.read(master, 65536)
sys.stdout.buffer.write(text[:text.index(END)].replace(b'\r\n', b'\n'))
sys.stdout.flush()
sys.exit(child.wait())
