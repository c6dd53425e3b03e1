# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model knows of each GPU, per scheduler, of which a multiprocessor has four.

Every number is a whole warp's: cycles for which one instruction keeps a pipe busy. docs/PerformanceModel.md says where
each is from.
"""

import re
from dataclasses import dataclass

from .reader import SassError

SCHEDULERS = 4
#: Bytes a cycle from shared memory or the L1 cache, for all schedulers.
SHARED_BYTES = 128
#: Of a multiprocessor.
REGISTERS = 65536
THREADS = 2048


@dataclass(frozen=True)
class Machine:
    name: str
    multiprocessors: int
    #: TFLOP/s of dense products of 16-bit numbers: as the data sheet says, and as long runs reach.
    data_sheet: int
    practical: int
    #: Multiply-adds a cycle and scheduler: a warp's own products, and those of groups of warps.
    warp_products: int
    group_products: int = 0
    #: Cycles of one f32 instruction, of one of integers, logic, comparison or conversion, and of an exponential.
    fma: int = 1
    alu: int = 2
    xu: int = 8
    #: Cycles from the start of a group's product to that of the warp's next instruction, at least.
    product_issue: int = 1
    #: Cycles from a block's first instruction to the arrival of its first operands.
    start: int = 0


MACHINES = {
    "sm_80": Machine("A100", 108, 312, 312, 256, fma=2),
    "sm_86": Machine("A40", 84, 150, 150, 128),
    "sm_89": Machine("L40S", 142, 362, 362, 128),
    "sm_90": Machine("H200", 132, 989, 770, 320, 512, fma=2, alu=4, xu=9, product_issue=24, start=2000),
}
MACHINES["sm_90a"] = MACHINES["sm_90"]


def find_machine(arch):
    if arch not in MACHINES:
        raise SassError(f"no model of {arch}; known: {', '.join(MACHINES)}")
    return MACHINES[arch]


#: Until the result is there; what is not listed takes DEFAULT_LATENCY. All of them are held by scoreboards: other
#: instructions have their latency in the control words of those behind them.
LATENCIES = {"LDS": 30, "LDSM": 33, "SHFL": 24, "LDG": 300, "LD": 300, "LDGSTS": 400, "LDC": 40, "LDCU": 40, "MUFU": 20,
             "F2F": 16, "F2I": 16, "I2F": 16, "R2UR": 12, "S2R": 25, "S2UR": 25, "VOTE": 12, "SYNCS": 20, "ATOMS": 60,
             "ATOMG": 600, "REDUX": 20}
DEFAULT_LATENCY = 20
#: Until the operands have been read.
READ_LATENCY = 10
#: Between the last warp's arrival at a barrier and the start of the first that waited.
BARRIER_LATENCY = 10
#: Between the end of a group's product and the start of a warp that waited for it.
PRODUCT_LATENCY = 12

PIPES = {
    "fma": ("FFMA", "FMUL", "FADD", "FFMA2", "FMUL2", "FADD2", "HFMA2", "HADD2", "HMUL2", "IMAD"),
    "xu": ("MUFU", "F2F", "F2I", "I2F", "I2FP", "POPC", "FLO", "BREV"),
    "convert": ("F2FP",),
    "memory": ("LDS", "STS", "LDSM", "STSM", "LDG", "STG", "LD", "ST", "LDGSTS", "SHFL", "ATOMS", "ATOMG", "RED", "LDL", "STL"),
    "tensor": ("HMMA", "HGMMA", "QGMMA"),
    "control": ("BRA", "BRX", "JMP", "EXIT", "RET", "CALL", "BAR", "DEPBAR", "LDGDEPBAR", "WARPGROUP", "WARPSYNC", "NOP",
                "BSSY", "BSYNC", "SYNCS", "NANOSLEEP", "YIELD", "MEMBAR", "FENCE", "CCTL", "ERRBAR", "UTMALDG",
                "UTMASTG", "UTMACMDFLUSH", "UTMACCTL", "USETMAXREG", "ELECT", "LDC", "LDCU", "ULDC", "S2R", "S2UR", "CS2R"),
}
PIPE_OF = {opcode: pipe for pipe, opcodes in PIPES.items() for opcode in opcodes}
UNIFORM = 2


def find_pipe(instruction):
    base = instruction.base
    if base in PIPE_OF:
        return PIPE_OF[base]
    return "uniform" if base.startswith("U") else "alu"


def count_products(instruction):
    """Multiply-adds of a warp's share."""
    shape = re.search(r"\.(?:(\d+)x(\d+)x(\d+)|(168)(\d+)|(884))", instruction.opcode)
    if instruction.base == "HMMA" and shape and shape.group(4):
        return 16 * 8 * int(shape.group(5))
    if instruction.base in ("HGMMA", "QGMMA") and shape and shape.group(1):
        m, n, k = (int(shape.group(i)) for i in (1, 2, 3))
        return m * n * k // SCHEDULERS
    if instruction.base in PIPES["tensor"]:
        raise SassError(f"a product of unknown size: {instruction.opcode}")
    return 0


def count_bytes(instruction):
    """Bytes that a warp moves to or from shared memory or the L1 cache."""
    if instruction.base == "LDSM":
        count = re.search(r"\.([124])$", instruction.opcode)
        return 128 * int(count.group(1) if count else 1)
    width = re.search(r"\.(64|128)\b", instruction.opcode)
    return 32 * (int(width.group(1)) // 8 if width else 4)


def count_cycles(machine, instruction):
    """For which the instruction keeps its pipe busy."""
    pipe = find_pipe(instruction)
    if pipe == "fma":
        # Integers go through one half of the pipe.
        return max(2, machine.fma) if instruction.base == "IMAD" else machine.fma
    if pipe == "tensor":
        rate = machine.warp_products if instruction.base == "HMMA" else machine.group_products
        if rate == 0:
            raise SassError(f"{machine.name} has no {instruction.opcode}")
        return -(-count_products(instruction) // rate)
    if pipe == "memory":
        return max(SCHEDULERS, count_bytes(instruction) * SCHEDULERS // SHARED_BYTES)
    return {"alu": machine.alu, "convert": machine.alu, "xu": machine.xu, "uniform": UNIFORM, "control": 1}[pipe]
