# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the dialect's ops from MLIR's generic form, as attn-opt --mlir-print-op-generic prints it."""

import re
from dataclasses import dataclass

OPEN = re.compile(r'(?:%\w+(?::\d+)? = )?"([\w.]+)"\(([^)]*)\)(?: <\{(.*)\}>)?(.*)')
SLICE = re.compile(r'(%\w+) = "tensor\.extract_slice"\((%\w+).*static_strides = array<i64: ([-\d, ]+)>')
FLOATS = r"(?:[\dx?]*x)?(bf16|f16|f32|f64)"


def split(text):
    """The parts of a list, at commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    text = text.replace("->", "=>")  # the same length, and no bracket
    for i, character in enumerate(text):
        depth += (character in "<([{") - (character in ">)]}" and text[i - 1:i + 1] != "=>")
        if character == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()] if text.strip() else parts


@dataclass
class Op:
    name: str
    operands: list
    #: name -> text, "unit" for what has no value
    attributes: dict
    #: whether each region has a block
    regions: list
    types: list
    #: value -> strides of the part of a tensor that it is, for all such values of the function
    slices: dict

    @property
    def element(self):
        """The element type of the first tensor of floats."""
        for type in self.types:
            found = re.fullmatch(rf"tensor<{FLOATS}(?:, .*)?>", type)
            if found:
                return found.group(1)
        return None

    @property
    def shapes(self):
        """Sizes of the tensors of floats, as texts."""
        return [found.group(1).split("x")[:-1] for found in
                (re.fullmatch(rf"tensor<((?:[\d?]+x)*)(?:bf16|f16|f32|f64).*>", type) for type in self.types) if found]

    def groups(self, arguments):
        """argument -> its operands' numbers, for the operands of the op in order."""
        if "operandSegmentSizes" in self.attributes:
            sizes = map(int, re.findall(r"\d+", self.attributes["operandSegmentSizes"].partition(":")[2]))
        else:
            rest = len(self.operands) - sum(not argument.optional for argument in arguments)
            sizes = [rest if argument.optional else 1 for argument in arguments]
        found, start = {}, 0
        for argument, size in zip(arguments, sizes):
            found[argument.name] = list(range(start, start + size))
            start += size
        return found


def attributes_of(text):
    return {name.strip(): value.strip() or "unit"
            for name, _, value in (part.partition("=") for part in split(text or ""))}


def operand_types(text):
    """The types before the arrow of `: (types) -> types`."""
    found = re.search(r": \((.*)\) -> ", text)
    return split(found.group(1)) if found else []


def read(text):
    """The attn ops of all functions."""
    slices, open_ops = {}, []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith('"func.func"') or "// -----" in line:
            slices = {}
        found = SLICE.match(line)
        if found:
            slices[found.group(1)] = [int(step) for step in found.group(3).split(",")]
        if line.startswith("}"):  # the end of a region
            number, op, lines = open_ops.pop()
            if number:
                op.regions.append(lines > 0)
            if line.startswith("}, {"):
                open_ops.append((number, op, 0))
            elif number:
                op.types = operand_types(line)
                yield op
            continue
        if open_ops:
            number, op, lines = open_ops[-1]
            open_ops[-1] = (number, op, lines + 1)
        found = OPEN.match(line)
        if not found:
            continue
        name, operands, properties, rest = found.groups()
        is_attn = name.startswith("attn.")
        op = Op(name[5:], split(operands), attributes_of(properties), [], operand_types(rest), slices) if is_attn else None
        if line.endswith("({"):
            open_ops.append((is_attn, op, 0))
        elif is_attn:
            yield op
