# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Further ops of random programs (products, slices, reshapes, loops, gathers), and the choice of ops."""

import math

from random_program import (BINARY, NUMBERS, Program, attention, binary, feed_forward, linear, norm, places, rope, rows, select, softmax,
                            statistics, unary)
from size_case import evaluate


def transpose(program, rng, x):
    if len(x.dims) < 2:
        return None
    order = rng.sample(range(len(x.dims)), len(x.dims))
    dims, sizes = [x.dims[i] for i in order], [places(x)[i] for i in order]
    return program.add(dims, [x], program.empty(dims, sizes) + f"  {{r}} = linalg.transpose ins({{0}} : {x.type()}) "
                       f"outs({{r}}e : {{T}}) permutation = {order}")


def zeros(program, dims, sizes):
    element, type = program.element, f"tensor<{' '.join([*dims, program.element])}>"
    return program.empty(dims, sizes) + f"  {{r}}z = arith.constant 0.0 : {element}\n" \
        f"  {{r}}i = linalg.fill ins({{r}}z : {element}) outs({{r}}e : {type}) -> {type}\n"


def reduce(program, rng, x):
    if not x.dims:
        return None
    at = rng.randrange(len(x.dims))
    dims, sizes = [[v for i, v in enumerate(list_) if i != at] for list_ in (x.dims, places(x))]
    way = rng.choice(["arith.addf", "arith.maximumf"])
    return program.add(dims, [x], zeros(program, dims, sizes) + f"  {{r}} = linalg.reduce {{ {way} }} "
                       f"ins({{0}} : {x.type()}) outs({{r}}i : {{T}}) dimensions = [{at}]")


def matmul(program, rng, x):
    if len(x.dims) not in (2, 3):
        return None
    width = program.name(rng)
    y, dims = program.argument([*x.dims[:-2], x.dims[-1], width]), x.dims[:-1] + [width]
    sizes = places(x)[:-1] + [("{1}", len(y.dims) - 1, y.type())]
    return program.add(dims, [x, y], zeros(program, dims, sizes) + f"  {{r}} = linalg.{'batch_' if len(dims) == 3 else ''}matmul "
                       f"ins({{0}}, {{1}} : {x.type()}, {y.type()}) outs({{r}}i : {{T}}) -> {{T}}")


def collapse(program, _, x):
    if len(x.dims) < 2 or not all(d.isalnum() for d in x.dims[:2]):
        return None
    dims = [f"{x.dims[0]}*{x.dims[1]}"] + x.dims[2:]
    if x.dims[0].isdigit() and x.dims[1].isdigit():
        dims[0] = str(int(x.dims[0]) * int(x.dims[1]))
    groups = [[0, 1]] + [[i] for i in range(2, len(x.dims))]
    return program.add(dims, [x], f"  {{r}} = tensor.collapse_shape {{0}} {groups} : {x.type()} into {{T}}")


def expand(program, rng, x):
    """The first dimension apart into groups of a known size: the argument must be a multiple."""
    if len(x.dims) not in (1, 2, 3) or not x.dims[0].isidentifier() or not all(d.isalnum() for d in x.dims):
        return None
    groups = program.name(rng)
    # Nothing of x is in the op, so its sizes have names of their own.
    rest = [dim if dim.isdigit() else program.name(rng) for dim in x.dims[1:]]
    whole = program.argument([f"{groups}*4"] + rest)
    like = program.argument([groups, "4"] + rest)
    names = ", ".join(["{r}d0", "4"] + [f"{{r}}d{i + 1}" if not d.isdigit() else d for i, d in enumerate(x.dims[1:], 1)])
    asked = "".join(f"  {{r}}c{i} = arith.constant {i} : index\n  {{r}}d{i} = tensor.dim {{1}}, {{r}}c{i} : {like.type()}\n"
                    for i, d in enumerate(like.dims) if not d.isdigit())
    shape = [[0, 1]] + [[i + 1] for i in range(1, len(x.dims))]
    return program.add(like.dims, [whole, like], asked + f"  {{r}}t = tensor.expand_shape {{0}} {shape} output_shape [{names}] : "
                       f"{whole.type()} into {{T}}\n  {{r}} = {rng.choice(BINARY)} {{r}}t, {{1}} : {{T}}")


def tell(program, rng, dims):
    """Sometimes the type of a result tells a size that those of its operands do not."""
    told = []
    for dim in dims:
        size = evaluate(dim, program.sizes)
        if not dim.isdigit() and not dim.isidentifier() and rng.random() < 0.25:
            program.where.append(f"{dim} == {size}")
            dim = str(size)
        told.append(dim)
    return told


