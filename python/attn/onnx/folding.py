# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the importer computes itself: nodes of known numbers by onnx.reference, and arithmetic of shapes by NumPy."""

from __future__ import annotations

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from ..build.sizes import Size
from ..build.tensors import Tensor
from .registry import Op

#: A result of more elements than this, and than its inputs have, is left to the program.
LIMIT = 1024
#: Draws numbers, or has state.
_KEPT = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial", "Loop",
         "Scan"}


class _Open(Exception):
    """A size where NumPy needs a number: the program computes it."""


def fold(op: Op, opsets: dict):
    """The results, where all inputs are known; else None."""
    if op.node.op_type in ("Shape", "Size") and not op.node.domain:
        return [Tensor.of(_SHAPES[op.node.op_type](op))]
    given = [tensor for tensor in op.inputs if tensor is not None]
    if op.node.domain or op.node.op_type in _KEPT or any(t.known is None for t in given):
        return None
    if all(t.is_number for t in given):
        return _evaluate(op, opsets)
    if op.node.op_type not in _SHAPES:
        return None
    try:
        result = _SHAPES[op.node.op_type](op)
    except _Open:
        return None
    if result is None:
        return None
    return [Tensor.of(array) for array in (result if isinstance(result, list) else [result])]


def _evaluate(op: Op, opsets: dict):
    """By the meaning that the onnx package gives the op."""
    arrays = {name: tensor.known for name, tensor in zip(op.node.input, op.inputs) if name}
    if op.node.op_type == "ConstantOfShape" and np.prod(next(iter(arrays.values())), dtype=np.int64) > LIMIT:
        return None
    value = onnx.helper.make_empty_tensor_value_info
    outputs = [value(n) for n in op.node.output if n]
    graph = onnx.helper.make_graph([op.node], "node", [value(n) for n in arrays], outputs)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(d, v) for d, v in opsets.items()])
    try:
        with np.errstate(all="ignore"):
            results = ReferenceEvaluator(model).run(None, arrays)
    except Exception:
        return None  # The op is imported like any other, and says what is wrong with it.
    if any(not isinstance(r, (np.ndarray, np.generic)) for r in results):
        return None
    size = max(np.asarray(r).size for r in results)
    if size > max(LIMIT, *[a.size for a in arrays.values()], 0):
        return None
    made = iter(results)
    return [Tensor.of(next(made)) if name else None for name in op.node.output]


def _known(op: Op, index: int):
    tensor = op.optional(index)
    return None if tensor is None else tensor.known


def _objects(op: Op):
    return [np.asarray(t.known, dtype=object) if t.element != "i1" else t.known for t in op.inputs]


def _numbers(op: Op, index: int, name: str):
    """A list that is an input, or in older opsets an attribute."""
    given = _known(op, index)
    if given is None:
        return op.attribute(name)
    if any(isinstance(n, Size) for n in given.reshape(-1)):
        raise _Open
    return [int(n) for n in given.reshape(-1)]


def _shape(op: Op):
    shape = op.input(0).shape
    rank = len(shape)
    clamp = lambda n: min(max(n + rank if n < 0 else n, 0), rank)
    part = shape[clamp(op.attribute("start", 0)):clamp(op.attribute("end", rank))]
    return _array(part)


def _array(sizes):
    """Of i64 where all are numbers."""
    result = np.empty(len(sizes), object)
    result[:] = sizes
    return _narrowed(result)


def _narrowed(array):
    array = np.asarray(array, dtype=object)
    return array.astype(np.int64) if all(isinstance(n, (int, np.integer)) for n in array.reshape(-1)) else array


def _size(op: Op):
    total = 1
    for n in op.input(0).shape:
        total = n * total
    return _narrowed(total)


def _binary(function):
    return lambda op: _narrowed(function(*_objects(op)))


def _compared(function):
    return lambda op: np.asarray(np.frompyfunc(function, 2, 1)(*_objects(op))).astype(bool)


def _gather(op: Op):
    data, indices = _objects(op)[0], op.input(1).elements
    return _narrowed(np.take(data, indices.astype(np.int64), axis=op.axis(data.ndim)))


def _slice(op: Op):
    data = _objects(op)[0]
    starts, ends = _numbers(op, 1, "starts"), _numbers(op, 2, "ends")
    axes = _numbers(op, 3, "axes") or range(len(starts))
    steps = _numbers(op, 4, "steps") or [1] * len(starts)
    index = [slice(None)] * data.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps):
        index[axis] = slice(start, None if step < 0 and end < -data.shape[axis] else end, step)
    return _narrowed(data[tuple(index)])


def _squeeze(op: Op):
    data, axes = _objects(op)[0], _numbers(op, 1, "axes")
    return _narrowed(np.squeeze(data, tuple(axes)) if axes is not None else np.squeeze(data))


def _unsqueeze(op: Op):
    return _narrowed(np.expand_dims(_objects(op)[0], tuple(_numbers(op, 1, "axes"))))


def _reduced(function):
    def fold_it(op: Op):
        axes = _numbers(op, 1, "axes")
        return _narrowed(function(_objects(op)[0], axis=None if axes is None else tuple(axes),
                                  keepdims=bool(op.attribute("keepdims", 1))))
    return fold_it


def _cast(op: Op):
    integer = op.attribute("to") in (onnx.TensorProto.INT64, onnx.TensorProto.INT32)
    return op.input(0).known if integer else None


def _split(op: Op):
    data = _objects(op)[0]
    axis, sizes = op.axis(data.ndim), _numbers(op, 1, "split")
    if sizes is None:
        return [_narrowed(a) for a in np.array_split(data, len(op.node.output), axis)]
    return [_narrowed(a) for a in np.split(data, np.cumsum(sizes)[:-1], axis)]


def _where(op: Op):
    condition, a, b = _objects(op)
    return _narrowed(np.where(condition.astype(bool), a, b))


_SHAPES = {
    "Shape": _shape, "Size": _size, "Gather": _gather, "Slice": _slice, "Squeeze": _squeeze, "Unsqueeze": _unsqueeze,
    "Concat": lambda op: _narrowed(np.concatenate(_objects(op), op.axis(1))),
    "Reshape": lambda op: _narrowed(_objects(op)[0].reshape(_numbers(op, 1, "shape"))),
    "Flatten": lambda op: _narrowed(_objects(op)[0].reshape(1, -1)),
    "Identity": lambda op: op.input(0).known, "Cast": _cast, "CastLike": lambda op: op.input(0).known,
    "Add": _binary(np.add), "Sub": _binary(np.subtract), "Mul": _binary(np.multiply),
    "Div": _binary(np.frompyfunc(lambda a, b: a // b, 2, 1)), "Mod": _binary(np.frompyfunc(lambda a, b: a % b, 2, 1)),
    "Neg": lambda op: _narrowed(-_objects(op)[0]), "Where": _where, "Split": _split,
    "Equal": _compared(lambda a, b: a == b), "Less": _compared(lambda a, b: a < b),
    "Greater": _compared(lambda a, b: a > b), "LessOrEqual": _compared(lambda a, b: a <= b),
    "GreaterOrEqual": _compared(lambda a, b: a >= b), "Not": lambda op: ~op.input(0).known,
    "ReduceProd": _reduced(np.prod), "ReduceSum": _reduced(np.sum), "ReduceMax": _reduced(np.max),
    "Max": _binary(np.maximum), "Min": _binary(np.minimum),
}
