# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The policies of the generated cases; of a mask what it takes, what it leaves visible, and where it occurs."""

import re
from dataclasses import dataclass, field

import numpy as np


#: Scales, biases and normalisers of the attention cases, without #attn.; a scale that ends with < or a number wants
#: a source of n. One without parameters occurs in the cases of softmax and of multi-head attention, too.
SCALES = [
    "inv_sqrt_dim", "none", "inv_dim", "constant<0.3>", "constant<-0.2>", "constant<0.0>", "operand", "learned",
    "entropy_invariant<kappa = 2.0", "entropy_invariant<", "log_length<base = 512.0",
    "gradient_max_fit<scores = normal", "gradient_max_blind", "gradient_max<scores = normal",
    "gradient_max<scores = cosine", "gradient_max_fit<scores = cosine",
]
BIASES = [
    "dense_bias", "alibi", "alibi<slopes = operand>",
]
NORMALIZERS = [
    "softmax", "softmax1", "softmax_n<2.5>", "softmax_n<0.0>", "sink",
]


def unnamed(listed, known):
    """Those without parameters that nothing in `known` names, with #attn."""
    text = repr(known)
    return [f"#attn.{name}" for name in listed if "<" not in name and not re.search(rf"#attn\.{name}\b", text)]


@dataclass
class Param:
    name: str
    dims: str  # letters of b, h, m, n
    element: str
    values: np.ndarray = None


@dataclass
class Draw:
    """What the params of a case are drawn from."""
    case: object
    rng: object
    #: letters of the batch dimension, of dense masks, and the element type of floats
    batch: str
    dense: str
    floats: str

    def shape(self, dims):
        sizes = {"b": self.case.B, "h": self.case.Hq, "m": self.case.M, "n": self.case.N}
        return tuple(sizes[c] for c in dims)

    def normal(self, dims, scale=1.0, offset=0.0):
        real = np.float64 if self.floats == "f64" else np.float32
        return (offset + scale * self.rng.standard_normal(self.shape(dims))).astype(real)

    def lengths(self, name):
        """From no key to all of them, one for each batch."""
        values = self.rng.integers(0, self.case.N + 1, self.shape("b"))
        return Param(name, "b", "i32", values.astype(np.int32))


@dataclass
class Place:
    """A row, and all keys."""
    case: object
    keys: np.ndarray
    position: int
    b: int
    h: int
    i: int
    #: name -> values of the case's params
    params: dict

    def dense(self, name):
        dims = self.case.dense.replace("b", "" if self.case.layout == "hmd" else "b")
        return self.params[name][tuple({"b": self.b, "h": self.h, "m": self.i, "n": slice(None)}[c] for c in dims)]


@dataclass
class Mask:
    #: Place and the text between < and >, if any -> which keys the row sees
    sees: callable
    #: lists of masks that the attention cases have for it, without #attn., and those of the decoding cases
    lists: list
    decode: list
    params: callable = lambda draw: []
    uses_positions: bool = False
    #: whether it takes a param per batch
    per_batch: bool = False
    #: cases of attn.multi_head_attention: clauses, and the letters of params as generate_transformer.py has them
    heads: list = field(default_factory=list)
    #: cases of wrong sizes: clauses, and params as (name, letters, element)
    sizes: list = field(default_factory=list)


def segment_params(draw):
    def ids(count):
        values = np.sort(draw.rng.integers(0, 3, (draw.case.B, count)), axis=1)
        return values.astype(np.int32).reshape((draw.case.B, count) if draw.batch else (count,))

    return [Param("qseg", draw.batch + "m", "i32", ids(draw.case.M)),
            Param("kseg", draw.batch + "n", "i32", ids(draw.case.N))]


def dense_params(draw):
    visible = draw.rng.random(draw.shape(draw.dense)) < 0.7
    if "m" in draw.dense and draw.case.M:
        np.moveaxis(visible, draw.dense.index("m"), 0)[0] = False  # a fully masked row
    return [Param("mask", draw.dense, "i1", visible)]


def additive_params(draw):
    values = draw.normal(draw.dense)
    values[draw.rng.random(values.shape) < 0.3] = -np.inf
    return [Param("amask", draw.dense, draw.floats, values)]


def sees_window(at, text):
    left, right = (int(side.split("=")[1]) for side in text.split(","))
    return ((left < 0) | (at.keys >= at.position - left)) & ((right < 0) | (at.keys <= at.position + right))


def sees_chunk(at, text):
    return (at.keys <= at.position) & (at.keys // int(text) == at.position // int(text))


def sees_segment(at, _):
    return np.atleast_2d(at.params["kseg"])[at.b] == np.atleast_2d(at.params["qseg"])[at.b][at.i]


MASKS = {
    "causal": Mask(
        lambda at, _: at.keys <= at.position, uses_positions=True,
        lists=["causal", "causal, window<left = 17, right = 4>", "causal, additive_mask"], decode=["causal"]),
    "window": Mask(
        sees_window, uses_positions=True,
        lists=["window<left = 5, right = 2>", "window<left = -1, right = 3>", "window<left = 9, right = -1>",
               "window<left = 60, right = 70>"],
        decode=["window<left = 5, right = 2>", "window<left = 700, right = 0>"]),
    "kv_lengths": Mask(
        lambda at, _: at.keys < at.params["lens"][at.b], params=lambda draw: [draw.lengths("lens")], per_batch=True,
        lists=["kv_lengths", "causal, kv_lengths"], decode=["kv_lengths", "causal, kv_lengths"]),
    "segment_ids": Mask(
        sees_segment, params=segment_params, lists=["segment_ids", "causal, segment_ids"],
        decode=["causal, segment_ids"]),
    "dense_mask": Mask(
        lambda at, _: at.dense("mask"), params=dense_params, lists=["dense_mask", "dense_mask, kv_lengths"],
        decode=["dense_mask"]),
    "additive_mask": Mask(
        lambda at, _: at.dense("amask") != -np.inf, params=additive_params, lists=["additive_mask"],
        decode=["additive_mask"]),
    "chunked": Mask(
        sees_chunk, uses_positions=True, lists=["chunked<24>", "chunked<1>", "chunked<100>, additive_mask"],
        decode=["chunked<300>", "chunked<7>"], heads=[("align(bottom_right) masks [#attn.chunked<5>]", "")],
        sizes=[("align(bottom_right) masks [#attn.chunked<3>]", [])]),
    "prefix_lm": Mask(
        lambda at, _: (at.keys <= at.position) | (at.keys < at.params["prefix"][at.b]),
        params=lambda draw: [draw.lengths("prefix")], uses_positions=True, per_batch=True,
        lists=["prefix_lm", "prefix_lm, kv_lengths"], decode=["prefix_lm"],
        heads=[("align(bottom_right) masks [#attn.prefix_lm]", "n")],
        sizes=[("align(bottom_right) masks [#attn.prefix_lm]", [("lens", "b", "i32")])]),
}


def split(text):
    """`a, b<x, y>` as a tuple of its masks."""
    parts, depth = [""], 0
    for c in text:
        depth += {"<": 1, ">": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return tuple(part.strip() for part in parts)


def find(mask):
    """The entry of `#attn.name<text>` or `name<text>`, and its text."""
    name, _, text = mask.removeprefix("#attn.").rstrip(">").partition("<")
    return MASKS[name], text


def lists(decode=False):
    """Lists of masks that occur in cases."""
    return [()] + [split(text) for mask in MASKS.values() for text in (mask.decode if decode else mask.lists)]


def sees(mask, at):
    entry, text = find(mask)
    return entry.sees(at, text)
