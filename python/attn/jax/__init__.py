# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX: functions as kernels, and kernels inside of functions.

    f = attn.compile(function, (x, y))                  # the whole function, outside of XLA
    o = attn.jax.attention(q, k, v, is_causal=True)     # a custom call of XLA: under jit, vmap, shard_map
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import jax as _jax  # noqa: F401
except ImportError as error:
    raise MissingExtraError("attn.jax needs JAX: pip install jax") from error

from .attention import attention
from .compiled import compile
from .importer import import_function, lower_stablehlo

__all__ = ["attention", "compile", "import_function", "lower_stablehlo"]
