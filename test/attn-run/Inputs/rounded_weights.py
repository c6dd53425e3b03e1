"""Writes the inputs of nearer-than-expected.mlir and what a program makes of them that rounds its weights to bf16.

  rounded_weights.py FILE.npz [SHIFT]     SHIFT is added to what is expected
"""

import sys

import numpy as np


def to_bf16(values):
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def to_f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


rng = np.random.default_rng(1)
q, k = to_bf16(rng.standard_normal((32, 4))), to_bf16(rng.standard_normal((3, 4)))
v = to_bf16(1.0 + 0.2 * rng.random((3, 8)))
s = to_f32(q) @ to_f32(k).T / np.float32(2.0)
w = np.exp(s - s.max(1, keepdims=True))
p = to_f32(to_bf16(w / w.sum(1, keepdims=True)))
o = p @ to_f32(v) + np.float32(sys.argv[2] if len(sys.argv) > 2 else 0.0)
np.savez(sys.argv[1], arg0=q, arg1=k, arg2=v, out0=to_bf16(o))
