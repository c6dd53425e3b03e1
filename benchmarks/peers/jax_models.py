# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and blocks of JAX and Flax, as test/Models/export_jax.py writes them, by jax.jit.

Where a case has a `stem`, STEM.mlir and STEM.npz, what attn-run needs, are written when it first comes.
"""

import json
import os
import sys

# Before JAX starts: it takes as many threads as it may run on.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax  # noqa: E402  (needs the threads above)
import numpy as np  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2, "test", "Models"))

import export_jax  # noqa: E402  (needs the path above)
from protocol import serve  # noqa: E402
from run import write_inputs  # noqa: E402


def write_case(stem, function, values, narrow):
    directory, name = os.path.split(stem)
    export_jax.export_case(name, function, values, narrow, directory)
    os.rename(stem + ".npz", stem + ".values.npz")
    with open(stem + ".json", encoding="utf-8") as file, np.load(stem + ".values.npz") as kept:
        write_inputs(stem + ".npz", json.load(file), dict(kept))


def jit(case):
    if case["threads"] != 1:
        raise ValueError("jax.jit is measured in one thread")
    export_jax.BATCH, export_jax.LENGTH = case["batch"], case["length"]
    export_jax.HEADS, export_jax.DIM, export_jax.WIDTH, export_jax.HIDDEN = case["sizes"]
    functions = {name: rest for name, *rest in export_jax.functions()}
    modules = {name: rest for name, *rest in export_jax.modules()}
    name, narrow = case["function"], case["dtype"] == "bf16"
    function, values = functions[name] if name in functions else export_jax.flax_function(*modules[name])
    if "stem" in case and not os.path.exists(case["stem"] + ".mlir"):
        write_case(case["stem"], function, values, narrow)
    cast = lambda a: jax.numpy.asarray(a, jax.numpy.bfloat16) if narrow and a.dtype == np.float32 else a
    arrays = [jax.device_put(cast(export_jax.value_of(value))) for value in values]
    compiled = jax.jit(function)
    return lambda: compiled(*arrays).block_until_ready()


if __name__ == "__main__":
    serve({"jax-jit": jit})
