# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of decoding as PyTorch and JAX users write them: export_caches.py DIR (needs test/Models/requirements.txt)."""

import os
import sys

import numpy as np

os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.append(os.path.join(os.path.dirname(__file__), *[".."] * 5, "python"))

import jax
import jax.numpy as jnp
import torch
from attn.jax.importer import lower_to_linalg
from torch_mlir import fx
from torch_mlir.extras.fx_decomp_util import get_decomposition_table

HEADS, GROUPS, DIM, ROOM = 4, 2, 8, 9


def draw(seed, *shape):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def sdpa(q, k, v, mask=None):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


def seen(at):
    return torch.arange(ROOM)[None] <= at[:, None]


def index_copy(q, new_k, new_v, keys, values, at):
    """As transformers' StaticCache."""
    k, v = keys.index_copy(2, at, new_k), values.index_copy(2, at, new_v)
    return sdpa(q, k, v, seen(at)), k, v


def where_rows(q, new_k, new_v, keys, values, at):
    is_new = (torch.arange(ROOM)[None] == at[:, None])[:, None, :, None]
    k, v = torch.where(is_new, new_k, keys), torch.where(is_new, new_v, values)
    return sdpa(q, k, v, seen(at)[:, None, None]), k, v


def concat(q, new_k, new_v, keys, values):
    """As transformers' DynamicCache."""
    k, v = torch.cat([keys, new_k], 2), torch.cat([values, new_v], 2)
    return sdpa(q, k, v), k, v


def update(cache, new, at):
    return jax.lax.dynamic_update_slice(cache, new, (0, at, 0, 0))


def attend(q, k, v, at):
    return jax.nn.dot_product_attention(q, k, v, mask=(jnp.arange(ROOM) <= at)[None, None, None])


def step(q, new_k, new_v, keys, values, at):
    k, v = update(keys, new_k, at), update(values, new_v, at)
    return attend(q, k, v, at), k, v


def jax_concat(q, new_k, new_v, keys, values):
    k, v = jnp.concatenate([keys, new_k], 1), jnp.concatenate([values, new_v], 1)
    return jax.nn.dot_product_attention(q, k, v), k, v


def scan_tokens(q, new_k, new_v, keys, values, at):
    """Four tokens, one after the other."""

    def next_token(state, _):
        keys, values, at, q = state
        k = update(keys, new_k[:, None] + q[:, None, :GROUPS], at)
        v = update(values, new_v[:, None] - q[:, None, :GROUPS], at)
        o = attend(q[:, None], k, v, at)[:, 0]
        return (k, v, at + 1, o), o

    (keys, values, _, _), outs = jax.lax.scan(next_token, (keys, values, at, q), None, length=4)
    return outs, keys, values


def scan_layers(x, weights, keys, values, at):
    """Layers, one after the other, whose caches are one tensor."""

    def next_layer(x, layer):
        weight, keys, values = layer
        q, k, v = (x @ weight).reshape(3, 1, 1, HEADS, DIM)
        keys, values = update(keys, k[:, :, :GROUPS], at), update(values, v[:, :, :GROUPS], at)
        return x + attend(q, keys, values, at).reshape(x.shape), (keys, values)

    x, (keys, values) = jax.lax.scan(next_layer, x, (weights, keys, values))
    return x, keys, values


def heads_first(batch):
    return [draw(1, batch, HEADS, 1, DIM), draw(2, batch, GROUPS, 1, DIM), draw(3, batch, GROUPS, 1, DIM),
            draw(4, batch, GROUPS, ROOM, DIM), draw(5, batch, GROUPS, ROOM, DIM)]


def rows_first():
    return [draw(1, 1, 1, HEADS, DIM), draw(2, 1, 1, GROUPS, DIM), draw(3, 1, 1, GROUPS, DIM),
            draw(4, 1, ROOM, GROUPS, DIM), draw(5, 1, ROOM, GROUPS, DIM)]


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def export_torch(function, arrays, grows):
    tensors = [torch.from_numpy(array) for array in arrays]
    past = torch.export.Dim("past", min=1, max=4096)
    sizes = {"tensors": tuple({2: past} if i in (3, 4) else None for i in range(len(tensors)))}
    text = str(fx.export_and_import(Function(function), *tensors, output_type="linalg-on-tensors", func_name="main",
                                    decomposition_table=get_decomposition_table(),
                                    dynamic_shapes=sizes if grows else None))
    return text, [result.numpy() for result in function(*tensors)]


def export_function(function, arrays, donated):
    module = jax.jit(function, donate_argnums=donated).lower(*arrays).compiler_ir("stablehlo")
    return lower_to_linalg(module).get_asm() + "\n", [np.asarray(result) for result in jax.jit(function)(*arrays)]


def cases():
    """Name, how it is exported, the function, its arguments, and what is particular of them."""
    rows = rows_first()
    tokens = [array[:, 0] for array in rows[:3]] + rows[3:]
    yield "torch_cache_index_copy", export_torch, index_copy, [*heads_first(1), np.array([5])], False
    yield "torch_cache_where_rows", export_torch, where_rows, [*heads_first(2), np.array([5, 7])], False
    yield "torch_cache_concat", export_torch, concat, heads_first(1), True
    yield "jax_cache_step", export_function, step, [*rows, np.int32(5)], (3, 4)
    yield "jax_cache_concat", export_function, jax_concat, rows, ()
    layers = [draw(1, 1, HEADS * DIM), draw(2, 3, HEADS * DIM, 3 * HEADS * DIM),
              draw(4, 3, 1, ROOM, GROUPS, DIM), draw(5, 3, 1, ROOM, GROUPS, DIM)]
    yield "jax_scan_tokens", export_function, scan_tokens, [*tokens, np.int32(3)], ()
    yield "jax_scan_layers", export_function, scan_layers, [*layers, np.int32(4)], (2, 3)


def main(directory):
    for name, export, function, arrays, particular in cases():
        text, results = export(function, arrays, particular)
        with open(os.path.join(directory, name + ".mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        np.savez_compressed(os.path.join(directory, name + ".npz"),
                            **{f"arg{i}": array for i, array in enumerate(arrays)},
                            **{f"out{i}": array for i, array in enumerate(results)})


if __name__ == "__main__":
    main(sys.argv[1])
