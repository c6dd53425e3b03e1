# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formula of docs/Spec.md for attn.attention in ops of PyTorch: what gradients are taken of."""

from __future__ import annotations

import math
import re

import torch

from ..errors import UnsupportedError

#: Dimensions of policies' params that are not known when a kernel is compiled, by name, from the last one.
_VARYING = {"dense_mask": ("nmhb",), "additive_mask": ("nmhb",), "dense_bias": ("nmhb",), "kv_lengths": ("b",),
            "prefix_lm": ("b",), "segment_ids": ("mb", "nb")}


def param_dims(policy: str) -> list[str]:
    """For each param of a policy its dimensions that may vary, from the last one; empty where none does."""
    name, _, options = policy.partition("<")
    if name in _VARYING:
        return list(_VARYING[name])
    count = (name in ("operand", "learned", "sink")) + (name == "entropy_invariant" and "kappa" not in options) + \
        (name == "alibi" and "operand" in options)
    return [""] * count + ["mb"] * ("position_operand" in options)


class _Problem:
    """One attention on its way; params are taken in the order of policies."""

    def __init__(self, query, key, params, align, lengths):
        self.batch, self.heads, self.rows, self.dim = query.shape
        self.keys, self.device, self.dtype = key.shape[2], query.device, query.dtype
        self.params = iter(params)
        # A batch's own length takes the place of the number of keys.
        self.lengths = None if lengths is None else lengths[:, None, None, None]
        last = self.keys if lengths is None else self.lengths
        first = 0 if align == "top_left" else last - self.rows
        self.position = first + torch.arange(self.rows, device=self.device)[:, None]
        self.column = torch.arange(self.keys, device=self.device)[None]

    def take(self):
        return next(self.params)


def _parse(policy: str) -> tuple[str, dict]:
    """`window<left = 4, right = 0>`: the name, and numbers and words by name; one without a name is `value`."""
    name, _, rest = policy.partition("<")
    options = {}
    for part in filter(None, (part.strip() for part in rest.rstrip(">").split(",") if rest)):
        key, _, value = part.rpartition("=")
        value = value.strip()
        options[key.strip() or "value"] = float(value) if re.fullmatch(r"[-+\d.e]+", value) else value
    return name, options


#: Masks that leave a row no range of keys, for all that is known without their params.
_SCATTERED = ("segment_ids", "dense_mask", "additive_mask")


def _length(problem, source, masks):
    """n: a number, or one per row; `masks` has the name of each mask and what it leaves visible."""
    source = source if isinstance(source, str) else "keys"
    inside = re.search(r"\(([\d.]+)\)", source)
    if source == "keys":
        if problem.lengths is not None:
            return problem.lengths.clamp_min(1).to(torch.float32)
        # No torch.tensor: this is traced, where that is a constant which graphs do not take.
        return torch.full((), problem.keys, dtype=torch.float32).clamp_min(1)
    if source == "position" and all(name != "segment_ids" for name, _ in masks):
        return (problem.position + 1).clamp_min(1).to(torch.float32)
    if source in ("visible", "seen"):
        seen = torch.ones_like(problem.column + problem.position, dtype=torch.bool)
        for name, visible in masks:
            seen = seen & visible if source == "seen" or name not in _SCATTERED else seen
        return seen.sum(-1, keepdim=True).clamp_min(1).to(torch.float32)
    if source.startswith("constant") and inside:
        return torch.full((), max(float(inside[1]), 1.0))
    if source.startswith("half_max") and inside:
        return torch.full((), max(float(inside[1]) / 2, 1.0))
    where = "beside segment_ids" if source == "position" else "here"
    raise UnsupportedError(f"the gradient of a scale with n = {source} has no formula {where}")


def _lambert(x):
    """W0 by Newton's steps, for x >= 0."""
    w = torch.log1p(x)
    for _ in range(20):
        e = torch.exp(w)
        w = w - (w * e - x) / (e * (w + 1))
    return w


def _scale(problem, policy, masks):
    name, options = _parse(policy)
    dim = max(problem.dim, 1)
    if name in ("operand", "learned"):
        factor = problem.take().to(torch.float32)
        if name == "learned" or factor.dim() == 1 and factor.shape[0] == problem.heads != problem.rows:
            return factor[..., :, None, None]
        return factor if factor.dim() == 0 else factor[..., None]
    plain = {"inv_sqrt_dim": dim ** -0.5, "none": 1.0, "inv_dim": 1 / dim, "gradient_max_blind": 2.5 / math.sqrt(dim)}
    if name in plain:
        return plain[name]
    if name == "constant":
        return options["value"]
    n = _length(problem, options.get("n"), masks)
    if name == "entropy_invariant":
        kappa = options["kappa"] if "kappa" in options else problem.take()[:, None, None]
        return kappa * torch.log(n) / dim
    if name == "log_length":
        return torch.log(n) / math.log(options.get("base", 512.0)) / math.sqrt(dim)
    if options.get("scores") == "normal" and name == "gradient_max_fit":
        return 0.84 * torch.sqrt(torch.log(n)) / math.sqrt(dim)
    if options.get("scores") == "normal" and name == "gradient_max":
        return torch.sqrt((_lambert(n * math.exp(0.5) / 2) - 0.5).clamp_min(0)) / math.sqrt(dim)
    raise UnsupportedError(f"the gradient of the scale {policy} has no formula here")


