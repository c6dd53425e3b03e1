"""Runs a command and succeeds if it ends with the given exit code.

usage: exit_code.py CODE COMMAND...
"""

import subprocess
import sys

expected = int(sys.argv[1])
code = subprocess.run(sys.argv[2:]).returncode
if code != expected:
    sys.exit(f"exit code {code} instead of {expected}: {' '.join(sys.argv[2:])}")
