# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and exported programs of PyTorch as compiled functions."""

from __future__ import annotations

from typing import Any, Sequence

import torch
from torch.utils import _pytree as pytree

from ..compiled import Compiled, Source
from ..errors import UnsupportedError
from ..kernel import Entry
from ..module import Options
from .importer import Import, export_program, make_dynamic_shapes, takes_sizes_for_one


class TorchCompiled(Compiled):
    """A model of PyTorch for inference, called as the model is.

    Parameters and large buffers are the model's own tensors: what is written to them in place counts at the next call.
    Results have no gradient. Buffers and arguments that the model writes to are written to. A cache that the model
    gives back with a row more is copied first, unless it is donated: then it is updated in place, and is the result.
    """

    def __init__(self, imported: Import, options: Options, use_cache: bool, original, on_progress=None, donate=()):
        super().__init__(Source(imported.text, "<torch>", on_progress), options, use_cache, original)
        self._plan, self._kept, self._expected = imported.plan, imported.kept, imported.expected
        position = {graph: k for k, graph in enumerate(imported.user)}
        self.bind({k: self._kept[i] for k, i in enumerate(self._plan.arguments) if i in self._kept})
        self._protected = self._find_protected(position, donate)
        self._order = [position[i] for i in self._plan.arguments if i in position]
        self._user = imported.user
        spec = imported.program.call_spec
        self._in_spec, self._out_spec = spec.in_spec, spec.out_spec
        count = len(imported.user)
        # Nothing to be done around the call: tensors in, one tensor out.
        self._plain = (not self._protected and self._in_spec == pytree.tree_flatten((tuple([0] * count), {}))[1]
                       and self._order == list(range(count)) and not self._plan.writes
                       and self._out_spec.num_leaves == 1 == self._out_spec.num_nodes
                       and self._plan.results[0].kind == "kernel")

    def _find_protected(self, position, donate) -> list:
        """Which of the tensors of a call the kernel would change, and the model does not."""
        writes, found = set(self._plan.writes), []
        for k, spec in enumerate(self.spec.outputs):
            if spec.in_out is None:
                continue
            i = self._plan.arguments[spec.in_out]
            if (i, k) in writes or i in position and (donate is True or position[i] in donate):
                continue
            if i not in position:
                raise UnsupportedError("the model's result is one of its parameters, changed")
            found.append(self._free.index(spec.in_out))
        return found

    def _flatten(self, args, kwargs) -> list:
        leaves, spec = pytree.tree_flatten((args, kwargs))
        if spec != self._in_spec:
            leaves = pytree.tree_leaves((args, {name: kwargs[name] for name in self._keywords() if name in kwargs}))
            if len(leaves) != len(self._user):
                raise TypeError(f"the model was compiled for arguments of the form {self._in_spec}, not {spec}")
        for i, value in self._expected.items():
            if leaves[i] != value:
                raise ValueError(f"argument {i} was {value!r} when the model was compiled, now it is {leaves[i]!r}")
        return leaves

    def _keywords(self) -> list:
        """Names of the keyword arguments, in the order of the leaves."""
        spec = self._in_spec.child(1) if hasattr(self._in_spec, "child") else self._in_spec.children_specs[1]
        return list(spec.context or ())

    def flatten(self, *args, **kwargs) -> tuple:
        leaves = self._flatten(args, kwargs)
        return tuple(leaves[k] for k in self._order)

    def __call__(self, *args, out=None, **kwargs) -> Any:
        """As the model's own forward; `out` where the model returns one tensor."""
        if self._plain and not kwargs:
            return Entry.__call__(self, *args, out=out)
        leaves = self._flatten(args, kwargs)
        tensors = [leaves[k] for k in self._order]
        for k in self._protected:
            tensors[k] = tensors[k].clone()
        found = Entry.__call__(self, *tensors, out=out)
        outputs = found if isinstance(found, tuple) else (found,)
        given = {**self._kept, **dict(zip(self._user, leaves))}
        return pytree.tree_unflatten(self._plan.finish(given, outputs), self._out_spec)


def compile(model, example_inputs=None, *, dynamic=None, options: Options = Options(), cache: bool = True,
            on_progress=None, example_kwargs: dict | None = None, donate: bool | Sequence[int] = ()) -> TorchCompiled:
    """Of `attn.compile`, for a torch.nn.Module with example inputs, or a torch.export.ExportedProgram.

    example_kwargs: keyword arguments of the model. donate: which of the tensors that it takes may be updated in place,
    by position, or True; their results are these tensors. Modules are exported in evaluation mode, without gradients.
    """
    arguments = () if example_inputs is None else \
        tuple(example_inputs) if isinstance(example_inputs, (tuple, list)) else (example_inputs,)
    keywords = dict(example_kwargs or {})
    exported = isinstance(model, torch.export.ExportedProgram)
    if not exported and not isinstance(model, torch.nn.Module):
        model = _Function(model)
    if not exported and not arguments and not keywords:
        raise TypeError("compiling a torch module takes example_inputs: tensors of the types and shapes to compile for")
    fast_path = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        imported = _import(model, arguments, keywords, dynamic)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast_path)
    return TorchCompiled(imported, options, cache, None if exported else model, on_progress, donate)


def _import(model, arguments, keywords, dynamic) -> Import:
    """With dynamic=True, as many sizes are unknown as torch-mlir bears: all, or not the last of each tensor (which a
    scale is computed of), or not the first (which it takes for 1), or neither."""
    choices = [dynamic]
    if dynamic is True and not isinstance(model, torch.export.ExportedProgram):
        choices += [make_dynamic_shapes(model, arguments, keywords, True, first, last)
                    for first, last in ((0, 1), (1, 0), (1, 1))]
    failure = UnsupportedError("torch-mlir takes a size that may vary for 1: let fewer dimensions vary")
    for shapes in choices:
        try:
            imported = Import(export_program(model, arguments, keywords, shapes))
        except UnsupportedError as error:
            failure = error
            continue
        if not takes_sizes_for_one(imported.text):
            return imported
    raise failure


class _Function(torch.nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)
