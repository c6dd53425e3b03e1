# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the ops beside attention (linear layers, norms, positions, blocks) for size_sweep.py."""

import numpy as np

from size_case import Case


def silu(x):
    return x / (1 + np.exp(-x.astype(np.float64)))


def norm(x, axes=(-1,), centred=True, eps=1e-5):
    x = x.astype(np.float64)
    mu = x.mean(axes, keepdims=True) if centred else 0.0
    return (x - mu) / np.sqrt(((x - mu) ** 2).mean(axes, keepdims=True) + eps)


def softmax(x, axis=-1, factor=1.0, extra=0.0):
    p = np.exp(factor * x.astype(np.float64))
    return p / (p.sum(axis, keepdims=True) + extra)


def kurtosis(x):
    x = x.astype(np.float64) - x.astype(np.float64).mean(-1, keepdims=True)
    return (x ** 4).mean(-1) / (x ** 2).mean(-1) ** 2


LINEAR = [
    Case("linear", "x: m k f32, w: k n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.linear ins(%x, %w : tensor<m k f32>, tensor<k n f32>) outs(%e : tensor<m n f32>) -> tensor<m n f32>""",
         lambda x, w: [x @ w]),
    Case("linear_bias_static", "x: b m 24 f32, w: 40 24 f32, c: 40 f32", "b m 40 f32", """
  %e = tensor.empty(%b, %m) : tensor<b m 40 f32>
  %r = attn.linear weight(out_in) ins(%x, %w, %c : tensor<b m 24 f32>, tensor<40 24 f32>, tensor<40 f32>)
    outs(%e : tensor<b m 40 f32>) -> tensor<b m 40 f32>""", lambda x, w, c: [x @ w.T + c]),
    Case("linear_bias", "x: b m k f32, w: n k f32, c: n f32", "b m n f32", """
  %e = tensor.empty(%b, %m, %n) : tensor<b m n f32>
  %r = attn.linear weight(out_in) ins(%x, %w, %c : tensor<b m k f32>, tensor<n k f32>, tensor<n f32>)
    outs(%e : tensor<b m n f32>) -> tensor<b m n f32>""", lambda x, w, c: [x @ w.T + c]),
    Case("linear_bf16", "x: m 32 bf16, w: 32 n bf16, c: n f32", "m n bf16", """
  %e = tensor.empty(%m, %n) : tensor<m n bf16>
  %r = attn.linear ins(%x, %w, %c : tensor<m 32 bf16>, tensor<32 n bf16>, tensor<n f32>)
    outs(%e : tensor<m n bf16>) -> tensor<m n bf16>"""),
    # Neither rows nor terms nor columns end with a tile of a tile unit.
    Case("linear_bf16_tails", "x: m 43 bf16, w: 43 n bf16", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.linear ins(%x, %w : tensor<m 43 bf16>, tensor<43 n bf16>) outs(%e : tensor<m n f32>) -> tensor<m n f32>""",
         sizes={"m": 21, "n": 37}),
    Case("linear_parts_tails", "x: m 43 f32, w: n 43 f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.linear weight(out_in) ins(%x, %w : tensor<m 43 f32>, tensor<n 43 f32>) outs(%e : tensor<m n f32>)
    {attn.products = #attn.products<bf16x6>} -> tensor<m n f32>""",
         lambda x, w: [x @ w.T], sizes={"m": 69, "n": 37}),
    Case("linear_epilogue", "x: m k f32, w: k n f32, u: m n f32, v: n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.linear ins(%x, %w : tensor<m k f32>, tensor<k n f32>) extras(%u, %v : tensor<m n f32>, tensor<n f32>)
    outs(%e : tensor<m n f32>) epilogue {
    ^bb0(%s: f32, %p: f32, %q: f32):
    %t = arith.addf %s, %p : f32
    %y = arith.mulf %t, %q : f32
    attn.yield %y : f32
  } -> tensor<m n f32>""", lambda x, w, u, v: [(x @ w + u) * v]),
    Case("linear_then_ops", "x: m k f32, w: k n f32, u: m n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %l = attn.linear ins(%x, %w : tensor<m k f32>, tensor<k n f32>) outs(%e : tensor<m n f32>) -> tensor<m n f32>
  %a = attn.activation silu %l : tensor<m n f32>
  %r = arith.mulf %a, %u : tensor<m n f32>""", lambda x, w, u: [silu(x @ w) * u]),
    Case("feed_forward", "x: m k f32, up: k n f32, down: n p f32", "m p f32", """
  %r = attn.feed_forward ins(%x : tensor<m k f32>) up(%up : tensor<k n f32>) down(%down : tensor<n p f32>) -> tensor<m p f32>""",
         lambda x, u, d: [x @ u @ d]),
    Case("feed_forward_gated", "x: b m k f32, gate: k n f32, up: k n f32, ub: n f32, down: n k f32, db: k f32", "b m k f32", """
  %r = attn.feed_forward silu ins(%x : tensor<b m k f32>) gate(%gate : tensor<k n f32>) up(%up, %ub : tensor<k n f32>, tensor<n f32>)
    down(%down, %db : tensor<n k f32>, tensor<k f32>) -> tensor<b m k f32>""",
         lambda x, g, u, ub, d, db: [(silu(x @ g) * (x @ u + ub)) @ d + db]),
    Case("feed_forward_static", "x: m 24 f32, up: 40 24 f32, down: 24 40 f32", "m 24 f32", """
  %r = attn.feed_forward relu weight(out_in) ins(%x : tensor<m 24 f32>) up(%up : tensor<40 24 f32>)
    down(%down : tensor<24 40 f32>) -> tensor<m 24 f32>""", lambda x, u, d: [np.maximum(x @ u.T, 0) @ d.T]),
]


