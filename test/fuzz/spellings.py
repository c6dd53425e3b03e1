# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random attention blocks in the words of frameworks: a program is a choice for each part of one.

Nothing here says what a program means: that is compared with what it was raised to. So a spelling that means something
else, such as a mask behind the softmax, is as good as a right one.
"""

import collections

from mask_spellings import INF, biased, masked, rescued
from random_program import Program
from tensor_ops import binary, collapse, concat, contract, convert, each, expand, reduce, slice_, transpose

LOG2E, LN2 = 1.4426950408889634, 0.6931471805599453


class Spelling:
    """A program while it is made, its sizes, and what was chosen."""

    def __init__(self, rng):
        self.rng = rng
        self.storage = rng.choice(["f32", "f32", "f32", "f32", "bf16", "f64"])
        self.wide = "f32" if self.storage == "bf16" else self.storage
        self.p = Program(self.storage)
        self.p.static = rng.random() < 0.65
        self.features = collections.Counter()
        self.note("attention", "any")
        self.note("type", self.storage)
        self.note("sizes", "static" if self.p.static else "dynamic")
        self.b = self.p.name(rng, [1, 2, 2, 3]) if rng.random() < 0.5 else rng.choice(["1", "2"])
        self.heads = rng.choice([1, 2, 2, 4])
        self.h, self.d, self.e = str(self.heads), str(rng.choice([4, 8])), str(rng.choice([4, 8, 8]))
        self.n = self.p.name(rng, [2, 3, 4, 5, 7, 8])
        self.m = self.n if rng.random() < 0.5 else self.p.name(rng, [1, 3, 4, 6])
        self.keys, self.rows = self.number(self.n), self.number(self.m)
        self.offset = self.keys - self.rows if self.p.static and self.keys > self.rows and rng.random() < 0.5 else 0
        self.index_type = "index"

    def number(self, dim):
        return self.p.sizes.get(dim) or int(dim)

    def note(self, kind, choice):
        self.features[f"{kind}: {choice}"] = 1

    def pick(self, kind, choices):
        choice = self.rng.choice(choices)
        self.note(kind, choice)
        return choice


def split(s, length, width, heads, like=()):
    """Heads of an argument in one of the layouts of models: [b, heads, length, width]."""
    layout = s.pick("layout", ["bhmd", "bhmd", "bmhd", "bmc", "fused"])
    heads, known = str(heads), s.p.static or s.b.isdigit()
    if layout == "bhmd":
        return s.p.argument([s.b, heads, length, width])
    if layout == "bmhd":
        return transpose(s.p, s.p.argument([s.b, length, heads, width]), (0, 2, 1, 3))
    wide = str(int(heads) * int(width))
    if layout == "bmc" or not known:
        x = s.p.argument([s.b, length, wide])
    else:
        x = slice_(s.p, s.p.argument([s.b, length, str(3 * int(wide))]), 2, s.rng.randrange(3) * int(wide), wide)
    return transpose(s.p, expand(s.p, x, 2, [heads, width]), (0, 2, 1, 3))


def repeated(s, x, kv_heads):
    """Heads of keys or values that several heads of the query share, as many as those."""
    group = str(s.heads // kv_heads)
    if group == "1":
        return x
    way = s.pick("groups", ["repeat", "repeat", "tile"])
    b, _, n, d = x.dims
    more = expand(s.p, x, 1 if way == "tile" else 2, ["1", str(kv_heads)] if way == "tile" else ["1", n]) if way == "tile" \
        else expand(s.p, x, 1, [str(kv_heads), "1"])
    dims = [b, group, str(kv_heads), n, d] if way == "tile" else [b, str(kv_heads), group, n, d]
    return collapse(s.p, each(s.p, lambda _, y: y, more, dims=dims), 1)


def normed(s, x):
    """x by its length along the last dimension."""
    squares = reduce(s.p, "add", each(s.p, lambda b, y: b.binary("mul", y, y), x))
    way = s.pick("norm", ["rsqrt", "max", "clamped"])
    if way == "rsqrt":
        return each(s.p, lambda b, y, z: b.binary("mul", y, b.unary("math.rsqrt", b.binary("add", z, 1e-6))), x, squares)
    if way == "max":
        return each(s.p, lambda b, y, z: b.binary("div", y, b.binary("maximum", b.unary("math.sqrt", z), 1e-6)), x, squares)
    return each(s.p, lambda b, y, z: b.binary("mul", y, b.unary("math.rsqrt", b.binary("maximum", z, 1e-6))), x, squares)


def rotated(s, x, tables):
    """x cos + rotate_half(x) sin."""
    half = str(int(x.dims[3]) // 2)
    low, high = slice_(s.p, x, 3, 0, half), slice_(s.p, x, 3, int(half), half)
    turned = concat(s.p, 3, each(s.p, lambda b, y: b.unary("arith.negf", y), high), low)
    return each(s.p, lambda b, y, z, c, t: b.binary("add", b.binary("mul", y, c), b.binary("mul", z, t)), x, turned, *tables)


def prepared(s, q, k):
    """Positions, lengths and scales of query and key."""
    if s.rng.random() < 0.2:
        s.note("query and key", "rope")
        make = lambda length, width: [s.p.argument([length, width], q.element) for _ in range(2)]  # pylint: disable=unnecessary-lambda-assignment
        tables = make(s.m, s.d)
        q, k = rotated(s, q, tables), rotated(s, k, tables if s.m == s.n else make(s.n, s.d))
    if s.rng.random() < 0.15:
        s.note("query and key", "normed")
        q, k = normed(s, q), normed(s, k) if s.rng.random() < 0.8 else k
    way = s.pick("scale of inputs", ["none", "none", "q", "k", "both", "heads", "rows"])
    scale = float(s.d) ** -0.5
    times = lambda x, c: each(s.p, lambda b, y: b.binary("mul", y, c), x)  # pylint: disable=unnecessary-lambda-assignment
    if way in ("q", "k", "both"):
        q = times(q, scale if way == "q" else scale ** 0.5) if way != "k" else q
        k = times(k, scale if way == "k" else scale ** 0.5) if way != "q" else k
    elif way in ("heads", "rows"):
        dims = ["1", s.h, "1", "1"] if way == "heads" else ["1", "1", s.m, "1"]
        q = binary(s.p, "mul", q, s.p.argument(dims, q.element))
    return q, k


def scored(s, q, k):
    """Products of query and key, in any of the ways that exporters write an einsum."""
    way = s.pick("product", ["einsum", "transposed", "batch"])
    if way == "einsum":
        return contract(s.p, q, k, "bhmd,bhnd->bhmn", s.wide)
    k = transpose(s.p, k, (0, 1, 3, 2))
    if way == "transposed" or s.storage == "bf16":
        return contract(s.p, q, k, "bhmd,bhdn->bhmn", s.wide)
    flat = contract(s.p, collapse(s.p, q, 0), collapse(s.p, k, 0), "bmd,bdn->bmn")
    return expand(s.p, flat, 0, [s.b, s.h], [q])


def changed(s, x):
    """Scales, softcaps and biases of scores."""
    def scale(x):
        way = s.pick("scale of scores", ["none", "mul", "div", "heads", "length"])
        c = float(s.d) ** 0.5
        if way == "mul":
            return each(s.p, lambda b, y: b.binary("mul", y, 1 / c), x)
        if way == "div":
            return each(s.p, lambda b, y: b.binary("div", y, c), x)
        if way == "heads":
            return binary(s.p, "mul", x, s.p.argument(["1", s.h, "1", "1"], x.element))
        if way == "length":
            row = lambda b: b.convert(b.convert(b.binary("add", b.index(2), 1), "i64"), x.element)  # pylint: disable=unnecessary-lambda-assignment
            return each(s.p, lambda b, y: b.binary("mul", y, b.unary("math.log", b.binary("add", row(b), 1.0))), x)
        return x

    def softcap(x):
        cap = s.pick("softcap", [None, None, None, 2.0, 5.0])
        return x if cap is None else each(
            s.p, lambda b, y: b.binary("mul", b.unary("math.tanh", b.binary("div", y, cap)), cap), x)

    steps = [scale, softcap, lambda x: biased(s, x)]
    if s.rng.random() < 0.25:
        s.rng.shuffle(steps)
    for step in steps:
        x = step(x)
    return x


def maximum(s, x):
    """What is taken from the scores of a row, or nothing."""
    way = s.pick("maximum", ["row", "row", "row", "row", "none", "zero", "guarded", "halved"])
    if way == "none":
        return None
    top = reduce(s.p, "maximum", x)
    if way == "zero":
        return each(s.p, lambda b, y: b.binary("maximum", y, 0.0), top)
    if way == "guarded":
        return each(s.p, lambda b, y: b.select(b.compare("oeq", y, INF), b.constant(0.0, b.types[y]), y), top)
    if way == "halved":
        return each(s.p, lambda b, y: b.binary("mul", y, 0.5), top)
    return top


def exponentials(s, x, top):
    shifted = x if top is None else binary(s.p, "sub", x, top)
    if s.pick("base", ["e", "e", "e", "2", "power"]) == "e":
        return each(s.p, lambda b, y: b.unary("math.exp", y), shifted)
    if "base: 2" in s.features:
        return each(s.p, lambda b, y: b.unary("math.exp2", b.binary("mul", y, LOG2E)), shifted)
    return each(s.p, lambda b, y: b.line(f"math.powf {b.constant(2.718281828459045, b.types[y])}, {y} : {b.types[y]}", b.types[y]), shifted)


def extra_term(s, top, sum_):
    """What the denominator has besides the keys: one more key with the score 0 or a sink's."""
    way = s.pick("denominator", ["plain", "plain", "plain", "one", "sink", "two"])
    if way == "plain":
        return sum_
    if way == "sink":
        sink = s.p.argument(["1", s.h, "1", "1"], sum_.element)
        if top is None:
            return each(s.p, lambda b, y, z: b.binary("add", y, b.unary("math.exp", z)), sum_, sink)
        return each(s.p, lambda b, y, z, m: b.binary("add", y, b.unary("math.exp", b.binary("sub", z, m))), sum_, sink, top)
    count = 1.0 if way == "one" else 2.0
    if top is None or s.rng.random() < 0.15:
        return each(s.p, lambda b, y: b.binary("add", y, count), sum_)
    term = lambda b, m: b.binary("mul", b.unary("math.exp", b.unary("arith.negf", m)), count)  # pylint: disable=unnecessary-lambda-assignment
    return each(s.p, lambda b, y, m: b.binary("add", y, term(b, m)), sum_, top)


