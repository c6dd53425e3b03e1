# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.ops.attn.attention: the dialect's attention, with its policies by name.

    y = attn.torch.attention(q, k, v, scale="inv_sqrt_dim", masks=["causal", "window<left = 128, right = 0>"],
                             softmax=("sink", logits))

A policy is its name in docs/Spec.md; one that takes tensors is a tuple of its name and them. The op has a kernel for
the CPU, a fake one for tracing, and a gradient by the formula of reference.py.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Sequence

import torch

from ..errors import UnsupportedError
from . import reference

#: In the order of the op's params.
_DEFAULTS = {"scale": "inv_sqrt_dim", "bias": (), "masks": (), "softmax": "softmax"}
_SCHEMA = ("(Tensor query, Tensor key, Tensor value, Tensor[] params, str scale, str[] bias, str[] masks, "
           "str softmax, str similarity, str align, float softcap) -> Tensor")
_ELEMENTS = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16",
             torch.bool: "i1", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64"}

def _split(policy) -> tuple[str, list]:
    """A name in MLIR's words, and its tensors."""
    name, *tensors = policy if isinstance(policy, (tuple, list)) else (policy,)
    name = name.removeprefix("#attn.")
    if not re.fullmatch(r"\w+(<[\w\s=.,()+-]*>)?", name):
        raise ValueError(f"{name!r} is not the name of a policy, as inv_sqrt_dim or window<left = 4, right = 0>")
    return name, list(tensors)


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *, scale: Any = "inv_sqrt_dim",
              bias: Sequence = (), masks: Sequence = (), softmax: Any = "softmax", similarity: str = "dot",
              align: str = "bottom_right", softcap: float = 0.0) -> torch.Tensor:
    """Attention by its policies.

    query: [batch, heads, rows, dim]; key: [batch, key heads, keys, dim]; value: [batch, key heads, keys, value dim];
        key heads divide heads. scale: of the scores, times a natural logarithm's units. bias, masks: lists. softmax: the
        normaliser. similarity: `dot` or `cosine<...>`. align: where row 0 stands among the keys: `top_left`,
        or `bottom_right`, the last row at the last key. softcap: 0 is none.
    Returns [batch, heads, rows, value dim]. A row that sees no key is 0.
    Raises CompileError for policies that are unknown or do not go together."""
    params, names = [], {}
    for kind, given in (("scale", scale), ("bias", bias), ("masks", masks), ("softmax", softmax)):
        # A list of policies; one policy alone may stand for it.
        several = kind in ("bias", "masks")
        if several and (isinstance(given, str) or isinstance(given, tuple) and given and isinstance(given[0], str)
                        and any(isinstance(x, torch.Tensor) for x in given)):
            given = [given]
        split = [_split(policy) for policy in (given if several else [given])]
        names[kind] = [name for name, _ in split] if several else split[0][0]
        params += [tensor for _, tensors in split for tensor in tensors]
    return torch.ops.attn.attention(query, key, value, params, names["scale"], names["bias"], names["masks"],
                                    names["softmax"], similarity.removeprefix("#attn."), align, softcap)


def _policies(scale, bias, masks, softmax) -> list[str]:
    return [scale, *bias, *masks, softmax]


def _type(shape, dtype) -> str:
    if dtype not in _ELEMENTS:
        raise UnsupportedError(f"attention of {dtype}: there are kernels for {', '.join(map(str, _ELEMENTS))}")
    return "tensor<" + "".join(f"{'?' if size is None else size}x" for size in shape) + _ELEMENTS[dtype] + ">"


def _param_shapes(params, policies) -> list:
    """With None for sizes that may vary between calls."""
    dims = [letters for policy in policies for letters in reference.param_dims(policy)]
    shapes = []
    for param, letters in zip(params, dims + [""] * len(params)):
        shape = tuple(param.shape)
        named = letters[:len(shape)][::-1].rjust(len(shape), " ")
        shapes.append(tuple(None if size != 1 and letter in "bmn" else size for size, letter in zip(shape, named)))
    return shapes


