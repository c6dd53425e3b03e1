# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How models say which keys a row sees, and what they add to scores: the second part of spellings.py.

`s` holds the program `p`, the generator of choices `rng`, the sizes and the features that were chosen (`note`).
"""

from tensor_ops import each, reduce

INF, LOWEST = float("-inf"), {"f64": -1.7976931348623157e308, "f32": -3.4028234663852886e38, "bf16": -3.3895313892515355e38,
                              "f16": -65504.0}
FILLS = ["-inf", "-inf", "lowest", "-1e9", "-1e4"]


def fill_of(s, element):
    name = s.rng.choice(FILLS)
    s.note("fill", name)
    if name == "lowest":
        return LOWEST[element]
    return max(float(name), LOWEST[element]) if name != "-inf" else INF


def positions(b, s):
    """Row and key as a body sees them, in the last two of four dimensions; cached rows begin later."""
    i, j = b.index(2), b.index(3)
    if s.offset:
        i = b.binary("add", i, s.offset)
    if s.index_type != "index":
        i, j = b.convert(i, s.index_type), b.convert(j, s.index_type)
    return i, j


def causal(s, b, _):
    i, j = positions(b, s)
    way = s.pick("causal", ["sle", "sge", "diff", "slt_next", "not_sgt", "triangle"])
    if way == "sle":
        return b.compare("sle", j, i)
    if way == "sge":
        return b.compare("sge", i, j)
    if way == "diff":
        return b.compare("sge", b.binary("sub", i, j), 0)
    if way == "slt_next":
        return b.compare("slt", j, b.binary("add", i, 1))
    hidden = b.compare("sgt", j, i)
    if way == "not_sgt":
        return b.binary("xor", hidden, 1)
    one = b.select(hidden, b.constant(0.0, s.wide), b.constant(1.0, s.wide))
    return b.compare("une", one, 0.0)


def window(s, b, _):
    i, j = positions(b, s)
    left, right = s.rng.choice([0, 1, 2, 3, 5]), s.rng.choice([0, 0, 1, 2])
    way = s.pick("window", ["distance", "two", "strict", "absolute"])
    if way == "distance":
        distance = b.binary("sub", i, j)
        return b.binary("and", b.compare("sle", distance, left), b.compare("sge", distance, -right))
    if way == "two":
        return b.binary("and", b.compare("sle", j, b.binary("add", i, right)), b.compare("sle", i, b.binary("add", j, left)))
    if way == "strict":
        return b.binary("and", b.compare("sgt", j, b.binary("sub", i, left + 1)), b.compare("sle", j, i))
    distance = b.binary("sub", i, j)
    return b.compare("sle", b.binary("maxs", distance, b.binary("sub", b.constant(0, s.index_type), distance)), left)


def prefix(s, b, _):
    i, j = positions(b, s)
    return b.binary("or", b.compare("sle", j, i), b.compare("slt", j, s.rng.choice([1, 2, 3])))


def blocks(s, b, _):
    i, j = positions(b, s)
    size = s.rng.choice([2, 3, 4])
    op = "divu" if s.index_type == "index" else "divs"
    return b.compare("eq", b.binary(op, i, size), b.binary(op, j, size))


def load(s, dims, element, data=None):
    """An argument that a mask reads; a scalar of each element."""
    value = s.p.argument(dims, element)
    if data is not None:
        s.p.data[value.name] = data
    return value


def padding(s):
    kind = s.pick("padding", ["i1", "f32", "i64"])
    data = [int(s.rng.random() < 0.75) for _ in range(29)]
    return load(s, [s.b, "1", "1", s.n], {"i1": "i1", "f32": s.wide, "i64": "i64"}[kind], data)


def is_set(b, x):
    return x if b.types[x] == "i1" else b.compare("une" if b.types[x][0] != "i" else "ne", x, 0)


def operand_mask(s):
    """An argument, or several, and what a body makes of its scalars."""
    kind = s.pick("mask operand", ["padding", "padding", "dense", "lengths", "segments"])
    if kind == "padding":
        return [padding(s)], lambda b, x: is_set(b, x)
    if kind == "dense":
        dims = s.rng.choice([["1", "1", s.m, s.n], [s.b, "1", s.m, s.n], [s.b, s.h, s.m, s.n], ["1", s.h, s.m, s.n]])
        return [load(s, dims, "i1")], lambda b, x: x
    if kind == "lengths":
        lengths = load(s, [s.b, "1", "1", "1"], s.rng.choice(["i32", "i64"]), [s.rng.randint(0 if s.rng.random() < 0.2 else 1, s.keys)
                                                                           for _ in range(5)])
        return [lengths], lambda b, x: b.compare("slt", b.convert(b.index(3), b.types[x]), x)
    element = s.rng.choice(["i32", "i64"])
    row = load(s, [s.b, "1", s.m, "1"], element, sorted(s.rng.randint(0, 2) for _ in range(29)))
    key = load(s, [s.b, "1", "1", s.n], element, sorted(s.rng.randint(0, 2) for _ in range(29)))
    return [row, key], lambda b, x, y: b.compare("eq", x, y)


COMPUTED = {"causal": causal, "window": window, "prefix": prefix, "blocks": blocks}


def make_mask(s, like):
    """A tensor of i1 that broadcasts to the scores."""
    if s.rng.random() < 0.55:
        name = s.pick("mask", ["causal", "causal", "causal", "window", "window", "prefix", "blocks"])
        s.index_type = s.rng.choice(["index", "index", "i32", "i64"])
        return each(s.p, lambda b: COMPUTED[name](s, b, None), dims=["1", "1", s.m, s.n], like=[like])
    s.note("mask", "operand")
    operands, compute = operand_mask(s)
    return each(s.p, compute, *operands)


def combine(s, masks):
    mask = masks[0]
    for other in masks[1:]:
        way = s.pick("masks joined by", ["and", "and", "or", "product", "minimum"])
        if way in ("and", "or"):
            mask = each(s.p, lambda b, x, y, way=way: b.binary(way, x, y), mask, other)
        else:
            op = {"product": "mul", "minimum": "minimum"}[way]
            mask = each(s.p, lambda b, x, y, op=op: b.compare(
                "ogt", b.binary(op, b.convert(x, s.wide), b.convert(y, s.wide)), 0.0), mask, other)
    return mask


def apply_mask(s, scores, mask):
    """Hidden scores get a fill, in one of the ways of models."""
    fill = fill_of(s, scores.element)
    ways = ["where", "where", "where_not", "add", "two_steps"] + (["product", "both"] if fill != INF else [])
    way = s.pick("applied by", ways)
    if way == "where":
        return each(s.p, lambda b, x, m: b.select(m, x, fill), scores, mask)
    if way == "where_not":
        return each(s.p, lambda b, x, m: b.select(b.binary("xor", m, 1), fill, x), scores, mask)
    if way == "add":
        return each(s.p, lambda b, x, m: b.binary("add", x, b.select(m, b.constant(0.0, scores.element), fill)), scores, mask)
    if way == "two_steps":
        bias = each(s.p, lambda b, m: b.select(m, b.constant(0.0, scores.element), fill), mask)
        return each(s.p, lambda b, x, y: b.binary("add", x, y), scores, bias)
    number = each(s.p, lambda b, m: b.convert(m, scores.element), mask)
    missing = each(s.p, lambda b, x: b.binary("sub", b.constant(1.0, scores.element), x), number)
    if way == "product":
        return each(s.p, lambda b, x, y: b.binary("add", x, b.binary("mul", y, fill)), scores, missing)
    return each(s.p, lambda b, x, y, z: b.binary("add", b.binary("mul", x, y), b.binary("mul", z, fill)), scores, number, missing)


def masked(s, scores):
    """The scores with no, one or several masks. Gives the conditions too: rescues of empty rows ask them."""
    count = s.rng.choice([0, 1, 1, 1, 2, 2, 3])
    masks = [make_mask(s, scores) for _ in range(count)]
    if not masks:
        s.note("mask", "none")
        return scores, None
    together = combine(s, masks) if s.rng.random() < 0.7 or count == 1 else None
    if together:
        return apply_mask(s, scores, together), together
    s.note("masks joined by", "steps")
    for mask in masks:
        scores = apply_mask(s, scores, mask)
    return scores, None


def alibi(s, scores):
    way = s.pick("alibi", ["distance", "key", "absolute"])
    slopes = s.p.argument(["1", s.h, "1", "1"], scores.element)

    def compute(b, x, slope):
        i, j = b.index(2), b.index(3)
        if s.offset:
            i = b.binary("add", i, s.offset)
        i, j = b.convert(i, "i32"), b.convert(j, "i32")
        at = j if way == "key" else b.binary("sub", j, i)
        if way == "absolute":
            at = b.binary("sub", b.constant(0, "i32"), b.binary("maxs", at, b.binary("sub", i, j)))
        return b.binary("add", x, b.binary("mul", slope, b.convert(at, scores.element)))
    return each(s.p, compute, scores, slopes)


def table(s, scores):
    """A learned number for each distance of at most `far` and head, as T5's buckets are."""
    far = s.rng.choice([1, 2, 4])
    values = s.p.argument([str(2 * far + 1), s.h], scores.element)

    def compute(b, outer):
        distance = b.binary("sub", b.convert(b.index(3), "i32"), b.convert(b.index(2), "i32"))
        near = b.binary("mins", b.binary("maxs", distance, -far), far)
        return b.extract(outer, [b.convert(b.binary("add", near, far), "index"), b.index(1)])
    bias = each(s.p, compute, dims=["1", s.h, s.m, s.n], outer=[values], like=[scores])
    return each(s.p, lambda b, x, y: b.binary("add", x, y), scores, bias)


