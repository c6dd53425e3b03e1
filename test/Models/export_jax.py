# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports attention and blocks of JAX and Flax: jax.jit, then the StableHLO passes inside of jaxlib.

    pip install -r test/Models/requirements.txt
    python3 test/Models/export_jax.py --directory=DIR [--only=REGEX]

The files are those of export.py.
"""

import argparse
import json
import os
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from attn.jax.importer import lower_to_linalg
from values import describe_weight, draw, to_bf16

#: Benchmarks set others.
BATCH, LENGTH, HEADS, DIM, WIDTH, HIDDEN = 2, 11, 2, 64, 128, 256


def drawn(*shape, seed, near_one=False):
    """A number of inputs, with how it is drawn."""
    how = describe_weight(shape, seed) if near_one else {"shape": list(shape), "seed": seed, "mean": 0.0, "spread": 1.0}
    return how


def qkv(key_heads=None):
    keys = (BATCH, LENGTH, key_heads or HEADS, DIM)
    return [drawn(BATCH, LENGTH, HEADS, DIM, seed=1), drawn(*keys, seed=2), drawn(*keys, seed=3)]


def lengths():
    """Each second text is shorter."""
    return np.array([LENGTH, 2 * LENGTH // 3] * BATCH, np.int32)[:BATCH]


def padding():
    return np.arange(LENGTH)[None] < lengths()[:, None]


def rms(x, gain):
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-6) * gain


def rope(x, positions):
    half = x.shape[-1] // 2
    angles = positions[..., None, None] * 10000.0 ** (-jnp.arange(half) / half)
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1).astype(x.dtype)


def llama(x, gain, wq, wk, wv, wo, gain2, gate, up, down):
    h = rms(x, gain)
    heads = lambda w, n: (h @ w).reshape(BATCH, LENGTH, n, DIM)
    at = jnp.arange(LENGTH, dtype=jnp.float32)[None]
    q, k, v = rope(heads(wq, HEADS), at), rope(heads(wk, 1), at), heads(wv, 1)
    y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    x = x + y.reshape(BATCH, LENGTH, WIDTH) @ wo
    h = rms(x, gain2)
    return x + (jax.nn.silu(h @ gate) * (h @ up)) @ down


def softmax1(s):
    top = jnp.maximum(s.max(-1, keepdims=True), 0)
    e = jnp.exp(s - top)
    return e / (e.sum(-1, keepdims=True) + jnp.exp(-top))


def by_einsum(normalise, q, k, v):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(DIM).astype(np.float32)
    return jnp.einsum("bhqk,bkhd->bqhd", normalise(s), v)


def with_sink(q, k, v, sinks):
    def normalise(s):
        column = jnp.broadcast_to(sinks[None, :, None, None], (*s.shape[:-1], 1))
        return jax.nn.softmax(jnp.concatenate([s, column], -1), -1)[..., :-1]
    return by_einsum(normalise, q, k, v)


def functions():
    """Name, function, arguments: how they are drawn, or arrays."""
    dpa = jax.nn.dot_product_attention
    x = drawn(BATCH, LENGTH, WIDTH, seed=4)
    weight = lambda *shape, seed: describe_weight(shape[::-1], seed) | {"shape": list(shape)}
    yield "dpa", dpa, qkv()
    yield "dpa_causal", lambda q, k, v: dpa(q, k, v, is_causal=True), qkv()
    yield "dpa_gqa", dpa, qkv(1)
    yield "dpa_window", lambda q, k, v: dpa(q, k, v, local_window_size=4), qkv()
    yield "dpa_causal_window", lambda q, k, v: dpa(q, k, v, is_causal=True, local_window_size=(4, 0)), qkv()
    yield "dpa_bias", lambda q, k, v, b: dpa(q, k, v, bias=b), [*qkv(), drawn(1, HEADS, LENGTH, LENGTH, seed=5)]
    yield "dpa_mask", lambda q, k, v, m: dpa(q, k, v, mask=m), [*qkv(), padding()[:, None, None]]
    yield "dpa_causal_mask", lambda q, k, v, m: dpa(q, k, v, mask=m, is_causal=True), [*qkv(), padding()[:, None, None]]
    yield "dpa_lengths", lambda q, k, v, n: dpa(q, k, v, key_value_seq_lengths=n), [*qkv(), lengths()]
    yield "dpa_query_lengths", lambda q, k, v, n: dpa(q, k, v, query_seq_lengths=n, key_value_seq_lengths=n), \
        [*qkv(), lengths()]
    yield "dpa_scale", lambda q, k, v: dpa(q, k, v, scale=0.3), qkv()
    yield "einsum_softmax1", lambda q, k, v: by_einsum(softmax1, q, k, v), qkv()
    yield "einsum_sink", with_sink, [*qkv(), drawn(HEADS, seed=6)]
    yield "einsum_where", lambda q, k, v, m: by_einsum(
        lambda s: jax.nn.softmax(jnp.where(m, s, -1e9), -1), q, k, v), [*qkv(), padding()[:, None, None]]
    yield "segments", lambda q, k, v, a: dpa(q, k, v, mask=(a[:, None, :, None] == a[:, None, None, :])), \
        [*qkv(), np.repeat(np.arange(LENGTH)[None] // 4, BATCH, 0).astype(np.int32)]
    yield "llama_block", llama, [x, weight(WIDTH, seed=11), weight(WIDTH, WIDTH, seed=12), weight(WIDTH, DIM, seed=13),
                                 weight(WIDTH, DIM, seed=14), weight(WIDTH, WIDTH, seed=15), weight(WIDTH, seed=16),
                                 weight(WIDTH, HIDDEN, seed=17), weight(WIDTH, HIDDEN, seed=18), weight(HIDDEN, WIDTH, seed=19)]


class Block(nn.Module):
    """An encoder or decoder block as Flax users write it."""

    causal: bool = False
    pre_norm: bool = True

    @nn.compact
    def __call__(self, x, mask=None):
        if self.causal:
            mask = nn.combine_masks(mask, nn.make_causal_mask(x[..., 0]))
        h = nn.LayerNorm()(x) if self.pre_norm else x
        x = x + nn.MultiHeadDotProductAttention(HEADS)(h, h, mask=mask)
        x = x if self.pre_norm else nn.LayerNorm()(x)
        h = nn.LayerNorm()(x) if self.pre_norm else x
        x = x + nn.Dense(WIDTH)(nn.gelu(nn.Dense(HIDDEN)(h)))
        return x if self.pre_norm else nn.LayerNorm()(x)


def modules():
    """Name, Flax module, arguments beside the parameters."""
    x, mask = drawn(BATCH, LENGTH, WIDTH, seed=4), padding()[:, None, None]
    attention = nn.MultiHeadDotProductAttention
    yield "flax_mhdpa", attention(HEADS), [x]
    yield "flax_mhdpa_mask", attention(HEADS), [x, mask]
    yield "flax_mhdpa_nobias", attention(HEADS, use_bias=False, normalize_qk=True), [x]
    yield "flax_encoder", Block(), [x]
    yield "flax_encoder_mask", Block(), [x, mask]
    yield "flax_encoder_post", Block(pre_norm=False), [x]
    yield "flax_decoder", Block(causal=True), [x]
    yield "flax_decoder_mask", Block(causal=True), [x, mask]
    yield "flax_dense_general", nn.DenseGeneral((HEADS, DIM)), [x]
    yield "flax_group_norm", nn.GroupNorm(num_groups=4), [x]


def flax_function(module, inputs):
    """The module as a function of its parameters' leaves and its inputs."""
    call = (lambda *a, **k: module.apply(*a, **k))
    arrays = [value_of(value) for value in inputs]
    named = {"mask": arrays[1]} if len(arrays) > 1 else {}
    params = module.init(jax.random.key(0), arrays[0], **named)
    leaves, tree = jax.tree.flatten(params)
    how = [describe_weight(leaf.shape[::-1], 100 + i) | {"shape": list(leaf.shape)} for i, leaf in enumerate(leaves)]

    def function(*args):
        own = jax.tree.unflatten(tree, args[:len(leaves)])
        rest = args[len(leaves):]
        return call(own, rest[0], **({"mask": rest[1]} if len(rest) > 1 else {}))
    return function, [*how, *inputs]