def _slopes(problem, options):
    if options.get("slopes") == "operand":
        return problem.take().to(torch.float32)[:, None, None]
    heads = problem.heads
    power = 2 ** int(math.log2(heads))
    h = torch.arange(heads, device=problem.device, dtype=torch.float32)
    exponents = torch.where(h < power, -8 * (h + 1) / power, -4 * (2 * (h - power) + 1) / power)
    return torch.exp2(exponents)[:, None, None]


def _bias(problem, policy):
    name, options = _parse(policy)
    if name == "dense_bias":
        return problem.take()
    if name == "alibi":
        return -_slopes(problem, options) * (problem.position - problem.column).abs()
    raise UnsupportedError(f"the gradient of the bias {policy} has no formula here")


def _mask(problem, policy):
    """What is visible, and what is added to it."""
    name, options = _parse(policy)
    position, column = problem.position, problem.column
    if name == "causal":
        return column <= position, None
    if name == "window":
        left, right = options["left"], options["right"]
        visible = torch.ones_like(column + position, dtype=torch.bool)
        visible = visible & (column >= position - left) if left >= 0 else visible
        return visible & (column <= position + right) if right >= 0 else visible, None
    if name == "chunked":
        chunk = int(options["value"])
        return (column <= position) & (column // chunk == position // chunk), None
    if name == "kv_lengths":
        return column < problem.take()[:, None, None, None], None
    if name == "prefix_lm":
        return (column <= position) | (column < problem.take()[:, None, None, None]), None
    if name == "segment_ids":
        rows, keys = problem.take(), problem.take()
        return (rows[..., :, None] == keys[..., None, :])[:, None], None
    if name == "dense_mask":
        return problem.take().bool(), None
    if name == "additive_mask":
        added = problem.take()
        visible = added != -math.inf
        return visible, torch.where(visible, added, 0)
    raise UnsupportedError(f"the gradient of the mask {policy} has no formula here")


def _normalise(row, name, options, sink):
    """Weights of each key; a row without any has zeros."""
    top = row.amax(-1, keepdim=True) if row.shape[-1] else row.new_full((*row.shape[:-1], 1), -math.inf)
    extra = None
    if name == "softmax1":
        extra = torch.zeros_like(top)
    elif name == "softmax_n" and options["value"] > 0:
        extra = torch.full_like(top, math.log(options["value"]))
    elif name == "sink":
        extra = sink.to(row.dtype)[:, None, None].expand_as(top)
    elif name not in ("softmax", "softmax_n"):
        raise UnsupportedError(f"the gradient of the normaliser {name} has no formula here")
    top = (top if extra is None else torch.maximum(top, extra)).detach()
    top = torch.where(top == -math.inf, 0, top)
    weights = torch.exp(row - top)
    total = weights.sum(-1, keepdim=True)
    total = total if extra is None else total + torch.exp(extra - top)
    return weights / torch.where(total == 0, 1, total)


def _similarities(problem, query, key, similarity):
    name, options = _parse(similarity)
    if name == "cosine":
        eps = options.get("eps", 0.0)

        def unit(x):
            if options.get("mode") == "max_norm":
                return x / x.norm(dim=-1, keepdim=True).clamp_min(max(eps, 1e-38))
            return x * torch.rsqrt(x.square().sum(-1, keepdim=True) + max(eps, 1e-38))
        query, key = unit(query), unit(key)
    key = key.repeat_interleave(problem.heads // key.shape[1], 1)
    return query @ key.transpose(-1, -2)


def attention(query, key, value, params, scale, bias, masks, softmax, similarity, align, softcap):
    """[batch, heads, rows, value dim], computed in float32 or wider. Arguments are those of torch.ops.attn.attention."""
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(wide), key.to(wide), value.to(wide)
    owners = [policy for policy in (scale, *bias, *masks, softmax) for _ in param_dims(policy)]
    lengths = params[owners.index("kv_lengths")] if "kv_lengths" in owners else None
    problem = _Problem(q, k, params, align, lengths)
    score = _similarities(problem, q, k, similarity)
    named, options = _parse(scale)
    # Masks say what a scale may depend on, but their params come later.
    first = problem.take() if named in ("operand", "learned") or named == "entropy_invariant" and \
        "kappa" not in options else None
    added = [_bias(problem, policy) for policy in bias]
    seen, visible = [_mask(problem, policy) for policy in masks], torch.ones((), dtype=torch.bool, device=q.device)
    for mask, _ in seen:
        visible = visible & mask
    sink = problem.take() if softmax == "sink" else None
    problem.params = iter([first])
    score = score * _scale(problem, scale, [(_parse(policy)[0], mask) for policy, (mask, _) in zip(masks, seen)])
    score = softcap * torch.tanh(score / softcap) if softcap else score
    for term in [*added, *(more for _, more in seen if more is not None)]:
        score = score + term
    score = score.masked_fill(~visible, -math.inf)
    name, options = _parse(softmax)
    v = v.repeat_interleave(problem.heads // v.shape[1], 1)
    return (_normalise(score, name, options, sink) @ v).to(query.dtype)
