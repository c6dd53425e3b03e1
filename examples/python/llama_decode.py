# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoding with a cache: a layer of Llama, one token at a time, its keys and values updated where they lie."""

import time

import torch
from torch import nn
from torch.nn import functional as F

import attn

WIDTH, HEADS, KEY_HEADS, DIM, CAPACITY = 512, 8, 2, 64, 256


def rotate(x, position):
    """Rotary positions of [batch, heads, 1, dim]."""
    half = x.shape[-1] // 2
    angles = position.float() * 10000.0 ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.q, self.k = nn.Linear(WIDTH, HEADS * DIM, bias=False), nn.Linear(WIDTH, KEY_HEADS * DIM, bias=False)
        self.v, self.o = nn.Linear(WIDTH, KEY_HEADS * DIM, bias=False), nn.Linear(HEADS * DIM, WIDTH, bias=False)
        self.gate, self.up = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.down = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x, keys, values, position):
        h = self.norm_1(x)
        q, k, v = [f(h).view(1, 1, -1, DIM).transpose(1, 2) for f in (self.q, self.k, self.v)]
        keys = keys.index_copy(2, position, rotate(k, position))
        values = values.index_copy(2, position, v)
        seen = (torch.arange(keys.shape[2]) <= position)[None]
        y = F.scaled_dot_product_attention(rotate(q, position), keys, values, seen, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(1, 1, -1))
        h = self.norm_2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h)), keys, values


torch.manual_seed(0)
layer = Layer().eval()
tokens = torch.randn(40, 1, 1, WIDTH)


def decode(step):
    """All tokens, one after the other; the results and the time."""
    keys, values = torch.zeros(2, 1, KEY_HEADS, CAPACITY, DIM).unbind()
    results, start = [], time.perf_counter()
    with torch.no_grad():
        for i, token in enumerate(tokens):
            y, keys, values = step(token, keys, values, torch.tensor([i]))
            results.append(y)
    return torch.cat(results), time.perf_counter() - start


caches = torch.zeros(2, 1, KEY_HEADS, CAPACITY, DIM)
step = attn.compile(layer, (tokens[0], caches[0], caches[1], torch.tensor([0])), donate=(1, 2))
decode(step)
(theirs, their_time), (ours, our_time) = decode(layer), decode(step)
torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)
in_place = [spec.in_out for spec in step.spec.outputs if spec.in_out is not None]
print(f"{len(tokens)} tokens: {1e3 * our_time:.1f} ms, PyTorch {1e3 * their_time:.1f} ms")
print(f"caches that are updated in place: {len(in_place)}")
