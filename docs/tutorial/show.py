#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints results of attn-run: show.py FILE.npz [--mean] [--table=K] [--rows=0,1,8] [NAME...]

Results of one number stand on a line each; results of one size are columns of a
table. Of further dimensions the mean is shown: the last dimension stays. With
--table, result K is the table, and the names are those of its columns.
"""

import argparse
import sys

import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("names", nargs="*", help="names of the results, in their order")
    parser.add_argument("--mean", action="store_true", help="print the mean of each result")
    parser.add_argument("--table", type=int, metavar="K", help="print the columns of result K")
    parser.add_argument("--rows", help="rows of the table, from 0 (default: all)")
    arguments = parser.parse_intermixed_args()
    with np.load(arguments.file) as archive:
        arrays = [archive[f"out{i}"].astype(np.float64) for i in range(len(archive.files))]
    if arguments.table is not None:
        arrays = list(arrays[arguments.table].T)
    names = arguments.names or [f"out{i}" for i in range(len(arrays))]
    if len(names) != len(arrays):
        sys.exit(f"{arguments.file} has {len(arrays)} results or columns, not {len(names)}")
    width = max(10, *map(len, names))
    tables = {}
    for name, array in zip(names, arrays):
        if arguments.mean or array.size == 1:
            print(f"{name:<{width}} {array.mean():.5g}")
        else:
            column = array.mean(axis=tuple(range(array.ndim - 1)))
            tables.setdefault(column.size, []).append((name, column))
    for size, columns in tables.items():
        rows = [int(r) for r in arguments.rows.split(",")] if arguments.rows else range(size)
        print(" " * 6 + "".join(f"{name:>{width + 2}}" for name, _ in columns))
        for row in rows:
            print(f"{row:>6}" + "".join(f"{column[row]:>{width + 2}.5g}" for _, column in columns))


if __name__ == "__main__":
    main()
