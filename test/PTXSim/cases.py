# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel of the corpus with its inputs and what it must compute. All values are integers, so results
are exact, except where there is a reference in f64."""

import json
import os

import numpy as np

from corpus import CORPUS, Array, Case, Map, Struct, attention, box_of, layer_norm, random, softmax, swizzle_bytes


def integers(rng, shape, low=-8, high=9, dtype=np.int32):
    return rng.integers(low, high, shape).astype(dtype)


def basic():
    rng = random("basic")
    data = integers(rng, 1000)
    yield Case("reduce_sum", "basic", "reduce_sum", [Array(data), Array(np.zeros(1, np.int32), data.sum(keepdims=True, dtype=np.int32)), "i32:1000"],
               grid=(3,), block=(128,))
    blocks = np.zeros(4 * 128, np.int32)
    blocks[:500] = data[:500]
    scanned = blocks.reshape(4, 128).cumsum(1, dtype=np.int32)
    yield Case("block_scan", "basic", "block_scan",
               [Array(data), Array(None, scanned.ravel()[:500].copy()), Array(None, scanned[:, -1].copy()), "i32:500"],
               grid=(4,), block=(128,))
    yield Case("shared_scan", "basic", "shared_scan", [Array(data[:256]), Array(None, data[:256].cumsum(dtype=np.int32))],
               block=(256,), shared=2048)
    bytes_ = integers(rng, 3000, 0, 256, np.uint8)
    yield Case("histogram", "basic", "histogram",
               [Array(bytes_), Array(np.zeros(64, np.uint32), np.bincount(bytes_ & 63, minlength=64).astype(np.uint32)), "i32:3000"],
               grid=(2,), block=(128,))
    matrix = integers(rng, (50, 70), dtype=np.float32)
    yield Case("transpose", "basic", "transpose", [Array(matrix), Array(None, matrix.T.copy()), "i32:50", "i32:70"],
               grid=(3, 2), block=(32, 8))
    rows = rng.normal(size=(3, 200)).astype(np.float32)
    yield Case("softmax_rows", "basic", "softmax_rows",
               [Array(rows), softmax(rows), "i32:200"], grid=(3,), block=(128,))
    # One warp, as the order of several would be free.
    few = data[:32]
    kept = np.concatenate([few[few > 0], np.zeros((few <= 0).sum(), np.int32)])
    yield Case("compact", "basic", "compact",
               [Array(few), Array(np.zeros(32, np.int32), kept), Array(np.zeros(1, np.int32), (few > 0).sum(keepdims=True).astype(np.int32)), "i32:32"],
               block=(32,))
    yield Case("warp_shared_reduce", "basic", "warp_shared_reduce",
               [Array(data[:256]), Array(None, data[:256].reshape(8, 32).sum(1, dtype=np.int32))], grid=(2,), block=(128,))

    def collatz(n):
        return 0 if n == 1 else 1 + collatz(3 * n + 1 if n % 2 else n // 2)

    starts = np.arange(1, 101, dtype=np.int32)
    yield Case("collatz", "basic", "collatz", [Array(starts), Array(None, np.array([collatz(int(n)) for n in starts], np.int32)), "i32:100"],
               grid=(2,), block=(64,))
    rounds = data[:320].reshape(5, 64)
    yield Case("named_barriers", "basic", "named_barriers",
               [Array(data[:320]), Array(None, (rounds[:, ::-1] * np.arange(1, 6)[:, None]).sum(0, dtype=np.int32)), "i32:5"], block=(128,))
    yield Case("last_block", "basic", "last_block",
               [Array(data[:640]), Array(None, data[:640].reshape(5, 128).sum(1, dtype=np.int32)),
                Array(None, data[:640].sum(keepdims=True, dtype=np.int32)), Array(np.zeros(1, np.uint32), np.zeros(1, np.uint32))],
               grid=(5,), block=(128,))


def mma80():
    rng = random("mma80")
    for m, n, k in ((64, 64, 256), (100, 128, 192)):
        a, b = integers(rng, (m, k), -4, 5, np.float16), integers(rng, (k, n), -4, 5, np.float16)
        yield Case(f"gemm_mma_{m}x{n}x{k}", "mma80", "gemm_mma",
                   [Array(a), Array(b), Array(None, a.astype(np.float32) @ b.astype(np.float32)), f"i32:{m}", f"i32:{n}", f"i32:{k}"],
                   grid=(n // 64, -(-m // 64)), block=(128,), shared=3 * 16384)
    for name, queries, keys, causal in (("full", 64, 100, 0), ("causal", 128, 128, 1)):
        q, k, v = (rng.normal(size=(r, 64)).astype(np.float16) for r in (queries, keys, keys))
        yield Case(f"attention_mma_{name}", "mma80", "attention_mma",
                   [Array(q), Array(k), Array(v), attention(q, k, v, causal), f"i32:{keys}", f"f32:{0.125 * 1.4426950408889634!r}", f"i32:{causal}"],
                   grid=(queries // 64,), block=(128,), shared=5 * 8192)
    data = integers(rng, (64, 4))
    yield Case("copy_async_mbarrier", "mma80", "copy_async_mbarrier", [Array(data), Array(None, data[::-1].copy())], block=(64,))


def tma_load(name, tensor, start, box, swizzle=0, element_strides=None, oob="zero"):
    fill = np.nan if oob == "nan" else 0
    expected = box_of(tensor, start, box, fill, element_strides)
    flat = swizzle_bytes(np.frombuffer(expected.tobytes(), np.uint8), swizzle).view(tensor.dtype)
    rank = len(box)
    return Case(f"tma_load_{name}", "tma90", f"tma_load_{rank}d",
                [Map(Array(tensor), box, swizzle, element_strides=element_strides or (), oob=oob), Array(None, flat.copy()),
                 f"i32:{flat.nbytes}", *(f"i32:{c}" for c in start)],
                block=(32,), shared=flat.nbytes)


def tma90():
    rng = random("tma90")
    matrix = integers(rng, (40, 96), -1000, 1000)
    yield tma_load("1d", integers(rng, 100), (80,), (32,))
    yield tma_load("1d_before", integers(rng, 100), (-8,), (16,))
    for swizzle in (0, 32, 64, 128):
        width = (swizzle or 48) // 4
        yield tma_load(f"2d_{swizzle}", matrix, (8, 4), (width, 16), swizzle)
        yield tma_load(f"2d_{swizzle}_corner", matrix, (96 - width // 2, 33), (width, 16), swizzle)
        yield tma_load(f"2d_{swizzle}_before", matrix, (-width // 2, -5), (width, 16), swizzle)
        half = integers(rng, (24, 128), -100, 100, np.float16)
        yield tma_load(f"2d_{swizzle}_f16", half, (16, 20), ((swizzle or 48) // 2, 8), swizzle)
    yield tma_load("2d_outside", matrix, (200, 2), (8, 8))
    yield tma_load("2d_nan", matrix.astype(np.float32), (90, 36), (8, 8), oob="nan")
    yield tma_load("2d_strided", matrix, (8, 1), (16, 16), element_strides=(1, 2))
    yield tma_load("2d_bytes", integers(rng, (20, 64), 0, 256, np.uint8), (30, 15), (32, 8))
    yield tma_load("3d", integers(rng, (5, 9, 16)), (4, 6, -1), (8, 4, 3), 32)
    yield tma_load("4d", integers(rng, (3, 4, 5, 8)), (0, 3, 2, 1), (8, 4, 3, 2))
    yield tma_load("4d_64", integers(rng, (3, 4, 5, 32)), (8, -1, 2, -1), (16, 4, 3, 2), 64)
    yield tma_load("5d", integers(rng, (2, 3, 4, 5, 8)), (4, 1, -1, 2, 1), (4, 3, 2, 2, 2))

    data, start = integers(rng, (2, 16, 32)), (20, 3)
    for swizzle in (0, 128):
        before = np.full((30, 40), -1, np.int32)
        after = before.copy()
        for r in range(2):
            linear = np.frombuffer(data[r].tobytes(), np.uint8)
            rows = swizzle_bytes(linear, swizzle).view(np.int32).reshape(16, 32)
            after[3 + 16 * r:19 + 16 * r, 20:40] = rows[:30 - 3 - 16 * r, :20]
        yield Case(f"tma_store_{swizzle}", "tma90", "tma_store",
                   [Map(Array(before, after), (32, 16), swizzle), Array(data), f"i32:{start[0]}", f"i32:{start[1]}"],
                   block=(64,), shared=2048)
    sums = integers(rng, (20, 48))
    added, parts = sums.copy(), integers(rng, (3, 16, 32))
    added[8:, 16:] += parts.sum(0, dtype=np.int32)[:12]
    yield Case("tma_reduce", "tma90", "tma_reduce", [Map(Array(sums, added), (32, 16)), Array(parts), "i32:16", "i32:8"],
               grid=(3,), block=(64,), shared=2048)
    plain = integers(rng, (2, 256))
    yield Case("bulk_copy", "tma90", "bulk_copy",
               [Array(plain), Array(None, plain * 2), Array(np.ones(256, np.int32), 1 + 2 * plain.sum(0, dtype=np.int32))], grid=(2,), block=(256,))
    boxes = integers(rng, (2, 11 * 16, 32))
    yield Case("ring_sum", "tma90", "ring_sum",
               [Map(Array(boxes), (32, 16), dims=(32, 352), strides=(128,)), Array(None, boxes.sum(1, dtype=np.int32)), "i32:11"],
               grid=(2,), block=(256,), shared=8192)


def clusters():
    rng = random("clusters")
    data = integers(rng, (8, 64))
    yield Case("cluster_reduce", "tma90", "cluster_reduce",
               [Array(data), Array(np.zeros(2, np.int32), data.reshape(2, -1).sum(1, dtype=np.int32))], grid=(8,), block=(64,), cluster=(4,))
    values = integers(rng, 1500, 0, 256, np.uint8)
    yield Case("cluster_histogram", "tma90", "cluster_histogram",
               [Array(values), Array(np.zeros(64, np.uint32), np.bincount(values & 63, minlength=64).astype(np.uint32)), "i32:1500"],
               grid=(4,), block=(64,), cluster=(2,))
    boxes = integers(rng, (7 * 16, 32))
    total = boxes.sum(0, dtype=np.int32)
    yield Case("multicast_sum", "tma90", "multicast_sum",
               [Map(Array(boxes), (32, 8)), Array(np.zeros((2, 32), np.int32), np.stack([total, 2 * total])), "i32:7"],
               grid=(2,), block=(160,), cluster=(2,), shared=4096)


def wgmma90():
    rng = random("wgmma90")
    m, n, k = 128, 64, 320
    a, b = integers(rng, (m, k), -4, 5, np.float16), integers(rng, (k, n), -4, 5, np.float16)
    product = a.astype(np.float32) @ b.astype(np.float32)
    for name, swizzle, transposed, registers in (
            ("ss_128", 128, 0, 0), ("ss_64", 64, 0, 0), ("ss_32", 32, 0, 0), ("ss_0", 0, 0, 0), ("ss_128_t", 128, 1, 0),
            ("ss_64_t", 64, 1, 0), ("ss_32_t", 32, 1, 0), ("ss_0_t", 0, 1, 0), ("rs_128", 128, 0, 1), ("rs_64_t", 64, 1, 1)):
        width = swizzle // 2 or 8
        first = Array(a) if registers else Map(Array(a), (width, 64), swizzle)
        second = Map(Array(b if transposed else b.T.copy()), (width, 64), swizzle)
        yield Case(f"wgmma_{name}", "wgmma90", f"wgmma_{name}", [first, second, Array(None, product), f"i32:{n}", f"i32:{k}"],
                   grid=(n // 64, m // 64), block=(256,), shared=3 * 16384)


def cutlass():
    for name in ("cutlass_gemm", "cutlass_gemm_pingpong"):
        rng = random(name)
        with open(os.path.join(CORPUS, name + ".json"), encoding="utf-8") as file:
            block = json.load(file)
        m, n, k = block["problem"]
        a, b, c = integers(rng, (m, k), -4, 5, np.float16), integers(rng, (n, k), -4, 5, np.float16), integers(rng, (m, n), dtype=np.float32)
        tensors = [Array(a), Array(b), Array(c), Array(None, a.astype(np.float32) @ b.T.astype(np.float32) + 2 * c)]
        maps = [Map(tensors[e["tensor"]], e["box"], e["swizzle"], e["dtype"], e["dims"], e["strides"], e["element_strides"], offset=e["offset"])
                for e in block["maps"]]
        yield Case(name, name, "cutlass_gemm", [Struct(block["bytes"], maps)], grid=tuple(block["grid"]), block=(block["block"],),
                   shared=block["shared"], cluster=(block["cluster"],))


def triton_map(array, box):
    """Triton passes a descriptor as its map, then sizes and strides."""
    data = array.before if array.before is not None else array.after
    return [Map(array, box, 128), *(f"i32:{s}" for s in data.shape), *(f"i64:{s // data.itemsize}" for s in data.strides)]


def triton():
    rng = random("triton")
    scratch = ["u64:0", "u64:0"]
    x, w, b = rng.normal(size=(4, 900)).astype(np.float32), rng.normal(size=900).astype(np.float32), rng.normal(size=900).astype(np.float32)
    # More blocks of keys than a ring has stages, so that every wait waits.
    queries, keys = 128, 256
    q, k, v = (rng.normal(size=(r, 64)).astype(np.float16) for r in (queries, keys, keys))
    scale = f"f32:{0.125 * 1.4426950408889634!r}"
    for arch, shared in ((80, 24576), (90, 40960)):
        yield Case(f"triton_layer_norm_{arch}", f"triton_layer_norm_{arch}", "layer_norm",
                   [Array(x), Array(w), Array(b), layer_norm(x, w, b), "i32:900", "f32:1e-5", *scratch], grid=(4,), block=(128,), shared=2048)
        yield Case(f"triton_attention_{arch}", f"triton_attention_{arch}", "attention",
                   [Array(q), Array(k), Array(v), attention(q, k, v, True), f"i32:{keys}", scale, *scratch],
                   grid=(queries // 64,), block=(128,), shared=shared)
    m, n, kk = 128, 64, 320
    left, right = integers(rng, (m, kk), -4, 5, np.float16), integers(rng, (n, kk), -4, 5, np.float16)
    product = left.astype(np.float32) @ right.T.astype(np.float32)
    for suffix, threads, shared in (("", 128, (49176, 40992)), ("_ws", 384, (82080, 73968))):
        yield Case(f"triton_gemm_tma{suffix}", f"triton_gemm_tma{suffix}", "gemm_tma",
                   [*triton_map(Array(left), (64, 64)), *triton_map(Array(right), (64, 64)), *triton_map(Array(None, product), (32, 64)),
                    f"i32:{kk}", *scratch], grid=(m // 64, n // 64), block=(threads,), shared=shared[0])
        yield Case(f"triton_attention_tma{suffix}", f"triton_attention_tma{suffix}", "attention_tma",
                   [*triton_map(Array(q), (64, 64)), *triton_map(Array(k), (64, 64)), *triton_map(Array(v), (64, 64)),
                    *triton_map(attention(q, k, v, False), (32, 64)), f"i32:{keys}", scale, *scratch],
                   grid=(queries // 64,), block=(threads,), shared=shared[1])


def polynomial(x, i):
    """What `evaluate` of kernels/llvm.c returns."""
    c, at = (x, i, 3, -1), x & 7
    powers = [at ** e for e in range(4)]
    if i & 3 == 0:
        return c[at & 3]
    if i & 3 == 1:
        return powers[i >> 2 & 3]
    if i & 3 == 2:
        return c[0] * powers[1] - c[1]
    return sum(c[e] * powers[i >> 2 * e & 3] for e in range(4))


def llvm():
    rng = random("llvm")
    x, w, b = rng.normal(size=(3, 500)).astype(np.float32), rng.normal(size=500).astype(np.float32), rng.normal(size=500).astype(np.float32)
    bytes_ = integers(rng, 3000, 0, 256, np.uint8)
    counted = np.bincount(bytes_ & 63, minlength=64).astype(np.int32)
    matrix, data = integers(rng, (50, 70), dtype=np.float32), integers(rng, 200, 0, 100)
    results = np.array([polynomial(int(v), i) for i, v in enumerate(data)], np.int32)
    words = integers(rng, (3, 256))
    for arch in (80, 90):
        def case(kernel, *args, grid, block, arch=arch):
            return Case(f"{kernel}_{arch}", f"llvm_{arch}", kernel, list(args), grid=grid, block=(block,))

        yield case("llvm_layer_norm", Array(x), Array(w), Array(b), layer_norm(x, w, b), "i32:500", "f32:1e-5", grid=(3,), block=128)
        yield case("llvm_histogram", Array(bytes_), Array(np.zeros(64, np.int32), counted), "i32:3000", grid=(2,), block=128)
        yield case("llvm_transpose", Array(matrix), Array(None, matrix.T.copy()), "i32:50", "i32:70", grid=(3, 2), block=256)
        yield case("llvm_calls", Array(data), Array(None, results), "i32:200", grid=(2,), block=128)
        if arch == 90:
            yield case("llvm_bulk", Array(words), Array(None, words[:, ::-1].copy()), grid=(3,), block=256)


def all_cases():
    for group in (basic, mma80, tma90, clusters, wgmma90, cutlass, triton, llvm):
        yield from group()
