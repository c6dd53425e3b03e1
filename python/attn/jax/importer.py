# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX as modules of linalg, by the passes inside of jaxlib.

The module leaves jaxlib as text: its MLIR is another and newer library than ours, whose bytecode has more in it.
"""

from __future__ import annotations

import re
from typing import Any

import jax
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

from ..errors import UnsupportedError
from .control_flow import lower_control_flow

PASSES = ("builtin.module(inline,symbol-dce,canonicalize,func.func(chlo-legalize-to-stablehlo),"
          "stablehlo-legalize-to-linalg,canonicalize,cse)")
#: What may stay: all else libattn does not know.
_KNOWN = {"arith", "builtin", "complex", "func", "linalg", "math", "scf", "shape", "tensor"}

_registered = False


def _register_passes() -> None:
    global _registered
    if not _registered:
        stablehlo.register_stablehlo_passes()
        _registered = True


def _drop_algorithms(operation) -> None:
    """The precision that XLA should take for a product, which the passes refuse; ours is f32 at least."""
    def visit(op):
        if op.name == "stablehlo.dot_general" and "algorithm" in op.attributes:
            del op.attributes["algorithm"]
        return ir.WalkResult.ADVANCE
    operation.walk(visit)


def _find_foreign(operation):
    """An op that no pass took away; outer ones first."""
    found = []

    def visit(op):
        if op.name.partition(".")[0] not in _KNOWN:
            found.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE
    operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[0] if found else None


def _place(op) -> str:
    """`file.py:12` of the user's program; of a function of JAX's own, where it is called."""
    while op is not None:
        files = re.findall(r'"([^"]+)":(\d+)', str(op.location))
        if files:
            return ":".join(files[0])
        op = _find_call(op) if op.name == "func.func" else op.parent and op.parent.operation
    return "a place that is not known"


def _find_call(function):
    name, found = ir.StringAttr(function.attributes["sym_name"]).value, []

    def visit(op):
        if op.name == "func.call" and ir.FlatSymbolRefAttr(op.attributes["callee"]).value == name:
            found.append(op)
        return ir.WalkResult.ADVANCE
    function.parent.operation.walk(visit)
    return found[0] if found else None


def _drop_foreign_attributes(operation) -> None:
    """`mhlo` and `jax` ones of functions and modules, whose dialects libattn does not have."""
    def visit(op):
        for name in [getattr(a, "name", a) for a in op.attributes]:
            if name.partition(".")[0] in ("mhlo", "jax", "sdy") and "." in name:
                del op.attributes[name]
        for name in ("arg_attrs", "res_attrs"):
            if op.name == "func.func" and name in op.attributes:
                del op.attributes[name]
        return ir.WalkResult.ADVANCE
    operation.walk(visit)


def lower_to_linalg(module: ir.Module) -> ir.Operation:
    """A module of StableHLO as one of linalg, tensor and scf.

    It is another one: what `Lowered.compiler_ir` returns is JAX's own, which compiles it when the function is called.
    Raises UnsupportedError with the op and its line where something is left that no pass knows: sort, scatter, random
    bits, custom calls."""
    _register_passes()
    result = module.operation.clone()
    with module.context, ir.Location.unknown():
        _drop_algorithms(result)
        try:
            passmanager.PassManager.parse(PASSES).run(result)
        except ir.MLIRError as error:
            raise UnsupportedError(f"the passes of jaxlib refuse the program: {error}") from error
        lower_control_flow(result)
        foreign = _find_foreign(result)
        if foreign is not None:
            place = _place(foreign)
            raise UnsupportedError(f"{foreign.name} has no way into the compiler ({place}); compile the part of the "
                                   "program without it", op=foreign.name, source=place)
        _drop_foreign_attributes(result)
    return result


def lower_stablehlo(module: ir.Module) -> bytes:
    """What `lower_to_linalg` makes of a module of StableHLO, with its locations."""
    return str(lower_to_linalg(module).get_asm(enable_debug_info=True)).encode()


def import_function(function: Any, example_inputs: tuple):
    """Text of a function, jitted or not, for inputs of the examples' types and shapes; the numbers of the leaves
    that it takes as arguments; the tree of its results."""
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    lowered = jitted.lower(*example_inputs)
    count = len(jax.tree.leaves(example_inputs))
    kept = lowered._lowering.compile_args.get("kept_var_idx")
    module: Any = lowered.compiler_ir("stablehlo")
    data = lower_stablehlo(module)
    return data, sorted(range(count) if kept is None else kept), lowered.out_tree
