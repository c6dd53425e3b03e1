# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every activation, initial weight and statistic against the f64 reference.

All functions x centring x gain x element types, also of infinities, NaN and
numbers of all magnitudes; all distributions x variances x element types; both
statistics over every set of axes. Shapes lie around the widths of vectors, and
inputs also lie apart in memory. One module holds the cases of one element type,
shape and layout, so that a run is short; each result of it is a case.
"""

import argparse
import os
import subprocess
import sys

import numpy as np

from attention_case import to_storage

FUNCTIONS = ["relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softplus"]
SCALES = ["", "centered ", "unit_moment ", "centered unit_moment "]
ELEMENTS = ["f32", "f16", "bf16", "f64"]
VARIANCES = ["constant) value(0.3", "lecun", "he", "xavier", "t5) head_dim(64", "zero", "solved) of(gelu",
             "solved) of(silu", "solved) of(elu", "solved) of(relu"]
DISTRIBUTIONS = ["normal", "uniform", "truncated_normal"]
#: offset and stride along the last dimension of a larger tensor, for inputs that are a part of one
LAYOUTS = {"dense": None, "rows apart": (3, 1), "columns apart": (1, 2)}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-3, -1e-3, 1e-6, -1e-6, 30.0, -30.0, 5e-5, 200.0, -200.0, 1e4, -1e4]


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Module:
    """One function of many ops on the input %x, or on a seed."""

    def __init__(self, name, element, shape=None, layout="dense"):
        self.name, self.element, self.shape = f"{name} {element} {shape} {layout}", element, shape
        self.lines, self.results, self.arrays = [], [], {}
        if shape is None:
            self.argument = "%seed: i64"
            return
        self.held, prelude = shape, None
        if LAYOUTS[layout] and shape:
            offset, step = LAYOUTS[layout]
            self.held = shape[:-1] + (shape[-1] * step + offset + 2,)
            starts = [0] * (len(shape) - 1) + [offset]
            steps = [1] * (len(shape) - 1) + [step]
            prelude = f"%x = tensor.extract_slice %w{starts} {list(shape)} {steps} : " \
                f"{tensor(self.held, element)} to {tensor(shape, element)}"
        self.argument = f"%{'w' if prelude else 'x'}: {tensor(self.held, element)}"
        self.lines += [prelude] if prelude else []

    def add(self, op, type):
        name = f"%r{len(self.results)}"
        self.lines.append(f"{name} = {op}")
        self.results.append((name, type))

    def text(self):
        names = ", ".join(name for name, _ in self.results)
        types = ", ".join(type for _, type in self.results)
        return "\n".join([f"func.func @f({self.argument}) -> ({types}) {{"] + self.lines
                         + [f"return {names} : {types}", "}", ""])


def activations(element, shape, layout):
    module, type = Module("activation", element, shape, layout), tensor(shape, element)
    for function in FUNCTIONS:
        for scale in SCALES:
            module.add(f"attn.activation {function} {scale}%x : {type}", type)
    values = np.random.default_rng(len(shape)).standard_normal(module.held) * 3
    if values.size > 1:  # one number could be the very one that centring makes 0
        count = min(len(SPECIAL), values.shape[-1])
        values[..., :count] = np.where(values[..., :count] > 0, SPECIAL[:count], values[..., :count])
    module.arrays = {"arg0": to_storage(values, element)}
    return module


def weights(element, shape):
    module, type = Module("init", element), tensor(shape, element)
    module.lines.append(f"%e = tensor.empty() : {type}")
    for i, distribution in enumerate(DISTRIBUTIONS):
        for j, variance in enumerate(VARIANCES):
            fan = " fan_in [0]" if len(shape) != 2 else ["", " fan_in [1]"][(i + j) % 2]
            fan += {"xavier": f" fan_out [{len(shape) - 1}]"}.get(variance, "") if fan else ""
            if variance.startswith(("constant", "zero")):
                fan = ""
            mean = ["", " mean(1.5)"][(i + j) // 2 % 2]
            cut = " cut [-1.0, 2.5]" if distribution == "truncated_normal" and j % 2 else ""
            if "xavier" in variance and " fan_in [1] fan_out [1]" in fan:
                fan = " fan_in [1] fan_out [0]"
            module.add(f"attn.init {distribution} variance({variance}){mean}{cut}{fan} seed(%seed : i64) "
                       f"outs(%e : {type}) -> {type}", type)
    module.name += str(shape)
    return module


def statistics(element, shape, layout):
    module, type = Module("statistics", element, shape, layout), tensor(shape, element)
    for axes in range(1 << len(shape)):
        kept = tuple(size for dim, size in enumerate(shape) if not axes >> dim & 1)
        out = tensor(kept, "f64" if element == "f64" else "f32")
        module.lines.append(f"%e{axes} = tensor.empty() : {out}")
        listed = ", ".join(str(dim) for dim in range(len(shape)) if axes >> dim & 1)
        for measure in ["kurtosis", "infinity_norm"]:
            module.add(f"attn.statistics {measure} axes [{listed}] ins(%x : {type}) outs(%e{axes} : {out}) -> {out}", out)
    values = np.random.default_rng(len(shape)).standard_normal(module.held)
    if values.ndim > 1 and values.shape[0] > 2:
        values[0] += 50.0  # the mean must be taken off before the powers
        values[1] = 0.0
        values[2].flat[-1:] = 300.0
    if values.ndim > 1 and values.shape[0] > 4:
        values[3].flat[:1] = np.nan
        values[4].flat[-1:] = -np.inf
    module.arrays = {"arg0": to_storage(values, element)}
    return module


def modules():
    # Columns of one element have some rows: what centring leaves of a single number may be all rounding.
    shapes = [(5, 37), (9, 1), (3, 16), (0, 7), (2, 3, 33), (67,), (4, 0)]
    for i, element in enumerate(ELEMENTS):
        for j, shape in enumerate(shapes):
            yield activations(element, shape, "dense")
            if shape in ((5, 37), (2, 3, 33)):
                yield activations(element, shape, list(LAYOUTS)[1 + (i + j) % 2])
        for shape in [(9, 37), (128, 3), (33,), (0, 5), (2, 3, 7)]:
            yield weights(element, shape)
        for shape in [(5, 37), (2, 3, 33), (7,), (1, 1), (3, 0), (0, 4), (6, 130), (4, 5, 6, 7)]:
            yield statistics(element, shape, "dense")
        for layout in list(LAYOUTS)[1:]:
            yield statistics(element, (6, 37), layout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--shard", default="0/1", help="I/N runs every N-th module, from the I-th on")
    parser.add_argument("--target", default="cpu")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    first, step = map(int, args.shard.split("/"))
    everything = list(modules())
    cases = failures = 0
    for index in range(first, len(everything), step):
        module = everything[index]
        stem = os.path.join(args.directory, f"elements{index}")
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(module.text())
        command = [args.attn_run, stem + ".mlir", "--check", f"--target={args.target}", f"--seed={index}"]
        if module.arrays:
            np.savez(stem + ".npz", **module.arrays)
            command.append(f"--inputs={stem}.npz")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        count = len(module.results)
        wrong = count - min(done.stdout.count("reference: match"), count)
        cases += count
        failures += wrong or (done.returncode != 0)
        if wrong or done.returncode:
            print(f"FAILED {wrong} of {module.name}: exit code {done.returncode}\n  {' '.join(command)}\n"
                  f"{done.stdout}{done.stderr}")
    total = sum(len(module.results) for module in everything)
    print(f"{cases} cases of {total}: {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
