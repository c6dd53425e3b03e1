# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How ops of PyTorch are taken apart before torch-mlir sees them: its own table and what it lacks or has wrong."""

from __future__ import annotations

import functools

import torch

from ..errors import MissingExtraError, UnsupportedError

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


def flash_attention(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    """PyTorch's own decomposition has no logarithms of the sums, which the gradient takes, and other strides."""
    if dropout_p:
        return NotImplemented
    groups = query.shape[1] // key.shape[1]
    output = aten._scaled_dot_product_attention_math.default(
        query, key, value, attn_mask=attn_mask, is_causal=is_causal, scale=scale, enable_gqa=groups > 1)[0]
    score = query.float() @ key.repeat_interleave(groups, 1).float().transpose(-1, -2)
    score = score * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        rows, keys = torch.arange(query.shape[2])[:, None], torch.arange(key.shape[2])[None]
        score = torch.where(keys <= rows, score, -torch.inf)
    if attn_mask is not None:
        score = score + attn_mask
    # Models view the result as [batch, rows, width].
    return output.transpose(1, 2).contiguous().transpose(1, 2), torch.logsumexp(score, -1)


def _hidden(mask, mask_type):
    """What PyTorch's fused layers mask, over [batch, heads, rows, keys]."""
    mask = mask.to(torch.bool)
    if mask_type == 1:
        return mask[:, None, None, :]
    return mask[None, None] if mask.dim() == 2 else mask


def attend(x, heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type):
    """Self-attention of [batch, rows, width], with its projections."""
    batch, rows, width = x.shape
    qkv = torch.nn.functional.linear(x, qkv_weight, qkv_bias)
    q, k, v = [y.view(batch, rows, heads, width // heads).transpose(1, 2) for y in qkv.chunk(3, -1)]
    seen = None if mask is None else ~_hidden(mask, mask_type)
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, seen)
    return torch.nn.functional.linear(y.transpose(1, 2).reshape(batch, rows, width), proj_weight, proj_bias)


def transformer_encoder_layer(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu,
                              norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1,
                              ffn_bias_1, ffn_weight_2, ffn_bias_2, mask=None, mask_type=None):
    """The layer that nn.TransformerEncoderLayer becomes where no gradient is wanted."""
    def norm_1(x):
        return torch.nn.functional.layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm_2(x):
        return torch.nn.functional.layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    def attention(x):
        return attend(x, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type)

    def feed_forward(x):
        x = torch.nn.functional.linear(x, ffn_weight_1, ffn_bias_1)
        x = torch.nn.functional.gelu(x) if use_gelu else torch.relu(x)
        return torch.nn.functional.linear(x, ffn_weight_2, ffn_bias_2)
    if norm_first:
        x = src + attention(norm_1(src))
        return x + feed_forward(norm_2(x))
    x = norm_1(src + attention(src))
    return norm_2(x + feed_forward(x))


def multi_head_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None,
                         need_weights=True, average_attn_weights=True, mask_type=None):
    """What nn.MultiheadAttention becomes there; its weights are another op's work."""
    if need_weights or query is not key or key is not value:
        return NotImplemented
    return attend(query, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type), query.new_empty(0)


def named_attention(*arguments):
    """attn's own op, which raising finds again in its formula."""
    from . import reference
    try:
        return reference.attention(*arguments)
    except UnsupportedError:
        return NotImplemented


def load_torch_mlir():
    """torch_mlir.fx."""
    try:
        from torch_mlir import fx
        return fx
    except ImportError as error:
        raise MissingExtraError(
            "compiling torch needs torch-mlir: pip install torch-mlir -f "
            "https://github.com/llvm/torch-mlir-release/releases/expanded_assets/dev-wheels") from error


def group_norm(x, weight, bias, batch, channels, size, groups, eps):
    """PyTorch's own has strides of an unknown batch, which torch-mlir does not take."""
    wide = x.to(torch.float32) if x.dtype in (torch.bfloat16, torch.float16) else x
    rows = wide.reshape(batch, groups, channels // groups * size)
    mean = rows.mean(-1, keepdim=True)
    factor = torch.rsqrt((rows - mean).square().mean(-1, keepdim=True) + eps)
    result = ((rows - mean) * factor).reshape(x.shape)
    shape = [1, channels] + [1] * (x.dim() - 2)
    if weight is not None:
        result = result * weight.reshape(shape)
    if bias is not None:
        result = result + bias.reshape(shape)
    return result.to(x.dtype), mean.squeeze(-1).to(x.dtype), factor.squeeze(-1).to(x.dtype)


def histc(x, bins=100, min=0, max=0):
    """How many numbers lie in each part of [min, max]; the last part has its end."""
    if min == max:  # bounds are those of the values
        return NotImplemented
    x = x.flatten()
    place = torch.clamp(torch.floor((x - min) / (max - min) * bins), max=bins - 1)
    inside = (x >= min) & (x <= max)
    parts = torch.arange(bins, device=x.device, dtype=x.dtype)
    return ((place[:, None] == parts) & inside[:, None]).to(x.dtype).sum(0)


def grouped_mm(x, weight, offs=None, bias=None, out_dtype=None):
    """Rows times the matrix of their group, whose rows end before offs: each matrix takes all rows, and each row the
    result of its own. For n groups that is n times the work; rows of a group are known only when the kernel runs."""
    if offs is None or bias is not None or x.dim() != 2 or weight.dim() != 3:
        return NotImplemented
    rows = torch.arange(x.shape[0], device=x.device)
    group = (rows[:, None] >= offs).to(torch.int64).sum(1)
    result = x.new_zeros((x.shape[0], weight.shape[2]))
    for e in range(weight.shape[0]):
        result = torch.where((group == e)[:, None], x @ weight[e], result)
    return result if out_dtype is None else result.to(out_dtype)


def _of_other_packages() -> dict:
    """Ops that packages register when they are imported."""
    fallback = getattr(torch.ops.transformers, "grouped_mm_fallback", None)
    return {fallback.default: grouped_mm} if fallback is not None else {}


def decomposition_table() -> dict:
    """Of run_decompositions and of aot_autograd."""
    return {**_own_table(), **_of_other_packages()}


@functools.cache
def _own_table() -> dict:
    """Products with a bias stay whole for unflatten.py."""
    load_torch_mlir()
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    table = {op: how for op, how in get_decomposition_table().items() if op is not aten.addmm.default}
    from . import ops  # noqa: F401
    return {**table, torch.ops.attn.attention.default: named_attention, aten.cumsum.default: cumsum, aten.gelu.default: gelu,
            aten._scaled_dot_product_flash_attention_for_cpu.default: flash_attention,
            aten._transformer_encoder_layer_fwd.default: transformer_encoder_layer,
            aten._native_multi_head_attention.default: multi_head_attention,
            aten.native_group_norm.default: group_norm, aten.histc.default: histc, aten._grouped_mm.default: grouped_mm}
