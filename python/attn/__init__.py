# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiler for attention.

    import attn
    f = attn.compile("model.mlir")      # or a torch module, a function of JAX, an ONNX model
    y = f(x)                            # tensors of numpy, torch, JAX, without copies

`attn.torch`, `attn.jax` and `attn.onnx` are loaded when they are used; docs/Python.md is the guide.
"""

from __future__ import annotations

from .errors import (AssertionFailed, AttnError, CallError, Cancelled, CompileError, DTypeError, InternalError,
                     LibraryError, MissingExtraError, OutOfMemory, OverlapError, ShapeError, UnsupportedError,
                     UnsupportedMachine)

__version__ = "0.1.0"

#: Where the rest is; loaded at the first use, so that importing attn takes no time.
_LAZY = {"compile": "front", "Compiled": "compiled", "Compiler": "compiler", "Message": "compiler",
         "describe_library": "compiler", "Module": "module", "Options": "module", "EntrySpec": "module",
         "TensorSpec": "module", "Kernel": "kernel", "Entry": "kernel", "Report": "report", "Profile": "profile",
         "set_threads": "hosts"}
_SUBMODULES = ("cache", "errors", "jax", "onnx", "plot", "torch")

__all__ = ["AssertionFailed", "AttnError", "CallError", "Cancelled", "CompileError", "DTypeError", "InternalError",
           "LibraryError", "MissingExtraError", "OutOfMemory", "OverlapError", "ShapeError", "UnsupportedError",
           "UnsupportedMachine", *_LAZY]


def __getattr__(name: str):
    from importlib import import_module
    if name in _LAZY:
        value = getattr(import_module("." + _LAZY[name], __name__), name)
    elif name in _SUBMODULES:
        value = import_module("." + name, __name__)
    else:
        raise AttributeError(f"module 'attn' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *_LAZY, *_SUBMODULES])
