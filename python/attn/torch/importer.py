# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From torch.export to MLIR, by torch-mlir's importer of FX graphs.

Parameters become arguments of the function, which the caller keeps: nothing of a model's weights is in the IR, neither
copied nor hashed, and one kernel serves every layer of the same shape. Small buffers stay constants, since their
numbers tell raising what they are: frequencies of rotations, masks.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import torch

from ..errors import UnsupportedError
from .decompositions import decomposition_table, load_torch_mlir
from .graphs import Plan, draws_numbers, make_plan

#: Buffers of at most as many bytes are constants.
CONSTANT_BYTES = 1 << 20

_OP = re.compile(r'name = "(torch\.[\w.]+)"|\'(torch\.(?!operator)[\w.]+)\'|\b(torch\.(?:aten|prims?|attn)\.[\w.]+)')
_PLACE = re.compile(r'"([^"\n]+\.py)":(\d+)')
#: Torch's frames in a node's stack trace.
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in')


def explain_failure(error: Exception, diagnostics: list, graph_module) -> UnsupportedError:
    """What torch-mlir says, in a sentence, with the op and its line in the model's source."""
    text = "\n".join(f"{where}: {words}" for where, words in diagnostics) or str(error)
    op = _OP.search(text)
    name = op and next(filter(None, op.groups()))
    place = _PLACE.search(text)
    source = (name and find_source(graph_module, name)) or (place and f"{place[1]}:{place[2]}")
    words = " ".join((diagnostics[0][1] if diagnostics else str(error)).split())
    return UnsupportedError(f"torch-mlir does not lower {name or 'the model'}{f' at {source}' if source else ''}: "
                            f"{words[:300]}", name, source)


def find_source(graph_module, name: str) -> str | None:
    """Where the model's source has the op that torch-mlir calls `torch.aten.sort`."""
    for node in graph_module.graph.nodes:
        target = getattr(node.target, "_schema", None)
        if target is None or target.name.replace("::", ".") not in name:
            continue
        frames = _FRAME.findall(node.meta.get("stack_trace") or "")
        if frames:
            return ":".join(frames[-1])
    return None


#: Elementwise, with an operand of two unknown sizes, and a result of which torch-mlir takes one of them for 1.
_BROADCAST = re.compile(r'iterator_types = \[(?:"parallel"(?:, )?)+\]\} ins\([^)]*tensor<\?x\?x(\d+)[x>fb][^)]*\) '
                        r"outs\([^)]*tensor<(\?x1|1x\?)x\1")
_SHAPE = r"tensor<((?:[^<>]|<[^<>]*>)*)>"
#: What makes a value, or a cast of one.
_MAKER_OR_CAST = re.compile(rf"^\s*(%\w+)(?::\d+)? = (tensor\.cast (%\w+)(?:#\d+)? : {_SHAPE} to {_SHAPE}|[\w.]+)",
                            re.MULTILINE)


def takes_sizes_for_one(text: str) -> bool:
    """Whether the IR fits fewer sizes than the model."""
    if _BROADCAST.search(text):
        return True
    makers: dict[str, str] = {}
    for value, maker, cast, given, taken in _MAKER_OR_CAST.findall(text):
        # A slice of one row has an unknown size before it is cast.
        if cast and makers.get(cast) != "tensor.extract_slice" and ("?", "1") in zip(given.split("x"), taken.split("x")):
            return True
        makers[value] = maker
    return False


def lower_graph(graph_module, name: str = "main") -> str:
    """A graph from tensors to tensors as the text of a module, with places in the model's source."""
    fx = load_torch_mlir()
    for node in graph_module.graph.nodes:
        if draws_numbers(node):
            op = "torch." + node.target._schema.name.replace("::", ".")
            source = find_source(graph_module, op)
            raise UnsupportedError(f"{op} at {source} draws random numbers: export the model in evaluation mode", op, source)
    from torch_mlir import ir
    from torch_mlir.dialects import torch as torch_dialect
    context, diagnostics = ir.Context(), []

    def note(diagnostic) -> bool:
        diagnostics.append((str(diagnostic.location), diagnostic.message))
        return True
    torch_dialect.register_dialect(context)
    handler = context.attach_diagnostic_handler(note)
    try:
        module = fx.stateless_fx_import(graph_module, output_type="linalg-on-tensors", model_name=name,
                                        fx_importer=fx.FxImporter(context=context))
        return module.operation.get_asm(enable_debug_info=True)
    except Exception as error:  # torch-mlir has several kinds, none of which it documents.
        raise explain_failure(error, diagnostics, graph_module) from error
    finally:
        handler.detach()


