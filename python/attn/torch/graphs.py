# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of PyTorch as functions from tensors to tensors, which is what kernels are.

A graph may also take sizes and constants, give back its arguments, or write to them. `make_plan` takes this out of the
graph and says what remains to be done around a call.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import torch

from .unflatten import unflatten_products

aten = torch.ops.aten


class Result(NamedTuple):
    """Where a result of the graph comes from: `kernel` k, `argument` i of the graph, or a `value`."""

    kind: str
    value: Any


class Plan:
    """What a graph's kernel takes and gives.

    arguments: for each input of the kernel the placeholder's position in the graph.
    results: for each result of the graph. writes: pairs (argument i of the graph, result k of the kernel) to copy.
    sizes: checks of arguments that the graph took as known: pairs (position, value).
    """

    def __init__(self):
        self.arguments: list[int] = []
        self.results: list[Result] = []
        self.writes: list[tuple[int, int]] = []
        self.constants: dict[int, Any] = {}

    def finish(self, given, outputs) -> list:
        """The results of the graph, after a call with the arguments `given`."""
        for i, k in self.writes:
            if outputs[k] is not given[i]:
                given[i].copy_(outputs[k])
        return [outputs[r.value] if r.kind == "kernel" else given[r.value] if r.kind == "argument" else r.value
                for r in self.results]


def is_tensor(node) -> bool:
    return isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor)


def _replace_sizes(graph, placeholders) -> None:
    """Sizes that are arguments are those of tensors that are arguments, too."""
    found: dict = {}
    for node in placeholders:
        if is_tensor(node):
            for dim, size in enumerate(node.meta["val"].shape):
                if isinstance(size, torch.SymInt):
                    found.setdefault(str(size.node.expr), (node, dim, size))
    for node in placeholders:
        value = node.meta.get("val")
        if not isinstance(value, torch.SymInt) or not node.users:
            continue
        if str(value.node.expr) not in found:
            raise NotImplementedError(f"the size {node.name} belongs to no tensor among the arguments")
        tensor, dim, size = found[str(value.node.expr)]
        with graph.inserting_before(next(n for n in graph.nodes if n.op != "placeholder")):
            read = graph.call_function(aten.sym_size.int, (tensor, dim))
            read.meta["val"] = size
        node.replace_all_uses_with(read, lambda user: user.op != "output" and user is not read)


#: They only check, and what they check holds for the sizes that a kernel accepts.
_CHECKS = ("_assert_tensor_metadata", "_assert_scalar", "sym_constrain_range", "sym_constrain_range_for_size")


def _erase_checks(graph) -> None:
    for node in reversed(list(graph.nodes)):
        name = getattr(node.target, "_opname", "")
        if node.op == "call_function" and name in _CHECKS and not node.users:
            graph.erase_node(node)
        elif node.op == "call_module" and not node.users and "guard" in str(node.target):
            graph.erase_node(node)


def _expand_powers(graph) -> None:
    """Powers of sizes are products: torch-mlir knows no others."""
    for node in list(graph.nodes):
        if node.target not in (operator.pow, pow) or not isinstance(node.args[1], int) or node.args[1] < 1:
            continue
        base, exponent = node.args
        result, value = base, base.meta["val"]
        for _ in range(exponent - 1):
            with graph.inserting_before(node):
                result, value = graph.call_function(operator.mul, (result, base)), value * base.meta["val"]
            result.meta["val"] = value
        node.replace_all_uses_with(result)
        graph.erase_node(node)


def _take_writes(graph, position) -> list:
    """Removes what writes to arguments at the end: pairs (position, value)."""
    writes = []
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target is aten.copy_.default and node.args[0] in position:
            writes.append((position[node.args[0]], node.args[1]))
            node.replace_all_uses_with(node.args[1])
            graph.erase_node(node)
    return writes


def make_plan(graph_module, constants: dict[int, Any] | None = None, writes=()) -> Plan:
    """Changes the graph to one from tensors to tensors.

    constants: values of placeholders, by position, that go into the graph.
    writes: pairs (position of a placeholder, position of a result) that the graph's caller would copy."""
    graph, plan = graph_module.graph, Plan()
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    position = {node: i for i, node in enumerate(placeholders)}
    for i, value in (constants or {}).items():
        placeholders[i].replace_all_uses_with(value)
    _erase_checks(graph)
    unflatten_products(graph)
    _expand_powers(graph)
    _replace_sizes(graph, placeholders)
    output = next(node for node in graph.nodes if node.op == "output")
    results = output.args[0] if isinstance(output.args[0], (tuple, list)) else (output.args[0],)
    copied = _take_writes(graph, position)
    results = output.args[0] if isinstance(output.args[0], (tuple, list)) else (output.args[0],)
    written = {k for _, k in writes}
    kept: list = []

    def keep(node) -> int:
        if node not in kept:
            kept.append(node)
        return kept.index(node)

    for i, value in [*copied, *((i, results[k]) for i, k in writes)]:
        if value is not placeholders[i]:
            plan.writes.append((i, keep(value)))
    for k, value in enumerate(results):
        if k in written:
            continue
        if value in position if isinstance(value, torch.fx.Node) else False:
            plan.results.append(Result("argument", position[value]))
        elif is_tensor(value):
            plan.results.append(Result("kernel", keep(value)))
        elif isinstance(value, torch.fx.Node):
            raise NotImplementedError(f"a result of the graph, {value.name}, is no tensor")
        else:
            plan.results.append(Result("value", value))
    # What is written is a result of its own even where it is an argument: kernels do not return those.
    for k, value in enumerate(kept):
        if value in position:
            with graph.inserting_before(output):
                kept[k] = graph.call_function(aten.clone.default, (value,))
                kept[k].meta = dict(value.meta)
    output.args = (tuple(kept),)
    for i, node in enumerate(placeholders):
        if node.users:
            plan.arguments.append(i)
        else:
            graph.erase_node(node)
    graph.eliminate_dead_code()
    graph_module.recompile()
    return plan


def draws_numbers(node) -> bool:
    """Whether an op takes random numbers, which are PyTorch's to draw."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def count_ops(graph) -> int:
    """Of computation: not reading a tuple, not sizes."""
    return sum(node.op == "call_function" and node.target is not operator.getitem and is_tensor(node)
               for node in graph.nodes)
