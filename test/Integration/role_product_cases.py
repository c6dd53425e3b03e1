# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers by warps with roles on a simulated sm_90a: layouts and tiles, with sizes around those of tiles and boxes.

The schedule is written into the program, as the cost model takes it for large products only.
"""

import itertools
import os
import subprocess
import sys

from case_runner import make_parser

#: Rows, columns, terms: rows of operands at multiples of 16 bytes.
SIZES = [(64, 64, 64), (1, 64, 8), (65, 72, 136), (130, 264, 72), (17, 8, 200), (200, 120, 40), (128, 256, 512),
         (63, 512, 64), (300, 136, 264)]
#: Rows, columns and stages of a block, one to three groups of warps, and blocks of a cluster.
TILES = [(64, 64, 2, 1), (128, 256, 4, 1), (192, 128, 3, 1), (64, 192, 4, 1), (128, 256, 3, 2), (64, 256, 2, 4)]


def make_program(sizes, tile, element, is_transposed):
    m, n, k = sizes
    rows, columns, stages, cluster = tile
    weight = f"tensor<{n}x{k}x{element}>" if is_transposed else f"tensor<{k}x{n}x{element}>"
    types = f"tensor<{m}x{k}x{element}>, {weight}"
    result = f"tensor<{m}x{n}xf32>"
    return (f"func.func @case(%x: tensor<{m}x{k}x{element}>, %w: {weight}, %o: {result}) -> {result} {{\n"
            f"  %y = attn.linear {'weight(out_in) ' if is_transposed else ''}schedule(#attn.gpu_product<rows = {rows}, "
            f"columns = {columns}, depth = 64, rowWarps = {rows // 16}, columnWarps = 1, stages = {stages}, cluster = {cluster}>)\n"
            f"      ins(%x, %w : {types}) outs(%o : {result}) -> {result}\n  return %y : {result}\n}}\n")


def main():
    args = make_parser(__doc__).parse_args()
    cases = list(enumerate(itertools.product(SIZES, TILES, [True, False])))
    index, count = map(int, args.shard.split("/"))
    os.makedirs(args.directory, exist_ok=True)
    failures, chosen = 0, cases[index::count]
    for number, (sizes, tile, is_transposed) in chosen:
        path = os.path.join(args.directory, f"roles-{number}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(make_program(sizes, tile, ["f16", "bf16"][number // 2 % 2], is_transposed))
        done = subprocess.run([args.attn_run, path, "--target=nvptx:sm_90a", "--simulate", "--check"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or "no findings" not in done.stdout or ": match" not in done.stdout:
            failures += 1
            print(f"{sizes} {tile} {is_transposed}\n{done.stdout}{done.stderr}")
    print(f"{len(chosen)} cases of {len(cases)}: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
