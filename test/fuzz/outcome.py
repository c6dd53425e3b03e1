# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run of a fuzzer ends with, and how tools are called."""

import dataclasses
import os
import re
import resource
import signal
import subprocess

#: Kinds that are findings; "ok" and "refused" (with a message, and the right status) are not, nor is "near": a difference
#: a little above what is allowed, which is a guess from a few runs when a program has several ops; and "upstream", a fault
#: of LLVM's parser that ended with our report.
FINDINGS = ("crash", "hang", "wrong")


@dataclasses.dataclass
class Outcome:
    kind: str
    text: str = ""
    #: name and text of files that show it again
    files: dict = dataclasses.field(default_factory=dict)

    @property
    def signature(self):
        """The same for what is probably the same: no paths, names and numbers."""
        lines = [line for line in self.text.splitlines() if line.strip()] or [""]
        return self.kind + ": " + re.sub(r"\d+", "N", re.sub(r"/\S*|'[^']*'|\"[^\"]*\"|%\w+", "_", lines[0]))[:160]


def of_breach(kind, text, what):
    """Of what guard_pages saw in a call."""
    return Outcome({"outside": "crash", "late": "wrong", "leak": "wrong"}.get(kind, kind), f"{text}: {what}")


@dataclasses.dataclass
class Tools:
    binaries: str
    directory: str
    seconds: int = 60
    #: of the mode `raise`: the compiled kernels are compared too
    compiled: bool = False

    def path(self, name):
        return f"{self.binaries}/{name}"


def limit_memory():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The address sanitizer reserves terabytes.
    if "ASAN_OPTIONS" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def run_tool(command, seconds=60, wrong=(1,), refused=(2,), **options):
    """Runs a tool that should leave with 0, or with a status for bad input and a message."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=seconds, preexec_fn=limit_memory,
                              stdin=subprocess.DEVNULL, **options)
    except subprocess.TimeoutExpired:
        return Outcome("hang", f"no end within {seconds} s: {' '.join(command)}"), ""
    out, err = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
    status, shown = done.returncode, (err + out)[:4000]
    if status == 0:
        return Outcome("ok"), out
    if status in refused:
        silent = not err.strip()
        return Outcome("wrong" if silent else "refused", (f"no message for status {status}\n" if silent else "") + shown), out
    if status in wrong:
        return Outcome("wrong", shown), out
    name = signal.Signals(-status).name if status < 0 else f"status {status}"
    first = next((line for line in shown.splitlines() if re.search("error|ERROR|rror:|Assert|UNREACH|runtime", line)), "")
    return Outcome("crash", f"{name}: {first}\n{shown}"), out
