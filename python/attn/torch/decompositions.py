# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How ops of PyTorch are taken apart before torch-mlir sees them: its own table and what it lacks or has wrong."""

from __future__ import annotations

import functools

import torch

aten = torch.ops.aten


def cumsum(x, dim, *, dtype=None):
    """Sums up to each position, without torch-mlir's own dialect for scans."""
    n = x.shape[dim]
    x = x.to(dtype or (x.dtype if x.is_floating_point() else torch.int64)).movedim(dim, -1)
    i = torch.arange(n, device=x.device)
    below = torch.where(i[:, None] >= i[None], x[..., None, :], torch.zeros((), dtype=x.dtype, device=x.device))
    return below.sum(-1).movedim(-1, dim)


def gelu(x, *, approximate="none"):
    """The tanh form with its constant; torch-mlir's own has 0.044708 for 0.044715."""
    if approximate == "none":
        return x * 0.5 * (1.0 + torch.erf(x * 0.7071067811865476))
    return 0.5 * x * (1.0 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


@functools.cache
def decomposition_table() -> dict:
    """Of run_decompositions and of aot_autograd."""
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    return {**get_decomposition_table(), aten.cumsum.default: cumsum, aten.gelu.default: gelu}