def value_of(value):
    return draw(value) if isinstance(value, dict) else value


def to_text(function, arrays):
    """StableHLO as linalg and scf."""
    module = jax.jit(function).lower(*arrays).compiler_ir("stablehlo")
    return lower_to_linalg(module).get_asm() + "\n"


def export_case(name, function, values, narrow, directory):
    cast = (lambda a: jnp.asarray(a, jnp.bfloat16) if narrow and a.dtype == np.float32 else a)
    arrays = [value_of(value) for value in values]
    text = to_text(function, [cast(array) for array in arrays])
    kept, arguments = {}, []
    wide = [np.asarray(cast(array)).astype(np.float64) if array.dtype == np.float32 else array for array in arrays]
    with jax.enable_x64(True):
        exact = np.asarray(function(*wide)).astype(np.float64)
    kept["out0"] = exact.astype(np.float32)
    result = np.asarray(function(*[cast(array) for array in arrays])).astype(np.float64)
    for i, (value, array) in enumerate(zip(values, arrays)):
        if isinstance(value, dict):
            arguments.append({**value, "type": "bf16" if narrow else "f32"})
        else:
            kept[f"arg{i}"] = array
            arguments.append({"type": {"bool": "i1", "int32": "i32"}[str(array.dtype)], "kept": f"arg{i}"})
    stem = os.path.join(directory, name)
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(text)
    with open(stem + ".json", "w", encoding="utf-8") as file:
        json.dump({"arguments": arguments, "values": name + ".npz",
                   "error": float(np.abs(result - kept["out0"]).max())}, file, indent=1)
    np.savez_compressed(stem + ".npz", **kept)
    print(name, len(text), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", required=True, help="where the cases are written")
    parser.add_argument("--only", default="", help="cases whose name has this")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    cases = list(functions()) + [(name, *flax_function(module, inputs)) for name, module, inputs in modules()]
    for name, function, values in cases:
        for narrow in (False, True):
            full = f"jax_{name}" + ("_bf16" if narrow else "")
            if not re.search(args.only, full):
                continue
            try:
                export_case(full, function, values, narrow, args.directory)
            except Exception as error:  # whatever the exporter says, it goes into the list
                words = " ".join(str(error).split())[-300:]
                print(full, "refused", type(error).__name__, words, flush=True)
                with open(os.path.join(args.directory, "refused.txt"), "a", encoding="utf-8") as file:
                    file.write(f"{full}: {type(error).__name__} {words}\n")


if __name__ == "__main__":
    main()
