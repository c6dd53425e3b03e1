"""Exports Flax's norms of channels: python export_flax.py [OUT]

Needs jax and flax (pip). As examples/export_jax.py: StableHLO becomes linalg by
the passes that jaxlib carries, and the .npz holds arguments and results.
"""

import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import flax.linen as nn
import jax
import numpy as np
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

TO_LINALG = (
    "builtin.module(inline,symbol-dce,canonicalize,"
    "stablehlo-legalize-to-linalg,canonicalize,cse)"
)


def export(directory, name, layer):
    generator = np.random.default_rng(0)
    args = [
        generator.standard_normal(shape).astype(np.float32)
        for shape in ((2, 6, 5, 16), (16,), (16,))
    ]

    def function(x, scale, bias):
        return layer.apply({"params": {"scale": scale, "bias": bias}}, x)

    lowered = jax.jit(function).lower(*args).compiler_ir("stablehlo")
    with lowered.context:
        module = ir.Module.parse(lowered.operation.get_asm())
        passmanager.PassManager.parse(TO_LINALG).run(module.operation)
        (directory / f"{name}.mlir").write_text(f"{module.operation.get_asm()}\n")
    arrays = {f"arg{i}": arg for i, arg in enumerate(args)}
    np.savez_compressed(directory / f"{name}.npz", **arrays, out0=np.asarray(function(*args)))


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    stablehlo.register_stablehlo_passes()
    export(directory, "flax_group_norm", nn.GroupNorm(num_groups=4))
    export(directory, "flax_instance_norm", nn.InstanceNorm())


main()
