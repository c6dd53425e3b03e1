# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on each element, with NumPy's broadcasting."""

from __future__ import annotations

import functools

import numpy as np

from ..registry import Op, op
from ...build.tensors import Tensor, is_float
from ..elements import ELEMENTS

#: By math, one operand, the same type.
_FUNCTIONS = {"Sqrt": "sqrt", "Exp": "exp", "Log": "log", "Tanh": "tanh", "Sin": "sin", "Cos": "cos", "Tan": "tan",
              "Sinh": "sinh", "Cosh": "cosh", "Asin": "asin", "Acos": "acos", "Atan": "atan", "Asinh": "asinh",
              "Acosh": "acosh", "Atanh": "atanh", "Erf": "erf", "Ceil": "ceil", "Floor": "floor", "Round": "roundeven"}


@op(*_FUNCTIONS)
def import_function(op: Op):
    return op.emitter.unary("math." + _FUNCTIONS[op.node.op_type], op.input(0))


_BINARY = {"Add": "add", "Sub": "sub", "Mul": "mul", "Max": "max", "Min": "min", "And": "min", "Or": "max", "Sum": "add"}


@op(*_BINARY)
def import_binary(op: Op):
    if op.opset < 7 and op.attribute("broadcast"):
        raise op.error("broadcasting by an axis is that of opsets before 7", "convert the model to a newer opset")
    name = _BINARY[op.node.op_type]
    return functools.reduce(lambda a, b: op.emitter.binary(name, a, b), op.inputs)


@op("Div")
def import_div(op: Op):
    return op.emitter.binary("div", op.input(0), op.input(1))


@op("Mod")
def import_mod(op: Op):
    """The sign is the divisor's, or with fmod the dividend's."""
    scalars, (a, b) = op.emitter.scalars, op.inputs
    if op.attribute("fmod", 0):
        return op.emitter.binary("rem", a, b)

    def body(x, y):
        zero, rest = scalars.like(0, x), scalars.binary("rem", x, y)
        differ = scalars.op("arith.xori", scalars.compare("lt", rest, zero), scalars.compare("lt", y, zero))
        wrong = scalars.binary("min", scalars.compare("ne", rest, zero), differ)
        return scalars.select(wrong, scalars.add(rest, y), rest)
    return op.emitter.elementwise([a, b], a.element, body)


@op("Pow")
def import_pow(op: Op):
    base, exponent = op.inputs
    scalars = op.emitter.scalars
    power = float(exponent.known.reshape(-1)[0]) if exponent.is_number and exponent.known.size == 1 else None

    def body(x, y):
        if not is_float(x.type):
            wide = scalars.cast(x, "f64")
            return scalars.cast(scalars.op("math.powf", wide, scalars.cast(y, "f64")), x.type)
        if power in (1.0, 2.0, 3.0):
            return functools.reduce(scalars.mul, [x] * int(power))
        if power == 0.5:
            return scalars.op("math.sqrt", x)
        return scalars.op("math.powf", x, scalars.cast(y, x.type))
    return op.emitter.elementwise([base, exponent], base.element, body)


_ORDERS = {"Equal": "eq", "Less": "lt", "Greater": "gt", "LessOrEqual": "le", "GreaterOrEqual": "ge"}


@op(*_ORDERS)
def import_compare(op: Op):
    order = _ORDERS[op.node.op_type]
    return op.emitter.elementwise(op.inputs, "i1", lambda x, y: op.emitter.scalars.compare(order, x, y))


@op("Xor")
def import_xor(op: Op):
    return op.emitter.elementwise(op.inputs, "i1", lambda x, y: op.emitter.scalars.op("arith.xori", x, y))


@op("Not")
def import_not(op: Op):
    scalars = op.emitter.scalars
    return op.emitter.elementwise(
        op.inputs, "i1", lambda x: scalars.op("arith.xori", x, scalars.constant(True, "i1")))


@op("Where")
def import_where(op: Op):
    return op.emitter.elementwise(op.inputs, op.input(1).element, op.emitter.scalars.select)


@op("Cast", "CastLike")
def import_cast(op: Op):
    if op.node.op_type == "CastLike":
        return op.emitter.cast(op.input(0), op.input(1).element)
    to = op.attribute("to")
    if to not in ELEMENTS:
        raise op.error(f"a cast to the type number {to}")
    return op.emitter.cast(op.input(0), ELEMENTS[to])


@op("Neg")
def import_neg(op: Op):
    scalars, x = op.emitter.scalars, op.input(0)
    body = (lambda v: scalars.op("arith.negf", v)) if is_float(x.element) else (
        lambda v: scalars.sub(scalars.like(0, v), v))
    return op.emitter.elementwise([x], x.element, body)


@op("Abs")
def import_abs(op: Op):
    x = op.input(0)
    return op.emitter.unary("math.absf" if is_float(x.element) else "math.absi", x)


@op("Reciprocal")
def import_reciprocal(op: Op):
    scalars, x = op.emitter.scalars, op.input(0)
    return op.emitter.elementwise([x], x.element, lambda v: scalars.div(scalars.like(1, v), v))


@op("Sign")
def import_sign(op: Op):
    scalars, x = op.emitter.scalars, op.input(0)

    def body(v):
        zero = scalars.like(0, v)
        above, below = scalars.compare("gt", v, zero), scalars.compare("lt", v, zero)
        return scalars.select(above, scalars.like(1, v), scalars.select(below, scalars.like(-1, v), zero))
    return op.emitter.elementwise([x], x.element, body)


@op("Clip")
def import_clip(op: Op):
    x = op.input(0)
    bounds = [op.optional(1), op.optional(2)]
    for i, name in enumerate(("min", "max")):
        if bounds[i] is None and op.attribute(name) is not None:
            bounds[i] = op.emitter.cast(Tensor.of(np.float64(op.attribute(name))), x.element)
    for bound, name in zip(bounds, ("max", "min")):
        if bound is not None:
            x = op.emitter.binary(name, x, bound)
    return x


@op("IsNaN")
def import_is_nan(op: Op):
    return op.emitter.elementwise([op.input(0)], "i1", lambda x: op.emitter.scalars.compare("ne", x, x))


@op("IsInf")
def import_is_inf(op: Op):
    scalars = op.emitter.scalars
    both = op.attribute("detect_positive", 1), op.attribute("detect_negative", 1)

    def body(x):
        found = [scalars.compare("eq", x, scalars.like(sign * float("inf"), x))
                 for sign, wanted in zip((1, -1), both) if wanted]
        return functools.reduce(lambda a, b: scalars.binary("max", a, b), found) if found else scalars.constant(0, "i1")
    return op.emitter.elementwise([op.input(0)], "i1", body)


@op("Identity")
def import_identity(op: Op):
    return op.input(0)


@op("Dropout")
def import_dropout(op: Op):
    """Of a model that is not being trained: nothing."""
    training = op.optional(2)
    if training is not None and not (training.is_number and not np.any(training.known)) or op.wants(1):
        raise op.error("it is of a model in training, or its mask is asked for", "export with training_mode = 0")
    for name in ("ratio", "seed", "is_test"):
        op.attribute(name)
    return op.input(0)
