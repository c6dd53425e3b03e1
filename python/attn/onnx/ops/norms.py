# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms over the last dimensions, with a sum before them and statistics beside them."""

from __future__ import annotations

from ... import ir
from ...build.emitter import Emitter
from ...build.layout import expand, product, reshape
from ...build.sizes import same
from ...build.tensors import Tensor
from ..registry import Op, op

MICROSOFT = "com.microsoft"


def norm(emitter: Emitter, kind: str, x: Tensor, axis: int, eps: float, gamma=None, beta=None) -> Tensor:
    """attn.norm over the dimensions from `axis` on; gamma and beta have these."""
    value = emitter.value
    empty = emitter.empty(x.shape, x.element)
    given = [1, 0, 0, int(gamma is not None), int(beta is not None), 0, 0, 1, 0, 0, 0]
    operands = [value(x), *[value(t) for t in (gamma, beta) if t is not None], empty]
    made = emitter.builder.one("attn.norm", operands, empty.type, {
        "kind": f"#attn.norm_kind<{kind}>", "axes": ir.i64s(range(axis, x.rank)), "eps": ir.f64(eps),
        "eps_mode": "#attn.eps_mode<rsqrt_sum>", "operandSegmentSizes": ir.segments(*given)})
    return emitter.made(made, x.shape)


def _affine(op: Op, tensor: Tensor | None, x: Tensor, axis: int):
    """gamma or beta with the sizes of the dimensions that are normalised, if it varies with no other."""
    if tensor is None:
        return None, None
    sizes = x.shape[axis:]
    extra = tensor.rank - len(sizes)
    if extra > 0 and all(same(n, 1) for n in tensor.shape[:extra]):
        tensor = reshape(op.emitter, tensor, tensor.shape[extra:])
    if tensor.rank <= len(sizes):
        return expand(op.emitter, tensor, sizes), None
    return None, tensor


def _normalise(op: Op, kind: str, x: Tensor, axis: int, eps: float, gamma, beta) -> Tensor:
    (gamma, gamma_after), (beta, beta_after) = _affine(op, gamma, x, axis), _affine(op, beta, x, axis)
    if gamma_after is not None and beta is not None:
        beta, beta_after = None, beta
    y = norm(op.emitter, kind, x, axis, eps, gamma, beta)
    if gamma_after is not None:
        y = op.emitter.binary("mul", y, gamma_after)
    return y if beta_after is None else op.emitter.binary("add", y, beta_after)


def _statistics(op: Op, x: Tensor, axis: int, eps: float, centred: bool):
    """Mean and one over the standard deviation, in f32, with dimensions of size 1."""
    emitter, scalars = op.emitter, op.emitter.scalars
    element = "f64" if x.element == "f64" else "f32"
    axes, kept = list(range(axis, x.rank)), (*x.shape[:axis], *[1] * (x.rank - axis))
    count = product(x.shape[axis:])
    if not isinstance(count, int):
        raise op.error("statistics over sizes that are not known", "make the normalised dimensions static")
    x = emitter.cast(x, element)
    average = lambda t: reshape(emitter, emitter.scaled(
        emitter.reduce(t, axes, 0, lambda v, total: scalars.add(total, v)), 1 / count), kept)
    mean = average(x)
    shifted = emitter.binary("sub", x, mean) if centred else x
    variance = average(emitter.binary("mul", shifted, shifted))
    inverse = emitter.elementwise([variance], element, lambda v: scalars.op(
        "math.rsqrt", scalars.add(v, scalars.like(eps, v))))
    return mean, inverse


@op("LayerNormalization")
def import_layer_norm(op: Op):
    x, eps = op.input(0), op.attribute("epsilon", 1e-5)
    axis = op.axis(x.rank, op.attribute("axis", -1))
    results = [_normalise(op, "layer", x, axis, eps, op.input(1), op.optional(2)), None, None]
    if op.wants(1) or op.wants(2):
        results[1:] = _statistics(op, x, axis, eps, centred=True)
    return results


@op("RMSNormalization", "SimplifiedLayerNormalization")
def import_rms_norm(op: Op):
    """SimplifiedLayerNormalization is onnxruntime's name for it, in ONNX's own domain."""
    x, eps = op.input(0), op.attribute("epsilon", 1e-5)
    axis = op.axis(x.rank, op.attribute("axis", -1))
    results = [_normalise(op, "rms", x, axis, eps, op.input(1), None)]
    if op.wants(1):
        results.append(_statistics(op, x, axis, eps, centred=False)[1])
    return results


def _skip_norm(op: Op, kind: str, beta, bias):
    x = op.emitter.binary("add", op.input(0), op.input(1))
    if bias is not None:
        x = op.emitter.binary("add", x, bias)
    axis, eps = x.rank - 1, op.attribute("epsilon", 1e-5 if kind == "rms" else 1e-12)
    results = [_normalise(op, kind, x, axis, eps, op.input(2), beta), None, None, x]
    if op.wants(1) or op.wants(2):
        results[1:3] = _statistics(op, x, axis, eps, centred=kind == "layer")
    return results


@op("SkipLayerNormalization", domain=MICROSOFT)
def import_skip_layer_norm(op: Op):
    return _skip_norm(op, "layer", op.optional(3), op.optional(4))


@op("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def import_skip_rms_norm(op: Op):
    return _skip_norm(op, "rms", None, op.optional(3))


@op("SimplifiedLayerNormalization", domain=MICROSOFT)
def import_simplified_layer_norm(op: Op):
    return import_rms_norm(op)
