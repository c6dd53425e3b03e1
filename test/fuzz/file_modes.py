# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken and crafted .npy and .npz files for attn-run, and random command lines of all tools."""

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
DESCRS = ["'<f4'", "'>f4'", "'|O'", "'<f8'", "'<i4'", "'|b1'", "'<U3'", "[('a', '<f4')]", "'<f4' ", "'f4'", "''", "None", "'<c8'", "'|V4'", "'<f16'"]
SHAPES = ["(1, 2, 5, 16)", "(1, 2, 0, 16)", "()", "(160,)", "(1, 2, -5, 16)", "(1, 2, 2147483648, 16)", "(1, 2, 4611686018427387904, 16)",
          "(18446744073709551615,)", "(18446744073709551616,)", "(1, 2, 5, 16, )", "(1 2)", "[1, 2]", "(1, 2, 5", "5", "('a',)", "(" + "1, " * 200 + ")",
          "(0, 9223372036854775807, 9223372036854775807, 4)"]


def npy(descr="'<f4'", fortran="False", shape="(1, 2, 5, 16)", data=b"\0" * 640, version=1, length=None, more=""):
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}{more}}}\n".encode()
    size = struct.pack("<H" if version == 1 else "<I", (len(header) if length is None else length) & (0xFFFF if version == 1 else 0xFFFFFFFF))
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
            data[at:at + size] = rng.choice([b"\xff" * size, b"\0" * size, struct.pack("<Q", rng.choice([2**31, 2**32 - 1, 2**63, 2**64 - 1]))])
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
        way = rng.randrange(4)
        data = [lambda: random_npy(rng), lambda: self.archive(rng), lambda: mutate(self.archive(rng), rng), lambda: mutate(npy(), rng)][way]()
        program, path = (os.path.join(self.tools.directory, name) for name in ("npz.mlir", f"input{rng.choice(['.npz', '.npy'] if way == 1 else ['.npz'] if way == 2 else ['.npy'])}"))
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        with open(path, "wb") as file:
            file.write(data)
        files = ",".join([path] * 3) if way in (0, 3) else path
        found, _ = run_tool([self.tools.path("attn-run"), program, f"--inputs={files}"], self.tools.seconds)
        found.files = {os.path.basename(path): data, "npz.mlir": PROGRAM.encode()}
        return found, None


WORDS = ["", "0", "1", "-1", "3", "1e9", "nan", "18446744073709551616", "a" * 5000, ",", "=", "cpu", "cpu:x86-64", "cpu:x86-64-v3", "nvptx:sm_80",
         "nvptx:sm_90a", "pdp11", "f", "g", "0:5", "0:1x2x5x16", "9:3", "0:-1x2", "0:99999999999x9", "obj", "obj,shared", "header,header", "none", "\t", "é",
         "%s", "../x", "/dev/null", "/", ".", "out", "no/such/folder/x", "0:1x2x9223372036854775807x16"]
FILES = ["good.mlir", "good.mlir", "good.mlir", "empty", "garbage", "two.mlir", "no-such-file", ".", "/dev/null", "good.npz", "-", "bad.mlir", "unregistered.mlir",
         "kernel.ptx", "good.npy"]
OPTIONS = {
    "attn-run": ["--entry", "--inputs", "--seed", "--shape", "--expect", "--check", "--target", "--bench", "--threads", "--json", "--output", "--dump-dir",
                 "--remarks", "--portable", "--simulate", "--help", "--version"],
    "attn-compile": ["--target", "-o", "--emit", "--entry", "--name", "--remarks", "--portable", "--threads", "--help", "--version"],
    "attn-opt": ["--attn-raise-pipeline", "--attn-plan-pipeline", "--attn-to-cpu", "--attn-to-linalg", "--attn-to-cpu=target", "--canonicalize", "--cse",
                 "--verify-each", "-o", "--attn-analyze-moments", "--attn-analyze-entropy", "--attn-lint", "--verify-diagnostics",
                 "--pass-pipeline", "--emit-bytecode", "--mlir-print-op-generic"],
    "attn-ptx-run": ["--kernel", "--grid", "--block", "--cluster", "--shared", "--arg", "--seeds", "--report", "--schedule"],
}
VALUES = {"--grid": ["1", "2,2,2", "0", "4294967295", "1,1,1,1", "x"], "--block": ["32", "1024", "1025", "0,1", "32,32,2"],
          "--arg": ["i32:7", "f32:0.5", "out:f32:4=out.npy", "good.npy", "inout:good.npy=out.npy", "u64:x", "out:f32:99999999999=o.npy", "tensormap:good.mlir"],
          "--kernel": ["k", "nothing"], "--shared": ["0", "1024", "999999999999"], "--bench": ["0.01", "-1", "x"], "--seeds": ["1", "3", "0"],
          "--pass-pipeline": ["builtin.module(canonicalize)", "builtin.module(attn-to-cpu{target=cpu})", "x(", "any(attn-raise-pipeline)"],
          "--inputs": ["good.npz", "good.npy", "good.npz,good.npz", "empty", "garbage", "."], "--expect": ["good.npz", "garbage", "empty", "out.npz"]}
PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 p) { ret; }\n"


class CliMode:
    """Random command lines: a tool answers with 0, 1 or 2 and a message."""

    def __init__(self, tools):
        self.tools, self.folder = tools, os.path.join(tools.directory, "cli")

    def prepare(self):
        os.makedirs(self.folder, exist_ok=True)
        files = {"good.mlir": PROGRAM, "empty": "", "garbage": "\0\1\2\xff" * 40, "two.mlir": PROGRAM + PROGRAM.replace("@f", "@g"), "kernel.ptx": PTX,
                 "bad.mlir": PROGRAM[:200], "unregistered.mlir": 'func.func @f() { "torch.op"() : () -> () return }'}
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
        words = [rng.choice(FILES) if tool != "attn-ptx-run" or rng.random() < 0.3 else "kernel.ptx" for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 2]))]
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
