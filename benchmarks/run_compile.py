#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long attn-compile takes for a file, on one core: seconds of the processor, the least of the rounds, with the
number of attentions and the size of the object.

  test/Models/export.py --directory=deep --only='_model_(sdpa|dynamic)' --layers=12 --width=768
  benchmarks/run_compile.py examples/decoder_layer.mlir:layer deep/*.mlir --json=out.json
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command):
    """Seconds of the processor that a process took, its own and the system's."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(args, file, directory):
    path, _, entry = file.partition(":")
    prefix = os.path.join(directory, "model")
    command = [args.attn_compile, path, "-o", prefix, f"--target={args.target}", "--name=model"]
    command += [f"--entry={entry}"] if entry else []
    seconds = [run(command) for _ in range(args.rounds)]
    with open(prefix + ".json", encoding="utf-8") as text:
        target = json.load(text)["targets"][0]
    return {"file": os.path.basename(file), "seconds": min(seconds), "rounds": seconds,
            "attentions": len(target["kernels"]), "object_bytes": os.path.getsize(prefix + ".o")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="FILE.mlir or FILE.mlir:ENTRY")
    parser.add_argument("--attn-compile", default=os.path.join(HERE, os.pardir, "build", "bin", "attn-compile"))
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        results = [measure(args, file, directory) for file in args.files]
    for result in results:
        print(f"{result['file']:40} {result['seconds']:7.2f} s {result['attentions']:4} attentions "
              f"{result['object_bytes'] / 1024:8.0f} KiB")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"target": args.target, "results": results}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
