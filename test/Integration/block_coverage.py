# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what the generated cases of a block's ops cover.

Reads the modules that norm_cases, generate_blocks and generate_elements make and
prints, for each op and attribute, how often each value meets each element type.
A value that an element type lacks is a failure.
"""

import argparse
import itertools
import random
import re
import sys
from collections import defaultdict

import generate_blocks
import generate_elements
import norm_cases
from generate_cases import pairwise_cases

TYPES = ["f32", "f16", "bf16"]


def first(pattern, text, absent):
    found = re.search(pattern, text)
    return found.group(1) if found else absent


def has(word, text):
    return "yes" if word in text else "no"


def read_norm(op):
    kind = op.split()[1]
    form = " running" if "running(" in op else " given" if "statistics(" in op else ""
    affine = " ".join(name for name in ("gamma", "beta") if name + "(" in op)
    return {"kind": kind + form, "centring": first(r"norm \w+ (\w*centered)", op, "of the kind"),
            "eps": first(r"eps\((max_norm|0\.0|1)", op, "?"), "affine": affine or "none",
            "affine_axes": has("affine_axes", op), "residual": has("residual(", op), "sum": has("sum(%", op)}


def read_angles(op):
    return {"pairs": first(r"pairs\((\w+)\)", op, "interleaved"), "base": has("base(", op),
            "position_scale": has("position_scale(", op), "offset": has("offset(", op)}


READERS = {
    "norm": read_norm,
    "residual": lambda op: {"policy": op.split()[1].split("(")[0]},
    "linear": lambda op: {"parameterisation": first(r"parameterisation\((\w+)\)", op, "standard"),
                          "weight": first(r"weight\((\w+)\)", op, "in_out"),
                          "bias": "yes" if op.split("ins(")[1].split(":")[0].count("%") == 3 else "no"},
    "activation": lambda op: {"function": op.split()[1], "centered": has("centered", op),
                              "unit_moment": has("unit_moment", op)},
    "softmax": lambda op: {"scale": first(r"scale\(#attn\.(\w+)", op, "?"),
                           "normalizer": first(r"softmax\(#attn\.(\w+)", op, "?"),
                           "n": first(r"n = (\w+)", op, "none"), "align": first(r"align\((\w+)", op, "none")},
    "rope": lambda op: {**read_angles(op), "positions": has("positions(", op), "row_dim": has("row_dim(1)", op)},
    "sinusoidal_positions": read_angles,
    "init": lambda op: {"distribution": op.split()[1], "variance": first(r"variance\((\w+)", op, "?"),
                        "of": first(r"of\((\w+)", op, "none"), "mean": has("mean(", op), "cut": has("cut [", op)},
    "statistics": lambda op: {"measure": op.split()[1], "axes": "all" if "-> tensor<f" in op else "some"},
}


def texts():
    """(number of cases, text) of all modules."""
    for case in pairwise_cases(random.Random(5), norm_cases.FACTORS, 300, 0, norm_cases.make_case):
        yield 1, norm_cases.to_mlir(case)
    for _, _, text in generate_blocks.all_cases():
        yield 1, text
    for module in generate_elements.modules():
        yield len(module.results), module.text()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    table = defaultdict(lambda: defaultdict(lambda: dict.fromkeys(TYPES, 0)))
    kinds, total = defaultdict(int), 0
    for count, text in texts():
        total += count
        lines = text.splitlines()
        strides = re.findall(r"extract_slice .*\[(?:1, )*(\d)\] :", text)
        for line in lines:
            found = re.search(r"attn\.(\w+) .*", line)
            if not found or found.group(1) not in READERS:
                continue
            op = found.group(0)
            types = op.replace("ins(%a0, ", "ins(")
            element = first(r"(bf16|f16|f32|f64)>", types[types.find(" : "):], "?")
            if found.group(1) == "init" or found.group(1) == "sinusoidal_positions":
                element = first(r"-> tensor<\S*?x(b?f\d+)>", op, "?")
            for attribute, value in READERS[found.group(1)](op).items():
                if element in TYPES:
                    table[found.group(1), attribute][value][element] += 1
            kinds[f"{found.group(1)}: all"] += 1
            kinds[f"{found.group(1)}: empty"] += bool(re.search(r"[<x]0x", op))
            kinds[f"{found.group(1)}: one column"] += bool(re.search(r"[<x]1x(bf16|f16|f32|f64)>", op))
            kinds[f"{found.group(1)}: rows apart"] += "1" in strides
            kinds[f"{found.group(1)}: columns apart"] += "2" in strides
    missing = 0
    for (op, attribute), values in sorted(table.items()):
        print(f"{op} {attribute}: " + ", ".join(
            f"{value} {'/'.join(str(counts[type]) for type in TYPES)}" for value, counts in sorted(values.items())))
        missing += sum(count == 0 for counts in values.values() for count in counts.values())
    for op, rows in itertools.groupby(sorted(kinds), key=lambda name: name.split(":")[0]):
        print(f"{op}: " + ", ".join(f"{kinds[row]}{row[len(op) + 1:]}" for row in rows))
    print(f"{total} cases, {missing} pairs of an attribute's value and an element type are missing")
    return missing != 0


if __name__ == "__main__":
    sys.exit(main())
