#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated attentions whose query and key rows are normalised and rotated
against the f64 reference.

A case says it with ops before the attention, which the pipeline fuses where that
pays, or as the attention's own load_query and load_key. Every pair of choices
occurs in some case. Each runs on the fast path, and on the portable path as many as
hold all pairs, or on a GPU every fifth. A case that leaves the fast path, or whose
query is not fused, is a failure.
"""

import itertools
import os
import random
import subprocess
import sys

import numpy as np

from attention_case import to_storage
from case_runner import describe_failure, is_gpu, make_parser, remove_case, run_shard, write_case
from generate_cases import MOST_SIMULATED, add_paths, choose_portable, list_paths, pairwise_cases, why_portable

CHANGES = [(), ("norm",), ("rope",), ("norm", "rope"), ("norm", "rope"), ("rope", "norm")]
FACTORS = {
    "way": ["ops", "loads"],
    "q": CHANGES,
    "k": CHANGES,
    "kind": ["rms", "layer", "l2"],
    "eps": ["1.0e-06", "1.0e-02", "max_norm 1.0e-06"],
    "affine": ["", "gamma", "gamma beta", "heads"],
    "pairs": ["interleaved", "half_split"],
    "turned": ["all", "all", "part"],
    "positions": ["", "offset", "first", "list", "lists"],
    "similarity": ["", "", "#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>"],
    "causal": [False, False, True],
    "dtype": ["f32", "f32", "f16", "bf16", "f64"],
    "layout": ["bhmd", "bmhd", "hmd", "mhd", "hdm"],
    "dynamic": ["", "", "n", "mn"],
    "heads": [(1, 1), (4, 2), (3, 1), (2, 2)],
    "rows": [1, 1, 2, 4, 5, 47, 48, 49, 97, 200],
    "keys": [0, 1, 15, 16, 17, 63, 64, 65, 130, 300],
    "d": [1, 2, 16, 20, 40, 59, 64, 64, 80, 96, 128],
    "inputs": ["normal", "normal", "one zero row", "large", "equal"],
}


class Case:
    def __init__(self, choice, seed):
        self.__dict__.update(choice)
        self.seed = seed
        self.Hq, self.Hkv = choice["heads"]
        self.B = 2 if self.layout.startswith("b") else 1
        self.dims = {"b": self.B, "h": self.Hq, "k": self.Hkv, "m": self.rows, "n": self.keys, "d": self.d}
        self.rotated = self.d // 2 * 2 if self.turned == "all" else self.d // 4 * 2
        self.wide = "f64" if self.dtype == "f64" else "f32"
        self.order = "bhmndv" if "b" in self.layout else "hmndv"

    def __repr__(self):
        return str({k: v for k, v in self.__dict__.items() if k != "dims"})

    def letters(self, who):
        text = self.layout.replace("h", "k").replace("m", "n") if who in "kv" else self.layout
        return text.replace("d", "v") if who in "vo" else text

    def size(self, letter):
        return self.dims["d" if letter == "v" else letter]

    def shape(self, letters):
        return tuple(self.size(c) for c in letters)

    def type(self, letters, element):
        return "tensor<" + "".join(("?" if c in self.dynamic else str(self.size(c))) + "x" for c in letters) \
            + element + ">"

    def map(self, letters):
        def expr(letter):
            if letter == "k":
                group = self.Hq // self.Hkv
                return f"d{self.order.index('h')}" + (f" floordiv {group}" if group > 1 else "")
            return f"d{self.order.index(letter)}"
        dims = ", ".join(f"d{i}" for i in range(len(self.order)))
        return f"affine_map<({dims}) -> ({', '.join(map(expr, letters))})>"

    def rows_of(self, who):
        return "m" if who == "q" else "n"

    def heads_of(self, who):
        return "h" if who == "q" else "k"

    def affine_letters(self, who):
        """Dimensions of gamma and beta, in the order of the operand's."""
        return self.heads_of(who) + "d" if self.affine == "heads" else "d"

    @property
    def by_first(self):
        return self.positions in ("first", "lists")

    @property
    def affine_names(self):
        return {"heads": ["gamma"]}.get(self.affine, self.affine.split())


