# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every activation, initial weight and statistic against the f64 reference.

All functions x centring x gain x element types, also of infinities, NaN and
numbers of all magnitudes; all distributions x variances x element types; both
statistics over every set of axes. Shapes lie around the widths of vectors, and
inputs also lie apart in memory. One module holds the cases of one element type,
shape and layout, so that a run is short; each result of it is a case.
"""

import os
import subprocess
import sys

import numpy as np

from attention_case import to_storage
from case_runner import make_parser, run_shard, target_flags

FUNCTIONS = ["relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softplus",
             "quick_gelu", "hard_swish", "mish", "relu_squared", "leaky_relu", "relu6", "hard_sigmoid", "softsign"]
SCALES = ["", "centered ", "unit_moment ", "centered unit_moment "]
ELEMENTS = ["f32", "f16", "bf16", "f64"]
VARIANCES = ["constant) value(0.3", "lecun", "he", "xavier", "t5) head_dim(64", "zero"] + \
    [f"solved) of({function}" for function in ["gelu", "silu", "elu", "relu", "selu", "gelu_tanh", "softplus", "quick_gelu",
                                               "hard_swish", "mish", "relu_squared", "leaky_relu", "relu6"]]
DISTRIBUTIONS = ["normal", "uniform", "truncated_normal"]
#: offset and stride along the last dimension of a larger tensor, for inputs and results that are a part of one
LAYOUTS = {"dense": None, "rows apart": (3, 1), "columns apart": (1, 2)}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-3, -1e-3, 1e-6, -1e-6, 30.0, -30.0, 5e-5, 200.0, -200.0, 1e4, -1e4]


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def part(shape, element, layout):
    """The larger tensor's shape, and `[offsets] [sizes] [strides]` of its part of that shape."""
    offset, step = LAYOUTS[layout]
    rest = len(shape) - 1
    return shape[:-1] + (shape[-1] * step + offset + 2,), \
        f"{[0] * rest + [offset]} {list(shape)} {[1] * rest + [step]}"


def unknown(shape):
    """The sizes in a type that does not tell them."""
    return tuple("?" for _ in shape)


class Module:
    """One function of many ops on the input %x, or on a seed. `layout` is that of
    the input, or, after "to ", of the results; "unknown" has no sizes in types."""

    def __init__(self, name, element, shape, layout="dense", has_input=True):
        self.name, self.element, self.shape = f"{name} {element} {shape} {layout}", element, shape
        self.layout, self.lines, self.results, self.arrays = layout, [], [], {}
        self.held, self.argument, self.destinations = shape, "%seed: i64", {}
        self.type = tensor(unknown(shape) if layout == "unknown" else shape, element)
        self.lines += [f"%c{dim} = arith.constant {dim} : index" for dim in range(len(shape))]
        if not has_input:  # one that tells the sizes
            self.argument += f", %x: {self.type}" if layout == "unknown" else ""
        elif LAYOUTS.get(layout) and shape:
            self.held, where = part(shape, element, layout)
            self.lines.append(f"%x = tensor.extract_slice %w{where} : {tensor(self.held, element)} to {self.type}")
            self.argument = f"%w: {tensor(self.held, element)}"
        else:
            self.argument = f"%x: {self.type}"

    def destination(self, dims, element):
        """A tensor with the input's sizes along `dims`: its name and type."""
        shape = tuple(self.shape[dim] for dim in dims)
        if tuple(dims) in self.destinations:
            return self.destinations[tuple(dims)]
        name, sizes, type = f"%e{len(self.destinations)}", "", tensor(shape, element)
        if self.layout == "unknown":
            type = tensor(unknown(shape), element)
            sizes = ", ".join(f"{name}n{dim}" for dim in dims)
            self.lines += [f"{name}n{dim} = tensor.dim %x, %c{dim} : {self.type}" for dim in dims]
        if self.layout.startswith("to ") and shape:
            held, where = part(shape, element, self.layout[3:])
            self.lines += [f"{name}w = arith.constant dense<0.5> : {tensor(held, element)}",
                           f"{name} = tensor.extract_slice {name}w{where} : {tensor(held, element)} to {type}"]
        else:
            self.lines.append(f"{name} = tensor.empty({sizes}) : {type}")
        self.destinations[tuple(dims)] = name, type
        return name, type

    def add(self, op, type):
        name = f"%r{len(self.results)}"
        self.lines.append(f"{name} = {op}")
        self.results.append((name, type))

    def add_to(self, dims, op, element):
        """Adds an op that writes a destination with the input's sizes along `dims`."""
        name, type = self.destination(dims, element)
        self.add(f"{op} outs({name} : {type}) -> {type}", type)
        if f"{name}w = " in "\n".join(self.lines):
            shape = tuple(self.shape[dim] for dim in dims)
            held, where = part(shape, element, self.layout[3:])
            result = self.results.pop()[0]
            self.lines.append(f"{result}w = tensor.insert_slice {result} into {name}w{where} : {type} into "
                              f"{tensor(held, element)}")
            self.results.append((result + "w", tensor(held, element)))

    def text(self):
        names = ", ".join(name for name, _ in self.results)
        types = ", ".join(type for _, type in self.results)
        return "\n".join([f"func.func @f({self.argument}) -> ({types}) {{"] + self.lines
                         + [f"return {names} : {types}", "}", ""])


