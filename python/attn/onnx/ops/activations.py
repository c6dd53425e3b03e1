# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations: those that attn has, and others by their formulas."""

from __future__ import annotations

from ..registry import Op, op
from ...build.softmax import softmax
from ...build.layout import product, reshape

MICROSOFT = "com.microsoft"
_ACTIVATIONS = {"Relu": "relu", "Sigmoid": "sigmoid", "Softplus": "softplus", "Mish": "mish", "HardSwish": "hard_swish",
                "Selu": "selu", "Elu": "elu"}


def activate(op: Op, tensor, function: str):
    value = op.emitter.builder.one("attn.activation", [op.emitter.value(tensor)], tensor.type,
                                   {"function": f"#attn.function<{function}>"})
    return op.emitter.made(value, tensor.shape)


@op(*_ACTIVATIONS)
def import_activation(op: Op):
    custom = {"Elu": {"alpha": 1.0}, "Selu": {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875}}
    for name, value in custom.get(op.node.op_type, {}).items():
        if abs(op.attribute(name, value) - value) > 1e-6:
            raise op.error(f"{name} = {op.attribute(name)}", f"only {value} is known")
    return activate(op, op.input(0), _ACTIVATIONS[op.node.op_type])


@op("Gelu")
def import_gelu(op: Op):
    return activate(op, op.input(0), "gelu_tanh" if op.attribute("approximate", "none") == "tanh" else "gelu")


@op("Gelu", "BiasGelu", "FastGelu", domain=MICROSOFT)
def import_biased_gelu(op: Op):
    x = op.input(0)
    if op.optional(1) is not None:
        x = op.emitter.binary("add", x, op.input(1))
    return activate(op, x, "gelu_tanh" if op.node.op_type == "FastGelu" else "gelu")


@op("QuickGelu", domain=MICROSOFT)
def import_quick_gelu(op: Op):
    return swish(op, op.attribute("alpha", 1.702))


@op("Swish")
def import_swish(op: Op):
    return swish(op, op.attribute("alpha", 1.0))


def swish(op: Op, alpha: float):
    """x / (1 + exp(-alpha x))."""
    known = {1.0: "silu", 1.702: "quick_gelu"}.get(round(alpha, 6))
    x = op.input(0)
    if known:
        return activate(op, x, known)
    gate = activate(op, op.emitter.scaled(x, alpha), "sigmoid")
    return op.emitter.binary("mul", x, gate)


@op("LeakyRelu", "PRelu")
def import_leaky_relu(op: Op):
    scalars, x = op.emitter.scalars, op.input(0)
    slope = op.inputs[1:] if op.node.op_type == "PRelu" else []

    def body(v, *slopes):
        factor = slopes[0] if slopes else scalars.like(op.attribute("alpha", 0.01), v)
        return scalars.select(scalars.compare("lt", v, scalars.like(0, v)), scalars.mul(factor, v), v)
    return op.emitter.elementwise([x, *slope], x.element, body)


@op("HardSigmoid")
def import_hard_sigmoid(op: Op):
    scalars, x = op.emitter.scalars, op.input(0)

    def body(v):
        line = scalars.add(scalars.mul(v, scalars.like(op.attribute("alpha", 0.2), v)),
                           scalars.like(op.attribute("beta", 0.5), v))
        return scalars.binary("max", scalars.binary("min", line, scalars.like(1, v)), scalars.like(0, v))
    return op.emitter.elementwise([x], x.element, body)


@op("Softmax")
def import_softmax(op: Op):
    x = op.input(0)
    if op.opset >= 13:
        return softmax(op.emitter, x, op.axis(x.rank, op.attribute("axis", -1)))
    # Before opset 13 all dimensions from the axis on were one.
    axis = op.axis(x.rank, op.attribute("axis", 1))
    flat = reshape(op.emitter, x, (product(x.shape[:axis]), product(x.shape[axis:])))
    return reshape(op.emitter, softmax(op.emitter, flat, 1), x.shape)


@op("LogSoftmax")
def import_log_softmax(op: Op):
    scalars, x = op.emitter.scalars, op.input(0)
    if op.opset < 13:
        raise op.error("before opset 13 its axis means another thing", "convert the model to a newer opset")
    axis = op.axis(x.rank, op.attribute("axis", -1))
    kept = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    keep = lambda t: reshape(op.emitter, t, kept)
    top = keep(op.emitter.reduce(x, [axis], float("-inf"), lambda v, t: scalars.binary("max", v, t)))
    shifted = op.emitter.binary("sub", x, top)
    wide = "f64" if x.element == "f64" else "f32"
    power = lambda v: scalars.op("math.exp", scalars.cast(v, wide))
    total = op.emitter.reduce(shifted, [axis], 0, lambda v, t: scalars.add(t, power(v)), wide)
    log = op.emitter.cast(op.emitter.unary("math.log", total), x.element)
    return op.emitter.binary("sub", shifted, keep(log))
