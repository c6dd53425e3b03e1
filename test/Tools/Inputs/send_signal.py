"""send_signal.py SIGNAL COMMAND...: sends a signal to a program that waits for
its standard input, and passes on its stderr and its exit status."""

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
# It reads when the pipe is empty.
for _ in range(3000):
    waiting = fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, b"\0" * 4)
    if struct.unpack("i", waiting)[0] == 0:
        break
    time.sleep(0.01)
os.kill(process.pid, getattr(signal, sys.argv[1]))
errors = process.communicate()[1]
sys.stderr.write(errors.decode())
# Negative after a death by a signal.
sys.exit(process.returncode if process.returncode >= 0 else 100 - process.returncode)
