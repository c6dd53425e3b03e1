# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products over rows of several dimensions whose sizes are not known.

PyTorch writes a linear layer on [batch, length, width] as a product of [batch * length, width], and views the result as
three dimensions again. Where both sizes are unknown, torch-mlir cannot tell from the view which is which, and takes one
of them for 1. Here the product gets its dimensions back: a view of rows, a product and a view as [a, b, n] is the
product of the rows viewed as [a, b, k], whatever they were a view of.
"""

from __future__ import annotations

import torch

aten = torch.ops.aten


def _shape(node) -> tuple:
    return tuple(node.meta["val"].shape)


def _view_of(node):
    """What a view is of, through views."""
    while isinstance(node, torch.fx.Node) and node.target in (aten.view.default, aten._unsafe_view.default):
        node = node.args[0]
    return node


class _Rewriter:
    """Adds nodes in front of one, with their values."""

    def __init__(self, graph, place):
        self.graph, self.place = graph, place

    def call(self, target, *args):
        with self.graph.inserting_before(self.place):
            node = self.graph.call_function(target, args)
        values = torch.fx.map_arg(args, lambda n: n.meta["val"])
        mode = _fake_mode(self.place)
        with mode:
            node.meta = {**self.place.meta, "val": target(*values)}
        node.meta.pop("tensor_meta", None)
        return node

    def size(self, tensor, dim):
        """A number, or a node that reads it."""
        size = tensor.meta["val"].shape[dim]
        return self.call(aten.sym_size.int, tensor, dim) if isinstance(size, torch.SymInt) else size


def _fake_mode(node):
    return node.meta["val"].fake_mode


def _rewrite(graph, view, product) -> None:
    bias, rows, weight = product.args if product.target is aten.addmm.default else (None, *product.args)
    source, (a, b, n) = _view_of(rows), view.args[1]
    k = weight.meta["val"].shape[0]
    make = _Rewriter(graph, view)
    wanted = (*_shape(view)[:2], k)
    if tuple(map(str, _shape(source))) != tuple(map(str, wanted)):
        source = make.call(aten.view.default, source, [a, b, k])
    wide = make.call(aten.expand.default, make.call(aten.unsqueeze.default, weight, 0), [make.size(source, 0), k, n])
    result = make.call(aten.bmm.default, source, wide)
    result = result if bias is None else make.call(aten.add.Tensor, result, bias)
    view.replace_all_uses_with(result)
    graph.erase_node(view)


def unflatten_products(graph) -> None:
    """Rewrites products whose results are viewed as [a, b, n] with a and b unknown."""
    for view in list(graph.nodes):
        if view.target not in (aten.view.default, aten._unsafe_view.default):
            continue
        product, shape = view.args[0], _shape(view)
        if not isinstance(product, torch.fx.Node):  # a constant
            continue
        plain = product.target is aten.mm.default or product.target is aten.addmm.default and not product.kwargs
        if not plain or len(shape) != 3 or not all(isinstance(size, torch.SymInt) for size in shape[:2]):
            continue
        rows = product.args[-2]
        if isinstance(shape[2], torch.SymInt) or shape[2] != _shape(product)[1] or \
                not isinstance(_view_of(rows), torch.fx.Node):
            continue
        _rewrite(graph, view, product)
    graph.eliminate_dead_code()
