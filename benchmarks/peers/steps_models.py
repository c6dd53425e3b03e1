# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of decoding: a layer of transformers for one token, with caches that are arguments and results.

A case names a family of test/Models/families.py, what of its configuration is otherwise, the rows that the caches have
(`length`), and how a row is added: `index_copy`, as StaticCache has it, or `concat`, as DynamicCache. STEM.mlir and STEM.npz,
what attn-run needs, are written when the case first comes. The eager peer writes its row in place.
"""

import os
import sys

import numpy as np
import torch
import transformers
from torch_mlir import fx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2, "test", "Models"))

import export  # noqa: E402  (needs the path above)
import families  # noqa: E402
from protocol import serve  # noqa: E402


class Cache:
    """What a layer asks of a cache."""

    def __init__(self, keys, values, at, way):
        self.rows, self.at, self.way = (keys, values), at, way

    def update(self, key, value, *_, **__):
        new = zip(self.rows, (key, value))
        if self.way == "concat":
            self.rows = tuple(torch.cat([old, row], 2) for old, row in new)
        elif self.way == "index_copy":
            self.rows = tuple(old.index_copy(2, self.at, row) for old, row in new)
        else:
            self.rows = tuple(old.index_copy_(2, self.at, row) for old, row in new)
        return self.rows


class Step(torch.nn.Module):
    def __init__(self, layer, rotary, way):
        super().__init__()
        self.layer, self.rotary, self.way = layer, rotary, way

    def forward(self, x, keys, values, at):
        cache = Cache(keys, values, at, self.way)
        seen = None if self.way == "concat" else (torch.arange(keys.shape[2])[None] <= at[:, None])[None, None]
        result = self.layer(x, attention_mask=seen, past_key_values=cache, position_embeddings=self.rotary(x, at[None]))
        return (export.first_tensor(result), *cache.rows)


def prepare(case, way):
    """The step, and its arguments: the last row of a full cache, or the one behind it."""
    torch.set_num_threads(case["threads"])
    torch.set_grad_enabled(False)
    families.POSITIONS = case["length"] + 1
    family = next(family for family in families.FAMILIES if family.name == case["family"])
    config = transformers.AutoConfig.for_model(family.model_type, **{**family.config, **case["config"]})
    model = export.build_model(config, "sdpa")
    export.fill_weights(model)
    rng = np.random.RandomState(1)
    draw = lambda *shape: torch.from_numpy(rng.standard_normal(shape).astype(np.float32))
    dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    last = case["length"] - (way != "concat")
    caches = [draw(1, config.num_key_value_heads, case["length"], dim) for _ in range(2)]
    return Step(model.layers[0], model.rotary_emb, way), (draw(1, 1, config.hidden_size), *caches, torch.tensor([last]))


def write_case(case):
    """The weights are arguments as well: a constant would be packed ahead."""
    step, inputs = prepare(case, case["way"])
    weights = {name: weight.detach() for name, weight in step.named_parameters()}

    class Whole(torch.nn.Module):
        def forward(self, *tensors):
            return torch.func.functional_call(step, dict(zip(weights, tensors)), tensors[len(weights):])

    tensors = [*weights.values(), *inputs]
    module = fx.export_and_import(Whole(), *tensors, output_type="linalg-on-tensors", func_name="main",
                                  decomposition_table=export.decomposition_table())
    with open(case["stem"] + ".mlir", "w", encoding="utf-8") as file:
        file.write(str(module) + "\n")
    arrays = {f"arg{i}": tensor.numpy() for i, tensor in enumerate(tensors)}
    arrays |= {f"out{i}": tensor.numpy() for i, tensor in enumerate(step(*inputs))}
    np.savez(case["stem"] + ".npz", **arrays)


def eager(case):
    if "stem" in case and not os.path.exists(case["stem"] + ".npz"):
        write_case(case)
    step, inputs = prepare(case, "concat" if case["way"] == "concat" else "in place")
    return lambda: step(*inputs)


if __name__ == "__main__":
    serve({"steps-eager": eager})
