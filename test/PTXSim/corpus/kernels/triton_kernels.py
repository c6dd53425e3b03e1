# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Triton, compiled for sm_80 and sm_90a without a GPU.

  triton_kernels.py DIRECTORY    writes NAME.ptx there, and a line for each with its
                                 threads a block and bytes of shared memory
"""

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def layer_norm(X, W, B, Y, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(X + row * columns + at, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    w = tl.load(W + at, mask=mask, other=0.0)
    b = tl.load(B + at, mask=mask, other=0.0)
    tl.store(Y + row * columns + at, centred / tl.sqrt(variance + eps) * w + b, mask=mask)


@triton.jit
def attention(Q, K, V, O, keys, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Causal; scale in log2 units."""
    start = tl.program_id(0)
    rows = start * M + tl.arange(0, M)
    d = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + d[None, :])
    top = tl.full([M], -float("inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    for base in range(0, tl.minimum(keys, (start + 1) * M), N):
        columns = base + tl.arange(0, N)
        k = tl.load(K + columns[None, :] * D + d[:, None], mask=columns[None, :] < keys, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where((columns[None, :] < keys) & (columns[None, :] <= rows[:, None]), s, -float("inf"))
        new = tl.maximum(top, tl.max(s, 1))
        factor = tl.exp2(top - new)
        p = tl.exp2(s - new[:, None])
        total = total * factor + tl.sum(p, 1)
        v = tl.load(V + columns[:, None] * D + d[None, :], mask=columns[:, None] < keys, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * factor[:, None])
        top = new
    tl.store(O + rows[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def attention_tma(Q, K, V, O, keys, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, WS: tl.constexpr):
    start = tl.program_id(0)
    q = Q.load([start * M, 0])
    top = tl.full([M], -float("inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    for base in tl.range(0, keys, N, warp_specialize=WS):
        k = K.load([base, 0])
        s = tl.dot(q, k.T) * scale
        columns = base + tl.arange(0, N)
        s = tl.where(columns[None, :] < keys, s, -float("inf"))
        new = tl.maximum(top, tl.max(s, 1))
        factor = tl.exp2(top - new)
        p = tl.exp2(s - new[:, None])
        total = total * factor + tl.sum(p, 1)
        v = V.load([base, 0])
        acc = tl.dot(p.to(tl.float16), v, acc * factor[:, None])
        top = new
    O.store([start * M, 0], acc / total[:, None])


@triton.jit
def gemm_tma(A, B, C, k, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, WS: tl.constexpr):
    """C = A . B^T; B is stored with k along its rows."""
    m = tl.program_id(0) * M
    n = tl.program_id(1) * N
    acc = tl.zeros([M, N], tl.float32)
    for at in tl.range(0, k, STEP, warp_specialize=WS):
        acc = tl.dot(A.load([m, at]), B.load([n, at]).T, acc)
    C.store([m, n], acc)


def build(directory, name, kernel, arch, types, constants, **options):
    signature = {**types, **{key: "constexpr" for key in constants}}
    # Pointers are aligned as cudaMalloc does, which is what lets it use cp.async.
    aligned = {(i,): [["tt.divisibility", 16]] for i, t in enumerate(types.values()) if t.startswith("*")}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    options = {"num_warps": 4, "ptx_version": 87, "enable_fp_fusion": True, **options}
    compiled = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)
    with open(f"{directory}/{name}.ptx", "w", encoding="utf-8") as file:
        file.write(compiled.asm["ptx"])
    print(f"{name}: {32 * compiled.metadata.num_warps} threads, {compiled.metadata.shared} bytes")


def main():
    (directory,) = sys.argv[1:]
    f16, f32 = "tensordesc<fp16[64, 64]>", "tensordesc<fp32[64, 64]>"
    for arch in (80, 90):
        build(directory, f"triton_layer_norm_{arch}", layer_norm, arch,
              {"X": "*fp32", "W": "*fp32", "B": "*fp32", "Y": "*fp32", "columns": "i32", "eps": "fp32"},
              {"BLOCK": 1024})
        build(directory, f"triton_attention_{arch}", attention, arch,
              {"Q": "*fp16", "K": "*fp16", "V": "*fp16", "O": "*fp32", "keys": "i32", "scale": "fp32"},
              {"M": 64, "N": 64, "D": 64}, num_stages=2)
    for suffix, specialize in (("", False), ("_ws", True)):
        build(directory, f"triton_gemm_tma{suffix}", gemm_tma, 90,
              {"A": f16, "B": f16, "C": f32, "k": "i32"},
              {"M": 64, "N": 64, "STEP": 64, "WS": specialize}, num_stages=3)
        build(directory, f"triton_attention_tma{suffix}", attention_tma, 90,
              {"Q": f16, "K": f16, "V": f16, "O": f32, "keys": "i32", "scale": "fp32"},
              {"M": 64, "N": 64, "D": 64, "WS": specialize}, num_stages=2)


if __name__ == "__main__":
    main()
