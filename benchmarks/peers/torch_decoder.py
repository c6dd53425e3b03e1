# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decoder layer of the examples in PyTorch, compiled."""

import torch
import torch.nn.functional as F

from protocol import serve


def rotate(x, cosine, sine):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


def torch_compile(case):
    torch._dynamo.reset()
    torch.set_num_threads(case["threads"])
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[case["dtype"]]
    torch.set_grad_enabled(False)
    generator = torch.Generator().manual_seed(0)

    def draw(*shape):
        return (torch.randn(*shape, generator=generator) / shape[0] ** 0.5).to(dtype)

    width, hidden, d = case["width"], case["hidden"], case["head_dim"]
    heads, groups, rows = case["heads"], case["kv_heads"], case["rows"]
    x = torch.randn(1, rows, width, generator=generator).to(dtype)
    first_gain, second_gain = torch.randn(2, width, generator=generator).to(dtype)
    wq, wk, wv, wo = draw(width, heads * d), draw(width, groups * d), draw(width, groups * d), draw(heads * d, width)
    gate, up, down = draw(width, hidden), draw(width, hidden), draw(hidden, width)
    angles = torch.arange(rows)[:, None] * 10000.0 ** (-torch.arange(d // 2) * 2.0 / d)
    cosine, sine = angles.cos().to(dtype), angles.sin().to(dtype)

    def layer(x):
        n = F.rms_norm(x, (width,), first_gain, 1e-6)
        q = rotate((n @ wq).view(1, rows, heads, d).transpose(1, 2), cosine, sine)
        k = rotate((n @ wk).view(1, rows, groups, d).transpose(1, 2), cosine, sine)
        v = (n @ wv).view(1, rows, groups, d).transpose(1, 2)
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + o.transpose(1, 2).reshape(1, rows, heads * d) @ wo
        n = F.rms_norm(x, (width,), second_gain, 1e-6)
        return x + (F.silu(n @ gate) * (n @ up)) @ down

    compiled = torch.compile(layer)
    return lambda: compiled(x)


if __name__ == "__main__":
    serve({"torch-compile": torch_compile})
