# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of linear, softmax, rope, sinusoidal positions and residual blocks.

Each is compiled and compared with the f64 reference by attn-run --check. A
failing case prints the command that runs it again.
"""

import collections
import itertools
import random
import re
import sys

import function_case
import policies
from epilogue_cases import epilogue_cases
from function_case import part, tensor
from position_cases import position_cases
from product_cases import product_forms

POLICIES = ["#attn.none", "#attn.inv_sqrt_dim", "#attn.inv_dim", "#attn.constant<-1.5>", "#attn.operand",
            "#attn.learned", "#attn.entropy_invariant<kappa = 2.0, n = keys>", "#attn.entropy_invariant<n = visible>",
            "#attn.log_length<base = 512.0, n = position>", "#attn.log_length<base = 64.0, n = position_operand>",
            "#attn.gradient_max_fit<scores = normal, n = constant(300)>", "#attn.gradient_max_blind",
            "#attn.gradient_max_fit<scores = cosine, n = keys>", "#attn.gradient_max<scores = normal, n = position>",
            "#attn.gradient_max<scores = cosine, n = half_max(2048)>", "#attn.log_length<base = 16.0, n = seen>"]
POLICIES += policies.unnamed(policies.SCALES, POLICIES)
NORMALIZERS = ["#attn.softmax", "#attn.softmax1", "#attn.softmax_n<2.5>", "#attn.sink"]
NORMALIZERS += policies.unnamed(policies.NORMALIZERS, NORMALIZERS)


LAYOUTS = ["", "from rows apart", "to rows apart", "from columns apart", "to columns apart"]
#: The op that makes the result, up to its destination.
WRITER = re.compile(r"(  %y = (?:attn|linalg)\.[^\n]*outs\()(%\w+)")


class Function(function_case.Function):
    """A function with one op.

    The cases of one op and element type go through LAYOUTS in turn: their first
    argument is a part of a larger tensor, or their result is written into one,
    with rows that lie further apart, or in every second column.
    """

    turns = collections.Counter()

    def turn(self, body, result):
        """The layout of a case: of those that its sizes allow, the one used least."""
        fits = {"": True, "to": part(result, "rows apart") and WRITER.search(body),
                "from": part(self.arguments[0], "rows apart")}
        op = re.search(r"%y = ([\w.]+)", body).group(1), result[-5:]
        layout = min((layout for layout in LAYOUTS if fits[layout.partition(" ")[0]]),
                     key=lambda layout: self.turns[op, layout] / (1 if layout else 2))
        self.turns[op, layout] += 1
        return layout

    def text(self, body, result):
        named = [(f"%a{i}", type) for i, type in enumerate(self.arguments)]
        layout, returned = self.turn(body, result), ("%y", result)
        if layout.startswith("to "):
            held, where = part(result, layout)
            named.append(("%w", held))
            body = WRITER.sub(rf"  %part = tensor.extract_slice %w{where} : {held} to {result}\n\1%part", body) + \
                f"  %z = tensor.insert_slice %y into %w{where} : {result} into {held}\n"
            returned = "%z", held
        elif layout:
            type = self.arguments[0]
            held, where = part(type, layout)
            named[0] = ("%w", held)
            body = f"  %a0 = tensor.extract_slice %w{where} : {held} to {type}\n" + body
        arguments = ", ".join(f"{name}: {type}" for name, type in named)
        return f"func.func @case({arguments}) -> {returned[1]} {{\n{body}  return {returned[0]} : {returned[1]}\n}}\n"


def linear_cases():
    shapes = [((5,), 7, 3), ((1, 64), 48, 0), ((37,), 96, 130), ((8, 3), 33, 17), ((2, 3, 5), 100, 64),
              ((300,), 50, 600), ((0,), 8, 8), ((), 64, 40), ((9,), 1, 1), ((256,), 64, 257), ((1,), 33, 37),
              ((1, 1), 100, 600), ((), 5, 3), ((1,), 20, 0)]
    for i, ((rows, n, m), element) in enumerate(itertools.product(shapes, ["f32", "bf16", "f16", "f64"])):
        for ntk, out_in, bias, unknown in [(0, 0, 1, ()), (1, 1, 1, (0,)), (0, 1, 0, (0, 1)), (1, 0, 0, ())]:
            function = Function()
            wide = element if i % 2 or element == "f64" else "f32"
            weight = (n, m) if out_in else (m, n)
            unknown = [d for d in unknown if d <= len(rows)]
            x = function.argument(rows + (m,), element, unknown)
            w = function.argument(weight, element)
            b = function.argument((n,), wide) if bias else ""
            out = function.argument(rows + (n,), wide, [d for d in unknown if d < len(rows)])
            types = function.arguments
            operands = ", ".join(filter(None, [x, w, b]))
            body = "  %y = attn.linear " + ("parameterisation(ntk) " if ntk else "") + \
                ("weight(out_in) " if out_in else "") + \
                f"ins({operands} : {', '.join(types[:-1])}) outs({out} : {types[-1]}) -> {types[-1]}\n"
            yield f"linear {rows} {m} {n} {element} {ntk}{out_in}{bias}", function, function.text(body, types[-1])


def product_cases():
    """Structured products beside attn.linear."""
    for element, (b, m, k, n) in itertools.product(["f32", "bf16"], [(3, 5, 7, 9), (2, 64, 33, 48), (1, 1, 300, 50)]):
        shapes = {"matmul": ((m, k), (k, n), (m, n)), "matvec": ((m, k), (k,), (m,)), "vecmat": ((k,), (k, n), (n,)),
                  "batch_matmul": ((b, m, k), (b, k, n), (b, m, n))}
        for name, operands in shapes.items():
            function = Function()
            values = [function.argument(shape, "f32" if i == 2 else element) for i, shape in enumerate(operands)]
            types = function.arguments
            body = f"  %y = linalg.{name} ins({values[0]}, {values[1]} : {types[0]}, {types[1]}) " \
                f"outs({values[2]} : {types[2]}) -> {types[2]}\n"
            yield f"{name} {operands} {element}", function, function.text(body, types[2])


def softmax_cases():
    # Every policy with every normaliser, and both with every element type.
    for i, (scale, normalizer) in enumerate(itertools.product(POLICIES, NORMALIZERS)):
        element = ["f32", "bf16", "f16", "f64"][(i + i // 4) % 4]
        shape = [(2, 3, 5, 17), (7, 33), (1, 4, 16), (3, 1)][i % 4]
        dim = (len(shape) - 1 - i % len(shape)) if i % 3 == 0 else len(shape) - 1
        floats = "f64" if element == "f64" else "f32"
        others = [size for d, size in enumerate(shape) if d != dim]
        heads = others[-2:-1]
        function = Function()
        unknown = [dim] if i % 2 else []
        x = function.argument(shape, element, unknown)
        params = []
        if scale in ("#attn.operand", "#attn.learned") or scale.startswith("#attn.entropy_invariant<n"):
            params.append(function.argument(heads, floats))
        if "position_operand" in scale:
            params.append(function.argument(others[-1:] if len(shape) < 3 else (), "i64"))
        if normalizer == "#attn.sink":
            params.append(function.argument(heads, floats))
        result = function.arguments[0]
        sizes = "".join(f"  %c{d} = arith.constant {d} : index\n  %n{d} = tensor.dim {x}, %c{d} : {result}\n" for d in unknown)
        empty = "  %init = tensor.empty(" + ", ".join(f"%n{d}" for d in unknown) + f") : {result}\n"
        align = "align(bottom_right) " if i % 2 else "align(top_left) "
        group = f"params({', '.join(params)} : {', '.join(function.arguments[1:])}) " if params else ""
        body = sizes + empty + f"  %y = attn.softmax scale({scale}) softmax({normalizer}) dim({dim}) head_dim(64) {align}" \
            f"ins({x} : {result}) {group}outs(%init : {result}) -> {result}\n"
        yield f"softmax {scale} {normalizer} {shape} {element}", function, function.text(body, result)


def angle_attributes(i):
    return ["", "pairs(half_split) "][i % 2] + ["", "base(5.0e+05) "][i // 2 % 2] + \
        ["", "position_scale(2.5e-01) "][i // 4 % 2]


def rope_cases():
    elements = ["f32", "bf16", "f16", "f64"]
    for i, (shape, where) in enumerate(itertools.product(
            [(2, 3, 17, 40), (5, 64), (1, 1, 1, 2), (3, 0, 8), (4, 9, 128), (2, 5, 0, 6)], ["", "index", "first", "rows", "both", "far"])):
        for rotary in {shape[-1], shape[-1] // 4 * 2}:
            function, element = Function(), elements[(i + i // 6) % 4]
            row_dim = 1 if len(shape) == 4 and i % 2 else len(shape) - 2
            first, rows = shape[0], shape[row_dim]
            x = function.argument(shape, element, [row_dim] if i % 3 == 0 else [])
            more, before = "", ""
            if where == "far" or where == "index":
                before = f"  %o = arith.constant {1000000 if where == 'far' else 5} : index\n"
                more += "offset(%o : index) "
            if where == "first" and len(shape) > 2:
                more += f"offset({function.argument((first,), 'i32')} : {tensor((first,), 'i32')}) "
            if where in ("rows", "both"):
                if where == "both":
                    before, more = "  %o = arith.constant -3 : index\n", "offset(%o : index) "
                per = (first, rows) if where == "both" and len(shape) > 2 else (rows,)
                more += f"positions({function.argument(per, 'i64')} : {tensor(per, 'i64')}) "
            result = function.arguments[0]
            out = function.argument(shape, element, [row_dim] if i % 3 == 0 else [])
            which = f"row_dim({row_dim}) " if row_dim != len(shape) - 2 or i % 4 else ""
            body = before + f"  %y = attn.rope {angle_attributes(i)}rotary_dim({rotary}) {which}" \
                f"ins({x} : {result}) {more}outs({out} : {result}) -> {result}\n"
            yield f"rope {shape} {where} {rotary} {element}", function, function.text(body, result)


def sinusoidal_cases():
    # How rows get their positions: by index, from an offset on, from one offset per first dimension, by a list, ...
    ways = ["", "offset", "far", "first", "list", "lists", "list and offset"]
    shapes = [(17, 64), (3, 5, 32), (1, 2), (2, 7, 6), (0, 8), (2, 33, 10)]
    for i, (way, element, angles) in enumerate(itertools.product(ways, ["f32", "bf16", "f16", "f64"], range(3))):
        function, shape = Function(), shapes[(i + i // 12) % 6]
        if way in ("first", "lists") and len(shape) < 3:
            shape = shapes[(2 * angles + 1) % 6]
        before, more, unknown = "", "", [len(shape) - 2] if i % 5 == 1 else []
        if way in ("offset", "far", "list and offset"):
            before = f"  %o = arith.constant {dict(far=999983, offset=11).get(way, -3)} : index\n"
            more = "offset(%o : index) "
        if way == "first":
            more = f"offset({function.argument(shape[:1], 'i64')} : {tensor(shape[:1], 'i64')}) "
        if "list" in way:
            per, integer = shape[:-1] if way == "lists" else shape[-2:-1], ["i32", "i64"][i % 2]
            more += f"positions({function.argument(per, integer)} : {tensor(per, integer)}) "
        out = function.argument(shape, element, unknown)
        result = function.arguments[-1]
        body = before + f"  %y = attn.sinusoidal_positions {angle_attributes(random.Random(i).randrange(8))}{more}" \
            f"outs({out} : {result}) -> {result}\n"
        yield f"sinusoidal {way} {shape} {element}", function, function.text(body, result)


def residual_cases():
    for (policy, element), (shape, unknown) in itertools.product(itertools.product(
            ["post", "pre", "rezero", "fixup", "scheduled", "inv_sqrt2"], ["f32", "bf16", "f16", "f64"]),
            [((4, 24), ()), ((3, 1, 24), ()), ((0, 24), ()), ((2, 17), ()), ((5, 1), ()), ((7, 24), (0,))]):
        function, width = Function(), shape[-1]
        x = function.argument(shape, element, unknown)
        w = function.argument((width, width), element)
        more = ""
        if policy == "rezero":
            more = f"alpha({function.argument((), 'f32')} : tensor<f32>) "
        if policy == "scheduled":
            more = f"time({function.argument((), 'i64')} : tensor<i64>) step(1.0e-01) "
        type, weight = function.arguments[:2]
        if policy in ("post", "pre"):
            more += f"norm {{\n  ^bb0(%z: {type}):\n    %n = attn.softmax scale(#attn.none) softmax(#attn.softmax) " \
                f"ins(%z : {type}) outs(%init : {type}) -> {type}\n    attn.yield %n : {type}\n  }} "
        size = f"  %c0 = arith.constant 0 : index\n  %n0 = tensor.dim {x}, %c0 : {type}\n" if unknown else ""
        body = f"{size}  %init = tensor.empty({'%n0' if unknown else ''}) : {type}\n" \
            f"  %y = attn.residual {policy}({x} : {type}) {more}branch {{\n" \
            f"  ^bb0(%h: {type}):\n    %f = attn.linear ins(%h, {w} : {type}, {weight}) outs(%init : {type}) -> {type}\n" \
            f"    attn.yield %f : {type}\n  }}\n"
        yield f"residual {policy} {shape} {element}", function, function.text(body, type)


def residual_norm_cases():
    """Sums with and without a factor, each beside the norm that takes it in; both are results."""
    forms = ["plain", "rezero", "scheduled", "constant", "inside"]
    norms = ["rms axes [1]", "layer axes [1]", "instance axes [0]"]
    for i, ((form, norm), (element, shape)) in enumerate(itertools.product(
            itertools.product(forms, norms),
            [("f32", (7, 65)), ("bf16", (33, 40)), ("f16", (1, 24)), ("f64", (9, 17)), ("f32", (0, 24)), ("f32", (19, 1))])):
        function = Function()
        unknown = [0] if i % 2 else []
        x, f = function.argument(shape, element, unknown), function.argument(shape, element, unknown)
        wide = "f64" if element == "f64" else "f32"
        type = function.arguments[0]
        sizes = f"  %c0 = arith.constant 0 : index\n  %n = tensor.dim {x}, %c0 : {type}\n" if unknown else ""
        count = "%n" if unknown else ""
        before = sizes + f"  %init = tensor.empty({count}) : {type}\n"
        at = f"[{count}]" if count else ""
        branch = f"branch {{\n  ^bb0(%h: {type}):\n    %b = arith.negf {f} : {type}\n    attn.yield %b : {type}\n  }}\n"
        if form == "plain":
            before += f"  %s = arith.addf {x}, {f} : {type}\n"
        elif form == "rezero":
            before += f"  %s = attn.residual rezero({x} : {type}) alpha({function.argument((), wide)} : tensor<{wide}>) {branch}"
        elif form == "scheduled":
            before += f"  %s = attn.residual scheduled({x} : {type}) time({function.argument((), 'i64')} : tensor<i64>) " \
                f"step(1.0e-01) {branch}"
        elif form == "constant":
            before += f"  %k = arith.constant -1.5 : {element}\n  %a = tensor.splat %k{at} : {type}\n" \
                f"  %p = arith.mulf {f}, %a : {type}\n  %s = arith.addf %p, {x} : {type}\n"
        else:
            alpha = function.argument((1,), element)
            body = "".join(f"  {line}\n" for line in [
                "^bb0(%p: E, %q: E, %r: E, %o: E):", "  %m = arith.mulf %r, %q : E", "  %t = arith.addf %m, %p : E",
                "  linalg.yield %t : E"]).replace("E", element)
            before += "  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, " \
                "affine_map<(i, j) -> (0)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} " \
                f"ins({x}, {f}, {alpha} : {type}, {type}, tensor<1x{element}>) outs(%init : {type}) {{\n{body}  }} -> {type}\n"
        body = before + f"  %z = attn.norm {norm} eps(1.0) ins(%s : {type}) outs(%init : {type}) -> {type}\n"
        if i % 3 == 0:
            text = function.text(body + f"  %y = arith.addf %z, %s : {type}\n", type)
        else:
            text = function.text(body.replace("%z", "%y"), type)
        yield f"residual norm {form} {norm} {shape} {element}", function, text


def all_cases():
    return itertools.chain(linear_cases(), product_cases(), softmax_cases(), rope_cases(), sinusoidal_cases(),
                           residual_cases(), residual_norm_cases(), epilogue_cases(Function), position_cases(Function),
                           product_forms(Function))


if __name__ == "__main__":
    sys.exit(function_case.main(__doc__, "block", all_cases()))
