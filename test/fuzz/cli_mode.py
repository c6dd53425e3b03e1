# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random command lines of all tools but the language server, which reads them in another way."""

import os
import random

import numpy as np

from npz_mode import PROGRAM
from outcome import run_tool

WORDS = ["", "0", "1", "-1", "3", "1e9", "nan", "18446744073709551616", "a" * 5000, ",", "=", "cpu", "cpu:x86-64", "cpu:x86-64-v3",
         "nvptx:sm_80", "nvptx:sm_90a", "pdp11", "f", "g", "0:5", "0:1x2x5x16", "9:3", "0:-1x2", "0:99999999999x9", "obj", "obj,shared",
         "header,header", "none", "\t", "é", "%s", "../x", "/dev/null", "/", ".", "out", "no/such/folder/x",
         "0:1x2x9223372036854775807x16"]
FILES = ["good.mlir", "good.mlir", "good.mlir", "empty", "garbage", "two.mlir", "no-such-file", ".", "/dev/null", "good.npz", "-",
         "bad.mlir", "unregistered.mlir", "kernel.ptx", "good.npy"]
OPTIONS = {
    "attn-run": ["--entry", "--inputs", "--seed", "--shape", "--expect", "--check", "--target", "--bench", "--threads", "--json",
                 "--output", "--dump-dir", "--remarks", "--portable", "--simulate", "--no-checks", "--profile", "--report",
                 "--emulator", "--help", "--version"],
    "attn-compile": ["--target", "-o", "--emit", "--entry", "--name", "--remarks", "--portable", "--threads", "--no-checks", "--help", "--version"],
    "attn-reduce": ["-o", "--test", "--test-arg", "--help", "--version"],
    "attn-opt": ["--attn-raise-pipeline", "--attn-plan-pipeline", "--attn-to-cpu", "--attn-to-linalg", "--attn-to-cpu=target",
                 "--canonicalize", "--cse", "--verify-each", "-o", "--attn-analyze-moments", "--attn-analyze-entropy", "--attn-lint",
                 "--verify-diagnostics", "--pass-pipeline", "--emit-bytecode", "--mlir-print-op-generic"],
    "attn-ptx-run": ["--kernel", "--grid", "--block", "--cluster", "--shared", "--arg", "--seeds", "--report", "--schedule", "--help", "--version"],
}
VALUES = {"--grid": ["1", "2,2,2", "0", "4294967295", "1,1,1,1", "x"], "--block": ["32", "1024", "1025", "0,1", "32,32,2"],
          "--arg": ["i32:7", "f32:0.5", "out:f32:4=out.npy", "good.npy", "inout:good.npy=out.npy", "u64:x", "out:f32:99999999999=o.npy",
                    "tensormap:good.mlir"],
          "--test": ["false", "true", "good.mlir", "no-such-file"], "--emulator": ["good.mlir", "no-such-file", "true"],
          "--kernel": ["k", "nothing"], "--shared": ["0", "1024", "999999999999"], "--bench": ["0.01", "-1", "x"],
          "--seeds": ["1", "3", "0"],
          "--pass-pipeline": ["builtin.module(canonicalize)", "builtin.module(attn-to-cpu{target=cpu})", "x(", "any(attn-raise-pipeline)"],
          "--inputs": ["good.npz", "good.npy", "good.npz,good.npz", "empty", "garbage", "."],
          "--expect": ["good.npz", "garbage", "empty", "out.npz"]}
PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 p) { ret; }\n"


class CliMode:
    """Random command lines: a tool answers with 0, 1 or 2 and a message."""

    def __init__(self, tools):
        self.tools, self.folder = tools, os.path.join(tools.directory, "cli")

    def prepare(self):
        os.makedirs(self.folder, exist_ok=True)
        files = {"good.mlir": PROGRAM, "empty": "", "garbage": "\0\1\2\xff" * 40, "kernel.ptx": PTX,
                 "two.mlir": PROGRAM + PROGRAM.replace("@f", "@g"), "bad.mlir": PROGRAM[:200],
                 "unregistered.mlir": 'func.func @f() { "torch.op"() : () -> () return }'}
        for name, text in files.items():
            with open(os.path.join(self.folder, name), "w", encoding="latin-1") as file:
                file.write(text)
        arrays = [np.ones((1, 2, 5, 16), np.float32)] * 2 + [np.array([3], np.int32)]
        np.savez(os.path.join(self.folder, "good.npz"), **{f"arg{i}": array for i, array in enumerate(arrays)})
        np.save(os.path.join(self.folder, "good.npy"), arrays[0])

    def run(self, seed):
        rng = random.Random(seed)
        self.prepare()
        tool = rng.choice(list(OPTIONS))
        words = [rng.choice(FILES) if tool != "attn-ptx-run" or rng.random() < 0.3 else "kernel.ptx"
                 for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 2]))]
        for _ in range(rng.randrange(5)):
            option = rng.choice(OPTIONS[tool])
            value = rng.choice(VALUES.get(option, []) * 3 + WORDS[1:]) if rng.random() < 0.99 else "/dev/zero"
            words.append(option if rng.random() < 0.3 else f"{option}={value}" if option != "-o" else "-o" + value)
        if tool == "attn-compile" and rng.random() < 0.8:
            words += ["-o", "out"]
        rng.shuffle(words)
        words = [word.replace("\0", "") for word in words]
        # A difference, and a file with errors, are status 1 of attn-run and attn-opt; attn-ptx-run reports a race so.
        refused = (2,) if tool == "attn-compile" else (1, 2)
        found, _ = run_tool([self.tools.path(tool), *words], self.tools.seconds, wrong=(), refused=refused, cwd=self.folder)
        if found.kind not in ("ok", "refused"):
            found.text += "\n" + " ".join([tool, *map(repr, words)])
        return found, None