def by_quotient(s, x, finish):
    top = maximum(s, x)
    weights = exponentials(s, x, top)
    total = extra_term(s, top, reduce(s.p, "add", weights))
    way = s.pick("division", ["before", "before", "reciprocal", "late", "guarded"])
    divide = lambda y, z: binary(s.p, "div", y, z)  # pylint: disable=unnecessary-lambda-assignment
    if way == "guarded":
        total = each(s.p, lambda b, y: b.select(b.compare("oeq", y, 0.0), b.constant(1.0, b.types[y]), y), total)
    if way == "late":
        return divide(convert(s.p, finish(weights), s.wide), total)
    if way == "reciprocal":
        return finish(binary(s.p, "mul", weights, each(s.p, lambda b, y: b.binary("div", b.constant(1.0, b.types[y]), y), total)))
    return finish(divide(weights, total))


def log_sum(s, x):
    """(lse with its row dimension, top)"""
    top = reduce(s.p, "maximum", x)
    total = reduce(s.p, "add", each(s.p, lambda b, y, m: b.unary("math.exp", b.binary("sub", y, m)), x, top))
    return each(s.p, lambda b, y, m: b.binary("add", b.unary("math.log", y), m), total, top)


def by_logarithm(s, x, finish):
    """exp(x - lse), and what gates or widens the lse: a sink by logaddexp, softmax1 by a sigmoid."""
    lse = log_sum(s, x)
    way = s.pick("logarithm", ["plain", "sink", "log1p", "sigmoid"])
    if way in ("sink", "log1p"):
        sink = s.p.argument(["1", s.h, "1", "1"], lse.element)

        def logaddexp(b, y, z):
            if way == "log1p":
                top, low = b.binary("maximum", y, z), b.unary("math.absf", b.binary("sub", y, z))
                return b.binary("add", top, b.unary("math.log1p", b.unary("math.exp", b.unary("arith.negf", low))))
            return b.unary("math.log", b.binary("add", b.unary("math.exp", y), b.unary("math.exp", z)))
        lse = each(s.p, logaddexp, lse, sink)
    weights = each(s.p, lambda b, y, z: b.unary("math.exp", b.binary("sub", y, z)), x, lse)
    if way != "sigmoid":
        return finish(weights)
    gate = each(s.p, lambda b, y: b.binary("div", b.constant(1.0, b.types[y]), b.binary(
        "add", b.unary("math.exp", b.unary("arith.negf", y)), 1.0)), lse)
    return binary(s.p, "mul", convert(s.p, finish(weights), s.wide), gate)


