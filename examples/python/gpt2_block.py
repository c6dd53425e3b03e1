# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block of GPT-2: compiled ahead of its use and by torch.compile, and compared with PyTorch."""

import torch
from torch import nn
from torch.nn import functional as F

import attn


class Block(nn.Module):
    def __init__(self, width=768, heads=12):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = [y.view(batch, length, self.heads, -1).transpose(1, 2) for y in self.qkv(self.norm_1(x)).chunk(3, -1)]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm_2(x)), approximate="tanh"))


def main():
    torch.manual_seed(0)
    block, x = Block().eval(), torch.randn(1, 128, 768)
    with torch.no_grad():
        theirs = block(x)

    # Known sizes, then lengths that vary.
    compiled = attn.compile(block, x)
    print("error against PyTorch:", (compiled(x) - theirs).abs().max().item())
    print("what became of it:", sorted({remark["id"] for remark in compiled.remarks}))
    any_length = attn.compile(block, x, dynamic=True)
    for length in (16, 100):
        with torch.no_grad():
            torch.testing.assert_close(any_length(x[:, :length]), block(x[:, :length]), atol=1e-4, rtol=1e-4)

    # The same through torch.compile; what it could not take would stay PyTorch's.
    with torch.no_grad():
        print("torch.compile:", (torch.compile(block, backend="attn")(x) - theirs).abs().max().item())
    print("counters:", dict(attn.torch.counters))


if __name__ == "__main__":
    main()
