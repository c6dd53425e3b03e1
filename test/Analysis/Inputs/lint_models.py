# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lints exported models and compares what is said with the table of docs/Analyses.md.

    python3 lint_models.py --attn-opt=build/bin/attn-opt --cases=test/Models/cases.tar.xz --page=docs/Analyses.md --directory=DIR

A row of the table is | case | attentions | warnings | any text |, the warnings as `w102` or `-`.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tarfile

ROW = re.compile(r"^\| `(\w+)` \| (\d+) \| ([^|]*) \|", re.MULTILINE)


def lint(attn_opt, path):
    """How many attentions there are, and the ids of what is said."""
    report = path + ".json"
    done = subprocess.run([attn_opt, "--attn-raise-pipeline", f"--attn-lint=json={report}", path],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return 0, "exit " + str(done.returncode)
    with open(report, encoding="utf-8") as file:
        ids = collections.Counter(warning["id"][5:] for warning in json.load(file)["warnings"])
    said = ", ".join(f"`{name}`" + (f" x {count}" if count > 1 else "") for name, count in sorted(ids.items()))
    return len(re.findall(r"\battn\.attention\b", done.stdout)), said or "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("attn-opt", "cases", "page", "directory"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    with open(args.page, encoding="utf-8") as file:
        rows = ROW.findall(file.read())
    os.makedirs(args.directory, exist_ok=True)
    names = {name + ".mlir" for name, _, _ in rows}
    with tarfile.open(args.cases) as archive:
        archive.extractall(args.directory, [member for member in archive if member.name in names])
    differences = 0
    for name, attentions, said in rows:
        found = lint(args.attn_opt, os.path.join(args.directory, name + ".mlir"))
        if found != (int(attentions), said):
            differences += 1
            print(f"{name}: the page says {attentions} | {said}, now {found[0]} | {found[1]}")
    print(f"{len(rows)} models, {differences} differences")
    return 1 if differences or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
