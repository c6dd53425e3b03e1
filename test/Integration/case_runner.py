# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the generators of cases share: options, shards, files of a case."""

import argparse
import concurrent.futures
import os

import numpy as np


def make_parser(doc, count=None, seed=None):
    """The options of every generator. One without a count and a seed has a list of cases: it runs all of them, or as
    many as --count says, far apart from each other in the list."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", default="attn-run", help="the tool to run")
    parser.add_argument("--target", default="cpu", help="as attn-run takes it; a GPU is simulated")
    parser.add_argument("--emulator", help="as attn-run takes it, where the target is another machine")
    if count is None:
        parser.add_argument("--count", type=int, dest="most", help="at most so many cases")
    else:
        parser.add_argument("--count", type=int, default=count, help="at least so many cases")
        parser.add_argument("--seed", type=int, default=seed, help="seed of the generator")
        parser.set_defaults(most=None)
    parser.add_argument("--dtype", help="only cases of this element type, where cases have one")
    parser.add_argument("--shard", default="0/1", help="I/N: run every N-th case from I")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--directory", default=".", help="where case files are written")
    parser.add_argument("--keep", action="store_true", help="keep the files of passing cases")
    return parser


def choose_factors(factors, dtype):
    return dict(factors, dtype=[dtype]) if dtype else factors


def is_gpu(args):
    return args.target.startswith("nvptx:")


def target_flags(args, index):
    """What attn-run is told of the target. On a simulated GPU every fifth case runs under three seeds, the others
    under one; all have to give the same bits, without findings."""
    flags = [] if args.target == "cpu" else [f"--target={args.target}"]
    flags += [f"--emulator={args.emulator}"] if args.emulator else []
    return flags + (["--simulate=3" if index % 5 == 2 else "--simulate"] if is_gpu(args) else [])


def run_shard(cases, run, args):
    """The (number, case) pairs of the shard, and what run(case, number, args) gives for each."""
    os.makedirs(args.directory, exist_ok=True)
    shard, shards = (int(part) for part in args.shard.split("/"))
    mine = [(i, case) for i, case in enumerate(cases) if i % shards == shard and case is not None]
    if args.most is not None and args.most < len(mine):
        mine = [mine[i * len(mine) // args.most] for i in range(args.most)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return mine, list(pool.map(lambda item: run(item[1], item[0], args), mine))


def write_case(stem, index, module, arrays, args):
    """Writes the files of a case; returns the start of the command that runs it."""
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(module)
    np.savez(stem + ".npz", **arrays)
    return [args.attn_run, stem + ".mlir", f"--inputs={stem}.npz", *target_flags(args, index)]


def remove_case(stem, *more):
    for ending in [".mlir", ".npz", *more]:
        os.remove(stem + ending)


def describe_failure(index, case, reason, command, text):
    """What is wrong, the command that runs the case again, and the end of its output."""
    return f"FAIL case {index}: {reason}\n  {case}\n  {' '.join(command)}\n" \
        + "\n".join("  " + line for line in text.splitlines()[-6:])