@functools.lru_cache(maxsize=1024)
def _compile(shapes, dtypes, scale, bias, masks, softmax, similarity, align, softcap):
    """The kernel for types; sizes that are None may vary."""
    from ..compiled import Compiled, Source
    from ..module import Options
    types = [_type(shape, dtype) for shape, dtype in zip(shapes, dtypes)]
    query, value = shapes[0], shapes[2]
    result = _type((*query[:3], value[3]), dtypes[0])
    lines, sizes = [], []
    for axis in (0, 2):
        if query[axis] is None:
            lines += [f"%c{axis} = arith.constant {axis} : index", f"%d{axis} = tensor.dim %a0, %c{axis} : {types[0]}"]
            sizes.append(f"%d{axis}")
    lines.append(f"%init = tensor.empty({', '.join(sizes)}) : {result}")
    clauses = [f"scale(#attn.{scale})", f"softmax(#attn.{softmax})", f"align({align})"]
    clauses += [f"similarity(#attn.{similarity})"] if similarity != "dot" else []
    clauses += [f"softcap({softcap!r})"] if softcap else []
    for clause, names in (("bias", bias), ("masks", masks)):
        clauses += [f"{clause} [{', '.join('#attn.' + name for name in names)}]"] if names else []

    def operands(start, stop):
        return f"{', '.join(f'%a{i}' for i in range(start, stop))} : {', '.join(types[start:stop])}"
    clauses.append(f"ins({operands(0, 3)})")
    clauses += [f"params({operands(3, len(types))})"] if len(types) > 3 else []
    lines.append(f"%r = attn.attention {' '.join(clauses)} outs(%init : {result}) -> {result}")
    arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(types))
    text = f"func.func @attention({arguments}) -> {result} {{\n  " + "\n  ".join(lines) + \
        f"\n  return %r : {result}\n}}\n"
    return Compiled(Source(text, "<torch.ops.attn.attention>"), Options())


def _run(query, key, value, params, scale, bias, masks, softmax, similarity, align, softcap):
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise ValueError("query, key and value are [batch, heads, rows, dim]")
    # One row is a kernel of its own: the step of a decoder.
    rows = 1 if query.shape[2] == 1 else None
    shapes = [(None, query.shape[1], rows, query.shape[3]), (None, key.shape[1], None, key.shape[3]),
              (None, value.shape[1], None, value.shape[3])]
    shapes += _param_shapes(params, _policies(scale, bias, masks, softmax))
    tensors = (query, key, value, *params)
    kernel = _compile(tuple(shapes), tuple(x.dtype for x in tensors), scale, tuple(bias), tuple(masks), softmax,
                      similarity, align, softcap)
    return kernel(*[x.detach() for x in tensors])


_op = torch.library.custom_op("attn::attention", _run, mutates_args=(), device_types="cpu", schema=_SCHEMA)


@_op.register_fake
def _(query, key, value, params, scale, bias, masks, softmax, similarity, align, softcap):
    return query.new_empty((*query.shape[:3], value.shape[3]))


def _save(ctx, inputs, output):
    query, key, value, params, *policies = inputs
    ctx.save_for_backward(query, key, value, *params)
    ctx.policies = policies


def _backward(ctx, gradient):
    tensors = [x.detach() for x in ctx.saved_tensors]
    wanted = [x.is_floating_point() for x in tensors]
    tensors = [x.requires_grad_(w) for x, w in zip(tensors, wanted)]
    with torch.enable_grad():
        result = reference.attention(*tensors[:3], tensors[3:], *ctx.policies)
    found = iter(torch.autograd.grad(result, [x for x, w in zip(tensors, wanted) if w], gradient, allow_unused=True))
    gradients = [next(found) if w else None for w in wanted]
    # PyTorch takes an empty list for one of tensors.
    rest = [[] if policy == [] else None for policy in ctx.policies]
    return (*gradients[:3], gradients[3:], *rest)


_op.register_autograd(_backward, setup_context=_save)
