# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference interpreter, called with arrays."""

from __future__ import annotations

import os
from typing import Any

from .errors import AttnError, ShapeError
from .kernel import _Frame
from .tensors import BINDERS, fill


def interpret(module, inputs, entry: str | None, shapes) -> Any:
    """Of Module.interpret."""
    import numpy
    specs = {spec.name: spec for spec in module.describe()}
    if entry is None and len(specs) != 1:
        raise AttnError(f"name one of the entries {', '.join(specs)}")
    spec = specs[entry] if entry else next(iter(specs.values()))
    if len(inputs) != len(spec.inputs):
        raise TypeError(f"{spec.name} takes {len(spec.inputs)} tensors, {len(inputs)} were given")
    shapes = shapes or [output.shape for output in spec.outputs]
    if any(None in shape for shape in shapes):
        raise ShapeError("results have sizes that are not known: give their shapes as outputs=")
    frame = _Frame((*spec.inputs, *spec.outputs), {}, 0)
    keep = [BINDERS[type(x)](x, frame, i) for i, x in enumerate(inputs)]
    results = []
    for i, (output, shape) in enumerate(zip(spec.outputs, shapes), len(inputs)):
        dtype = "float64" if "float" in output.dtype else output.dtype
        results.append(numpy.zeros(shape, dtype))
        keep.append(fill(frame.slots[i], results[-1].ctypes.data, dtype, shape))
        frame.pointers[i] = frame.addresses[i]
    outputs = (type(frame.pointers._type_()) * len(results))(*frame.pointers[len(inputs):])
    module._call("attn_module_interpret", os.fsencode(spec.name), frame.pointers, len(inputs), outputs, len(results))
    return results[0] if len(results) == 1 else tuple(results)
