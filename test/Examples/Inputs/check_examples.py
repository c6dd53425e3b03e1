# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every public function of every .mlir file of a folder and compares it with
the f64 reference, and with the .npz beside it where there is one.

    check_examples.py ATTN_RUN FOLDER [--skip=FILE:FUNCTION,...] [OPTION OF ATTN_RUN ...]

A size that a type does not tell is 23. What is to be skipped has to be there.
"""

import glob
import os
import re
import subprocess
import sys

SIZE = "23"
FUNCTION = re.compile(r"^\s*func\.func (?:public )?@(\w+)", re.MULTILINE)
UNKNOWN = re.compile(r"argument (\d+) is ([\dx?]+)x\w+: give --shape=")


def run(command):
    """Runs attn-run, with sizes for all arguments that it asks about."""
    while True:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        asked = UNKNOWN.search(done.stderr)
        if not asked:
            return done
        command = command + [f"--shape={asked.group(1)}:{asked.group(2).replace('?', SIZE)}"]


def main():
    tool, folder, *options = sys.argv[1:]
    skipped = {name for option in options if option.startswith("--skip=") for name in option[len("--skip="):].split(",")}
    options = [option for option in options if not option.startswith("--skip=")]
    count = failures = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.mlir"))):
        with open(path, encoding="utf-8") as file:
            entries = FUNCTION.findall(file.read())
        data = path.replace(".mlir", ".npz")
        given = [f"--inputs={data}", f"--expect={data}"] if os.path.exists(data) else []
        for entry in entries:
            name = f"{os.path.basename(path)}:{entry}"
            if name in skipped:
                skipped.remove(name)
                continue
            count += 1
            done = run([tool, path, f"--entry={entry}", "--check", *given, *options])
            wanted = ["f64 reference: match"] + (["expected values: match"] if given else [])
            if done.returncode or any(text not in done.stdout for text in wanted):
                failures += 1
                print(f"FAILED {os.path.basename(path)} {entry}\n{done.stdout}{done.stderr}")
        if not entries:
            failures += 1
            print(f"FAILED {os.path.basename(path)}: no function is public")
    for name in sorted(skipped):
        failures += 1
        print(f"FAILED {name}: there is nothing to skip")
    print(f"{count} functions, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
