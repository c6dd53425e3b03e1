#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of the cycles that the main loops of a GPU's kernels take, from their machine code.

  utils/sass_model.py FILE.cubin                         each kernel with matrix products
  utils/sass_model.py FILE.cubin --problem=137e9,1024    and what it reaches: operations, blocks of threads
  utils/sass_model.py FILE.sass --json                   what `nvdisasm -hex` printed; as JSON

It needs nvdisasm for a cubin (utils/cuda-tools.sh gets it) and no GPU. docs/PerformanceModel.md says what it takes into
account, what it cannot see, and how it compares with an H200.
"""

import argparse
import json
import math
import sys
from collections import Counter

from sass.machine import REGISTERS, SCHEDULERS, THREADS, count_products, find_machine, find_pipe
from sass.paths import find_main_loop
from sass.reader import SassError, read_kernels
from sass.scheduler import find_period, find_time

WARP = 32


def count_warps(kernel, options):
    """Warps of one scheduler that run the main loop."""
    threads = options.threads or kernel.threads
    if not threads:
        raise SassError(f"{kernel.name} does not say how many threads a block has; give --threads")
    warps = threads // WARP
    groups = options.groups
    if groups is None:
        # A kernel that hands registers over has a group of warps that only loads.
        hands_over = any(i.opcode.startswith("USETMAXREG.DEALLOC") for block in kernel.blocks for i in block)
        groups = warps / SCHEDULERS - (1 if hands_over else 0)
    fitting = min(REGISTERS // (kernel.registers * threads), THREADS // threads) if kernel.registers else 1
    resident = options.resident or max(1, fitting)
    return max(1, int(groups * resident)), resident


def measure(kernel, options):
    """What the model says of one kernel; None if it has no products in a loop."""
    loop = find_main_loop(kernel)
    if loop is None:
        return None
    machine = find_machine(kernel.arch)
    warps, resident = count_warps(kernel, options)
    period, share = find_period(machine, loop.body, warps)
    around = (loop.prologue, loop.epilogue)
    start, end = (find_time(machine, part, warps) for part in around)
    result = {
        "kernel": kernel.name, "arch": kernel.arch, "machine": machine.name, "registers": kernel.registers,
        "warps": warps, "resident": resident, "instructions": len(loop.body),
        "products": sum(find_pipe(instruction) == "tensor" for instruction in loop.body),
        "pipes": dict(sorted(Counter(map(find_pipe, loop.body)).items())),
        "period": period, "tensor_share": share, "prologue": (machine.start + start) / period, "epilogue": end / period,
        "other_loops": [{"instructions": len(body), "period": find_period(machine, body, warps)[0]} for body in loop.others],
        # What start and end do of the steps' products.
        "products_outside": sum(sum(map(count_products, part)) for part in around) / loop.products,
        # Of all warps of a block in one pass.
        "operations": 2 * loop.products * warps * SCHEDULERS // resident,
    }
    if options.problem:
        result["tflops"] = predict(machine, result, *options.problem)
    return result


def predict(machine, result, operations, blocks, tiles=None):
    """The share in long loops, less starts and ends, less multiprocessors that have nothing to do in the last wave."""
    steps = operations / blocks / result["operations"]
    tiles = tiles or math.ceil(steps)
    loops = max(0, tiles - result["products_outside"])
    rounds = steps / (loops + result["prologue"] + result["epilogue"])
    slots = machine.multiprocessors * result["resident"]
    waves = blocks / slots / math.ceil(blocks / slots)
    return result["tensor_share"] * rounds * waves * machine.practical


def describe(result):
    pipes = ", ".join(f"{name} {count}" for name, count in result["pipes"].items())
    text = (f"{result['kernel']} ({result['machine']}): {result['instructions']} instructions a step with "
            f"{result['products']} products, {result['warps']} warps a scheduler\n  {pipes}\n"
            f"  period {result['period']:.0f} cycles; tensor share {result['tensor_share']:.2f}\n"
            f"  start {result['prologue']:.1f}, end {result['epilogue']:.1f} steps, with the products of "
            f"{result['products_outside']:.1f}")
    if "tflops" in result:
        text += f"; at most {result['tflops']:.0f} TFLOP/s"
    return text + "".join(f"\n  another loop: {other['instructions']} instructions, {other['period']:.0f} cycles a step"
                          for other in result["other_loops"])


def read_problem(text):
    operations, blocks, *tiles = text.split(",")
    numbers = [float(operations), int(blocks), *map(float, tiles)]
    if min(numbers) <= 0 or len(numbers) > 3:
        raise ValueError
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="a cubin, or what `nvdisasm -hex` printed")
    parser.add_argument("--threads", type=int, help="of a block, where the kernel does not require a number")
    parser.add_argument("--groups", type=int, help="of four warps that run the loop; else all, but the one that loads")
    parser.add_argument("--resident", type=int, help="blocks of a multiprocessor; else as many as registers allow, 1 where they are not known")
    parser.add_argument("--problem", type=read_problem, metavar="OPERATIONS,BLOCKS[,TILES]",
                        help="says what the kernel reaches; a block's tiles are rounded up if left out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        results = [result for kernel in read_kernels(options.file) if (result := measure(kernel, options))]
        if not results:
            raise SassError(f"{options.file}: no loop has matrix products")
    except (SassError, OSError) as error:
        print(f"sass_model.py: error: {error}", file=sys.stderr)
        return 2
    print(json.dumps(results, indent=1) if options.json else "\n".join(map(describe, results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
