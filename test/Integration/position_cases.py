# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of rotary and sinusoidal positions of many rows, for generate_blocks.py.

Several blocks of positions, the last one in part; positions below 0, around
where angles become too large for steps from one to the next, and far beyond;
positions that are given; outputs that are written past the caches.
"""

import itertools

from function_case import tensor

ELEMENTS = ["f32", "bf16", "f16", "f64"]
#: 2^24 is where steps end for base 10000; 2^40 is exact in f64.
OFFSETS = [None, -70, 2 ** 24 - 100, 2 ** 24 + 100, 2 ** 40, -2 ** 40]
ATTRIBUTES = ["", "pairs(half_split) ", "base(1.0e+02) position_scale(3.0e+00) ",
              "pairs(half_split) base(5.0e-01) ", "pairs(half_split) position_scale(-1.25e-01) "]


def where(function, offset, given, first, rows):
    """What comes before the op, and its operands."""
    before, operands = "", ""
    if given == "first":
        operands += f"offset({function.argument((first,), 'i64')} : {tensor((first,), 'i64')}) "
    elif offset is not None:
        before = f"  %o = arith.constant {offset} : i64\n"
        operands += "offset(%o : i64) "
    if given == "rows":
        operands += f"positions({function.argument((rows,), 'i32')} : {tensor((rows,), 'i32')}) "
    return before, operands


def rope_cases(Function):
    shapes = [((2, 150, 3, 64), 1), ((3, 150, 64), 1), ((2, 5, 131, 24), 2), ((133, 6), 0), ((1, 2, 70, 256), 2)]
    for i, ((shape, row_dim), offset) in enumerate(itertools.product(shapes, OFFSETS)):
        function, element = Function(), ELEMENTS[(i + i // 6) % 4]
        given = ["", "", "first", "rows"][i % 4] if row_dim != 0 else ""
        unknown = list(range(len(shape) - 1)) if i % 2 else []
        x = function.argument(shape, element, unknown)
        before, operands = where(function, offset, given, shape[0], shape[row_dim])
        out = function.argument(shape, element, unknown)
        result = function.arguments[0]
        rotary = shape[-1] if i % 3 else shape[-1] // 2 // 2 * 2
        body = before + f"  %y = attn.rope {ATTRIBUTES[i % 5]}rotary_dim({rotary}) row_dim({row_dim}) " \
            f"ins({x} : {result}) {operands}outs({out} : {result}) -> {result}\n"
        yield f"rope of blocks {shape} {offset} {given} {element}", function, function.text(body, result)


def table_cases(Function):
    """Cosines and sines that are given, in each type beside each type of rows."""
    shapes = [((2, 150, 3, 64), 1), ((3, 150, 64), 1), ((2, 5, 131, 24), 2), ((133, 6), 0), ((1, 2, 70, 256), 2),
              ((2, 1, 3, 18), 2)]
    for i, ((shape, row_dim), element) in enumerate(itertools.product(shapes, ELEMENTS)):
        function = Function()
        first = row_dim != 0 and i % 2 == 0
        unknown = list(range(len(shape) - 1)) if i % 3 == 1 else []
        x = function.argument(shape, element, unknown)
        rotary = shape[-1] if i % 3 else shape[-1] // 2 // 2 * 2
        table = ((shape[0],) if first else ()) + (shape[row_dim], rotary)
        held = ELEMENTS[(i // 4 + i) % 4]
        tables = [function.argument(table, held) for _ in range(2)]
        out = function.argument(shape, element, unknown)
        result = function.arguments[0]
        pairs = "pairs(half_split) " if i % 5 < 2 else ""
        body = f"  %y = attn.rope {pairs}rotary_dim({rotary}) row_dim({row_dim}) ins({x} : {result}) " \
            f"cosines({tables[0]} : {tensor(table, held)}) sines({tables[1]} : {tensor(table, held)}) " \
            f"outs({out} : {result}) -> {result}\n"
        yield f"rope by tables {shape} {first} {held} {element}", function, function.text(body, result)


def sinusoidal_cases(Function):
    shapes = [(300, 64), (2, 131, 40), (257, 6), (3, 2, 72)]
    for i, (shape, offset) in enumerate(itertools.product(shapes, OFFSETS)):
        function, element = Function(), ELEMENTS[(i + i // 6) % 4]
        given = ["", "first", "rows"][i % 3] if len(shape) == 3 else ["", "rows"][i % 2]
        out = function.argument(shape, element)
        before, operands = where(function, offset, given, shape[0], shape[-2])
        result = function.arguments[0]
        body = before + f"  %y = attn.sinusoidal_positions {ATTRIBUTES[i % 5]}{operands}" \
            f"outs({out} : {result}) -> {result}\n"
        yield f"sinusoidal of blocks {shape} {offset} {given} {element}", function, function.text(body, result)


def large_cases(Function):
    """16 MiB are written past the caches."""
    for i, (attributes, element) in enumerate(itertools.product(ATTRIBUTES[:2], ["f32", "bf16"])):
        function, columns = Function(), 128 if element == "f32" else 256
        type = tensor((2, 16384, columns), element)
        out = function.argument((2, 16384, columns), element)
        op = f"attn.rope {attributes}ins({out} : {type}) " if i % 3 else f"attn.sinusoidal_positions {attributes}"
        body = f"  %init = tensor.empty() : {type}\n  %y = {op}outs(%init : {type}) -> {type}\n"
        yield f"large {op} {element}", function, function.text(body, type)


def position_cases(Function):
    return itertools.chain(rope_cases(Function), table_cases(Function), sinusoidal_cases(Function), large_cases(Function))