def by_column(s, x, finish):
    """One more key, which is left out of the product: a sink, or zeros for softmax1."""
    shape = [s.b, s.h, s.m, "1"]
    if s.pick("column", ["sink", "zeros"]) == "sink":
        sink = s.p.argument(["1", s.h, "1", "1"], x.element)
        column = each(s.p, lambda b, y: y, sink, dims=shape, like=[x])
    else:
        column = each(s.p, lambda b: b.constant(0.0, x.element), dims=shape, like=[x])
    first = s.rng.choice([0, 0, 1])
    longer = concat(s.p, 3, column, x) if first else concat(s.p, 3, x, column)
    if s.rng.random() < 0.1:  # the wrong one goes
        first = 1 - first
    top = reduce(s.p, "maximum", longer)
    weights = each(s.p, lambda b, y, m: b.unary("math.exp", b.binary("sub", y, m)), longer, top)
    weights = binary(s.p, "div", weights, reduce(s.p, "add", weights))
    return finish(slice_(s.p, weights, 3, first, s.n, [x]))


def finished(s, o):
    """Heads beside each other, a projection, or the result as it is."""
    o = convert(s.p, o, s.storage)
    way = s.pick("result", ["heads", "rows", "joined", "projected"])
    if way == "heads":
        return o
    o = transpose(s.p, o, (0, 2, 1, 3))
    if way == "rows":
        return o
    o = collapse(s.p, o, 2)
    return o if way == "joined" else contract(s.p, o, s.p.argument([o.dims[2], "6"]), "bmc,ce->bme")


def make_spelling(rng):
    """A random attention block and the features that it has."""
    s = Spelling(rng)
    kv_heads = rng.choice([h for h in (1, 2, 4) if s.heads % h == 0] + [s.heads, s.heads])
    q = split(s, s.m, s.d, s.heads)
    k, v = split(s, s.n, s.d, kv_heads), split(s, s.n, s.e, kv_heads)
    q, k = prepared(s, q, k)
    k, v = repeated(s, k, kv_heads), repeated(s, v, kv_heads)
    x = changed(s, scored(s, q, k))
    x, mask = masked(s, x)
    if mask is None and rng.random() < 0.1:
        s.note("bias", "behind the mask")
        x = biased(s, x)

    def finish(weights):
        weights = rescued(s, weights, x, mask)
        return contract(s.p, convert(s.p, weights, s.storage), v, "bhmn,bhne->bhme")
    way = s.pick("softmax", ["quotient", "quotient", "quotient", "logarithm", "column"])
    o = {"quotient": by_quotient, "logarithm": by_logarithm, "column": by_column}[way](s, x, finish)
    s.p.results = [finished(s, o)]
    return s