def norm_case(name, kind, inputs, clauses, numbers):
    """A norm of %x with a result of its type."""
    return Case("norm_" + name, inputs, "m n f32", f"""
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.norm {kind} ins(%x : tensor<m n f32>) {clauses} outs(%e : tensor<m n f32>) -> tensor<m n f32>""", numbers)


NORMS = [
    norm_case("layer", "layer axes [1] eps(1.0e-05)", "x: m n f32, g: n f32, c: n f32",
              "gamma(%g : tensor<n f32>) beta(%c : tensor<n f32>)", lambda x, g, c: [norm(x) * g + c]),
    norm_case("rms", "rms axes [1] eps(1.0e-05)", "x: m n f32, g: n f32", "gamma(%g : tensor<n f32>)",
              lambda x, g: [norm(x, centred=False) * g]),
    norm_case("l2", "l2 axes [1] eps(1.0e-05)", "x: m n f32", "", None),
    norm_case("columns", "layer axes [0] eps(1.0e-05)", "x: m n f32, g: m f32", "gamma(%g : tensor<m f32>)",
              lambda x, g: [norm(x, (0,)) * g[:, None]]),
    norm_case("instance", "instance axes [1] eps(1.0e-05) affine_axes [0]", "x: m n f32, g: m f32, c: m f32",
              "gamma(%g : tensor<m f32>) beta(%c : tensor<m f32>)", lambda x, g, c: [norm(x) * g[:, None] + c[:, None]]),
    norm_case("batch_given", "batch axes [0] eps(1.0e-05)", "x: m n f32, u: n f32, v: n f32, g: n f32",
              "gamma(%g : tensor<n f32>) statistics(%u, %v : tensor<n f32>, tensor<n f32>)", None),
    Case("norm_batch_running", "x: m n f32, u: n f32, v: n f32", "m n f32, n f32, n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r0, %r1, %r2 = attn.norm batch axes [0] eps(1.0e-05) ins(%x : tensor<m n f32>) outs(%e : tensor<m n f32>)
    running(%u, %v : tensor<n f32>, tensor<n f32>) momentum(0.25) -> tensor<m n f32>, tensor<n f32>, tensor<n f32>"""),
    Case("norm_residual", "x: m n f32, f: m n f32, g: n f32", "m n f32, m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %t = tensor.empty(%m, %n) : tensor<m n f32>
  %r0, %r1 = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<m n f32>) residual(%f : tensor<m n f32>) gamma(%g : tensor<n f32>)
    outs(%e : tensor<m n f32>) sum(%t : tensor<m n f32>) -> tensor<m n f32>, tensor<m n f32>""",
         lambda x, f, g: [norm(x + f, centred=False) * g, x + f]),
    Case("norm_fused", "x: m 64 bf16, f: m 64 bf16, g: 64 f32", "m 64 bf16, m 64 bf16", """
  %e = tensor.empty(%m) : tensor<m 64 bf16>
  %r1 = arith.addf %x, %f : tensor<m 64 bf16>
  %r0 = attn.norm rms axes [1] eps(1.0e-06) ins(%r1 : tensor<m 64 bf16>) gamma(%g : tensor<64 f32>)
    outs(%e : tensor<m 64 bf16>) -> tensor<m 64 bf16>"""),
]

