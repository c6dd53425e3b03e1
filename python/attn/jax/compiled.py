# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`attn.compile` of functions of JAX."""

from __future__ import annotations

from typing import Any, Callable

import jax

from ..compiled import Compiled, Source
from ..errors import UnsupportedError
from ..module import Options
from .importer import import_function


class JaxCompiled(Compiled):
    """A function of JAX as a kernel, called as the function is: trees of arrays go in and come out."""

    def __init__(self, source: Source, options: Options, cache: bool, original: Callable, kept, tree):
        self._kept, self._tree = kept, tree
        super().__init__(source, options, cache, original)

    def flatten(self, *inputs: Any) -> tuple:
        """The leaves that the kernel takes: what the function does not use is no argument of it."""
        leaves = jax.tree.leaves(inputs)
        return tuple(leaves[i] for i in self._kept)

    def __call__(self, *inputs: Any, out=None):
        results = super().__call__(*self.flatten(*inputs), out=out)
        return jax.tree.unflatten(self._tree, results if isinstance(results, tuple) else (results,))


def compile(function: Callable, example_inputs: Any, *, dynamic: Any = None, options: Options = Options(),
            cache: bool = True, on_progress: Any = None) -> JaxCompiled:
    """A function, jitted or not, as a kernel for inputs of the examples' types and shapes.

    example_inputs: one array or tree, or a tuple of them; jax.ShapeDtypeStructs do. Sizes are static: jaxlib's passes
    have none that are not. Raises UnsupportedError for ops without a way into linalg, with their lines.
    """
    if dynamic:
        raise UnsupportedError("functions of JAX are compiled for the sizes of the example inputs: leave `dynamic` out, "
                               "and compile once for each shape")
    if example_inputs is None:
        raise UnsupportedError("a function of JAX is compiled for example inputs: attn.compile(f, (x, y))")
    examples = example_inputs if isinstance(example_inputs, tuple) else (example_inputs,)
    data, kept, tree = import_function(function, examples)
    name = getattr(function, "__name__", "function")
    return JaxCompiled(Source(data, f"<jax {name}>", on_progress), options, cache, function, kept, tree)