def concat(program, rng, x):
    if not x.dims or not all(d.isalnum() for d in x.dims):
        return None
    more = program.name(rng)
    y, dims = program.argument([more] + x.dims[1:]), [f"{x.dims[0]}+{more}"] + x.dims[1:]
    if x.dims[0].isdigit() and more.isdigit():
        dims[0] = str(int(x.dims[0]) + int(more))
    return program.add(tell(program, rng, dims), [x, y], f"  {{r}} = tensor.concat dim(0) {{0}}, {{1}} : ({x.type()}, {y.type()}) -> {{T}}")


def pad(program, rng, x):
    if not x.dims or not x.dims[-1].isalnum():
        return None
    low, high = rng.randrange(3), rng.randrange(4)
    if x.dims[-1].isdigit():
        return None
    dims, rest = x.dims[:-1] + [f"{x.dims[-1]}+{low + high}"], [0] * (len(x.dims) - 1)
    indices = ", ".join(f"%i{i}: index" for i in range(len(dims)))
    return program.add(tell(program, rng, dims), [x], f"  {{r}}z = arith.constant 1.5 : {x.element}\n  {{r}} = tensor.pad {{0}} low{rest + [low]} "
                       f"high{rest + [high]} {{\n  ^bb0({indices}):\n    tensor.yield {{r}}z : {x.element}\n  }} : {x.type()} to {{T}}")


def pad_like(program, rng, x):
    """A padding for each dimension, up to the size of an argument."""
    if not x.dims or not all(d.isidentifier() for d in x.dims):
        return None
    more = [program.name(rng) for _ in x.dims]
    for name, dim in zip(more, x.dims):
        program.sizes[name] += program.sizes[dim]
        program.where.append(f"{name} >= {dim}")
    y, rank = program.argument(more, x.element), len(more)
    lines = [f"  {{r}}c{i} = arith.constant {i} : index\n  {{r}}m{i} = tensor.dim {{0}}, {{r}}c{i} : {x.type()}\n"
             f"  {{r}}n{i} = tensor.dim {{1}}, {{r}}c{i} : {y.type()}\n  {{r}}h{i} = arith.subi {{r}}n{i}, {{r}}m{i} : index\n"
             for i in range(rank)]
    high, indices = (", ".join(form.format(i) for i in range(rank)) for form in ("{{r}}h{}", "%i{}: index"))
    return program.add(more, [x, y], "".join(lines) + f"  {{r}}z = arith.constant 1.5 : {x.element}\n"
                       f"  {{r}} = tensor.pad {{0}} low{[0] * rank} high[{high}] {{\n  ^bb0({indices}):\n"
                       f"    tensor.yield {{r}}z : {x.element}\n  }} : {x.type()} to {{T}}")


def insert_slice(program, rng, x):
    """The first rows become those of an argument."""
    if not x.dims or not x.dims[0].isidentifier():
        return None
    few = program.name(rng, [0, 1, 2, max(program.sizes[x.dims[0]], 2)])
    program.sizes[few] = min(program.sizes[few], program.sizes[x.dims[0]])
    program.where.append(f"{few} <= {x.dims[0]}")
    y = program.argument([few] + x.dims[1:])
    asked = "".join(f"  {{r}}c{i} = arith.constant {i} : index\n  {{r}}d{i} = tensor.dim {{{0 if i else 1}}}, {{r}}c{i} : "
                    f"{(x if i else y).type()}\n" for i in range(len(y.dims)))
    sizes = ", ".join(f"{{r}}d{i}" if not d.isdigit() else d for i, d in enumerate(y.dims))
    zero, one = ", ".join("0" * len(y.dims)), ", ".join("1" * len(y.dims))
    return program.add(x.dims, [x, y], asked + f"  {{r}} = tensor.insert_slice {{1}} into {{0}}[{zero}] [{sizes}] [{one}] : "
                       f"{y.type()} into {{T}}")


