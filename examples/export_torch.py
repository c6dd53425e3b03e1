"""Exports the PyTorch examples of this folder: python export_torch.py [OUT]

Needs torch and torch-mlir (pip). Each example is a plain function. torch-mlir
lowers it to linalg on tensors; the .npz beside the IR holds the arguments
(arg0, arg1, ... in the function's order) and PyTorch's own results (out0, ...).
"""

import math
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch_mlir import fx

BATCH, HEADS, LENGTH, DIM = 1, 2, 48, 32


class FunctionModule(torch.nn.Module):
    """torch.export takes modules only."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def manual_attention(query, key, value):
    scores = query @ key.transpose(-1, -2) * (1 / math.sqrt(query.shape[-1]))
    return torch.softmax(scores, -1) @ value


def export(directory, name, function, *args):
    module = FunctionModule(function).eval()
    ir = fx.export_and_import(module, *args, output_type="linalg-on-tensors", func_name=name)
    (directory / f"{name}.mlir").write_text(f"{ir}\n")
    with torch.no_grad():
        result = module(*args)
    arrays = {f"arg{i}": arg.numpy() for i, arg in enumerate(args)}
    np.savez_compressed(directory / f"{name}.npz", **arrays, out0=result.numpy())


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    torch.manual_seed(0)
    query, key, value = (torch.randn(BATCH, HEADS, LENGTH, DIM) for _ in range(3))
    mask = torch.randn(LENGTH, LENGTH)
    export(
        directory,
        "torch_sdpa_causal",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        query, key, value,
    )
    export(
        directory,
        "torch_sdpa_mask",
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m),
        query, key, value, mask,
    )
    export(directory, "torch_manual_scaled", manual_attention, query, key, value)


if __name__ == "__main__":
    main()
