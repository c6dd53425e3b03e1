# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products."""

from __future__ import annotations

from ... import ir
from ...build.emitter import broadcast_shapes
from ...build.layout import reshape, transpose
from ..registry import Op, op
from ...build.tensors import Tensor, is_float


def linear(op: Op, x: Tensor, weight: Tensor, layout: str, bias: Tensor | None = None) -> Tensor:
    """attn.linear; the weight's layout is in_out or out_in."""
    emitter = op.emitter
    shape = (*x.shape[:-1], weight.shape[1 if layout == "in_out" else 0])
    empty = emitter.empty(shape, x.element)
    operands = [emitter.value(t) for t in (x, weight, bias) if t is not None]
    attributes = {"operandSegmentSizes": ir.segments(1, 1, int(bias is not None), 0, 1),
                  "weight_layout": f"#attn.weight_layout<{layout}>",
                  "parameterisation": "#attn.parameterisation<standard>"}
    made = emitter.builder.add("attn.linear", [*operands, empty], [empty.type], attributes, regions=1)
    return emitter.made(made.results[0], shape)


@op("MatMul")
def import_matmul(op: Op):
    a, b = op.inputs
    emitter = op.emitter
    if a.rank == 1 or b.rank == 1:
        wide_a = reshape(emitter, a, (1, *a.shape)) if a.rank == 1 else a
        wide_b = reshape(emitter, b, (*b.shape, 1)) if b.rank == 1 else b
        product = matmul(op, wide_a, wide_b)
        shape = list(product.shape)
        if b.rank == 1:
            del shape[-1]
        if a.rank == 1:
            del shape[-1 if b.rank == 1 else -2]
        return reshape(emitter, product, shape)
    return matmul(op, a, b)


def matmul(op: Op, a: Tensor, b: Tensor) -> Tensor:
    if b.rank == 2 and is_float(a.element):
        return linear(op, a, b, "in_out")
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    count = len(batch)
    shape = (*batch, a.shape[-2], b.shape[-1])
    of_batch = lambda t: op.emitter.map_of(Tensor(t.shape[:-2], t.element), batch)
    return op.emitter.sum_of_products(a, b, [*of_batch(a), count, count + 2], [*of_batch(b), count + 2, count + 1], shape,
                                      count + 3)


@op("Gemm")
def import_gemm(op: Op):
    a, b, c = op.input(0), op.input(1), op.optional(2)
    alpha, beta = op.attribute("alpha", 1.0), op.attribute("beta", 1.0)
    if not is_float(a.element):
        raise op.error("elements are integers", "cast them to floats")
    if op.attribute("transA", 0):
        a = transpose(op.emitter, a, [1, 0])
    layout = "out_in" if op.attribute("transB", 0) else "in_out"
    direct = c is not None and alpha == beta == 1 and c.rank == 1 and c.type.shape == Tensor(
        b.shape[:1] if layout == "out_in" else b.shape[1:], c.element).type.shape
    y = linear(op, a, b, layout, c if direct else None)
    y = op.emitter.scaled(y, alpha)
    if c is None or direct:
        return y
    return op.emitter.binary("add", y, op.emitter.scaled(c, beta))
