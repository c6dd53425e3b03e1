# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""attn.attention with its policies, and the scores that some models also return."""

from __future__ import annotations

import dataclasses
import math
import re

from .. import ir
from .emitter import Emitter
from .layout import reshape
from .sizes import Size
from .tensors import Tensor

#: Loops of an attention: batch, head, row, key, head dimension, value dimension.
BATCH, HEAD, ROW, KEY, DIM, VALUE_DIM = range(6)


@dataclasses.dataclass
class Heads:
    """Queries, keys or values. Dimensions are batch, heads, rows, dim, or with `rows_first` batch, rows, heads, dim."""

    tensor: Tensor
    rows_first: bool = False

    @property
    def heads(self):
        return self.tensor.shape[2 if self.rows_first else 1]

    @property
    def rows(self):
        return self.tensor.shape[1 if self.rows_first else 2]

    @property
    def dim(self):
        return self.tensor.shape[3]

    def map(self, head, row: int, dim: int) -> list:
        return [BATCH, row, head, dim] if self.rows_first else [BATCH, head, row, dim]


@dataclasses.dataclass
class Attention:
    """What attn.attention is told beside its operands. `biases`, `masks`: pairs of a policy and its params, which
    broadcast to batch, heads, rows, keys, or are of one dimension of the given number."""

    query: Heads
    key: Heads
    value: Heads
    scale: float | None = None
    softcap: float = 0.0
    biases: list = dataclasses.field(default_factory=list)
    masks: list = dataclasses.field(default_factory=list)
    normalizer: str = "softmax"
    normalizer_params: list = dataclasses.field(default_factory=list)
    align: str | None = None

    @property
    def factor(self) -> float:
        return 1 / math.sqrt(self.query.dim) if self.scale is None else self.scale

    @property
    def extents(self) -> list:
        return [self.query.tensor.shape[0], self.query.heads, self.query.rows, self.key.rows]

    def group(self):
        """The head of keys that a head of queries reads."""
        count = self.query.heads // self.key.heads
        return HEAD if count == 1 else f"d{HEAD} floordiv {count}"

    def param_map(self, param) -> list:
        tensor, dim = param
        if dim is not None:
            return [dim]
        dims = range(4 - tensor.rank, 4)
        return ["0" if self._is_one(n) and not self._is_one(self.extents[d]) else d for d, n in zip(dims, tensor.shape)]

    @staticmethod
    def _is_one(n) -> bool:
        return not isinstance(n, Size) and n == 1

    def emit(self, emitter: Emitter, rows_first: bool = False) -> Tensor:
        """The output, in the layout that is asked for."""
        query, key, value = self.query, self.key, self.value
        params = [p for _, params in [*self.biases, *self.masks] for p in params] + self.normalizer_params
        out = Heads(Tensor((), query.tensor.element), rows_first)
        batch, heads, rows, _ = self.extents
        shape = (batch, rows, heads, value.dim) if rows_first else (batch, heads, rows, value.dim)
        maps = [query.map(HEAD, ROW, DIM), key.map(self.group(), KEY, DIM), value.map(self.group(), KEY, VALUE_DIM),
                *map(self.param_map, params), out.map(HEAD, ROW, VALUE_DIM)]
        policy = "#attn.{}".format
        scale = policy("inv_sqrt_dim") if self.scale is None else policy(f"constant<{self.scale:.17e}>")
        attributes = {
            "scale": scale, "similarity": "#attn.dot", "normalizer": policy(self.normalizer),
            "indexing_maps": ir.array(ir.affine_map(6, m) for m in maps),
            "operandSegmentSizes": ir.segments(1, 1, 1, len(params), 1, 0, 0)}
        for name, policies in (("biases", self.biases), ("masks", self.masks)):
            attributes[name] = ir.array(policy(p) for p, _ in policies)
        if self.align:
            attributes["align"] = f"#attn.alignment<{self.align}>"
        if self.softcap:
            attributes["softcap"] = ir.f64(self.softcap)
        operands = [emitter.value(t) for t in (query.tensor, key.tensor, value.tensor, *[p for p, _ in params])]
        empty = emitter.empty(shape, query.tensor.element)
        op = emitter.builder.add("attn.attention", [*operands, empty], [empty.type], attributes)
        return emitter.made(op.results[0], shape)

    # The scores themselves, for who asks for them.

    def scores(self, emitter: Emitter) -> Tensor:
        """scale * q k^T, [batch, heads, rows, keys]."""
        query = self.query.tensor
        head = 2 if self.query.rows_first else 1
        # Query heads of one key head are a dimension of their own: batch, key head, group, row, key, dim.
        groups = self.query.heads // self.key.heads
        grouped = reshape(emitter, query, (*query.shape[:head], self.key.heads, groups, *query.shape[head + 1:]))
        query_map = [0, 3, 1, 2, 5] if self.query.rows_first else [0, 1, 2, 3, 5]
        key_map = [0, 4, 1, 5] if self.key.rows_first else [0, 1, 4, 5]
        batch, _, rows, keys = self.extents
        raw = emitter.sum_of_products(grouped, self.key.tensor, query_map, key_map,
                                      (batch, self.key.heads, groups, rows, keys), 6)
        return emitter.scaled(reshape(emitter, raw, self.extents), self.factor)

    def capped(self, emitter: Emitter, scores: Tensor) -> Tensor:
        if not self.softcap:
            return scores
        scalars = emitter.scalars

        def body(x):
            limit = scalars.like(self.softcap, x)
            return scalars.mul(scalars.op("math.tanh", scalars.div(x, limit)), limit)
        return emitter.elementwise([scores], scores.element, body)

    def biased(self, emitter: Emitter, scores: Tensor) -> Tensor:
        """With biases added and -inf where a mask hides the key."""
        for _, ((tensor, _),) in self.biases:
            scores = emitter.binary("add", scores, emitter.cast(tensor, scores.element))
        for policy, params in self.masks:
            scores = self._hide(emitter, scores, policy, params)
        return scores

    def _hide(self, emitter, scores, policy, params) -> Tensor:
        scalars = emitter.scalars
        if policy == "additive_mask":
            return emitter.binary("add", scores, emitter.cast(params[0][0], scores.element))
        if policy == "dense_mask":
            visible = params[0][0]
        else:
            visible = self._visible(emitter, policy, params)
        return emitter.elementwise(
            [visible, scores], scores.element, lambda m, x: scalars.select(m, x, scalars.like(-math.inf, x)))

    def _visible(self, emitter, policy, params) -> Tensor:
        """Of the masks by position and length, as booleans."""
        scalars = emitter.scalars
        lengths = next((p[0][0] for name, p in self.masks if name == "kv_lengths"), None)
        batch, _, rows, keys = self.extents
        values = emitter.value(lengths) if lengths is not None else None
        count, shift = emitter.size(keys), emitter.size(rows)
        sides = [int(n) for n in re.findall(r"-?\d+", policy)]

        def body(b, _, i, j):
            length = scalars.cast(scalars.extract(values, [b]), "index") if values else count
            if policy == "kv_lengths":
                return scalars.compare("lt", j, length)
            at = scalars.add(i, scalars.sub(length, shift)) if self.align == "bottom_right" else i
            if policy == "causal":
                return scalars.compare("le", j, at)
            seen = scalars.constant(True, "i1")
            for side, order, move in zip(sides, ("ge", "le"), ("sub", "add")):
                if side >= 0:
                    edge = scalars.binary(move, at, scalars.like(side, at))
                    seen = scalars.binary("min", seen, scalars.compare(order, j, edge))
            return seen
        return emitter.indexed((batch, 1, rows, keys), "i1", body)