def dense_bias(s, scores):
    dims = s.rng.choice([["1", s.h, s.m, s.n], ["1", "1", s.m, s.n], [s.b, s.h, s.m, s.n], [s.b, "1", "1", s.n], [s.m, s.n]])
    return each(s.p, lambda b, x, y: b.binary("add", x, y), scores, s.p.argument(dims, scores.element))


def biased(s, scores):
    kind = s.pick("bias", ["none", "none", "none", "alibi", "table", "dense"])
    return {"none": lambda *_: scores, "alibi": alibi, "table": table, "dense": dense_bias}[kind](s, scores)


def rescued(s, weights, scores, mask):
    """What happens to the weights of a row without a key."""
    way = s.pick("rescue", ["none", "none", "none", "nan_to_num", "any", "lowest", "where"])
    if way == "nan_to_num":
        return each(s.p, lambda b, x: b.select(b.compare("uno", x, x), b.constant(0.0, b.types[x]), x), weights)
    if way == "any" and mask is not None and mask.dims[-1] != "1":
        some = reduce(s.p, "or", mask)
        return each(s.p, lambda b, x, y: b.select(y, x, 0.0), weights, some)
    if way == "lowest":
        top = reduce(s.p, "maximum", scores)
        return each(s.p, lambda b, x, y: b.select(b.compare("oeq", y, INF), b.constant(0.0, b.types[x]), x), weights, top)
    if way == "where" and mask is not None:
        return each(s.p, lambda b, x, y: b.select(y, x, 0.0), weights, mask)
    return weights