def activations(element, shape, layout):
    module = Module("activation", element, shape, layout)
    for function in FUNCTIONS:
        for scale in SCALES:
            module.add(f"attn.activation {function} {scale}%x : {module.type}", module.type)
    values = np.random.default_rng(len(shape)).standard_normal(module.held) * 3
    if values.size > 1:  # one number could be the very one that centring makes 0
        count = min(len(SPECIAL), values.shape[-1])
        values[..., :count] = np.where(values[..., :count] > 0, SPECIAL[:count], values[..., :count])
    module.arrays = {"arg0": to_storage(values, element)}
    return module


def weights(element, shape, layout="dense"):
    module = Module("init", element, shape, layout, has_input=False)
    for i, distribution in enumerate(DISTRIBUTIONS):
        for j, variance in enumerate(VARIANCES):
            if layout != "dense" and (i + j) % 3:  # where the result lies does not depend on them
                continue
            fan = " fan_in [0]" if len(shape) != 2 else ["", " fan_in [1]"][(i + j) % 2]
            fan += {"xavier": f" fan_out [{len(shape) - 1}]"}.get(variance, "") if fan else ""
            if variance.startswith(("constant", "zero")):
                fan = ""
            mean = ["", " mean(1.5)"][(i + j) // 2 % 2]
            cut = " cut [-1.0, 2.5]" if distribution == "truncated_normal" and j % 2 else ""
            if "xavier" in variance and " fan_in [1] fan_out [1]" in fan:
                fan = " fan_in [1] fan_out [0]"
            module.add_to(range(len(shape)), f"attn.init {distribution} variance({variance}){mean}{cut}{fan} "
                          "seed(%seed : i64)", element)
    if layout == "unknown":
        module.arrays = {"arg0": np.int64(len(shape) + 2 ** 35), "arg1": to_storage(np.zeros(shape), element)}
    return module


def statistics(element, shape, layout):
    module = Module("statistics", element, shape, layout)
    out = "f64" if element == "f64" else "f32"
    for axes in range(1 << len(shape)):
        kept = [dim for dim in range(len(shape)) if not axes >> dim & 1]
        listed = ", ".join(str(dim) for dim in range(len(shape)) if axes >> dim & 1)
        for measure in ["kurtosis", "infinity_norm"]:
            for clause in [f" axes [{listed}]"] + ([] if kept else [""]):  # without axes these are all
                module.add_to(kept, f"attn.statistics {measure}{clause} ins(%x : {module.type})", out)
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
    for element in ELEMENTS:
        for shape in shapes:
            yield activations(element, shape, "dense")
        for shape, layout in [((5, 37), "rows apart"), ((2, 3, 33), "columns apart"), ((4, 19), "unknown")]:
            yield activations(element, shape, layout)
        for shape in [(9, 37), (128, 3), (33,), (0, 5), (2, 3, 7), (24, 1)]:
            yield weights(element, shape)
        for shape, layout in [((7, 19), "to rows apart"), ((3, 18), "to columns apart"), ((6, 11), "unknown")]:
            yield weights(element, shape, layout)
        for shape in [(5, 37), (2, 3, 33), (7,), (1, 1), (3, 0), (0, 4), (6, 130), (4, 5, 6, 7)]:
            yield statistics(element, shape, "dense")
        for layout in ["rows apart", "columns apart", "to rows apart", "to columns apart", "unknown"]:
            yield statistics(element, (6, 37), layout)


def run(module, index, args):
    """Runs one module; returns how many of its results failed, and prints what did."""
    stem = os.path.join(args.directory, f"elements{index}")
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(module.text())
    command = [args.attn_run, stem + ".mlir", "--check", f"--seed={index}", *target_flags(args, index)]
    if module.arrays:
        np.savez(stem + ".npz", **module.arrays)
        command.append(f"--inputs={stem}.npz")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    count = len(module.results)
    wrong = count - min(done.stdout.count("reference: match"), count)
    if wrong or done.returncode:
        print(f"FAILED {wrong} of {module.name}: exit code {done.returncode}\n  {' '.join(command)}\n"
              f"{done.stdout}{done.stderr}")
    return wrong or int(done.returncode != 0)


def main():
    args, everything = make_parser(__doc__).parse_args(), list(modules())
    mine, failures = run_shard(everything, run, args)
    cases = sum(len(module.results) for _, module in mine)
    total = sum(len(module.results) for module in everything)
    print(f"{cases} cases of {total}: {sum(failures)} failures")
    return sum(failures) != 0


if __name__ == "__main__":
    sys.exit(main())
