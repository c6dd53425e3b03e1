# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_library.py LIBRARY MAP HEADER... : holds what a library exports and needs
against its version script and its headers, with nm and readelf in PATH."""

import os
import re
import subprocess
import sys
import tempfile

NEEDED = {"libc.so.6", "libm.so.6", "libz.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MAX_BYTES = 70 << 20


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compare(what, found, expected):
    for name in sorted(set(found) - set(expected)):
        print(f"{name}: {what}, but not in the list")
    for name in sorted(set(expected) - set(found)):
        print(f"{name}: in the list, but not {what}")
    return set(found) == set(expected)


def main():
    library, script, *headers = sys.argv[1:]
    with open(script, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    listed = re.findall(r"^\s*(attn_\w+);", text.split("local:")[0], re.MULTILINE)
    declared = []
    for header in headers:
        with open(header, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        declared += re.findall(r"ATTN_C_API\b[^;(]*?\b(attn_\w+)\s*\(", text)
    exported = [line.split()[-1] for line in run("llvm-nm", "-D", "--defined-only", library).splitlines()]
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("llvm-readelf", "-d", library))
    good = listed == sorted(listed) or print("the list is not in order")
    good &= compare("exported", exported, listed)
    good &= compare("declared", declared, listed)
    if not set(needed) <= NEEDED:
        print("needs", *sorted(set(needed) - NEEDED))
        good = False
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped")
        run("llvm-strip", "-o", stripped, library)
        size = os.path.getsize(stripped)
    print(f"{len(exported)} functions, needs {' '.join(sorted(needed))}, {size / 2**20:.1f} MiB stripped")
    if size > MAX_BYTES:
        print(f"more than {MAX_BYTES >> 20} MiB")
        good = False
    return 0 if good else 1


sys.exit(main())
