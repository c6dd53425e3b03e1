"""terminal.py COMMAND...: runs a command on a terminal and prints what it wrote
there, with escape sequences in readable form."""

import os
import pty
import sys

output = bytearray()
os.environ["TERM"] = "xterm"
pid, descriptor = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    while data := os.read(descriptor, 1024):
        output.extend(data)
except OSError:  # how the end of a terminal looks on Linux
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(output.decode().replace("\r\n", "\n").replace("\x1b", "ESC"), end="")
sys.exit(status)