def _value(program, spec) -> torch.Tensor:
    value = program.state_dict.get(spec.target)
    return value if value is not None else program.constants[spec.target]


class Import:
    """An exported program on its way: text, plan, and the tensors that the caller keeps."""

    def __init__(self, program: torch.export.ExportedProgram):
        program = program.run_decompositions(decomposition_table())
        signature = program.graph_signature
        self.program = program
        self.kept: dict[int, torch.Tensor] = {}
        self.user: list[int] = []
        self.expected: dict[int, Any] = {}
        written = {spec.target for spec in signature.output_specs if spec.kind.name == "BUFFER_MUTATION"}
        constants: dict = {}
        for i, spec in enumerate(signature.input_specs):
            self._sort_input(i, spec, written, constants)
        writes = list(self._find_writes(signature))
        self.plan: Plan = make_plan(program.graph_module, constants, writes)
        self.text = lower_graph(program.graph_module)

    def _sort_input(self, i, spec, written, constants) -> None:
        kind = spec.kind.name
        if kind == "USER_INPUT":
            if hasattr(spec.arg, "value"):
                constants[i] = self.expected[len(self.user)] = spec.arg.value
            self.user.append(i)
        elif kind in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
            value = _value(self.program, spec).detach()
            small = value.numel() * value.element_size() <= CONSTANT_BYTES
            if kind != "PARAMETER" and spec.target not in written and small:
                constants[i] = value.contiguous()
            else:
                self.kept[i] = value
        else:
            raise UnsupportedError(f"the program takes a {kind.lower()} ({spec.target}), which is no tensor")

    def _find_writes(self, signature):
        inputs = {spec.target: i for i, spec in enumerate(signature.input_specs) if spec.kind.name == "BUFFER"}
        names = {spec.arg.name: i for i, spec in enumerate(signature.input_specs)}
        for k, spec in enumerate(signature.output_specs):
            if spec.kind.name == "BUFFER_MUTATION":
                yield inputs[spec.target], k
            elif spec.kind.name == "USER_INPUT_MUTATION":
                yield names[spec.target], k


def _tell_apart(model, arguments):
    """Without a tensor that stands there twice, or is a parameter: torch.export takes both for one, and later calls may
    give two."""
    seen = {id(tensor) for tensor in (*model.parameters(), *model.buffers())}

    def separate(leaf):
        if not isinstance(leaf, torch.Tensor) or id(leaf) not in seen:
            seen.add(id(leaf))
            return leaf
        return leaf.detach().clone()
    return torch.utils._pytree.tree_map(separate, arguments)


def export_program(model, arguments: tuple, keywords: dict, dynamic) -> torch.export.ExportedProgram:
    """torch.export, with every size unknown for dynamic=True."""
    if isinstance(model, torch.export.ExportedProgram):
        return model
    arguments, keywords = _tell_apart(model, (arguments, keywords))
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            return torch.export.export(model, arguments, keywords, strict=False,
                                       dynamic_shapes=make_dynamic_shapes(model, arguments, keywords, dynamic))
    finally:
        model.train(training)


def make_dynamic_shapes(model, arguments, keywords, dynamic, first: int = 0, last: int = 0):
    """As torch.export takes them, by the names of the model's arguments; the `first` and `last` dimensions do not vary."""
    if dynamic is None or dynamic is False:
        return None
    if dynamic is not True:
        return dynamic
    auto = torch.export.Dim.AUTO

    def shape(leaf):
        if not isinstance(leaf, torch.Tensor):
            return None
        return {axis: auto for axis in range(first, leaf.dim() - last)}
    bound = inspect.signature(model.forward).bind(*arguments, **keywords).arguments
    return torch.utils._pytree.tree_map(shape, dict(bound))
