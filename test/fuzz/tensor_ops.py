# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on tensors as exporters write them, on random_program.Program: what a spelling is composed of."""

from random_program import places

FLOATS = ("f64", "f32", "f16", "bf16")


class Body:
    """Ops on scalars, in the region of one linalg.generic. A number is written with its element type."""

    def __init__(self):
        self.lines, self.types = [], {}

    def line(self, text, element):
        name = f"%t{len(self.lines)}"
        self.lines.append(f"      {name} = {text}")
        self.types[name] = element
        return name

    def constant(self, value, element):
        if element == "index" or element[0] == "i":
            return self.line(f"arith.constant {int(value)} : {element}", element)
        if value == float("-inf"):
            value = {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[element]
        else:
            value = f"{float(value):.17e}"
        return self.line(f"arith.constant {value} : {element}", element)

    def numbers(self, x, y):
        """Both as names: a Python number has the type of the other."""
        element = self.types[x if isinstance(x, str) else y]
        return [z if isinstance(z, str) else self.constant(z, element) for z in (x, y)], element

    def binary(self, op, x, y):
        (x, y), element = self.numbers(x, y)
        return self.line(f"arith.{op}{'f' if element in FLOATS else 'i'} {x}, {y} : {element}", element)

    def unary(self, op, x):
        return self.line(f"{op} {x} : {self.types[x]}", self.types[x])

    def compare(self, how, x, y):
        (x, y), element = self.numbers(x, y)
        return self.line(f"arith.cmp{'f' if element in FLOATS else 'i'} {how}, {x}, {y} : {element}", "i1")

    def select(self, condition, x, y):
        (x, y), element = self.numbers(x, y)
        return self.line(f"arith.select {condition}, {x}, {y} : {element}", element)

    def index(self, dim):
        return self.line(f"linalg.index {dim} : index", "index")

    def extract(self, tensor, at):
        """An element of a tensor from outside: `tensor` is its place among the operands and its Value."""
        number, value = tensor
        return self.line(f"tensor.extract {{{number}}}[{', '.join(at)}] : {value.type()}", value.element)

    def convert(self, x, element):
        old = self.types[x]
        if old == element:
            return x
        if old in FLOATS and element in FLOATS:
            wider = FLOATS.index(element) < FLOATS.index(old)
            op = "extf" if wider else "truncf"
        elif old == "index" or element == "index":
            op = "index_cast"
        elif old in FLOATS:
            op = "fptosi"
        elif element in FLOATS:
            op = "uitofp" if old == "i1" else "sitofp"
        else:
            op = "extui" if old == "i1" else "extsi"
        return self.line(f"arith.{op} {x} : {old} to {element}", element)


def letters(count):
    return ", ".join(f"i{i}" for i in range(count))


def affine(rank, results):
    return f"affine_map<({letters(rank)}) -> ({', '.join(str(r) for r in results)})>"


def sources(dims, operands):
    """Where the sizes of the dims come from."""
    found = []
    for dim in dims:
        at = next(((f"{{{n}}}", i, v.type()) for n, v in enumerate(operands) for i, d in enumerate(v.dims) if d == dim), None)
        assert dim.isdigit() or at, f"no operand has {dim}"
        found.append(at)
    return found


def empty(p, dims, operands, element):
    return p.empty(dims, [at or ("", 0, "") for at in sources(dims, operands)], element)


def broadcast(*shapes):
    rank, dims = max(len(s) for s in shapes), []
    for i in range(rank):
        sizes = [s[len(s) - rank + i] for s in shapes if len(s) - rank + i >= 0]
        dims.append(next((d for d in sizes if d != "1"), "1"))
    return dims


def each(p, compute, *operands, dims=None, like=(), outer=()):
    """Elementwise, with dimensions broadcast as NumPy does. compute(body, *scalars) gives the element; `like` are operands
    that only give sizes, `outer` those that the body reads by itself, after the operands."""
    dims = dims or broadcast(*(v.dims for v in operands))
    body, rank = Body(), len(dims)
    maps, names = [], []
    for i, v in enumerate(operands):
        first = rank - len(v.dims)
        maps.append(affine(rank, [f"i{first + d}" if v.dims[d] == dims[first + d] and v.dims[d] != "1" else 0
                                  for d in range(len(v.dims))]))
        names.append(f"%x{i}")
        body.types[f"%x{i}"] = v.element
    everything = [*operands, *outer, *like]
    result = compute(body, *names, *((len(operands) + i, v) for i, v in enumerate(outer)))
    element = body.types[result]
    maps.append(affine(rank, [f"i{d}" for d in range(rank)]))
    ins = f"ins({', '.join(f'{{{i}}}' for i in range(len(operands)))} : {', '.join(v.type() for v in operands)}) " if operands else ""
    kinds = ", ".join(['"parallel"'] * rank)
    scalars = ", ".join([f"%x{i}: {v.element}" for i, v in enumerate(operands)] + [f"%o: {element}"])
    text = empty(p, dims, everything, element) + f"  {{r}} = linalg.generic {{indexing_maps = [{', '.join(maps)}], " \
        f"iterator_types = [{kinds}]}} {ins}outs({{r}}e : {{T}}) {{\n    ^bb0({scalars}):\n" + "\n".join(body.lines) + \
        f"\n      linalg.yield {result} : {element}\n  }} -> {{T}}"
    return p.add(dims, everything, text, element)


def binary(p, op, x, y):
    return each(p, lambda b, s, t: b.binary(op, s, t), x, y)


def convert(p, x, element):
    return x if x.element == element else each(p, lambda b, s: b.convert(s, element), x)


def filled(p, dims, operands, value, element):
    type = f"tensor<{' '.join([*dims, element])}>"
    body = Body()
    body.constant(value, element)
    return empty(p, dims, operands, element) + f"  {{r}}z = {body.lines[0].split(' = ')[1]}\n" \
        f"  {{r}}i = linalg.fill ins({{r}}z : {element}) outs({{r}}e : {type}) -> {type}\n"


def contract(p, x, y, letters_, element=None):
    """An einsum of two tensors, as one linalg.generic; the sum has the type `element`."""
    element = element or x.element
    left, right, out = letters_.replace("->", ",").split(",")
    order = out + "".join(sorted({c for c in left + right if c not in out}))
    size = {**dict(zip(right, y.dims)), **dict(zip(left, x.dims))}
    dims, rank = [size[c] for c in out], len(order)
    maps = ", ".join(affine(rank, [f"i{order.index(c)}" for c in part]) for part in (left, right, out))
    kinds = ", ".join(f'"{"parallel" if c in out else "reduction"}"' for c in order)
    body = Body()
    body.types.update({"%x": x.element, "%y": y.element, "%o": element})
    total = body.binary("add", "%o", body.binary("mul", body.convert("%x", element), body.convert("%y", element)))
    text = filled(p, dims, [x, y], 0.0, element) + f"  {{r}} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} " \
        f"ins({{0}}, {{1}} : {x.type()}, {y.type()}) outs({{r}}i : {{T}}) {{\n    ^bb0(%x: {x.element}, %y: {y.element}, " \
        f"%o: {element}):\n" + "\n".join(body.lines) + f"\n      linalg.yield {total} : {element}\n  }} -> {{T}}"
    return p.add(dims, [x, y], text, element)


def reduce(p, kind, x, dim=-1, keep=True):
    """Sum, maximum or (of i1) or along one dimension, which stays as one element where `keep`."""
    dim %= len(x.dims)
    rank = len(x.dims)
    dims = [("1" if i == dim else d) for i, d in enumerate(x.dims) if keep or i != dim]
    start = {"add": 0.0, "maximum": float("-inf"), "or": 0}[kind]
    out = [0 if i == dim else f"i{i}" for i in range(rank) if keep or i != dim]
    kinds = ", ".join(f'"{"reduction" if i == dim else "parallel"}"' for i in range(rank))
    body = Body()
    body.types.update({"%x": x.element, "%o": x.element})
    total = body.binary(kind, "%x", "%o")
    text = filled(p, dims, [x], start, x.element) + f"  {{r}} = linalg.generic {{indexing_maps = [{affine(rank, [f'i{i}' for i in range(rank)])}, " \
        f"{affine(rank, out)}], iterator_types = [{kinds}]}} ins({{0}} : {x.type()}) outs({{r}}i : {{T}}) {{\n" \
        f"    ^bb0(%x: {x.element}, %o: {x.element}):\n" + "\n".join(body.lines) + f"\n      linalg.yield {total} : {x.element}\n  }} -> {{T}}"
    return p.add(dims, [x], text, x.element)


def transpose(p, x, order):
    dims, sizes = [x.dims[i] for i in order], [places(x)[i] for i in order]
    return p.add(dims, [x], p.empty(dims, sizes, x.element) + f"  {{r}} = linalg.transpose ins({{0}} : {x.type()}) "
                 f"outs({{r}}e : {{T}}) permutation = {list(order)}", x.element)


def product(*dims):
    names = [d for d in dims if not d.isdigit()]
    number = 1
    for d in dims:
        number *= int(d) if d.isdigit() else 1
    return "*".join([f"({d})" if not d.isidentifier() else d for d in names] + ([str(number)] if number != 1 or not names else []))


def collapse(p, x, first, count=2):
    dims = x.dims[:first] + [product(*x.dims[first:first + count])] + x.dims[first + count:]
    groups = [[i] for i in range(first)] + [list(range(first, first + count))] + [[i] for i in range(first + count, len(x.dims))]
    return p.add(dims, [x], f"  {{r}} = tensor.collapse_shape {{0}} {groups} : {x.type()} into {{T}}", x.element)


def expand(p, x, at, parts, like=()):
    """Dimension `at` as several; sizes that are names come from `like`."""
    dims = x.dims[:at] + list(parts) + x.dims[at + 1:]
    groups = [[i] for i in range(at)] + [list(range(at, at + len(parts)))] + [[i + len(parts) - 1] for i in range(at + 1, len(x.dims))]
    lines, names = "", []
    for i, (dim, source) in enumerate(zip(dims, sources(dims, [x, *like]))):
        if dim.isdigit():
            names.append(dim)
            continue
        lines += f"  {{r}}c{i} = arith.constant {source[1]} : index\n  {{r}}d{i} = tensor.dim {source[0]}, {{r}}c{i} : {source[2]}\n"
        names.append(f"{{r}}d{i}")
    return p.add(dims, [x, *like], lines + f"  {{r}} = tensor.expand_shape {{0}} {groups} output_shape [{', '.join(names)}] : "
                 f"{x.type()} into {{T}}", x.element)


def slice_(p, x, at, offset, size, like=()):
    """Some of the elements of a dimension; a size that is a name comes from `like`."""
    dims = x.dims[:at] + [size] + x.dims[at + 1:]
    lines, names = "", []
    for i, (dim, source) in enumerate(zip(dims, sources(dims, [x, *like]))):
        if dim.isdigit():
            names.append(dim)
            continue
        lines += f"  {{r}}c{i} = arith.constant {source[1]} : index\n  {{r}}d{i} = tensor.dim {source[0]}, {{r}}c{i} : {source[2]}\n"
        names.append(f"{{r}}d{i}")
    offsets = ", ".join(str(offset if i == at else 0) for i in range(len(dims)))
    return p.add(dims, [x, *like], lines + f"  {{r}} = tensor.extract_slice {{0}}[{offsets}] [{', '.join(names)}] "
                 f"[{', '.join(['1'] * len(dims))}] : {x.type()} to {{T}}", x.element)


def concat(p, dim, x, y):
    dims = list(x.dims)
    dims[dim] = str(int(x.dims[dim]) + int(y.dims[dim])) if x.dims[dim].isdigit() and y.dims[dim].isdigit() \
        else f"{x.dims[dim]}+{y.dims[dim]}"
    return p.add(dims, [x, y], f"  {{r}} = tensor.concat dim({dim}) {{0}}, {{1}} : ({x.type()}, {y.type()}) -> {{T}}", x.element)
