"""Exports the JAX examples of this folder: python export_jax.py [OUT]

Needs jax (pip). jax.jit lowers each function to StableHLO, and the passes that
jaxlib carries lower that to linalg on tensors. The .npz beside the IR holds the
arguments (arg0, arg1, ... in the function's order) and JAX's results (out0, ...).
"""

import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

BATCH, LENGTH, HEADS, DIM = 1, 48, 2, 32
TO_LINALG = (
    "builtin.module(inline,symbol-dce,canonicalize,"
    "stablehlo-legalize-to-linalg,canonicalize,cse)"
)


def export(directory, name, function, *args):
    lowered = jax.jit(function).lower(*args).compiler_ir("stablehlo")
    with lowered.context:
        # Parsed again, because the passes must not touch what JAX keeps.
        module = ir.Module.parse(lowered.operation.get_asm())
        passmanager.PassManager.parse(TO_LINALG).run(module.operation)
        (directory / f"{name}.mlir").write_text(f"{module.operation.get_asm()}\n")
    arrays = {f"arg{i}": np.asarray(arg) for i, arg in enumerate(args)}
    np.savez_compressed(directory / f"{name}.npz", **arrays, out0=np.asarray(function(*args)))


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    stablehlo.register_stablehlo_passes()
    generator = np.random.default_rng(0)

    def normal(*shape):
        return generator.standard_normal(shape).astype(np.float32)

    query, key, value = (normal(BATCH, LENGTH, HEADS, DIM) for _ in range(3))
    bias = normal(1, HEADS, LENGTH, LENGTH)
    attention = jax.nn.dot_product_attention
    export(
        directory,
        "jax_dpa_causal",
        lambda q, k, v: attention(q, k, v, is_causal=True),
        query, key, value,
    )
    export(
        directory,
        "jax_dpa_bias",
        lambda q, k, v, b: attention(q, k, v, bias=b),
        query, key, value, bias,
    )


if __name__ == "__main__":
    main()
