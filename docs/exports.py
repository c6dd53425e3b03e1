# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the model of Exports.md with the places of its source; needs torch and torch-mlir.

    python3 exports.py > exports.mlir

Weights of the attention are clamped, which no attention of the dialect does.
"""

import os
import re
import site

import torch
from torch import nn
from torch_mlir import fx

WIDTH, HEADS, LENGTH = 8, 2, 4


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        q, k, v = (layer(x).view(1, LENGTH, HEADS, -1).transpose(1, 2) for layer in (self.q, self.k, self.v))
        weights = torch.softmax(q @ k.transpose(-1, -2) / 2, -1)
        weights = torch.clamp(weights, 1e-3, 1.0)
        x = (weights @ v).transpose(1, 2)
        return self.out(x.reshape(1, LENGTH, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.up, self.down = linear(WIDTH, 2 * WIDTH), linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(torch.relu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


class WithWeights(nn.Module):
    """The model as a function of its weights."""

    def __init__(self, model):
        super().__init__()
        object.__setattr__(self, "model", model)
        self.names = [name for name, _ in model.named_parameters()]

    def forward(self, x, *weights):
        return torch.func.functional_call(self.model, dict(zip(self.names, weights)), (x,))


model = Model().eval()
module = fx.export_and_import(WithWeights(model), torch.zeros(1, LENGTH, WIDTH), *model.parameters(),
                              output_type="linalg-on-tensors")
text = module.operation.get_asm(enable_debug_info=True)
text = text.replace(os.path.abspath(__file__), "model.py")
for folder in site.getsitepackages():
    text = text.replace(folder + "/", "")
print(re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE), end="")