def make_case(choice, seed):
    """The case a choice of factors describes, or None when it is not legal."""
    case = Case(choice, seed)
    if case.by_first and case.layout in ("mhd", "bmhd") and case.letters("q")[0] == "m":
        return None
    # A single element minus its mean is nothing but rounding.
    if case.kind == "layer" and case.d < 16:
        return None
    if case.way == "loads" and case.dynamic:
        return None
    # The ops go along the last dimension, loads along d wherever it is.
    if case.way == "ops" and not case.layout.endswith("d"):
        return None
    if not case.q and not case.k:
        return None
    # A quotient by itself is 1 in the reference, whatever the logits make of an ulp.
    if case.inputs == "large" and case.d == 1 and "norm" in case.q + case.k:
        return None
    # Equal elements minus their mean as well.
    if case.inputs == "equal" and case.kind == "layer":
        return None
    return case


def make_small_case(choice, seed):
    """A case for the simulator of a GPU."""
    case = make_case(choice, seed)
    return case if case and 2 * case.B * case.Hq * case.rows * case.keys * case.d <= MOST_SIMULATED else None


def all_cases(count, seed, make=make_case):
    """Pairs of choices, random cases up to `count`, and each kind of norm of loaded rows with each element type."""
    cases = pairwise_cases(random.Random(seed), FACTORS, count, 0, make)
    for dtype, kind in itertools.product(["f32", "f16", "bf16", "f64"], FACTORS["kind"]):
        number = len(cases)
        choice = {name: values[number % len(values)] for name, values in FACTORS.items()}
        choice.update(way="loads", dtype=dtype, kind=kind, q=("norm", "rope"), k=("rope", "norm"), d=40, dynamic="",
                      eps=FACTORS["eps"][number // 3 % 3], affine=FACTORS["affine"][number // 2 % 4],
                      layout="bhmd", inputs="normal")
        cases.append(make_case(choice, number))
    return cases


class Text:
    """Writes the function and notes which arrays it takes."""

    def __init__(self, case):
        self.case, self.arguments, self.lines, self.count = case, [], [], 0
        self.rng = np.random.default_rng(case.seed)
        self.constants = {}

    def argument(self, name, type_, values):
        if name not in (n for n, _, _ in self.arguments):
            self.arguments.append((name, type_, values))
        return f"%{name}"

    def constant(self, value):
        return self.constants.setdefault(value, f"%c{value}")

    def name(self):
        self.count += 1
        return f"%t{self.count}"

    def empty(self, letters, element, like):
        """A tensor; `like` maps letters to (value, axis, type) that tell dynamic sizes."""
        sizes = []
        for letter in letters:
            if letter in self.case.dynamic:
                value, axis, type_ = like[letter]
                size = self.name()
                self.lines.append(f"{size} = tensor.dim {value}, {self.constant(axis)} : {type_}")
                sizes.append(size)
        name = self.name()
        self.lines.append(f"{name} = tensor.empty({', '.join(sizes)}) : {self.case.type(letters, element)}")
        return name


def positions_of(text, case, who):
    """The clauses of offset and positions, and their first dimension."""
    first = case.letters(who)[0]
    rows = case.rows_of(who)
    if case.positions == "offset":
        return " offset(%offset : index)", ""
    if case.positions == "first":
        size = case.size(first)
        offset = text.argument(f"offset_{who}", f"tensor<{size}xi64>", np.arange(size, dtype=np.int64) * 7 + 3)
        return f" offset({offset} : tensor<{size}xi64>)", first
    if case.positions in ("list", "lists"):
        letters = (first if case.positions == "lists" else "") + rows
        values = text.rng.integers(0, 5000, case.shape(letters)).astype(np.int32)
        type_ = case.type(letters, "i32")
        return f" positions({text.argument(f'positions_{who}', type_, values)} : {type_})", letters[:-1]
    return "", ""


def norm_params(text, case, who):
    letters = case.affine_letters(who)
    params = []
    for name in case.affine_names:
        base = text.rng.standard_normal(case.shape(letters))
        values = to_storage(1 + 0.3 * base if name == "gamma" else base, case.dtype)
        type_ = case.type(letters, case.dtype)
        params.append((name, text.argument(f"{name}_{who}", type_, values), type_, letters))
    return params


def emit_ops(text, case, who, value):
    """The changes as ops; returns the changed operand."""
    letters = case.letters(who)
    type_ = case.type(letters, case.dtype)
    like = {c: (value, i, type_) for i, c in enumerate(letters)}
    for change in getattr(case, who):
        init, name = text.empty(letters, case.dtype, like), text.name()
        if change == "norm":
            axes = [letters.index(c) for c in case.affine_letters(who)]
            affine = f" affine_axes {axes}" if len(axes) > 1 else ""
            clauses = "".join(f" {what}({param} : {t})" for what, param, t, _ in norm_params(text, case, who))
            text.lines.append(f"{name} = attn.norm {case.kind} axes [{len(letters) - 1}] eps({case.eps}){affine} "
                              f"ins({value} : {type_}){clauses} outs({init} : {type_}) -> {type_}")
        else:
            where, _ = positions_of(text, case, who)
            part = f" rotary_dim({case.rotated})" if case.rotated != case.d else ""
            text.lines.append(f"{name} = attn.rope pairs({case.pairs}){part} "
                              f"row_dim({letters.index(case.rows_of(who))}) ins({value} : {type_}){where} "
                              f"outs({init} : {type_}) -> {type_}")
        value = name
    return value


def emit_loads(text, case, who, params):
    """The changes as attributes; adds their params."""
    attributes = []
    for change in getattr(case, who):
        if change == "norm":
            eps = case.eps.split()
            mode = ", mode = max_norm" if len(eps) > 1 else ""
            extra = norm_params(text, case, who)
            names = "".join(f", {what}" for what, _, _, _ in extra)
            attributes.append(f"#attn.row_norm<{case.kind}, eps = {eps[-1]}{mode}{names}>")
            params += [(param, t, case.map(letters)) for _, param, t, letters in extra]
            continue
        where, first = positions_of(text, case, who)
        letters = first + case.rows_of(who)
        head = "".join(f"{case.size(c)}x" for c in letters)
        part, whole = (f"tensor<{head}{n}x{case.wide}>" for n in (case.rotated, case.d))
        init, table = text.name(), text.name()
        text.lines.append(f"{init} = tensor.empty() : {part}")
        text.lines.append(f"{table} = attn.sinusoidal_positions pairs(half_split){where} "
                          f"outs({init} : {part}) -> {part}")
        if case.rotated != case.d and 0 in case.shape(letters):
            table = text.name()
            text.lines.append(f"{table} = tensor.empty() : {whole}")
        elif case.rotated != case.d:
            sizes = ", ".join([str(case.size(c)) for c in letters] + [str(case.rotated)])
            zeros, ones = (", ".join([n] * (len(letters) + 1)) for n in "01")
            init, narrow, table = text.name(), table, text.name()
            text.lines.append(f"{init} = tensor.empty() : {whole}")
            text.lines.append(f"{table} = tensor.insert_slice {narrow} into {init}[{zeros}] [{sizes}] [{ones}] "
                              f": {part} into {whole}")
        attributes.append(f"#attn.rotate<{case.pairs}, dims = {case.rotated}>")
        params.append((table, whole, case.map(letters + "d")))
    return attributes


def operand_values(case, who, rng):
    letters = case.letters(who)
    values = rng.standard_normal(case.shape(letters))
    if case.inputs == "large" and who == "q":
        values *= 30
    elif case.inputs == "equal" and who in "qk":
        values[...] = 0.5
    elif case.inputs == "one zero row" and values.size:
        values[(0,) * (len(letters) - 1)] = 0.0
    return to_storage(values, case.dtype)


def build(case, apart=False):
    """The module's text and the function's arrays. `apart` returns the changed
    operands too, so that their changes are not fused."""
    text, rng = Text(case), np.random.default_rng(case.seed + 1)
    types = {who: case.type(case.letters(who), case.dtype) for who in "qkvo"}
    for who in "qkv":
        text.argument(who, types[who], operand_values(case, who, rng))
    uses_offset = case.positions == "offset" and "rope" in case.q + case.k
    values, loads, params = {w: f"%{w}" for w in "qkv"}, {"q": [], "k": []}, []
    for who in "qk":
        if case.way == "ops":
            values[who] = emit_ops(text, case, who, values[who])
        else:
            loads[who] = emit_loads(text, case, who, params)
    like = {c: ("%q", i, types["q"]) for i, c in enumerate(case.letters("q"))}
    init = text.empty(case.letters("o"), case.dtype, like)
    clauses = f"similarity({case.similarity}) " if case.similarity else ""
    clauses += "softmax(#attn.softmax) "
    clauses += "align(bottom_right) masks [#attn.causal] " if case.causal else ""
    for who, keyword in (("q", "load_query"), ("k", "load_key")):
        clauses += f"{keyword} [{', '.join(loads[who])}] " if loads[who] else ""
    maps = [case.map(case.letters(w)) for w in "qkv"] + [m for _, _, m in params] + [case.map(case.letters("o"))]
    given = f"params({', '.join(p for p, _, _ in params)} : {', '.join(t for _, t, _ in params)}) " if params else ""
    scale = "#attn.constant<8.0>" if case.similarity else "#attn.inv_sqrt_dim"
    text.lines.append(
        f"%o = attn.attention scale({scale}) {clauses}indexing_maps [{', '.join(maps)}] "
        f"ins({', '.join(values[w] for w in 'qkv')} : {', '.join(types[w] for w in 'qkv')}) {given}"
        f"outs({init} : {types['o']}) -> {types['o']}")
    head = [f"{name} = arith.constant {value} : index" for value, name in text.constants.items()]
    head += ["%offset = arith.constant 1000 : index"] if uses_offset else []
    extra = [who for who in "qk" if apart and getattr(case, who)]
    results = ", ".join([types["o"]] + [types[who] for who in extra])
    returned = ", ".join(["%o"] + [values[who] for who in extra])
    arguments = ", ".join(f"%{n}: {t}" for n, t, _ in text.arguments)
    body = "\n".join("  " + line for line in head + text.lines)
    arrays = {f"arg{i}": np.asarray(values) for i, (_, _, values) in enumerate(text.arguments)}
    return f"func.func @loads({arguments}) -> ({results}) {{\n{body}\n  return {returned} : {results}\n}}\n", arrays


def fused_query_changes(case):
    """How many ops of the query the pipeline fuses: rotations, then norms before them."""
    if case.way == "loads":
        return 0
    rotates = "rope" in case.q and case.rotated > 0
    if case.q == ("norm", "rope"):
        return 2 if rotates else 0
    if case.q == ("rope", "norm"):
        return 1
    return len(case.q) if rotates or "norm" in case.q else 0


def run(case, index, args):
    """Runs one case; returns what failed, as text."""
    stem = os.path.join(args.directory, f"load{index}")
    command = write_case(stem, index, *build(case), args) + ["--check", "--remarks"]
    failures = []
    for flags in list_paths(index, args):
        done = subprocess.run(command + flags, capture_output=True, text=True, check=False)
        output = done.stdout + done.stderr
        fused = output.count("of the query is done when the attention loads")
        reason = f"exit code {done.returncode}" if done.returncode else ""
        if not reason and not flags and (why_portable(output) if is_gpu(args) else "rows = " not in output):
            reason = "did not take the fast path"
        elif not reason and not flags and not is_gpu(args) and fused != fused_query_changes(case):
            reason = f"fused {fused} changes of the query, not {fused_query_changes(case)}"
        if reason:
            failures.append(describe_failure(index, case, reason, command + flags, output))
    if not failures and not args.keep:
        remove_case(stem)
    return failures


def main():
    parser = make_parser(__doc__, count=120, seed=6)
    add_paths(parser)
    args = parser.parse_args()
    cases = all_cases(args.count, args.seed, make_small_case if is_gpu(args) else make_case)
    args.portable = choose_portable([{name: getattr(case, name) for name in FACTORS} for case in cases], args)
    mine, results = run_shard(cases, run, args)
    failed = [text for texts in results for text in texts]
    if failed:
        print("\n".join(failed))
    print(f"{len(mine)} cases of {len(cases)}: {len(failed)} failures (seed {args.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
