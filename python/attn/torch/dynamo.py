# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="attn").

Dynamo and AOTAutograd make graphs of aten ops; what torch-mlir lowers of a graph becomes kernels, the other ops stay
PyTorch's. Nothing here breaks a graph. `counters` says what happened:

    graphs, kernels, ops, calls of PyTorch's ops that stayed (`left`), and `fallback: REASON` for each graph or part
    that is PyTorch's as a whole
"""

from __future__ import annotations

import collections
import copy
import logging

import torch

from ..compiled import Compiled, Source
from ..errors import AttnError, UnsupportedError
from ..kernel import Entry
from ..module import Options
from .decompositions import decomposition_table
from .graphs import Plan, count_ops, is_tensor, make_plan
from .importer import lower_graph, takes_sizes_for_one

log = logging.getLogger(__name__)

#: Since the last `reset`.
counters: collections.Counter = collections.Counter()
#: Ops that torch-mlir refused, by its name for them: they stay PyTorch's in graphs that come later, too.
_refused: set = set()


def reset() -> None:
    """Sets the counters to zero."""
    counters.clear()


class GraphKernel:
    """A graph as a kernel with what has to be done around it; called as the graph is."""

    def __init__(self, plan: Plan, entry: Entry):
        self.plan, self.entry = plan, entry
        outputs = entry.spec.outputs
        writes = set(plan.writes)
        # A cache that is updated in place, though the graph leaves its argument as it was.
        self._protected = {spec.in_out for k, spec in enumerate(outputs)
                           if spec.in_out is not None and (plan.arguments[spec.in_out], k) not in writes}

    def __call__(self, *arguments):
        inputs = [arguments[i] for i in self.plan.arguments]
        for k in self._protected:
            inputs[k] = inputs[k].clone()
        found = self.entry(*inputs)
        return self.plan.finish(arguments, found if isinstance(found, tuple) else (found,))


def _copy(graph_module):
    """With a graph of its own; tensors are shared."""
    return torch.fx.GraphModule(graph_module, copy.deepcopy(graph_module.graph))


def compile_graph_module(graph_module, options: Options = Options(), cache: bool = True) -> GraphKernel:
    """A graph of aten ops as one kernel. Raises AttnError or NotImplementedError where it cannot be one."""
    graph_module = _copy(graph_module)
    plan = make_plan(graph_module)
    tensors = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    for node in [*tensors, *next(n for n in graph_module.graph.nodes if n.op == "output").args[0]]:
        if not is_tensor(node) or node.meta["val"].device.type != "cpu":
            raise UnsupportedError("a tensor of the graph is not on the CPU")
    text = lower_graph(graph_module)
    if takes_sizes_for_one(text):
        raise UnsupportedError("torch-mlir takes a size that may vary for 1")
    return GraphKernel(plan, Compiled(Source(text, "<torch.compile>"), options, cache))


def _opname(node) -> str:
    target = node.target
    return "torch." + target._schema.name.replace("::", ".") if hasattr(target, "_schema") else ""


def _make_support():
    from torch.fx.passes.operator_support import OperatorSupport

    class Support(OperatorSupport):
        """What has not been refused."""

        def is_node_supported(self, submodules, node) -> bool:
            if node.op != "call_function":
                return False
            if node.target is torch.ops.aten.copy_.default or not hasattr(node.target, "_schema"):
                return str(node.target).startswith("<built-in function getitem")
            return _opname(node) not in _refused and (is_tensor(node) or isinstance(node.meta.get("val"), (tuple, list)))
    return Support()


def _note(reason: str, what: str) -> None:
    counters[f"fallback: {reason}"] += 1
    log.info("%s stays PyTorch's: %s", what, reason)


def _words(error: Exception) -> str:
    return str(error).splitlines()[0][:160] if str(error) else type(error).__name__


def _try_whole(graph_module, options, cache):
    """One kernel; None and the name of an op that is in the way, or None and None."""
    names = {_opname(node) for node in graph_module.graph.nodes if node.op == "call_function"}
    blocked = names & _refused
    if blocked:
        return None, blocked.pop()
    try:
        kernel = compile_graph_module(graph_module, options, cache)
    except (AttnError, NotImplementedError) as error:
        op = getattr(error, "op", None)
        if op in names:
            _refused.add(op)
            log.info("%s stays PyTorch's: %s", op, error)
            return None, op
        _note(_words(error), "a graph")
        return None, None
    counters["kernels"] += 1
    counters["ops"] += count_ops(graph_module.graph)
    return kernel, None


def _split(graph_module, options, cache):
    """Parts as kernels, the other ops as they are."""
    from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    parted = _copy(graph_module)
    partitioner = CapabilityBasedPartitioner(parted, _make_support(), allows_single_node_partition=False)
    parted = partitioner.fuse_partitions(partitioner.propose_partitions())
    again = False
    for node in parted.graph.nodes:
        if node.op == "call_module":
            part = getattr(parted, node.target)
            kernel, op = _try_whole(part, options, cache)
            again = again or op is not None
            if kernel is not None:
                setattr(parted, node.target, _Part(kernel))
        elif node.op == "call_function" and _opname(node):
            counters["left"] += 1
            counters[f"left: {_opname(node)}"] += 1
    return None if again else parted


class _Part(torch.nn.Module):
    """A kernel where a part of a graph was."""

    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel

    def forward(self, *arguments):
        found = self.kernel(*arguments)
        return found[0] if len(found) == 1 else tuple(found)


def take_graph(graph_module, options: Options = Options(), cache: bool = True):
    """A function that computes what the graph does, with kernels as far as they go."""
    counters["graphs"] += 1
    if count_ops(graph_module.graph) == 0:
        return graph_module.forward
    kernel, op = _try_whole(graph_module, options, cache)
    while kernel is None and op is not None:
        saved = counters.copy()
        parted = _split(graph_module, options, cache)
        if parted is not None:
            return parted.forward
        # A part met another op that is refused: split again, with it left out.
        counters.clear()
        counters.update(saved)
    return kernel or graph_module.forward


def backend(graph_module, example_inputs, **options):
    """For torch.compile; options: `target`, `threads`, `portable`, `checks`, `cache`."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd
    cache = options.pop("cache", True)
    options = Options(**options)

    def forward(graph, _):
        with torch.no_grad():
            return make_boxed_func(take_graph(graph, options, cache))

    def backward(graph, _):
        return make_boxed_func(graph.forward)
    return aot_autograd(fw_compiler=forward, bw_compiler=backward, decompositions=decomposition_table(),
                        keep_inference_input_mutations=True)(graph_module, example_inputs)


try:
    torch._dynamo.register_backend(backend, name="attn")
except AssertionError:  # The wheel's entry point did so.
    pass
