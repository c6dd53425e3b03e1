# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row by row the step form of the example's decoder layer gives what its training
form gives. Arguments: attn-run, the layer with small sizes, a directory."""

import os
import subprocess
import sys

import numpy as np

ATTN_RUN, LAYER, DIRECTORY = sys.argv[1:4]
ROWS, WIDTH, HIDDEN, HEADS, GROUPS, DIM, ROOM = 9, 64, 96, 4, 2, 16, 12


def run(entry, arguments):
    inputs, outputs = (os.path.join(DIRECTORY, f"{entry}.{kind}.npz") for kind in ("in", "out"))
    np.savez(inputs, **{f"arg{i}": value for i, value in enumerate(arguments)})
    subprocess.run([ATTN_RUN, LAYER, f"--entry={entry}", f"--inputs={inputs}", f"--output={outputs}", "--check"], check=True,
                   stdout=subprocess.DEVNULL)
    with np.load(outputs) as file:
        return [file[f"out{i}"] for i in range(len(file.files))]


def main():
    random = np.random.default_rng(5)

    def draw(*shape):
        return (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    x = random.standard_normal((1, ROWS, WIDTH)).astype(np.float32)
    weights = [1 + draw(WIDTH), draw(WIDTH, HEADS * DIM), draw(WIDTH, GROUPS * DIM), draw(WIDTH, GROUPS * DIM),
               draw(HEADS * DIM, WIDTH), 1 + draw(WIDTH), draw(WIDTH, HIDDEN), draw(WIDTH, HIDDEN), draw(HIDDEN, WIDTH)]
    whole, = run("layer", [x, *weights])
    # Whatever lies behind the rows in use does not matter.
    caches = [np.full((1, GROUPS, ROOM, DIM), np.nan, np.float32) for _ in range(2)]
    worst = 0.0
    for i in range(ROWS):
        row, *caches = run("step", [x[:, i:i + 1], *weights, *caches, np.array(i, np.int32)])
        worst = max(worst, float(np.abs(row - whole[:, i:i + 1]).max()))
    used = [int(np.isfinite(cache).all(axis=(0, 1, 3)).sum()) for cache in caches]
    print(f"{ROWS} rows, largest difference {'small' if worst < 2e-6 * np.abs(whole).max() else worst}")
    print(f"rows in the caches: {used[0]} and {used[1]}")


if __name__ == "__main__":
    main()
