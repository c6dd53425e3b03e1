# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A greedy loop over the example's decoder until it says END, and teacher forcing with
what came out. Arguments: attn-run, the example, a directory."""

import os
import subprocess
import sys

import numpy as np

ATTN_RUN, MODEL, DIRECTORY = sys.argv[1:4]
START, END, TOKENS, ROOM = 0, 1, 16, 12


def run(entry, arguments):
    inputs, outputs = (os.path.join(DIRECTORY, f"{entry}.{kind}.npz") for kind in ("in", "out"))
    np.savez(inputs, **{f"arg{i}": value for i, value in enumerate(arguments)})
    subprocess.run([ATTN_RUN, MODEL, f"--entry={entry}", f"--inputs={inputs}", f"--output={outputs}", "--check"], check=True,
                   stdout=subprocess.DEVNULL)
    with np.load(outputs) as file:
        return [file[f"out{i}"] for i in range(len(file.files))]


def one_hot(tokens):
    return np.eye(TOKENS, dtype=np.float32)[None, tokens]


def main():
    source = [int(token) for token in sys.argv[4:]]
    empty = [np.full((1, 2, ROOM, 8), np.nan, np.float32) for _ in range(4)]
    logits, keys, values, *memory = run("first", [one_hot(source), one_hot([START]), *empty])
    rows, tokens = [logits], [int(logits.argmax())]
    while tokens[-1] != END and len(tokens) < ROOM:
        past = np.array(len(tokens), np.int32)
        logits, keys, values = run("next", [one_hot(tokens[-1:]), keys, values, past, *memory,
                                            np.array(len(source), np.int32)])
        rows.append(logits)
        tokens.append(int(logits.argmax()))
    shifted_right = [START] + tokens[:-1]
    taught, = run("teach", [one_hot(source), one_hot(shifted_right)])
    difference = np.abs(taught - np.concatenate(rows, 1)).max()
    print("greedy:", *tokens)
    print("ends with END" if tokens[-1] == END else "does not end")
    print("largest difference of logits:", "small" if difference < 2e-5 else difference)


if __name__ == "__main__":
    main()
