# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what a program defines although a library that it loads defines it too.

    check_one_llvm.py NM LIBLLVM PROGRAM...

Only strong definitions count: inline functions stand in every file that uses
them, and are the same everywhere. Prints one line a program; what no program may
load either, for nothing of it is called, is named behind it.
"""

import subprocess
import sys

IDLE = ("libz3", "libxml2", "libicu", "libtinfo", "libedit", "libffi", "libcurl")


def symbols(nm, path, *flags):
    """name -> kind of what a file defines."""
    output = subprocess.run([nm, "--defined-only", "--format=posix", *flags, path], check=True, capture_output=True,
                            text=True).stdout
    rows = (line.split() for line in output.splitlines())
    return {row[0].split("@")[0]: row[1] for row in rows if len(row) > 1}


def loaded(nm, path):
    readelf = nm.replace("llvm-nm", "llvm-readelf")
    lines = subprocess.run([readelf, "--needed-libs", path], check=True, capture_output=True, text=True).stdout.split()
    return [name for name in lines if ".so" in name]


def main():
    nm, library, *programs = sys.argv[1:]
    shared = symbols(nm, library, "--dynamic").keys()
    bad = 0
    for program in programs:
        libraries = loaded(nm, program)
        uses_shared = any(name.startswith("libLLVM") for name in libraries)
        twice = [name for name, kind in symbols(nm, program).items() if kind in "TDBR" and name in shared]
        idle = [name for name in libraries if name.startswith(IDLE)]
        count = len(twice) if uses_shared else 0
        bad += bool(count or idle)
        print(f"{program.rsplit('/', 1)[-1]}: {count} symbols twice {' '.join(twice[:5] if uses_shared else [])}"
              f"{' '.join(idle)}".rstrip())
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
