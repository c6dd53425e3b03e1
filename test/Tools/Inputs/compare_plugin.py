# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs pipelines on files by mlir-opt with the plugin and by attn-opt, and
compares what they print, remarks included. On one thread, as attn-opt: on several
the order of the functions' remarks is not always the same.

    compare_plugin.py MLIR_OPT PLUGIN ATTN_OPT "PIPELINE[;PIPELINE...]" FILE...
"""

import subprocess
import sys


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    mlir_opt, plugin, attn_opt, pipelines, *files = sys.argv[1:]
    pipelines = pipelines.split(";")
    failures = ops = 0
    for file in files:
        for pipeline in pipelines:
            passes = f"--pass-pipeline=builtin.module({pipeline})"
            theirs = run([mlir_opt, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}", file, passes,
                          "--mlir-disable-threading"])
            ours = run([attn_opt, file, passes])
            ops += theirs[1].count(" attn.")
            if theirs != ours or ours[0]:
                failures += 1
                print(f"FAILED {file} {pipeline}: status {theirs[0]} and {ours[0]}\n{theirs[2][-1000:]}")
    print(f"{len(files)} files, {len(pipelines)} pipelines, {ops} attn ops, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
