# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of matrix products written as linalg.generic, for generate_blocks.py.

Operands lie either way, share matrices of a batch or not, and have types of
their own; sums begin with what the output holds. Rows are few or many, and sizes
go around those of tiles, with rows at multiples of 16 bytes and not.
"""

import itertools

#: Element types of the operands and the result.
TYPES = [("bf16", "bf16", "bf16"), ("f16", "f16", "f32"), ("f32", "f32", "f32"), ("f64", "f64", "f64"),
         ("f16", "bf16", "f32"), ("bf16", "f32", "f32"), ("f16", "f16", "f64"), ("f16", "f16", "f16")]
#: Dimensions of the operands, and where the batch is.
FORMS = [("ik", "kj"), ("ik", "jk"), ("ki", "kj"), ("ki", "jk"), ("bik", "kj"), ("bik", "bjk"), ("ik", "bkj"),
         ("bki", "bkj"), ("ibk", "bkj"), ("k", "kj"), ("bk", "bjk")]
#: Rows, columns, terms.
SIZES = [(40, 72, 48), (9, 33, 35), (3, 64, 96), (8, 13, 40), (130, 40, 64), (1, 520, 130), (33, 8, 0), (17, 0, 8)]
BATCH = 3


def generic(function, form, types, sizes, is_dynamic):
    """The body of a function with one such product, and the type of its result."""
    m, n, k = sizes
    extents = {"b": BATCH, "i": m, "j": n, "k": k}
    output = "b" * any("b" in dims for dims in form) + "i" * any("i" in dims for dims in form) + "j"
    names, maps = [], []
    for dims, element in zip([*form, output], types):
        unknown = range(len(dims)) if is_dynamic else ()
        names.append(function.argument([extents[dim] for dim in dims], element, unknown))
        maps.append(f"affine_map<({', '.join(output + 'k')}) -> ({', '.join(dims)})>")
    kinds = ", ".join(['"parallel"'] * len(output) + ['"reduction"'])
    wide = types[2]
    lines = [f"^bb0(%p: {types[0]}, %q: {types[1]}, %s: {wide}):"]
    values = ["%p", "%q"]
    for i, element in enumerate(types[:2]):
        if element != wide:
            lines.append(f"  %w{i} = arith.extf {values[i]} : {element} to {wide}")
            values[i] = f"%w{i}"
    lines += [f"  %m = arith.mulf {values[0]}, {values[1]} : {wide}", f"  %t = arith.addf %s, %m : {wide}",
              f"  linalg.yield %t : {wide}"]
    arguments = function.arguments
    body = f"  %y = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} " \
        f"ins({names[0]}, {names[1]} : {arguments[0]}, {arguments[1]}) outs({names[2]} : {arguments[2]}) {{\n" \
        + "".join(f"  {line}\n" for line in lines) + f"  }} -> {arguments[2]}\n"
    return body, arguments[2]


def product_forms(make_function):
    for i, (form, types) in enumerate(itertools.product(FORMS, TYPES)):
        sizes = SIZES[(i + i // len(SIZES)) % len(SIZES)]
        function = make_function()
        body, result = generic(function, form, types, sizes, is_dynamic=i % 3 == 1)
        yield f"product {' '.join(form)} {sizes} {' '.join(types)}", function, function.text(body, result)
