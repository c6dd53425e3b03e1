# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers and their layers in PyTorch, as they are and compiled.

A case names a family of test/Models/families.py, what of its configuration is otherwise, and a part ("model", "layer",
"decoder"). Where the case has a `stem`, STEM.mlir and STEM.npz, what attn-run needs, are written when it first comes.
"""

import json
import os
import sys

import numpy as np
import torch
import transformers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2, "test", "Models"))

import export  # noqa: E402  (needs the path above)
import families  # noqa: E402
from protocol import serve  # noqa: E402
from run import write_inputs  # noqa: E402

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def write_case(stem, part, dtype, dynamic):
    values = stem + ".values.npz"
    export.export_case(stem, values, *part, dtype, dynamic)
    with open(stem + ".json", encoding="utf-8") as file, np.load(values) as kept:
        write_inputs(stem + ".npz", json.load(file), dict(kept))


def prepare(case):
    """The part and its arguments."""
    torch.set_num_threads(case["threads"])
    torch.set_grad_enabled(False)
    torch._dynamo.reset()
    export.BATCH, export.LENGTH, families.POSITIONS = case["batch"], case["length"], case["length"]
    family = next(family for family in families.FAMILIES if family.name == case["family"])
    config = transformers.AutoConfig.for_model(family.model_type, **{**family.config, **case["config"]})
    dtype = DTYPES[case["dtype"]]
    part = export.find_parts(family, config, case["mask"], family.attention)[case["part"]]
    if "stem" in case and not os.path.exists(case["stem"] + ".mlir"):
        write_case(case["stem"], part, dtype, case["dynamic"])
    module, _, (args, kwargs) = part
    cast = lambda x: x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() else x
    return module.to(dtype), torch.utils._pytree.tree_map(cast, args), torch.utils._pytree.tree_map(cast, kwargs)


def eager(case):
    module, args, kwargs = prepare(case)
    return lambda: module(*args, **kwargs)


def compiled(case):
    module, args, kwargs = prepare(case)
    function = torch.compile(module, dynamic=case["dynamic"])
    return lambda: function(*args, **kwargs)


if __name__ == "__main__":
    serve({"torch-eager": eager, "torch-compile": compiled})
