# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function whose sizes are names, and what follows from them: its text, its tensors, and which sizes agree.

    Case("add", "a: n f32, b: n f32", "n f32", "%r = arith.addf %a, %b : tensor<n f32>")

In types a name is a dynamic dimension and a number a static one; `%n` is the size of the first argument's dimension of
that name. A size may be a formula of names, as in "n-k+1"; `where` lists what must hold besides.
"""

import os
import re
import subprocess

import numpy as np

from attention_case import to_storage
from guard_pages import DTYPES, Tensor

#: The sizes of names unless a case says otherwise: all different, none a multiple of a vector.
SIZES = {"b": 2, "c": 11, "d": 16, "e": 6, "f": 3, "g": 2, "h": 4, "i": 3, "k": 5, "l": 9, "m": 7, "n": 13, "p": 17, "q": 19, "w": 10}


class Argument:
    def __init__(self, text, number):
        name, _, rest = text.rpartition(":")
        self.name = name.strip() or f"out{number}"
        *self.dims, last = rest.split()
        self.is_inout = last.startswith("inout=")
        self.inout = int(last[len("inout="):]) if self.is_inout else None
        self.element = self.dims.pop() if self.is_inout else last

    def type(self):
        return "tensor<" + "".join((dim if dim.isdigit() else "?") + "x" for dim in self.dims) + self.element + ">"

    def shape(self, sizes):
        return tuple(evaluate(dim, sizes) for dim in self.dims)


def evaluate(text, sizes):
    return sizes[text] if text in sizes else int(eval(text, {"__builtins__": {"min": min, "max": max}}, sizes))


def arguments_of(text):
    return [Argument(part, i) for i, part in enumerate(text.split(",")) if part.strip()]


class Case:
    """`numbers` computes the results with numpy; `data` gives integer arguments their values, `wrong` values that are out of
    range (an assertion must say so) and `safe` values that may be anything but must not lead outside. The body returns `%r`, or
    `%r0`, `%r1`, ..., or what `returns` names; it finds the sizes as `%n` unless it does not `ask`."""

    def __init__(self, name, inputs, results, body, numbers=None, *, sizes=None, where="", data=None, wrong=None, safe=None,
                 tolerance=1e-4, returns=None, ask=True):
        self.name, self.body, self.numbers, self.where = name, body, numbers, where
        self.inputs, self.results = arguments_of(inputs), arguments_of(results)
        self.sizes = {**SIZES, **(sizes or {})}
        self.data, self.wrong, self.safe = data or {}, wrong or {}, safe or {}
        self.tolerance, self.ask = tolerance, ask
        self.returns = returns or (["r"] if len(self.results) == 1 else [f"r{i}" for i in range(len(self.results))])
        written = {argument.inout for argument in self.inputs if argument.is_inout}
        self.outputs = [result for i, result in enumerate(self.results) if i not in written]

    def text(self):
        """The function."""
        def type_of(match):
            return Argument("x:" + match.group(1), 0).type()
        arguments = ", ".join(f"%{a.name}: {a.type()}" + (f" {{attn.inout = {a.inout} : index}}" if a.is_inout else "")
                              for a in self.inputs)
        lines, known = "", set()
        for argument in self.inputs:
            for i, dim in enumerate(argument.dims):
                if self.ask and dim.isidentifier() and dim not in known:
                    known.add(dim)
                    lines += f"  %at_{dim} = arith.constant {i} : index\n" \
                        f"  %{dim} = tensor.dim %{argument.name}, %at_{dim} : {argument.type()}\n"
        names = ", ".join("%" + name for name in self.returns)
        types = ", ".join(result.type() for result in self.results)
        body = re.sub(r"tensor<([^<>]*)>", type_of, self.body.strip("\n"))
        return f"func.func @{self.name}({arguments}) -> ({types}) {{\n{lines}{body}\n  return {names} : {types}\n}}\n"

    def shapes(self, sizes=None):
        sizes = {**self.sizes, **(sizes or {})}
        return [argument.shape(sizes) for argument in self.inputs + self.outputs]

    def sizes_of(self, shapes):
        """What the names stand for: each the size of its first dimension."""
        sizes = {}
        for argument, shape in zip(self.inputs + self.outputs, shapes):
            for dim, size in zip(argument.dims, shape):
                if dim.isidentifier():
                    sizes.setdefault(dim, size)
        return sizes

    def agree(self, shapes):
        """Whether each name has one size, and whether that is a number of the kind that the op wants."""
        sizes = self.sizes_of(shapes)
        fits = all(evaluate(dim, sizes) == size for argument, shape in zip(self.inputs + self.outputs, shapes)
                   for dim, size in zip(argument.dims, shape))
        return fits, not self.where or bool(eval(self.where, {"__builtins__": {}}, sizes))

    def values(self, argument, shape, sizes, rng):
        if argument.name in self.data:
            value = self.data[argument.name]
            value = value(sizes) if callable(value) else value
            return np.resize(np.asarray(value, DTYPES[argument.element][2]), shape)
        if argument.element == "i1":
            return rng.random(shape) < 0.7
        if argument.element.startswith("i"):
            return np.zeros(shape, DTYPES[argument.element][2])
        return np.asarray(to_storage(rng.standard_normal((1, *shape)), argument.element)[0])

    def tensors(self, shapes, rng, layout="compact", spread=(), given=None):
        """Arguments and outputs; `spread` are the (tensor, dimension) pairs that have a stride of 0."""
        sizes = self.sizes_of(shapes)
        made = []
        for i, (argument, shape) in enumerate(zip(self.inputs + self.outputs, shapes)):
            held = tuple(1 if (i, d) in spread else size for d, size in enumerate(shape))
            is_output = i >= len(self.inputs)
            if is_output:
                values = np.zeros(held, DTYPES[argument.element][2])
            elif given and argument.name in given:
                values = np.resize(np.asarray(given[argument.name], DTYPES[argument.element][2]), held)
            else:
                values = self.values(argument, held, sizes, rng)
            written = is_output or argument.is_inout
            # An output has no elements in one place, and what is updated in place has its last dimension compact.
            form = {"reversed": "rows", "columns": "rows"}.get(layout, layout) if argument.is_inout else layout
            made.append(Tensor(values, argument.element, shape, form, written))
        return made[:len(self.inputs)], made[len(self.inputs):]


def compile_module(compiler, cases, stem, flags=()):
    """Compiles the functions of the cases into one shared library; returns its path, or what the compiler said."""
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write("".join(case.text() for case in cases))
    done = subprocess.run([compiler, stem + ".mlir", "--emit=shared", "-o", stem, *flags], capture_output=True, text=True, check=False)
    if done.returncode == 0 and os.path.exists(stem + ".so"):
        return stem + ".so", ""
    return None, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"


def compile_sanitized(compiler, cases, stem, flags=()):
    """The same with the address sanitizer in the kernels, which clang puts there: scratch on the stack has borders then."""
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write("".join(case.text() for case in cases))
    tools = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
    options = " ".join(flag.lstrip("-").replace("portable", "portable-only") for flag in flags)
    text = ""
    for command in ([compiler.replace("attn-compile", "attn-opt"), stem + ".mlir", f"--attn-to-cpu={options}", "-o", stem + ".low.mlir"],
                    [tools + "/mlir-translate", "--mlir-to-llvmir", stem + ".low.mlir", "-o", stem + ".ll"],
                    ["sed", "-i", "/^define/s/ {$/ sanitize_address {/", stem + ".ll"],
                    [tools + "/clang", "-shared", "-O1", "-march=native", "-fsanitize=address", "-shared-libasan", "-rtlib=compiler-rt",
                     "-Wno-override-module", stem + ".ll", "-lm", "-o", stem + ".so"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        text += done.stdout + done.stderr
        if done.returncode:
            return None, f"exit code {done.returncode}: {' '.join(command)}\n{text}"
    with open(stem + ".so", "rb") as file:
        return (stem + ".so", "") if b"__asan_report" in file.read() else (None, "there is no sanitizer in the kernels")
