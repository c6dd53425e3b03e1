# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken and crafted .npy and .npz files for attn-run."""

import io
import os
import random
import struct
import warnings
import zipfile

import numpy as np

from outcome import run_tool

PROGRAM = """func.func @f(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>, %n: tensor<1xi32>) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %e = tensor.empty(%m) : tensor<1x2x?x16xf32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]
    ins(%q, %k, %k : tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) params(%n : tensor<1xi32>)
    outs(%e : tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32>
  return %r : tensor<1x2x?x16xf32>
}
"""
#: what stands in the header of an .npy file: types, orders and shapes that it may or may not have
DESCRS = ["'<f4'", "'>f4'", "'|O'", "'<f8'", "'<i4'", "'|b1'", "'<U3'", "[('a', '<f4')]", "'<f4' ", "'f4'", "''", "None",
           "'<c8'", "'|V4'", "'<f16'"]
SHAPES = ["(1, 2, 5, 16)", "(1, 2, 0, 16)", "()", "(160,)", "(1, 2, -5, 16)", "(1, 2, 2147483648, 16)", "(1, 2, 4611686018427387904, 16)",
          "(18446744073709551615,)", "(18446744073709551616,)", "(1, 2, 5, 16, )", "(1 2)", "[1, 2]", "(1, 2, 5", "5", "('a',)",
          "(" + "1, " * 200 + ")", "(0, 9223372036854775807, 9223372036854775807, 4)"]


def npy(descr="'<f4'", fortran="False", shape="(1, 2, 5, 16)", data=b"\0" * 640, version=1, length=None, more=""):
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}{more}}}\n".encode()
    said = len(header) if length is None else length
    size = struct.pack("<H", said & 0xFFFF) if version == 1 else struct.pack("<I", said & 0xFFFFFFFF)
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


def random_npy(rng):
    """An .npy file of which some field is not as it should be."""
    what = {}
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        what.update(rng.choice([
            {"descr": rng.choice(DESCRS)}, {"shape": rng.choice(SHAPES)}, {"fortran": rng.choice(["True", "1", "maybe", "None"])},
            {"data": bytes(rng.choice([0, 1, 639, 641, 5000]))}, {"version": rng.choice([0, 2, 3, 9, 255])},
            {"length": rng.choice([0, 1, 10, 65535, 2**31, 2**32 - 1])},
            {"more": rng.choice([", 'x': 1", ", " * 9, ", 'descr': '<f8'", "\0", " " * 70000, ", 'shape': (1,)", "__import__('os')"])}]))
    return npy(**what)


def mutate(data, rng):
    """Some bytes of a file are others, missing, or there twice."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5, 40])):
        at, size = rng.randrange(len(data) or 1), rng.choice([1, 1, 2, 4, 8, 100])
        way = rng.randrange(5)
        if way == 0 and data:
            data[at] = rng.randrange(256)
        elif way == 1:
            data[at:at + size] = rng.randbytes(size)
        elif way == 2:
            del data[at:at + size]
        elif way == 3:
            data[at:at] = data[at:at + size]
        else:
            number = rng.choice([2**31, 2**32 - 1, 2**63, 2**64 - 1])
            data[at:at + size] = rng.choice([b"\xff" * size, b"\0" * size, struct.pack("<Q", number)])
    return bytes(data)


class NpzMode:
    """attn-run with files of arrays that are not what they should be: it says so, with status 2, or takes them."""

    def __init__(self, tools):
        self.tools = tools

    def archive(self, rng):
        names = rng.choice([["arg0", "arg1", "arg2"]] * 4 + [["arg0", "arg0", "arg2"], ["arg0", "arg1"], ["arg0", "arg1", "arg2", "arg3"],
                                                             ["../arg0", "/arg1", "arg2"], ["arg0" * 9000, "arg1", ""]])
        file = io.BytesIO()
        warnings.simplefilter("ignore")  # names that are there twice
        with zipfile.ZipFile(file, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])) as archive:
            for i, name in enumerate(names):
                good = npy("'<i4'", shape="(1,)", data=b"\5\0\0\0") if i == 2 else npy(data=np.float32(np.arange(160)).tobytes())
                info = zipfile.ZipInfo(name + rng.choice([".npy"] * 9 + [""]))
                info.compress_type, info.flag_bits = archive.compression, rng.choice([0] * 9 + [1])
                archive.writestr(info, random_npy(rng) if rng.random() < 0.3 else good)
        return file.getvalue()

    def run(self, seed):
        rng = random.Random(seed)
        make, endings = rng.choice([(random_npy, [".npy"]), (self.archive, [".npz", ".npy"]),
                                    (lambda rng: mutate(self.archive(rng), rng), [".npz"]), (lambda rng: mutate(npy(), rng), [".npy"])])
        data, ending = make(rng), rng.choice(endings)
        program, path = (os.path.join(self.tools.directory, name) for name in ("npz.mlir", "input" + ending))
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        with open(path, "wb") as file:
            file.write(data)
        files = path if data[:2] == b"PK" else ",".join([path] * 3)
        found, _ = run_tool([self.tools.path("attn-run"), program, f"--inputs={files}"], self.tools.seconds)
        found.files = {os.path.basename(path): data, "npz.mlir": PROGRAM.encode()}
        return found, None
