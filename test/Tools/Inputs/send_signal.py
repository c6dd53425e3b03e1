"""send_signal.py SIGNAL COMMAND...: sends a signal to a program that waits for
its standard input, or has worked for a while, and passes on its stderr and its
exit status."""

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time

process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
process.stdin.write(b"module {\n")
process.stdin.flush()


def has_read():
    waiting = fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, b"\0" * 4)
    return struct.unpack("i", waiting)[0] == 0


def has_worked():
    """A third of a second of the processor, with that of a sanitizer's start."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        ticks = int(file.read().rpartition(")")[2].split()[11])
    return ticks / os.sysconf("SC_CLK_TCK") > 0.3


for _ in range(3000):
    if has_read() or has_worked():
        break
    time.sleep(0.01)
os.kill(process.pid, getattr(signal, sys.argv[1]))
errors = process.communicate()[1]
sys.stderr.write(errors.decode())
# Negative after a death by a signal.
sys.exit(process.returncode if process.returncode >= 0 else 100 - process.returncode)
