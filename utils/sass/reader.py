# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what `nvdisasm -hex` prints: kernels, their blocks and the control words of their instructions.

Since Volta an instruction has 128 bits, of which bits 105 to 125 tell the hardware when it may start: cycles to wait
before the warp's next instruction (105 to 108), a hint to let other warps go (109), the scoreboards that it holds
until its result is written (110 to 112) and until its operands are read (113 to 115), 7 for none, and a mask of
those that it waits for (116 to 121). Found by comparing machine code; the same as others have described.
"""

import math
import re
import subprocess
from dataclasses import dataclass, field

NO_SCOREBOARD = 7


class SassError(Exception):
    """What is wrong with a file, for whoever called the script."""


@dataclass
class Instruction:
    address: int
    guard: str
    opcode: str
    operands: str
    stall: int = 1
    writes: int = NO_SCOREBOARD
    reads: int = NO_SCOREBOARD
    waits: int = 0

    @property
    def base(self):
        return self.opcode.split(".")[0]

    def set_control(self, high):
        """`high` is the upper half of the instruction's 128 bits."""
        self.stall = high >> 41 & 0xF
        self.writes = high >> 46 & 7
        self.reads = high >> 49 & 7
        self.waits = high >> 52 & 0x3F


@dataclass
class Kernel:
    name: str
    arch: str
    #: Threads of a block, where the kernel says.
    threads: int | None = None
    registers: int = 0
    blocks: list = field(default_factory=list)
    #: For each block the numbers of those that follow it.
    successors: list = field(default_factory=list)


def disassemble(path):
    """The text of a cubin; a file that is text already is taken as it is."""
    with open(path, "rb") as file:
        start = file.read(4)
    if start != b"\x7fELF":
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    try:
        done = subprocess.run(["nvdisasm", "-hex", path], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SassError("nvdisasm is not in PATH; utils/cuda-tools.sh gets it") from None
    if done.returncode != 0:
        raise SassError(f"nvdisasm cannot read {path}: {done.stderr.strip()}")
    return done.stdout


LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*);\s*/\* 0x([0-9a-f]+) \*/")
HIGH = re.compile(r"^\s+/\* 0x([0-9a-f]{16}) \*/\s*$")
LABEL = re.compile(r"^(\.L_\w+):")
TARGET = re.compile(r"`\((\.L_\w+)\)")
#: These end a block where they are followed by a label or end the kernel; under a guard they may go on behind them.
BRANCHES = ("BRA", "BRX", "JMP", "EXIT", "RET")
#: Those go on behind themselves in any case: calls come back, if their label is a function's.
DETOURS = ("CALL", "WARPSYNC")


def read_body(lines):
    """Instructions and the labels in front of them."""
    items = []
    for line in lines:
        if found := LABEL.match(line):
            items.append(found.group(1))
        elif found := LINE.match(line):
            address, guard, opcode, operands, _ = found.groups()
            items.append(Instruction(int(address, 16), guard or "", opcode, operands.strip()))
        elif (found := HIGH.match(line)) and items and isinstance(items[-1], Instruction):
            items[-1].set_control(int(found.group(1), 16))
    return items


def split_blocks(kernel, items):
    blocks, labels, jumps = [[]], {}, [(None, True)]
    for item in items:
        if isinstance(item, str):
            if blocks[-1]:
                blocks.append([])
                jumps.append((None, True))
            labels[item] = len(blocks) - 1
            continue
        blocks[-1].append(item)
        target = TARGET.search(item.operands)
        if item.base in BRANCHES or (item.base in DETOURS and target):
            # A guard among the operands (BRA P0, ...) is one, too.
            falls = item.base in DETOURS or bool(item.guard) or bool(re.match(r"!?U?P\d", item.operands))
            jumps[-1] = (target.group(1) if target else None, falls)
            blocks.append([])
            jumps.append((None, True))
    kernel.blocks = blocks
    for number, (target, falls) in enumerate(jumps):
        after = [labels[target]] if target in labels else []
        if falls and number + 1 < len(blocks):
            after.append(number + 1)
        kernel.successors.append(after)


#: A kernel's section of attributes up to the number of threads that it requires or allows, in three directions.
THREADS = re.compile(r"\.section\s+\.nv\.info\.([\w$.]+),(?:(?!\.section\s).)*?EIATTR_(?:REQNTID|MAX_THREADS)\b"
                              r".*?((?:\s+(?:/\*\w+\*/)?\s*\.word\s+0x[0-9a-f]+){3})", re.S)
REGISTERS = re.compile(r"EIATTR_REGCOUNT(?:(?!EIATTR).)*?index@\(([\w$.]+)\)\s+(?:/\*\w+\*/)?\s*\.word\s+(0x[0-9a-f]+)", re.S)
#: Cubins of ptxas 12 have flags instead, without the letter behind the number.
ARCH = re.compile(r"^\s*\.(?:target\s+(sm_\w+)|headerflags\s.*\bEF_CUDA_SM(\d+))", re.M)
CODE = re.compile(r"^\.text\.([\w$.]+):\n(.*?)(?=^\s*\.section|^\.text\.|\Z)", re.S | re.M)


def read_words(text):
    return [int(word, 16) for word in re.findall(r"0x[0-9a-f]+", text)]


def read_kernels(path):
    """All kernels of a file, by name."""
    text = disassemble(path)
    arch = ARCH.search(text)
    if not arch:
        raise SassError(f"{path}: not what `nvdisasm -hex` prints: there is no .target")
    arch = arch[1] or f"sm_{arch[2]}"
    threads = {name: math.prod(read_words(words)) for name, words in THREADS.findall(text)}
    registers = {name: read_words(word)[0] for name, word in REGISTERS.findall(text)}
    kernels = []
    for name, body in CODE.findall(text):
        kernel = Kernel(name, arch, threads.get(name), registers.get(name, 0))
        split_blocks(kernel, read_body(body.splitlines()))
        kernels.append(kernel)
    if not kernels:
        raise SassError(f"{path}: no kernel")
    return sorted(kernels, key=lambda kernel: kernel.name)
