#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes candidates for corpus/forms.txt.xz, and the list from what an assembler takes of them.

  forms.py --ptxas=PATH

A pattern (form_patterns.py) stands for all combinations of its sets: <name> is replaced by each member, @name:N by register N of the
class of a type. Candidates that ptxas refuses for a target are dropped, round after round.
"""

import argparse
import lzma
import os
import re
import subprocess

from check_forms import HEAD, HERE, TAIL
from form_patterns_async import out


def accepted(ptxas, target, forms):
    """The forms without those that an assembler reports, until it reports none."""
    while True:
        text = HEAD.replace("TARGET", target)
        first = text.count("\n") + 1
        path = os.path.join("/tmp", f"forms-{os.getpid()}.ptx")
        with open(path, "w") as file:
            file.write(text + "".join(form + ";\n" for form in forms) + TAIL)
        command = [ptxas, f"-arch=sm_{target}", "-O0", "-o", os.devnull, path]
        result = subprocess.run(command, capture_output=True, text=True)
        os.remove(path)
        wrong = {int(n) - first for n in re.findall(r"line (\d+); (?:error|fatal)", result.stderr + result.stdout)}
        if not wrong:
            return forms
        forms = [form for k, form in enumerate(forms) if k not in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxas", required=True)
    options = parser.parse_args()
    candidates = list(dict.fromkeys(out))
    legal = {target: set(accepted(options.ptxas, target, candidates)) for target in ("80", "90a")}
    text = ""
    for form in candidates:
        targets = [target for target in legal if form in legal[target]]
        if targets:
            text += ",".join(targets) + "\t" + form + "\n"
    with lzma.open(os.path.join(HERE, "corpus", "forms.txt.xz"), "wb", preset=9) as file:
        file.write(text.encode())
    print(len(candidates), "candidates,", text.count("\n"), "forms")


if __name__ == "__main__":
    main()
