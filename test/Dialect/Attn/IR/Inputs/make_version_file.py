# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes version-N.mlir and version-N.mlirbc: every op and attribute of the dialect
in text and in bytecode.

    make_version_file.py ATTN_OPT N

To be run once, when N becomes the dialect's version, and never again: the
bytecode is what users of that version have. It is made of the tests of the ops,
as they are and with the schedules that passes choose.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..", "..", "..")
IR = ["attention", "block-ops", "elements", "load-rows", "mask-chunked", "mask-prefix-lm", "norm", "norm-group", "probes",
      "transformer"]
CPU = "--attn-set-target=target=cpu:x86-64-v4"
GPU = "--attn-set-target=target=nvptx:sm_80"
SCHEDULES = [("Dialect/Attn/Transforms/select-schedule", [CPU, "--attn-select-schedule"]),
             ("Dialect/Attn/Transforms/select-norm", [CPU, "--attn-select-schedule"]),
             ("Dialect/Attn/Transforms/select-softmax", [CPU, "--attn-select-schedule"]),
             ("Dialect/Attn/Transforms/select-statistics", [CPU, "--attn-select-schedule"]),
             ("Dialect/Attn/Transforms/select-positions", [CPU, "--attn-select-schedule"]),
             ("Dialect/Attn/Transforms/schedule-contractions", [CPU, "--attn-schedule-contractions"]),
             ("Dialect/Attn/Transforms/tile", [CPU, "--attn-select-schedule", "--attn-tile", "--canonicalize", "--cse"]),
             ("Dialect/Attn/Transforms/select-gpu-attention", [GPU, "--attn-select-schedule"]),
             ("Dialect/Attn/Transforms/select-gpu-products", [GPU, "--attn-select-schedule"]),
             ("Dialect/Attn/Transforms/select-gpu-rows", [GPU, "--attn-select-schedule"])]


def run(attn_opt, path, flags):
    """The parts of a file, each as the text of a module behind some passes."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"(?m)^//(?: -----|---).*$", file.read())
    for part in parts:
        text = "\n".join(line for line in part.splitlines() if not line.lstrip().startswith("//"))
        done = subprocess.run([attn_opt, *flags], input=text, capture_output=True, text=True, check=False)
        if done.returncode == 0 and " attn." in done.stdout:
            yield done.stdout


def main():
    attn_opt, number = sys.argv[1:]
    modules = [module for name in IR for module in run(attn_opt, f"{TESTS}/Dialect/Attn/IR/{name}.mlir", [])]
    for name, flags in SCHEDULES:
        modules += list(run(attn_opt, f"{TESTS}/{name}.mlir", flags))[:4]
    text = combine(modules)
    prefix = os.path.join(HERE, f"version-{number}")
    subprocess.run([attn_opt, "-o", prefix + ".mlir"], input=text, text=True, check=True)
    subprocess.run([attn_opt, "--emit-bytecode", "-o", prefix + ".mlirbc", prefix + ".mlir"], check=True)


def combine(modules):
    """One module of all, with the names of maps made different."""
    aliases, bodies = [], []
    for number, module in enumerate(modules):
        module = re.sub(r"#(map|set)(\d*)\b", rf"#\1_{number}_\2", module)
        lines = module.splitlines()
        aliases += [line for line in lines if line.startswith("#")]
        bodies += [line for line in lines if not line.startswith("#")]
    return "\n".join(aliases + ["module {"] + bodies + ["}"])


if __name__ == "__main__":
    main()
