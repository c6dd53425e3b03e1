# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/sass_model.py on loops whose cycles can be counted by hand.

  sass_cases.py SASS_MODEL DIRECTORY
"""

import itertools
import json
import math
import os
import subprocess
import sys

MODEL, DIRECTORY = sys.argv[1:]
FFMA = ("FFMA R4, R5, R6, R4",)
# One cycle, and no pipe that others want.
NOP = ("NOP",)
BACK = ("@P0 BRA `(.L_x_0)", {"stall": 5})


def encode(control):
    word = control.get("stall", 1) | control.get("writes", 7) << 5 | control.get("reads", 7) << 8
    return (word | control.get("waits", 0) << 11) << 41


def print_kernel(name, loop):
    """As nvdisasm prints it: a number of instructions, the loop, and an end. A loop may come with what lies around it."""
    text, address = f"\t.section\t.text.{name},\"ax\",@progbits\n.text.{name}:\n", 0
    start, loop, end = loop if isinstance(loop, tuple) else ([], loop, [])
    for instruction in [("MOV R1, R2",), *start, ".L_x_0:", *loop, *end, ("EXIT",)]:
        if isinstance(instruction, str):
            text += instruction + "\n"
            continue
        guard, opcode = ("", instruction[0]) if instruction[0][0] != "@" else instruction[0].split(" ", 1)
        control = instruction[1] if len(instruction) > 1 else {}
        text += (f"        /*{address:04x}*/   {guard}  {opcode} ;   /* 0x{0:016x} */\n"
                 f"                                     /* 0x{encode(control):016x} */\n")
        address += 16
    return text


def run(loops, *options, arch="sm_90a"):
    path = os.path.join(DIRECTORY, "case.sass")
    with open(path, "w", encoding="utf-8") as file:
        file.write((arch if arch[0] == "\t" else f"\t.target\t{arch}\n") + "".join(print_kernel(name, loop) for name, loop in loops.items()))
    return subprocess.run([sys.executable, MODEL, path, "--json", *options], capture_output=True, text=True, check=False)


def measure(loop, warps=1, arch="sm_90a"):
    done = run({"k": loop}, f"--threads={128 * warps}", "--resident=1", arch=arch)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]


def expect(words, got, wanted):
    assert abs(got - wanted) < 1e-9, f"{words}: {got}, not {wanted}"


def product(n, *, last=False):
    return (f"HGMMA.64x{n}x16.F32.BF16 R24, gdesc[UR8], R24{', gsb0' if last else ''}",)


WAIT = ("WARPGROUP.DEPBAR.LE gsb0, 0x0",)
# A product of a warp's own, which takes 8 cycles on sm_80 and 7 on sm_90.
SMALL = ("HMMA.16816.F32.BF16 R8, R4, R6, R8",)

# Every cycle has an instruction: of two warps each has 20, a product and a branch.
expect("issue", measure([*[FFMA] * 20, SMALL, BACK], 2, "sm_89")["period"], 44)
# Two cycles an instruction on a pipe half as wide; the branch starts when the other warp could have gone on.
expect("fma", measure([*[FFMA] * 20, SMALL, BACK], 2, "sm_80")["period"], 2 * (20 * 2 + 1))
# The last of 8 exponentials starts at 63 and is there at 83; then two instructions and the branch's 5.
exponentials = [*[("MUFU.EX2 R4, R4", {"writes": 0})] * 8, ("FADD R4, R4, R5", {"waits": 1}), SMALL, BACK]
expect("latency", measure(exponentials)["period"], 90)
expect("exponentials", measure(exponentials, 2)["period"], 144)
# 512 bytes take four cycles of the memory, which four schedulers share.
loads = [*[("LDSM.16.M88.4 R8, [R4]",)] * 4, SMALL, BACK]
expect("shared memory", measure(loads, 2)["period"], 128)
# Four products of 64 cycles, twelve until the warp goes on, the branch's five and one to start.
groups = [*[product(128)] * 3, product(128, last=True), WAIT, BACK]
one = measure(groups)
expect("products", one["period"], 4 * 64 + 12 + 1 + 5)
expect("share", one["tensor_share"], 256 / 274)
expect("operations", one["operations"], 4 * 2 * 64 * 128 * 16)
expect("products of two", measure(groups, 2)["tensor_share"], 1)
# The next instruction of a warp starts 24 cycles after a product; 20 additions take two each, and the last one's and the
# branch's follow.
expect("issue of products", measure([product(8, last=True), *[FFMA] * 20, WAIT, BACK])["period"], 24 + 2 * 19 + 1 + 1 + 5)
# A wait for each.
alone = [part for _ in range(4) for part in (product(128, last=True), WAIT)] + [BACK]
expect("one by one", measure(alone)["period"], 4 * (64 + 12 + 1) + 5)
# Cubins of ptxas 12 name the GPU by a flag.
FLAGS = '\t.headerflags\t@"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"\n'
expect("flags", measure([*[FFMA] * 20, SMALL, BACK], 2, FLAGS)["period"], 2 * (20 * 2 + 1))
# A barrier of both warps: ten instructions each, one after the other, ten cycles, then barrier and branch.
barrier = [*[NOP] * 9, SMALL, ("BAR.SYNC.DEFER_BLOCKING 0x0",), BACK]
expect("barrier", measure(barrier, 2)["period"], 36)
# Taking turns: while one warp adds, the other's products run.
turns = [("BAR.SYNC.DEFER_BLOCKING R2, 0x100",), product(256), product(256, last=True), ("BAR.ARV R3, 0x100",),
         *[FFMA] * 100, WAIT, BACK]
expect("turns", measure(turns, 2)["tensor_share"], 1)
# Of three warps, the last lets the first one in, which waits behind the loop for the last.
around = ([("@!P1 BAR.ARV 0x8, 0x100",)], turns, [("@!P2 BAR.SYNC.DEFER_BLOCKING 0x8, 0x100",), *[NOP] * 10])
three = measure(around, 3)
expect("turns of three", three["tensor_share"], 1)
# The last of 36 instructions starts at 35; a step takes two products of 128 cycles for each warp.
expect("behind turns", three["epilogue"], 35 / (3 * 256))
# A test that skips a part is taken to skip it.
skipped = [*[FFMA] * 20, SMALL, ("@P1 BRA `(.L_x_1)",), *[FFMA] * 30, ".L_x_1:", BACK]
expect("skipped", measure(skipped, 2, "sm_89")["period"], 46)

kernels = {"a": exponentials, "b": groups, "c": barrier}
reports = {run(dict(order), "--threads=256", "--resident=1").stdout.replace("\n", "")
           for order in itertools.permutations(kernels.items())}
assert len(reports) == 1, "the order of kernels matters"
reached = json.loads(run({"k": groups}, "--threads=256", "--resident=1", "--problem=1e12,264").stdout)[0]
steps = 1e12 / 264 / reached["operations"]
# The first operands arrive after 2000 cycles; the second warp moves a number four after the first one.
expect("start", reached["prologue"], (2000 + 4) / 512)
expect("prediction", reached["tflops"], 770 * steps / (math.ceil(steps) + reached["prologue"] + reached["epilogue"]))
given = json.loads(run({"k": groups}, "--threads=256", "--resident=1", "--problem=1e12,264,1e5").stdout)[0]
expect("tiles", given["tflops"], 770 * steps / (1e5 + reached["prologue"] + reached["epilogue"]))
# What start and end multiply, the loop need not.
outside = json.loads(run({"k": ([product(128)] * 2, groups, [product(128)])}, "--threads=256", "--resident=1", "--problem=1e12,264").stdout)[0]
expect("products outside", outside["products_outside"], 3 / 4)
expect("and inside", outside["tflops"], 770 * steps / (math.ceil(steps) - 3 / 4 + outside["prologue"] + outside["epilogue"]))
half = json.loads(run({"k": groups}, "--threads=256", "--resident=1", "--problem=0.25e12,66").stdout)[0]
expect("half of the multiprocessors", half["tflops"], reached["tflops"] / 2)

for words, loops, arch, options in [
        ("no loop has matrix products", {"k": [FFMA, BACK]}, "sm_90a", ["--threads=128"]),
        ("no model of sm_70; known: sm_80", {"k": [SMALL, BACK]}, "sm_70", ["--threads=128"]),
        ("A100 has no HGMMA", {"k": groups}, "sm_80", ["--threads=128"]),
        ("does not say how many threads", {"k": groups}, "sm_90a", []),
        ("wait for each other", {"k": [*groups[:-1], ("BAR.SYNC R2, 0x300",), BACK]}, "sm_90a", ["--threads=128"])]:
    done = run(loops, *options, arch=arch)
    assert done.returncode == 2 and words in done.stderr, (words, done.returncode, done.stderr)
print("all as counted")
