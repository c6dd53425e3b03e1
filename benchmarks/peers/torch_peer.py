# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on the CPU: SDPA, the two ways its users get softmax1, and compiled
flex_attention for what SDPA does not have."""

import math

import torch
import torch.nn.functional as F

from protocol import serve


DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def inputs(case):
    torch.set_num_threads(case["threads"])
    torch.set_grad_enabled(False)
    generator = torch.Generator().manual_seed(0)
    dtype = DTYPES[case.get("dtype", "f32")]
    query = torch.randn(case["B"], case["H"], case["M"], case["d"], generator=generator)
    heads = case.get("Hkv", case["H"])
    key, value = (torch.randn(case["B"], heads, case["N"], case["d"], generator=generator) for _ in range(2))
    return query.to(dtype), key.to(dtype), value.to(dtype)


def sdpa(case):
    query, key, value = inputs(case)
    grouped = key.shape[1] != query.shape[1]
    return lambda: F.scaled_dot_product_attention(query, key, value, is_causal=case["causal"], enable_gqa=grouped)


def softmax1_zero_row(case):
    """A key of zeros has logit 0 and adds 1 to the denominator; appending it is
    part of the work, because the caller's tensors do not have it."""
    query, key, value = inputs(case)
    zero = torch.zeros(case["B"], case["H"], 1, case["d"])
    return lambda: F.scaled_dot_product_attention(
        query, torch.cat([key, zero], 2), torch.cat([value, zero], 2))


def softmax1_manual(case):
    query, key, value = inputs(case)
    scale = 1 / math.sqrt(case["d"])

    def attend():
        scores = query @ key.transpose(-1, -2) * scale
        peak = scores.amax(-1, keepdim=True).clamp_min(0)
        weights = (scores - peak).exp()
        return (weights / (weights.sum(-1, keepdim=True) + (-peak).exp())) @ value

    return attend


def flex_alibi(case):
    """ALiBi as flex_attention's documentation spells it, compiled."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    query, key, value = inputs(case)
    slopes = torch.exp2(-8.0 * torch.arange(1, case["H"] + 1) / case["H"])

    def alibi(score, batch, head, row, column):
        return score + slopes[head] * (column - row)

    mask = None
    if case["causal"]:
        mask = create_block_mask(lambda batch, head, row, column: row >= column, None, None,
                                 case["M"], case["N"], device="cpu")
    compiled = torch.compile(flex_attention)
    return lambda: compiled(query, key, value, score_mod=alibi, block_mask=mask)


if __name__ == "__main__":
    serve({"torch-sdpa": sdpa, "torch-softmax1-zero-row": softmax1_zero_row,
           "torch-softmax1-manual": softmax1_manual, "torch-flex-alibi": flex_alibi})
