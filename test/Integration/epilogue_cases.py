# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of linear layers with an epilogue, for generate_blocks.py.

Half of them have the epilogue as a region of attn.linear, the others as ops
after it, which attn-fuse-epilogue makes one. Sizes go around the edges of
register tiles, panels, groups of panels and steps over the terms.
"""

import itertools

from function_case import tensor

# Steps on a number %v: name, text with {p} as a prefix of names and {t} as the type, what each extra is.
STEPS = {
    "gelu": ("%{p}r = attn.activation gelu %{v} : {t}\n", ""),
    "silu": ("%{p}r = attn.activation silu %{v} : {t}\n", ""),
    "add": ("%{p}r = arith.addf %{v}, %{e} : {t}\n", "full"),
    "gate": ("%{p}r = arith.mulf %{e}, %{v} : {t}\n", "full"),
    "columns": ("%{p}r = arith.addf %{v}, %{e} : {t}\n", "columns"),
    "scaled": ("%{p}r = arith.mulf %{v}, %{e} : {t}\n", "number"),
    "rank0": ("%{p}r = arith.mulf %{v}, %{e} : {t}\n", "rank0"),
    "clamp": ("%{p}c = arith.constant 5.0e-01 : {t}\n%{p}r = arith.minimumf %{v}, %{p}c : {t}\n", ""),
}
CHAINS = [["gelu"], ["add"], ["silu", "gate"], ["columns", "gelu", "add"], ["scaled", "add"], ["rank0", "clamp"],
          ["gate", "add", "columns", "scaled"], ["clamp"]]
SHAPES = [((5,), 7, 3), ((37,), 96, 130), ((13,), 200, 300), ((2, 3, 5), 100, 64), ((0,), 8, 8), ((), 64, 40),
          ((1,), 130, 1030), ((7,), 33, 0), ((520,), 20, 30), ((3, 17), 600, 40)]


def region(chain, compute):
    """The epilogue's text and the kinds of its extras."""
    text, value, kinds = "", "s", []
    for i, name in enumerate(chain):
        step, kind = STEPS[name]
        if kind:
            kinds.append(kind)
        text += "".join(f"    {line}\n" for line in
                        step.format(p=f"k{i}", v=value, e=f"e{len(kinds) - 1}", t=compute).splitlines())
        value = f"k{i}r"
    arguments = ", ".join([f"%s: {compute}"] + [f"%e{i}: {compute}" for i in range(len(kinds))])
    return f"epilogue {{\n  ^bb0({arguments}):\n{text}    attn.yield %{value} : {compute}\n  }}", kinds


def in_region(function, chain, shape, element, wide, flags):
    """The body of a function whose linear layer has the epilogue itself."""
    (rows, n, m), (ntk, out_in, bias, unknown) = shape, flags
    compute = "f64" if element == "f64" else "f32"
    text, kinds = region(chain, compute)
    unknown = [d for d in unknown if d <= len(rows)]
    x = function.argument(rows + (m,), element, unknown)
    w = function.argument((n, m) if out_in else (m, n), element)
    names = [x, w] + ([function.argument((n,), wide)] if bias else [])
    types = list(function.arguments)
    extras, before = [], ""
    for i, kind in enumerate(kinds):
        if kind == "number":
            before += f"  %number{i} = arith.constant -7.5e-01 : {compute}\n"
            extras.append((f"%number{i}", compute))
            continue
        size = {"full": rows + (n,), "columns": (n,), "rank0": ()}[kind]
        name = function.argument(size, [element, compute][i % 2],
                                 [d for d in unknown if d < len(size)] if kind == "full" else ())
        extras.append((name, function.arguments[-1]))
    out = function.argument(rows + (n,), wide, [d for d in unknown if d < len(rows)])
    result = function.arguments[-1]
    more = f"extras({', '.join(e[0] for e in extras)} : {', '.join(e[1] for e in extras)}) " if extras else ""
    body = before + "  %y = attn.linear " + ("parameterisation(ntk) " if ntk else "") + \
        ("weight(out_in) " if out_in else "") + \
        f"ins({', '.join(names)} : {', '.join(types)}) {more}outs({out} : {result}) {text} -> {result}\n"
    return body, result


def as_ops(function, chain, shape, element):
    """The body of a function with ops on tensors after the layer."""
    rows, n, m = shape
    x, w = function.argument(rows + (m,), element), function.argument((m, n), element)
    types = list(function.arguments)
    result = tensor(rows + (n,), element)
    body = f"  %init = tensor.empty() : {result}\n" \
        f"  %s = attn.linear ins({x}, {w} : {', '.join(types)}) outs(%init : {result}) -> {result}\n"
    value = "s"
    for i, name in enumerate(chain):
        step, kind = STEPS[name]
        extra = ""
        if kind in ("number", "rank0"):
            extra = f"number{i}"
            body += f"  %{extra} = arith.constant dense<-7.5e-01> : {result}\n"
        elif kind:
            extra = function.argument(rows + (n,), element)[1:]
        step = step.replace("5.0e-01", "dense<5.0e-01>")
        body += "".join(f"  {line}\n" for line in step.format(p=f"k{i}", v=value, e=extra, t=result).splitlines())
        value = f"k{i}r"
    return body.replace(f"%{value} =", "%y ="), result


def epilogue_cases(make_function):
    choices = list(itertools.product(CHAINS, ["f32", "bf16", "f16", "f64"]))
    flags = [(0, 0, 1, ()), (1, 1, 1, (0,)), (0, 1, 0, (0, 1)), (1, 0, 0, ())]
    for i, (chain, element) in enumerate(choices * 2):
        shape = SHAPES[(3 * i + i // 32) % len(SHAPES)]
        wide = element if i % 3 or element == "f64" else "f32"
        function = make_function()
        if i < len(choices):
            body, result = in_region(function, chain, shape, element, wide, flags[(i + i // 4) % 4])
        else:
            body, result = as_ops(function, chain, shape, element)
        name = f"epilogue {'region' if i < len(choices) else 'ops'} {' '.join(chain)} {shape} {element}"
        yield name, function, function.text(body, result)
