# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`attn.compile`: which way in a model takes."""

from __future__ import annotations

import os
from typing import Any

from .compiled import Compiled, Source
from .errors import UnsupportedError
from .module import Module, Options


def _packages(model: Any) -> set:
    kind = model if isinstance(model, type) else type(model)
    return {base.__module__.partition(".")[0] for base in kind.__mro__}


def _has_tensors(package: str, inputs: Any) -> bool:
    """Whether a tree of example inputs has one of this framework."""
    if isinstance(inputs, dict):
        inputs = tuple(inputs.values())
    if isinstance(inputs, (tuple, list)):
        return any(_has_tensors(package, x) for x in inputs)
    return package in _packages(inputs)


def _is_path(text: str) -> bool:
    return "\n" not in text and (text.endswith((".mlir", ".mlirbc")) or os.path.exists(text))


def _read_source(model: Any, on_progress) -> Source | None:
    """What is MLIR already."""
    if isinstance(model, Module):
        return Source(model.print("bytecode"), "<module>", on_progress)
    if isinstance(model, (bytes, bytearray)):
        return Source(bytes(model), "<bytes>", on_progress)
    if isinstance(model, os.PathLike) or isinstance(model, str) and _is_path(model):
        with open(model, "rb") as file:
            return Source(file.read(), os.fspath(model), on_progress)
    if isinstance(model, str):
        return Source(model, "<text>", on_progress)
    return None


def compile(model: Any, example_inputs: Any = None, *, dynamic: Any = None, target: str | None = None, threads: int = 0,
            entry: str | None = None, portable: bool = False, checks: bool = True, cache: bool = True,
            on_progress: Any = None, **extra: Any) -> Compiled:
    """Compiles a model to a function on tensors.

    model: MLIR as text, bytecode, a path or an `attn.Module`; a torch.nn.Module or torch.export.ExportedProgram; a
        function of JAX, or of torch's tensors; an ONNX model or the path of one.
    example_inputs: for torch and JAX, a tensor or a tuple of them: their types and shapes are what is compiled.
    dynamic: which sizes may vary. True: every size of every input but those that have to be equal to something known;
        or as torch.export's dynamic_shapes.
    target: `cpu` (this machine) without it. threads: how many will call; results do not depend on it.
    entry: the function to call, where there are several. portable: no schedules. checks: also of sizes that exist only
        inside. cache: look for the kernel on the disk, and keep it there. on_progress(phase): called as phases begin.
    extra: of the framework's way in, as `attn.torch.compile` and its like have them.

    Returns a `Compiled`. Raises CompileError, UnsupportedError with the op and its line in the framework's source, or
    MissingExtraError with what to install.
    """
    options = Options(target, entry, None, threads, portable, checks)
    common = {"options": options, "cache": cache, "on_progress": on_progress}
    if isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".onnx") or "onnx" in _packages(model):
        from . import onnx
        return onnx.compile(model, example_inputs, dynamic=dynamic, **common, **extra)
    source = _read_source(model, on_progress)
    if source is not None:
        if extra:
            raise TypeError(f"MLIR takes no {', '.join(extra)}")
        return Compiled(source, options, cache)
    packages = _packages(model)
    if "torch" in packages or callable(model) and _has_tensors("torch", example_inputs):
        from . import torch
        return torch.compile(model, example_inputs, dynamic=dynamic, **common, **extra)
    if packages & {"jax", "jaxlib", "flax"} or callable(model):
        from . import jax
        return jax.compile(model, example_inputs, dynamic=dynamic, **common, **extra)
    raise UnsupportedError(f"a {type(model).__module__}.{type(model).__qualname__} is no model: attn.compile takes MLIR, "
                           "torch modules and exported programs, functions of JAX and ONNX models")