ROWS = [
    Case(f"activation_{kind}", "x: m n f32", "m n f32", f"  %r = attn.activation {kind} %x : tensor<m n f32>", numbers)
    for kind, numbers in [("gelu", None), ("silu", lambda x: [silu(x)]), ("tanh", lambda x: [np.tanh(x)]), ("softplus", None)]
] + [
    Case("activation_gated", "x: m n f32, y: m n f32", "m n f32", """
  %a = attn.activation gelu_tanh unit_moment %x : tensor<m n f32>
  %r = arith.mulf %a, %y : tensor<m n f32>"""),
    Case("softmax_rows", "x: b m n f32", "b m n f32", """
  %e = tensor.empty(%b, %m, %n) : tensor<b m n f32>
  %r = attn.softmax scale(#attn.none) softmax(#attn.softmax1) dim(2) ins(%x : tensor<b m n f32>) outs(%e : tensor<b m n f32>)
    -> tensor<b m n f32>""", lambda x: [softmax(x, extra=1)]),
    Case("softmax_columns", "x: m n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.softmax scale(#attn.constant<-0.5>) softmax(#attn.softmax) dim(0) ins(%x : tensor<m n f32>) outs(%e : tensor<m n f32>)
    -> tensor<m n f32>""", lambda x: [softmax(x, 0, -0.5)]),
    Case("softmax_heads", "x: b h m n f32, t: h f32, s: h f32", "b h m n f32", """
  %e = tensor.empty(%b, %h, %m, %n) : tensor<b h m n f32>
  %r = attn.softmax scale(#attn.operand) softmax(#attn.sink) dim(3) ins(%x : tensor<b h m n f32>)
    params(%t, %s : tensor<h f32>, tensor<h f32>) outs(%e : tensor<b h m n f32>) -> tensor<b h m n f32>""",
         lambda x, t, s: [softmax(x * t[:, None, None], extra=np.exp(s)[:, None, None])]),
    Case("statistics_rows", "x: m n f32", "m f32", """
  %e = tensor.empty(%m) : tensor<m f32>
  %r = attn.statistics kurtosis axes [1] ins(%x : tensor<m n f32>) outs(%e : tensor<m f32>) -> tensor<m f32>""",
         lambda x: [kurtosis(x)]),
    Case("statistics_outs", "x: m n f32, e: m f32", "m f32", """
  %r = attn.statistics kurtosis axes [1] ins(%x : tensor<m n f32>) outs(%e : tensor<m f32>) -> tensor<m f32>""",
         lambda x, e: [kurtosis(x)]),
    Case("statistics_all", "x: b m n f32", "f32", """
  %e = tensor.empty() : tensor<f32>
  %r = attn.statistics infinity_norm ins(%x : tensor<b m n f32>) outs(%e : tensor<f32>) -> tensor<f32>""",
         lambda x: [np.abs(x).max(initial=0)]),
    Case("rope_rows", "x: b m 16 f32, p: m i64", "b m 16 f32", """
  %e = tensor.empty(%b, %m) : tensor<b m 16 f32>
  %r = attn.rope pairs(half_split) ins(%x : tensor<b m 16 f32>) positions(%p : tensor<m i64>)
    outs(%e : tensor<b m 16 f32>) -> tensor<b m 16 f32>""", lambda x, p: [x], safe={"p": [-1, 2**62, -2**63]}),
    Case("rope_tables", "x: b h m 16 f32, c: b m 8 f32, s: b m 8 f32", "b h m 16 f32", """
  %i = tensor.empty(%b, %h, %m) : tensor<b h m 16 f32>
  %r = attn.rope rotary_dim(8) ins(%x : tensor<b h m 16 f32>) cosines(%c : tensor<b m 8 f32>) sines(%s : tensor<b m 8 f32>)
    outs(%i : tensor<b h m 16 f32>) -> tensor<b h m 16 f32>"""),
    Case("rope_offsets", "x: b h m 16 f32, o: b i32, p: b m i32", "b h m 16 f32", """
  %e = tensor.empty(%b, %h, %m) : tensor<b h m 16 f32>
  %r = attn.rope rotary_dim(8) ins(%x : tensor<b h m 16 f32>) offset(%o : tensor<b i32>) positions(%p : tensor<b m i32>)
    outs(%e : tensor<b h m 16 f32>) -> tensor<b h m 16 f32>""", lambda x, o, p: [x], safe={"o": [-2**31, 2**31 - 1]}),
    Case("sinusoidal", "x: b m 16 f32, o: b i32, p: b m i32", "b m 16 f32", """
  %e = tensor.empty(%b, %m) : tensor<b m 16 f32>
  %s = attn.sinusoidal_positions offset(%o : tensor<b i32>) positions(%p : tensor<b m i32>) outs(%e : tensor<b m 16 f32>)
    -> tensor<b m 16 f32>
  %r = arith.addf %x, %s : tensor<b m 16 f32>"""),
    Case("init", "x: m n f32", "m n f32", """
  %seed = arith.constant 7 : i64
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %w = attn.init normal variance(lecun) fan_in [0] seed(%seed : i64) outs(%e : tensor<m n f32>) -> tensor<m n f32>
  %r = arith.addf %x, %w : tensor<m n f32>"""),
    Case("residual_rezero", "x: m n f32, w: n n f32, a: f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.residual rezero(%x : tensor<m n f32>) alpha(%a : tensor<f32>) branch {
  ^bb0(%z: tensor<m n f32>):
    %f = attn.linear ins(%z, %w : tensor<m n f32>, tensor<n n f32>) outs(%e : tensor<m n f32>) -> tensor<m n f32>
    attn.yield %f : tensor<m n f32>
  }""", lambda x, w, a: [x + a * (x @ w)]),
    Case("residual_post", "x: m n f32, w: n n f32, g: n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = attn.residual post(%x : tensor<m n f32>) norm {
  ^bb0(%z: tensor<m n f32>):
    %n0 = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<m n f32>) gamma(%g : tensor<n f32>)
      outs(%e : tensor<m n f32>) -> tensor<m n f32>
    attn.yield %n0 : tensor<m n f32>
  } branch {
  ^bb0(%z: tensor<m n f32>):
    %f = attn.linear ins(%z, %w : tensor<m n f32>, tensor<n n f32>) outs(%e : tensor<m n f32>) -> tensor<m n f32>
    attn.yield %f : tensor<m n f32>
  }""", lambda x, w, g: [norm(x + x @ w) * g]),
]
QUERY = "scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)"
CACHED = [("past", "past(%past : i32)"), ("pasts", "past(%pasts : tensor<b i32>)")]
HEADS = [
    Case("mha_self", "x: b m 24 f32, wq: 24 32 f32, wk: 24 16 f32, wv: 24 16 f32, wo: 32 24 f32", "b m 24 f32", f"""
  %r = attn.multi_head_attention heads(4) kv_heads(2) {QUERY} align(top_left) masks [#attn.causal] rope(half_split)
    ins(%x : tensor<b m 24 f32>) query(%wq : tensor<24 32 f32>) key(%wk : tensor<24 16 f32>) value(%wv : tensor<24 16 f32>)
    output(%wo : tensor<32 24 f32>) -> tensor<b m 24 f32>"""),
    Case("mha_cross", "x: b m k f32, z: b n p f32, wq: k 32 f32, qb: 32 f32, wk: p 32 f32, wv: p 16 f32, "
         "wo: 16 k f32, ob: k f32", "b m k f32", f"""
  %r = attn.multi_head_attention heads(4) {QUERY} ins(%x : tensor<b m k f32>) memory(%z : tensor<b n p f32>)
    query(%wq, %qb : tensor<k 32 f32>, tensor<32 f32>) key(%wk : tensor<p 32 f32>) value(%wv : tensor<p 16 f32>)
    output(%wo, %ob : tensor<16 k f32>, tensor<k f32>) -> tensor<b m k f32>"""),
    Case("mha_norm_positions", "x: b m 24 f32, w: 24 24 f32, g: 6 f32, p: m i32, lens: b i32", "b m 24 f32", f"""
  %r = attn.multi_head_attention heads(4) {QUERY} masks [#attn.kv_lengths] qk_norm(rms, 1.0e-06) rope(interleaved)
    ins(%x : tensor<b m 24 f32>) query(%w : tensor<24 24 f32>) key(%w : tensor<24 24 f32>) value(%w : tensor<24 24 f32>)
    output(%w : tensor<24 24 f32>) gains(%g, %g : tensor<6 f32>, tensor<6 f32>) positions(%p : tensor<m i32>)
    params(%lens : tensor<b i32>) -> tensor<b m 24 f32>""", safe={"lens": [-1, 10**6], "p": [-2**31, 2**31 - 1]}),
] + [
    Case(f"mha_cache_{name}", "x: b m 24 f32, w: 24 24 f32, wk: 24 12 f32, keys: b 2 c 6 f32 inout=1, vals: b 2 c 6 f32 inout=2, "
         + ("pasts: b i32" if name == "pasts" else "pasts: 1 i32"), "b m 24 f32, b 2 c 6 f32, b 2 c 6 f32",
         ("" if name == "pasts" else "  %c0 = arith.constant 0 : index\n  %past = tensor.extract %pasts[%c0] : tensor<1 i32>\n") + f"""
  %r0, %r1, %r2 = attn.multi_head_attention heads(4) kv_heads(2) {QUERY} align(bottom_right) masks [#attn.causal]
    ins(%x : tensor<b m 24 f32>) query(%w : tensor<24 24 f32>) key(%wk : tensor<24 12 f32>) value(%wk : tensor<24 12 f32>)
    output(%w : tensor<24 24 f32>) cache(%keys, %vals : tensor<b 2 c 6 f32>, tensor<b 2 c 6 f32>) {past}
    -> tensor<b m 24 f32>, tensor<b 2 c 6 f32>, tensor<b 2 c 6 f32>""",
         where="m <= c", data={"pasts": lambda s: max(min(3, s["c"] - s["m"]), 0)},
         wrong={"pasts": [-1, 5, 11, 10**6, 2**31 - 1, -2**31]})
    for name, past in CACHED
]


def block_cases():
    return LINEAR + NORMS + ROWS + HEADS
