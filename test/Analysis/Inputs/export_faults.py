# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports small models with a known fault, and their twins without it, from PyTorch and from JAX.

    pip install -r test/Models/requirements.txt
    python3 test/Analysis/Inputs/export_faults.py DIR
    python3 test/Models/pack.py DIR test/Analysis/Lint/exported.tar.xz

Each model is one function of a framework's own operations, here called L, and is written once for both. Weights and
tables are arguments.
"""

import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F
from attn.jax.importer import lower_to_linalg
from torch_mlir import fx

BATCH, LENGTH, WIDTH, WORDS = 2, 48, 64, 1000
ROOT_D = WIDTH ** -0.5


class Torch:
    softmax = staticmethod(lambda s: torch.softmax(s, -1))
    linear = staticmethod(F.linear)
    lookup = staticmethod(lambda ids, table: F.embedding(ids, table))
    norm = staticmethod(lambda x: F.layer_norm(x, (WIDTH,)))
    unit = staticmethod(lambda x: F.normalize(x, dim=-1))
    gelu, sigmoid, tanh, softsign = F.gelu, torch.sigmoid, torch.tanh, F.softsign
    swap = staticmethod(lambda k: k.transpose(-1, -2))


class Jax:
    softmax = staticmethod(jax.nn.softmax)
    linear = staticmethod(lambda x, w: x @ w)
    lookup = staticmethod(lambda ids, table: jnp.take(table, ids, axis=0, mode="clip"))
    unit = staticmethod(lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True))
    gelu, sigmoid, tanh = staticmethod(jax.nn.gelu), staticmethod(jax.nn.sigmoid), staticmethod(jnp.tanh)
    softsign = staticmethod(jax.nn.soft_sign)
    swap = staticmethod(lambda k: jnp.swapaxes(k, -1, -2))

    @staticmethod
    def norm(x):
        centred = x - jnp.mean(x, -1, keepdims=True)
        return centred * jax.lax.rsqrt(jnp.mean(jnp.square(centred), -1, keepdims=True) + 1e-5)


def attend(L, q, k, v, factor):
    return L.softmax((q @ L.swap(k)) * factor) @ v


def attention(factor, before=1.0, unit=False):
    """Queries times `before`, all scores times `factor`; as cosines or not."""
    def model(L, x, wq, wk, wv):
        q, k, v = (L.linear(x, w) for w in (wq, wk, wv))
        if unit:
            q, k = L.unit(q), L.unit(k)
        return attend(L, q * before if before != 1.0 else q, k, v, factor)
    return model


def tokens(factor):
    inner = attention(factor)
    return lambda L, ids, table, *weights: inner(L, L.lookup(ids, table), *weights)


def branch(L, x, first, second):
    return L.linear(L.gelu(L.linear(x, first)), second)


def pre(final):
    def model(L, x, *weights):
        for first, second in zip(weights[::2], weights[1::2]):
            x = x + branch(L, L.norm(x), first, second)
        return L.norm(x) if final else x
    return model


def post(L, x, *weights):
    for weight in weights:
        x = L.norm(x + L.linear(x, weight))
    return x


def sums(factor):
    def model(L, x, *weights):
        for weight in weights:
            x = (x + L.linear(x, weight)) * factor if factor != 1.0 else x + L.linear(x, weight)
        return x
    return model


def rezero(L, x, alpha, *weights):
    for weight in weights:
        x = x + alpha * L.linear(x, weight)
    return x


def between(name, gate=False):
    """A function between two layers, or as a gate."""
    def model(L, x, first, second):
        h = L.linear(x, first)
        h = h * getattr(L, name)(h) if gate else getattr(L, name)(h)
        return L.linear(h, second)
    return model


def layers(count):
    return [(BATCH, LENGTH, WIDTH), *[(WIDTH, WIDTH)] * count]


WORDS_IN = [(BATCH, LENGTH), (WORDS, WIDTH), *[(WIDTH, WIDTH)] * 3]
#: Name, the faulty model, the shapes of its arguments, its twin, the shapes of that where others.
PAIRS = [
    ("no_scale", attention(1.0), layers(3), attention(ROOT_D), None),
    ("one_over_d", attention(1.0 / WIDTH), layers(3), attention(1.0, before=ROOT_D), None),
    ("scaled_twice", attention(ROOT_D, before=ROOT_D), layers(3), attention(ROOT_D), None),
    ("log_2_n", attention(ROOT_D * float(np.log2(512))), layers(3), attention(ROOT_D * 2.5), None),
    ("kappa", attention(64.0 / WIDTH * float(np.log(LENGTH))), layers(3), attention(2.5 * ROOT_D), None),
    ("cosine", attention(1.0, unit=True), layers(3), attention(16.0, unit=True), None),
    ("hot_cosine", attention(100.0, unit=True), layers(3), attention(10.0, unit=True), None),
    ("tokens", tokens(1.0), WORDS_IN, tokens(ROOT_D), None),
    ("no_final_norm", pre(False), layers(4), pre(True), None),
    ("post_norm", post, layers(8), pre(True), layers(8)),
    ("sigmoid", between("sigmoid"), layers(2), between("sigmoid", gate=True), None),
    ("tanh", between("tanh"), layers(2), between("gelu"), None),
    ("softsign", between("softsign"), layers(2), between("gelu"), None),
    ("bare_sums", sums(1.0), layers(8), rezero, [layers(0)[0], (), *layers(8)[1:]]),
    ("inv_sqrt2", sums(2.0 ** -0.5), layers(8), sums(2.0 ** -0.5), layers(2)),
]


def export_torch(function, shapes):
    class Model(torch.nn.Module):
        def forward(self, *arguments):
            return function(Torch, *arguments)

    arguments = [torch.zeros(shape, dtype=torch.int64 if shape == (BATCH, LENGTH) else torch.float32)
                 for shape in shapes]
    return str(fx.export_and_import(Model(), *arguments, output_type="linalg-on-tensors", func_name="main"))


def export_jax(function, shapes):
    arguments = [jax.ShapeDtypeStruct(shape, jnp.int32 if shape == (BATCH, LENGTH) else jnp.float32)
                 for shape in shapes]
    lowered = jax.jit(lambda *a: function(Jax, *a)).lower(*arguments)
    return lower_to_linalg(lowered.compiler_ir("stablehlo")).get_asm()


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(exist_ok=True)
    for name, faulty, shapes, right, other in PAIRS:
        for framework, export in (("torch", export_torch), ("jax", export_jax)):
            (directory / f"{framework}_{name}.mlir").write_text(export(faulty, shapes) + "\n")
            (directory / f"{framework}_{name}_right.mlir").write_text(export(right, other or shapes) + "\n")


if __name__ == "__main__":
    main()
