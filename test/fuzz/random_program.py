# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of the dialect and of what stands around it: a few ops in a row, whose sizes are names.

A program is data, so that a reducer can take ops away: an op that is gone leaves an argument in the place of its result.
Values have dims, a list of names, numbers and formulas, as in test/Integration/size_case.py.
"""

import copy
import dataclasses

from size_case import Case

#: Values of the names; 0 and 1 are rare, since most of a program is about nothing then.
NUMBERS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 48, 65]
UNARY = ["math.tanh", "math.absf", "arith.negf", "attn.activation gelu", "attn.activation silu", "attn.activation relu",
         "attn.activation sigmoid", "attn.activation softplus", "attn.activation elu"]
BINARY = ["arith.addf", "arith.mulf", "arith.subf", "arith.maximumf", "arith.minimumf"]
#: clauses of an attention and what its params are: per head (h), rows and keys (x, as booleans b), per batch and row (r), key (k)
POLICIES = [("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)", ""), ("scale(#attn.inv_dim) softmax(#attn.softmax1)", ""),
            ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]", ""),
            ("scale(#attn.log_length<base = 16.0, n = visible>) softmax(#attn.softmax) align(top_left) "
             "masks [#attn.window<left = 5, right = 2>]", ""),
            ("scale(#attn.learned) softmax(#attn.sink)", "hh"),
            ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias]", "x"),
            ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) masks [#attn.dense_mask]", "b"),
            ("scale(#attn.log_length<base = 2.0, n = position>) softmax(#attn.softmax) align(top_left) masks [#attn.segment_ids]", "rk"),
            ("scale(#attn.gradient_max<scores = normal, n = position_operand>) softmax(#attn.softmax)", "r"),
            ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]", "n"),
            ("scale(#attn.constant<4.0>) similarity(#attn.cosine<eps = 1.0e-2, mode = rsqrt_sum>) softmax(#attn.softmax)", ""),
            ("scale(#attn.none) softmax(#attn.softmax_n<2.0>) align(bottom_right) bias [#attn.alibi] masks [#attn.causal]", ""),
            ("scale(#attn.constant<0.25>) softmax(#attn.softmax) softcap(4.0)", "")]


@dataclasses.dataclass
class Value:
    name: str
    dims: list
    element: str

    def type(self):
        return f"tensor<{' '.join([*self.dims, self.element])}>"


@dataclasses.dataclass
class Op:
    """`text` has {r} for the result and {0}, {1}, ... for the operands; types stand in it as they are."""
    result: Value
    operands: list
    text: str


class Program:
    def __init__(self, element):
        self.element, self.arguments, self.ops, self.results = element, [], [], []
        self.sizes, self.where, self.data, self.wrong = {}, [], {}, {}
        self.count, self.static = 0, False

    def copy(self):
        return copy.deepcopy(self)

    def values(self):
        return self.arguments + [op.result for op in self.ops]

    def argument(self, dims, element=None):
        self.count += 1
        self.arguments.append(Value(f"a{self.count}", list(dims), element or self.element))
        return self.arguments[-1]

    def name(self, rng, among=NUMBERS):
        """A new size: a name, or where all sizes are static a number."""
        if self.static:
            return str(rng.choice(among))
        name = f"s{len(self.sizes)}"
        self.sizes[name] = rng.choice(among)
        return name

    def add(self, dims, operands, text, element=None):
        self.count += 1
        result = Value(f"v{self.count}", list(dims), element or self.element)
        self.ops.append(Op(result, [operand.name for operand in operands], text.replace("{T}", result.type())))
        return result

    def find(self, rng, dims, element=None, new=0.5):
        """A value of these dims, or a new argument."""
        fits = [v for v in self.values() if v.dims == list(dims) and v.element == (element or self.element)]
        return rng.choice(fits) if fits and rng.random() > new else self.argument(dims, element)

    def unused(self):
        used = {name for op in self.ops for name in op.operands}
        return [op.result for op in self.ops if op.result.name not in used]

    def empty(self, dims, place, element=None):
        """Lines that make an empty tensor as {place}e; dynamic sizes are asked for from operands of these dims."""
        lines, names = "", []
        for i, (dim, (operand, at, type)) in enumerate(zip(dims, place)):
            if not dim.isdigit():
                lines += f"  {{r}}c{i} = arith.constant {at} : index\n  {{r}}d{i} = tensor.dim {operand}, {{r}}c{i} : {type}\n"
                names.append(f"{{r}}d{i}")
        type = f"tensor<{' '.join([*dims, element or self.element])}>"
        return lines + f"  {{r}}e = tensor.empty({', '.join(names)}) : {type}\n"

    def case(self, name="f"):
        """As a Case, which knows text, tensors and whether sizes agree."""
        body = ""
        for op in self.ops:
            text = op.text.replace("{r}", f"%{op.result.name}")
            for i, operand in enumerate(op.operands):
                text = text.replace(f"{{{i}}}", f"%{operand}")
            body += text.rstrip("\n") + "\n"
        inputs = ", ".join(f"{v.name}: {' '.join([*v.dims, v.element])}" for v in self.arguments)
        results = ", ".join(" ".join([*v.dims, v.element]) for v in self.results)
        return Case(name, inputs, results, body, sizes=self.sizes, where=" and ".join(self.where), data=self.data, wrong=self.wrong,
                    returns=[v.name for v in self.results], ask=False)


def places(value, number=0):
    """Where the sizes of a value come from, for `empty`."""
    return [(f"{{{number}}}", i, value.type()) for i in range(len(value.dims))]


def unary(program, rng, x):
    return program.add(x.dims, [x], f"  {{r}} = {rng.choice(UNARY)} {{0}} : {{T}}")


def binary(program, rng, x):
    return program.add(x.dims, [x, program.find(rng, x.dims)], f"  {{r}} = {rng.choice(BINARY)} {{0}}, {{1}} : {{T}}")


def select(program, rng, x):
    y, c = program.argument(x.dims), program.argument(x.dims, "i1")  # of two equal values no choice would be left
    return program.add(x.dims, [c, x, y], f"  {{r}} = arith.select {{0}}, {{1}}, {{2}} : {c.type()}, {{T}}")


def rows(program, rng, x):
    if not x.dims:
        return None
    y, letters = program.find(rng, x.dims[-1:]), ", ".join(f"i{i}" for i in range(len(x.dims)))
    last, kinds = f"i{len(x.dims) - 1}", ", ".join(['"parallel"'] * len(x.dims))
    return program.add(x.dims, [x, y], program.empty(x.dims, places(x)) + f"""  {{r}} = linalg.generic {{indexing_maps = [
      affine_map<({letters}) -> ({letters})>, affine_map<({letters}) -> ({last})>, affine_map<({letters}) -> ({letters})>],
      iterator_types = [{kinds}]}} ins({{0}}, {{1}} : {x.type()}, {y.type()}) outs({{r}}e : {{T}}) {{
    ^bb0(%x: {x.element}, %y: {x.element}, %o: {x.element}):
      %s = {rng.choice(BINARY)} %x, %y : {x.element}
      linalg.yield %s : {x.element}
  }} -> {{T}}""")


def linear(program, rng, x):
    if len(x.dims) < 2 or any(not d.isalnum() for d in x.dims[-1:]):
        return None
    width = str(rng.choice([8, 24, 40])) if rng.random() < 0.3 else program.name(rng)
    out_in, bias = rng.random() < 0.5, rng.random() < 0.5
    operands = [x, program.argument([width, x.dims[-1]] if out_in else [x.dims[-1], width])]
    operands += [program.find(rng, [width])] if bias else []
    sizes = places(x)[:-1] + [("{1}", 0 if out_in else 1, operands[1].type())]
    dims = x.dims[:-1] + [width]
    return program.add(dims, operands, program.empty(dims, sizes) + f"  {{r}} = attn.linear {'weight(out_in) ' if out_in else ''}"
                       f"ins({', '.join(f'{{{i}}}' for i in range(len(operands)))} : {', '.join(o.type() for o in operands)}) "
                       f"outs({{r}}e : {{T}}) -> {{T}}")


def feed_forward(program, rng, x):
    if len(x.dims) < 2 or not x.dims[-1].isalnum():
        return None
    # The result is as wide as the second weight says, whatever x is.
    hidden, width = program.name(rng), program.name(rng)
    up, down = program.argument([x.dims[-1], hidden]), program.argument([hidden, width])
    dims = x.dims[:-1] + [width]
    return program.add(dims, [x, up, down], f"  {{r}} = attn.feed_forward {rng.choice(['', 'relu ', 'silu '])}ins({{0}} : {x.type()}) "
                       f"up({{1}} : {up.type()}) down({{2}} : {down.type()}) -> {{T}}")


def norm(program, rng, x):
    if len(x.dims) < 2:
        return None
    kind, gamma = rng.choice(["rms", "layer", "l2"]), program.find(rng, x.dims[-1:])
    return program.add(x.dims, [x, gamma], program.empty(x.dims, places(x)) +
                       f"  {{r}} = attn.norm {kind} axes [{len(x.dims) - 1}] eps(1.0e-02) ins({{0}} : {{T}}) gamma({{1}} : {gamma.type()}) "
                       f"outs({{r}}e : {{T}}) -> {{T}}")


def softmax(program, rng, x):
    if not x.dims:
        return None
    dim = rng.randrange(len(x.dims))
    return program.add(x.dims, [x], program.empty(x.dims, places(x)) + f"  {{r}} = attn.softmax scale(#attn.none) "
                       f"softmax({rng.choice(['#attn.softmax', '#attn.softmax1'])}) dim({dim}) ins({{0}} : {{T}}) "
                       "outs({r}e : {T}) -> {T}")


def statistics(program, rng, x):
    if not x.dims:
        return None
    wide = "f64" if x.element == "f64" else "f32"
    if wide != program.element:
        return None
    return program.add(x.dims[:-1], [x], program.empty(x.dims[:-1], places(x)[:-1], wide) +
                       f"  {{r}} = attn.statistics infinity_norm axes [{len(x.dims) - 1}] ins({{0}} : {x.type()}) "
                       "outs({r}e : {T}) -> {T}", wide)


def attention(program, rng, x):
    if len(x.dims) not in (3, 4) or not x.dims[-1].isalnum():
        return None
    heads, keys, wide = x.dims[-3], program.name(rng), "f64" if x.element == "f64" else "f32"
    k = program.argument([*x.dims[:-2], keys, x.dims[-1]])
    v = program.argument(k.dims) if rng.random() < 0.7 else k
    clauses, params = rng.choice(POLICIES)
    batch, rows = x.dims[:-3], x.dims[-2]
    forms = {"h": ([heads], wide), "x": ([*batch, heads, rows, keys], wide), "b": ([*batch, heads, rows, keys], "i1"),
             "r": ([*batch, rows], "i32"), "k": ([*batch, keys], "i32"), "n": (batch, "i32")}
    more = [program.argument(*forms[kind]) for kind in params]
    if params == "n":
        program.data[more[0].name] = [program.sizes[keys] if keys in program.sizes else int(keys)]
    group = f" params({', '.join(f'{{{i + 3}}}' for i in range(len(more)))} : {', '.join(p.type() for p in more)})" if more else ""
    return program.add(x.dims, [x, k, v, *more], program.empty(x.dims, places(x)) + f"  {{r}} = attn.attention {clauses} "
                       f"ins({{0}}, {{1}}, {{2}} : {x.type()}, {k.type()}, {v.type()}){group} outs({{r}}e : {{T}}) -> {{T}}")


def rope(program, rng, x):
    if len(x.dims) < 2 or not x.dims[-1].isdigit() or int(x.dims[-1]) % 2:
        return None
    pairs = rng.choice(["half_split", "interleaved"])
    return program.add(x.dims, [x], program.empty(x.dims, places(x)) + f"  {{r}} = attn.rope pairs({pairs}) "
                       f"ins({{0}} : {{T}}) outs({{r}}e : {{T}}) -> {{T}}")