def gather(program, rng, x):
    """Rows of x by indices from data."""
    if len(x.dims) != 2 or not x.dims[0].isidentifier():
        return None
    count, table = program.name(rng), x.dims[0]
    if program.sizes[table] == 0:
        return None
    index = program.argument([count], "i64")
    limit = program.sizes[table]
    rows = [i * 5 % limit for i in range(7)]
    program.data[index.name] = rows
    # As many indices as are read have their rows; longer lists repeat, and rows without columns are not read.
    if program.sizes.get(x.dims[1]) != 0:
        program.wrong[index.name] = [-1, limit, limit + 1, 2**40, -2**63, 2**63 - 1]
    program.where += [f"({count} <= {i} or {x.dims[1]} == 0 or {table} > {max(rows[:i + 1])})" for i in range(len(rows))]
    dims = [count, x.dims[1]]
    sizes = [("{1}", 0, index.type()), ("{0}", 1, x.type())]
    return program.add(dims, [x, index], program.empty(dims, sizes) + f"""  {{r}} = linalg.generic {{indexing_maps = [
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins({{1}} : {index.type()}) outs({{r}}e : {{T}}) {{
    ^bb0(%x: i64, %o: {x.element}):
      %at = arith.index_cast %x : i64 to index
      %c = linalg.index 1 : index
      %v = tensor.extract {{0}}[%at, %c] : {x.type()}
      linalg.yield %v : {x.element}
  }} -> {{T}}""")


def loop(program, rng, x):
    """Row by row."""
    if len(x.dims) != 2:
        return None
    y, row = program.find(rng, x.dims), f"tensor<1 {x.dims[1]} {x.element}>"
    width = "{r}w" if not x.dims[1].isdigit() else x.dims[1]
    return program.add(x.dims, [x, y], program.empty(x.dims, places(x)) + f"""  {{r}}k0 = arith.constant 0 : index
  {{r}}k1 = arith.constant 1 : index
  {{r}}n = tensor.dim {{0}}, {{r}}k0 : {x.type()}
  {{r}}w = tensor.dim {{0}}, {{r}}k1 : {x.type()}
  {{r}} = scf.for %i = {{r}}k0 to {{r}}n step {{r}}k1 iter_args(%t = {{r}}e) -> ({{T}}) {{
    %a = tensor.extract_slice {{0}}[%i, 0] [1, {width}] [1, 1] : {x.type()} to {row}
    %b = tensor.extract_slice {{1}}[%i, 0] [1, {width}] [1, 1] : {y.type()} to {row}
    %s = {rng.choice(BINARY)} %a, %b : {row}
    %u = tensor.insert_slice %s into %t[%i, 0] [1, {width}] [1, 1] : {row} into {{T}}
    scf.yield %u : {{T}}
  }}""")


def cast(program, rng, x):
    """Sizes that the text does not tell become known, and the other way round."""
    named = [i for i, d in enumerate(x.dims) if d.isidentifier()]
    if not named:
        return None
    at = rng.choice(named)
    size = program.sizes[x.dims[at]]
    program.where.append(f"{x.dims[at]} == {size}")
    dims = x.dims[:at] + [str(size)] + x.dims[at + 1:]
    return program.add(dims, [x], f"  {{r}} = tensor.cast {{0}} : {x.type()} to {{T}}")


OPS = [unary, unary, binary, binary, select, rows, linear, linear, feed_forward, norm, softmax, statistics, attention, attention, rope,
       transpose, reduce, matmul, collapse, expand, concat, pad, pad_like, insert_slice, gather, loop, cast]
#: Batches and heads.
FEW = [1, 2, 3, 4]


def make_program(rng, most=8):
    """A chain of ops that each take the last value or one of those that nobody uses."""
    element = rng.choice(["f32", "f32", "f32", "bf16", "f16", "f64"])
    program = Program(element)
    program.static = rng.random() < 0.3
    rank = rng.choice([1, 2, 2, 3, 3, 4])
    dims = [program.name(rng, FEW if rank > 2 and i < rank - 2 else NUMBERS) for i in range(rank)]
    if rng.random() < 0.5:
        dims[-1] = str(rng.choice([8, 16, 24, 64]))
    last = program.argument(dims)
    wanted = rng.randint(1, most)
    for _ in range(8 * wanted):
        if len(program.ops) == wanted:
            break
        before = program.copy()
        made = rng.choice(OPS)(program, rng, last if rng.random() < 0.8 else rng.choice(program.unused() or [last]))
        if made is None or elements(program) > 1 << 20:
            program = before
            last = next((v for v in program.values() if v.name == last.name), program.values()[-1])
        elif made.element == element:
            last = made
    program.results = program.unused()
    return program if program.ops else make_program(rng, most)


def elements(program):
    return max(math.prod(shape) for shape in program.case().shapes())
