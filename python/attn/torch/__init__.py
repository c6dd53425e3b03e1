# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: compiled modules, `torch.compile(model, backend="attn")`, and the op `torch.ops.attn.attention`.

    counters    what the backend did: graphs, kernels, fallbacks by reason
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingExtraError("attn.torch needs PyTorch: pip install torch") from error

from .dynamo import backend, counters, reset
from .compiled import TorchCompiled, compile
from .ops import attention

__all__ = ["TorchCompiled", "attention", "backend", "compile", "counters", "reset"]
