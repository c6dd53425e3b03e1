# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of the tutorial through attn-run, and analyses through attn-opt."""

import json
import os
import shutil
import subprocess
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find_tool(name):
    """A tool from PATH, or else from the build tree of this checkout."""
    built = os.path.join(HERE, "..", "..", "build", "bin", name)
    tool = shutil.which(name) or shutil.which(built)
    if not tool:
        raise SystemExit(f"{name} is neither in PATH nor in build/bin")
    return tool


def run(name, entry=None, inputs=None, replace=(), shapes=(), seed=None):
    """The results of a kernel of `name`.mlir, as arrays of f64.

    `inputs` are its arguments; without them they are random. `replace` are pairs
    of texts: how a page changes an attribute, or a static size.
    """
    with open(os.path.join(HERE, name + ".mlir")) as file:
        text = file.read()
    for old, new in replace:
        if old not in text:
            raise SystemExit(f"{name}.mlir does not contain {old!r}")
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        kernel, output = os.path.join(folder, name + ".mlir"), os.path.join(folder, "out.npz")
        with open(kernel, "w") as file:
            file.write(text)
        command = [find_tool("attn-run"), kernel, f"--output={output}"]
        if inputs is not None:
            np.savez(os.path.join(folder, "in.npz"), **{f"arg{i}": a for i, a in enumerate(inputs)})
            command.append(f"--inputs={folder}/in.npz")
        if entry:
            command.append(f"--entry={entry}")
        if seed is not None:
            command.append(f"--seed={seed}")
        command += [f"--shape={i}:{shape}" for i, shape in enumerate(shapes)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        with np.load(output) as arrays:
            return [arrays[f"out{i}"].astype(np.float64) for i in range(len(arrays.files))]


def analyze(name, analysis, options=""):
    """The JSON report of an analysis of `name`.mlir, or of no code at all."""
    text = "module {}"
    if name:
        with open(os.path.join(HERE, name + ".mlir")) as file:
            text = file.read()
    command = [find_tool("attn-opt"), f"--{analysis}=json=- {options}", "-o", os.devnull]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)
