#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated attention cases through attn-run and its f64 reference.

Every pair of choices (policy, source of n, normaliser, mask, layout, dtype, ...)
occurs in some case where both count; random cases fill up to the count asked for.
Each case runs on the fast path, and on the portable path as many as hold all of
these pairs, or on a GPU every fifth. A case that leaves the fast path is a failure
and is printed with the remark that says why.

A failing case leaves its files and prints the command that runs it again.
"""

import heapq
import itertools
import os
import random
import re
import subprocess
import sys

import policies
from attention_case import Case, to_arrays, to_mlir
from case_runner import choose_factors, describe_failure, is_gpu, make_parser, remove_case, run_shard, write_case

COSINE = "#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>"
FACTORS = {
    "policy": policies.SCALES,
    "length": ["keys", "position", "position_operand", "visible", "seen", "constant(100)", "half_max(300)"],
    "normalizer": policies.NORMALIZERS,
    "masks": policies.lists(),
    "change": ["", "", "", "softcap", *policies.BIASES, "region scale", "region distance", "softcap and dense_bias"],
    "dense": ["mn", "hmn", "bhmn", "bmn", "nm", "n", "hm"],
    "similarity": ["", "", "", COSINE, "#attn.cosine<eps = 1.0e-4, mode = max_norm>"],
    "align": ["top_left", "bottom_right"],
    "layout": ["bhmd", "bmhd", "bhdm", "hmd"],
    "dtype": ["f32", "f32", "f32", "f16", "bf16", "f64"],
    "dynamic": ["", "", "m", "n", "mn", "bmn"],
    "heads": [(1, 1), (2, 2), (4, 2), (6, 1)],
    "batch": [1, 2],
    "rows": [1, 2, 7, 16, 17, 31, 47, 48, 49, 50, 61, 97, 0],
    "keys": [1, 5, 8, 16, 63, 64, 65, 67, 101, 128, 131, 0, 211],
    "dims": [(64, 64), (16, 16), (1, 1), (40, 40), (59, 59), (80, 48), (64, 33), (128, 128), (96, 111)],
    "lse": [False, True],
    "operand": ["scalar", "head", "row"],
    "inputs": ["normal", "normal", "large", "equal", "equal_keys", "onehot", "denormal", "zero", "poison"],
}

#: Beside those above, what the kernel whose warps have roles takes, and more rows than keys are split for.
ROLES = {
    "dims": [(64, 64), (128, 128), (96, 96), (192, 192), (256, 256), (128, 64), (64, 128), (80, 112)],
    "dtype": ["f16", "bf16"],
    "layout": ["bhmd", "bmhd", "bhdm", "hmd"],
    "rows": [97, 65, 128, 130, 192, 200],
    "keys": [1, 16, 63, 64, 101, 128, 131, 211, 256, 300],
}

#: Where operands lie, or the output: close together, or as parts of larger tensors.
PLACES = ["", "from rows apart", "", "to rows apart", "", "from columns apart", "", "to columns apart", ""]


#: What the two products may be made of, where the dtype leaves a choice.
PRODUCTS = ["", "", "bf16x3", "", "", "", "bf16x6"]


def make_case(choice: dict, seed: int):
    """The case a choice of factors describes, or None when it is not legal."""
    layout, masks = choice["layout"], tuple("#attn." + m for m in choice["masks"])
    policy = "#attn." + choice["policy"]
    cosine = bool(choice["similarity"])
    if "scores = cosine" in policy and not (cosine and choice["dims"][0] >= 2):
        return None
    uses_length = "<" in policy and not policy.startswith("#attn.constant")
    if uses_length:
        opening = "" if policy.endswith("<") else ", "
        policy += f"{opening}n = {choice['length']}>"
    if layout == "hmd" and (choice["batch"] != 1 or "b" in choice["dynamic"] or
                            any(policies.find(mask)[0].per_batch for mask in masks)):
        return None
    change = choice["change"]
    bias = change.removeprefix("softcap and ")
    biases = ("#attn." + bias,) if bias in policies.BIASES else ()
    heads, kv_heads = choice["heads"]
    d, dv = choice["dims"]
    rows = choice["rows"]
    # With large logits the worst error is that of the row nearest to a tie. Among a
    # few rows that is a lottery between the kernel and the naive run.
    if choice["inputs"] == "large" and 0 < rows * heads * choice["batch"] < 200:
        rows = 211
    # Equal elements have a norm that naive computes exactly. The kernel rounds 1 / norm, for all pairs alike, and a
    # scale that grows makes this one rounding larger than all that naive loses.
    inputs = "equal_keys" if cosine and uses_length and choice["inputs"] == "equal" else choice["inputs"]
    # A part is taken at a known place of a tensor that is not empty.
    fixed = not choice["dynamic"] and rows and choice["keys"]
    if choice.get("place") and not fixed:
        return None
    products = PRODUCTS[seed % len(PRODUCTS)] if choice["dtype"] in ("f32", "f16") else ""
    return Case(
        products=choice.get("products", products),
        place=choice.get("place", PLACES[seed % len(PLACES)]) if fixed else "",
        scale=policy, normalizer="#attn." + choice["normalizer"], similarity=choice["similarity"],
        masks=masks, biases=biases, softcap=5.0 if change.startswith("softcap") else 0.0,
        region=change.split()[-1] if change.startswith("region") else "", align=choice["align"], layout=layout,
        dtype=choice["dtype"], dynamic=choice["dynamic"], B=choice["batch"], Hq=heads, Hkv=kv_heads,
        M=rows, N=choice["keys"], d=d, dv=dv, lse=choice["lse"],
        inputs=inputs, operand=choice["operand"], dense=choice["dense"], seed=seed)


#: Products of a case that the simulator of a GPU does in a few tenths of a second.
MOST_SIMULATED = 6_000_000


def is_small(case):
    return case.B * case.Hq * case.M * case.N * (case.d + case.dv) <= MOST_SIMULATED


def make_small_case(choice, seed):
    """A case for the simulator: no factor has fewer values, but not all of the largest meet in one case."""
    case = make_case(choice, seed)
    return case if case and is_small(case) else None


def find_cost(case):
    """About the seconds that a case takes on the simulator: kernels of f32 and f64 have an instruction for each product
    of a thread, which are compiled one by one."""
    width = max(case.d + case.dv, 80)  # narrow heads are no better tests
    products = case.B * case.Hq * max(case.M, 1) * max(case.N, 1) * width
    return 0.5 + width / (100 if case.dtype in ("f32", "f64") else 250) + products / 5e6


def pairwise_choices(rng, factors, count, first_seed, make=make_case, cost=None):
    """Choices with their cases: every pair of values of two factors meets, then random ones. What a case adds is held
    against what it costs, where `cost` says that."""
    names = list(factors)
    values = {n: list(dict.fromkeys(factors[n])) for n in names}
    missing = {(a, x, b, y) for a, b in itertools.combinations(names, 2)
               for x in values[a] for y in values[b]}
    cases, attempts = [], 0

    def pairs(choice):
        return {(a, choice[a], b, choice[b]) for a, b in itertools.combinations(names, 2)}

    while (missing and attempts < 4000) or len(cases) < count:
        attempts += 1
        best = None
        seeds = rng.sample(sorted(missing, key=repr), min(1, len(missing)))
        for _ in range(12 if missing else 4 if cost else 1):
            choice = {n: rng.choice(factors[n]) for n in names}
            for a, x, b, y in seeds:
                choice[a], choice[b] = x, y
            case = make(choice, seed=first_seed + len(cases))
            if case is None:
                continue
            gain = len(pairs(choice) & missing)
            if cost:
                gain = (gain or 1) / cost(case) ** 0.5
            if best is None or gain > best[0]:
                best = (gain, choice, case)
        if best is None:  # the pair itself is not legal
            missing -= set(seeds)
            continue
        if len(cases) >= count and missing.isdisjoint(pairs(best[1])):
            continue
        missing -= pairs(best[1])
        cases.append(best[1:])
    return cases


def pairwise_cases(rng, factors, count, first_seed, make=make_case, cost=None):
    return [case for _, case in pairwise_choices(rng, factors, count, first_seed, make, cost)]


def find_idle(choice):
    """The factors that do not count beside the others: a source of n for a policy without n, ..."""
    policy, masks, change = (choice.get(name, "") for name in ("policy", "masks", "change"))
    uses_length = "<" in policy and not policy.startswith("constant")
    counts = {
        "length": uses_length,
        "operand": policy == "operand",
        "dense": "dense_bias" in change or any(mask in masks for mask in ("dense_mask", "additive_mask")),
        "align": (uses_length and choice.get("length") in ("position", "visible")) or change.startswith("alibi")
                 or any(policies.find(mask)[0].uses_positions for mask in masks),
    }
    return {name for name, does in counts.items() if not does} if policy else set()


def find_pairs(choice):
    """All pairs of values of two factors, as far as both count."""
    idle = find_idle(choice)
    counting = [(name, value) for name, value in choice.items() if name not in idle]
    return {(a, x, b, y) for (a, x), (b, y) in itertools.combinations(counting, 2)}


def counting_pairs(rng, factors, choices, make=make_case, cost=None):
    """More choices with their cases, so that all pairs of values meet where both count."""
    met = set().union(*[find_pairs(choice) for choice, _ in choices])
    choices = list(choices)
    for (a, values), (b, others) in itertools.combinations(factors.items(), 2):
        for x, y in itertools.product(dict.fromkeys(values), dict.fromkeys(others)):
            found = []
            for _ in range(200 if (a, x, b, y) not in met else 0):
                choice = {name: rng.choice(some) for name, some in factors.items()} | {a: x, b: y}
                if not find_idle(choice).isdisjoint((a, b)):
                    continue
                if case := make(choice, seed=len(choices)):
                    found.append((choice, case))
                    if len(found) == (4 if cost else 1):
                        break
            if found:
                choices.append(min(found, key=lambda item: cost(item[1]) if cost else 0))
                met |= find_pairs(choices[-1][0])
    return choices


def make_choices(count, seed, small, dtype=None, roles=False):
    """Choices with their cases, among which all pairs meet; `small`: for the simulator of a GPU, `roles`: of one that has
    kernels whose warps have roles."""
    rng, make = random.Random(seed), make_small_case if small else make_case
    all_factors = FACTORS | (ROLES if roles else {})
    factors = choose_factors(dict(all_factors, place=PLACES) if small else all_factors, dtype)
    cost = find_cost if small else None
    return counting_pairs(rng, factors, pairwise_choices(rng, factors, count, 0, make, cost), make, cost)


def cover_pairs(choices):
    """Numbers of some of these choices, among which there are all pairs of values that there are among all of them."""
    pairs = [find_pairs(choice) for choice in choices]
    missing, chosen = set().union(*pairs), set()
    # What a choice adds can only become less: one that still adds most adds most of all.
    heap = [(-len(new), i) for i, new in enumerate(pairs)]
    heapq.heapify(heap)
    while missing:
        _, i = heapq.heappop(heap)
        gain = len(pairs[i] & missing)
        if heap and gain < -heap[0][0]:
            heapq.heappush(heap, (-gain, i))
            continue
        chosen.add(i)
        missing -= pairs[i]
    return chosen


def add_paths(parser):
    parser.add_argument("--no-fast", dest="fast", action="store_false", help="portable path only")


def choose_portable(choices, args):
    """Numbers of the cases that run on the portable path, and all pairs with them; on a GPU every fifth."""
    if not args.fast:
        return range(len(choices))
    return range(0, len(choices), 5) if is_gpu(args) else cover_pairs(choices)


def list_paths(index, args):
    """What attn-run is told for each run of a case."""
    return ([[]] if args.fast else []) + ([["--portable"]] if index in args.portable else [])


def why_portable(text):
    """The remarks of a run that left the fast path, or nothing if it did not."""
    if re.search(r"remark: .*\bfast path: ", text):
        return ""
    return "; ".join(re.findall(r"remark: (.*)", text)) or "no remark"


def run(case, index, args):
    """Runs one case; returns what failed, as text, and why it left the fast path."""
    stem = os.path.join(args.directory, f"case{index}")
    command = write_case(stem, index, to_mlir(case), to_arrays(case), args) + ["--check", "--remarks"]
    failures, left = [], ""
    for flags in list_paths(index, args):
        done = subprocess.run(command + flags, capture_output=True, text=True, check=False)
        text = done.stdout + done.stderr
        reason = ""
        if done.returncode != 0:
            reason = f"exit code {done.returncode}"
        elif not flags and why_portable(text):
            left = f"case {index}: {why_portable(text)}"
            reason = "did not take the fast path"
        if reason:
            failures.append(describe_failure(index, case, reason, command + flags, text))
    if not failures and not args.keep:
        remove_case(stem)
    return failures, left


def main():
    parser = make_parser(__doc__, 800, 20)
    add_paths(parser)
    args = parser.parse_args()
    choices, cases = zip(*make_choices(args.count, args.seed, is_gpu(args), args.dtype,
                                       args.target.endswith("sm_90a")))
    args.portable = choose_portable(choices, args)
    mine, results = run_shard(cases, run, args)
    failed = [text for texts, _ in results for text in texts]
    left = [text for _, text in results if text]
    if failed:
        print("\n".join(failed))
    print("\n".join(["left the fast path:", *left]) if left else "left the fast path: none")
    portable = sum(i in args.portable for i, _ in mine)
    print(f"{len(mine)} cases of {len(cases)}: {len(mine) if args.fast else 0} on the fast path, {portable} on "
          f"the portable path, {len(failed)} failures (seed {args.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
