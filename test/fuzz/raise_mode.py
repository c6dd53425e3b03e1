# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random spellings of attention: what they are raised to computes the same in the f64 reference."""

import collections
import os
import random
import re
import zlib

import numpy as np

from outcome import Outcome, run_tool
from spellings import make_spelling


class RaiseMode:
    """attn-opt raises, attn-run compares; with `tools.compiled` the kernels are compared too."""

    def __init__(self, tools):
        self.tools = tools
        #: programs, and those with an attention of each feature
        self.made, self.raised = collections.Counter(), collections.Counter()

    def run(self, seed):
        spelling = make_spelling(random.Random(seed))
        found = self.check(spelling.p, seed)
        self.count(spelling.features)
        for ending in ("mlir", "npz"):
            with open(os.path.join(self.tools.directory, "spelled." + ending), "rb") as file:
                found.files[ending] = file.read()
        return found, spelling.p

    def count(self, features):
        path, is_raised = os.path.join(self.tools.directory, "raised.mlir"), False
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                is_raised = re.search(r"\battn\.attention\b", file.read())
        self.made.update(features.keys())
        self.raised.update(features.keys() if is_raised else ())

    def write(self, program, seed, stem):
        """The files of a case: the text and the arguments."""
        case = program.case()
        inputs, _ = case.tensors(case.shapes(), np.random.default_rng(zlib.crc32(seed.encode())))
        np.savez(stem + ".npz", **{f"arg{i}": tensor.values for i, tensor in enumerate(inputs)})
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(case.text())

    def check(self, program, seed):
        stem, raised = (os.path.join(self.tools.directory, name) for name in ("spelled", "raised.mlir"))
        self.write(program, seed, stem)
        if os.path.exists(raised):
            os.remove(raised)
        found, _ = run_tool([self.tools.path("attn-opt"), stem + ".mlir", "--attn-raise-pipeline", "-o", raised], self.tools.seconds,
                            wrong=(), refused=())
        if found.kind != "ok":
            return found
        command = [self.tools.path("attn-run"), stem + ".mlir", f"--inputs={stem}.npz", "--check"]
        found, _ = run_tool(command + [f"--interpret={raised}"], self.tools.seconds)
        if found.kind == "ok" and self.tools.compiled:
            found, _ = run_tool(command, self.tools.seconds)
        return found
