# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of attn.attention, with its policies and their params, for size_sweep.py."""

import numpy as np

import policies
from size_case import Case


def attend(q, k, v, scale=None, bias=0.0, mask=None, extra=0.0, cap=None, lse=False):
    """The definition; q is [..., h, m, d], k and v [..., g, n, d]."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    if q.ndim > 2 and k.shape[-3] != q.shape[-3]:
        k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    s = q @ np.swapaxes(k, -1, -2) * (1 / np.sqrt(max(q.shape[-1], 1)) if scale is None else scale)
    s = cap * np.tanh(s / cap) if cap else s
    s = np.where(True if mask is None else mask, s + bias, -np.inf)
    top = np.where(np.isfinite(s), s, -1e30).max(-1, keepdims=True, initial=-50.0)
    p = np.exp(s - top)
    total = p.sum(-1, keepdims=True) + extra * np.exp(-top)
    o = np.where(total > 0, p / np.where(total > 0, total, 1), 0) @ v
    with np.errstate(divide="ignore"):
        return [o, np.log(total[..., 0]) + top[..., 0]] if lse else [o]


def ramp(q, k, bottom=False):
    """Positions of rows and of keys."""
    m, n = q.shape[-2], k.shape[-2]
    return np.arange(m)[:, None] + (n - m if bottom else 0), np.arange(n)[None, :]


def row_norm(x, eps=1e-6):
    return x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + eps)


MAPS = {"bhm": "(b, h, m)", "bhn": "(b, h, n)", "b": "(b)", "h": "(h)", "m": "(m)", "hm": "(h, m)", "bm": "(b, m)", "bn": "(b, n)",
        "bhmn": "(b, h, m, n)", "mn": "(m, n)", "": "()", "d": "(d)", "hd": "(h, d)", "md": "(m, d)", "nd": "(n, d)"}
#: clauses before ins, the params (name, letters of its dimensions, element), numpy's answer from q, k, v and the params
POLICIES = {
    "plain": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)", [], attend),
    "softmax1": ("scale(#attn.inv_dim) softmax(#attn.softmax1)", [], lambda q, k, v: attend(q, k, v, 1 / 16, extra=1)),
    "causal_window": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) "
                      "masks [#attn.causal, #attn.window<left = 3, right = 0>]", [],
                      lambda q, k, v: attend(q, k, v, mask=(lambda i, j: (j <= i) & (j >= i - 3))(*ramp(q, k, True)))),
    "softcap_alibi": ("scale(#attn.constant<0.5>) softmax(#attn.softmax) align(top_left) bias [#attn.alibi] softcap(5.0)", [], None),
    "operand": ("scale(#attn.operand) softmax(#attn.softmax)", [("lambda", "hm", "f32")],
                lambda q, k, v, t: attend(q, k, v, t[:, :, None])),
    "learned_sink": ("scale(#attn.learned) softmax(#attn.sink)", [("lambda", "h", "f32"), ("sink", "h", "f32")],
                     lambda q, k, v, t, s: attend(q, k, v, t[:, None, None], extra=np.exp(s.astype(np.float64))[:, None, None])),
    "position_operand": ("scale(#attn.log_length<base = 2.0, n = position_operand>) softmax(#attn.softmax)",
                         [("at", "bm", "i32")], None),
    "visible": ("scale(#attn.log_length<base = 2.0, n = visible>) softmax(#attn.softmax) align(bottom_right) "
                "masks [#attn.causal, #attn.kv_lengths]", [("lens", "b", "i32")], None),
    "seen": ("scale(#attn.log_length<base = 2.0, n = seen>) softmax(#attn.softmax) align(top_left) "
             "masks [#attn.causal, #attn.dense_mask, #attn.segment_ids]",
             [("mask", "bhmn", "i1"), ("rows", "bm", "i32"), ("keys", "bn", "i32")], None),
    "kv_lengths": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]", [("lens", "b", "i32")],
                   lambda q, k, v, t: attend(q, k, v, mask=np.arange(k.shape[-2]) < t[:, None, None, None])),
    "dense_bias": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias]", [("bias", "bhmn", "f32")],
                   lambda q, k, v, t: attend(q, k, v, bias=t)),
    "alibi_slopes": ("scale(#attn.none) softmax(#attn.softmax) align(top_left) bias [#attn.alibi<slopes = operand>]",
                     [("slopes", "h", "f32")],
                     lambda q, k, v, t: attend(q, k, v, 1, bias=-t[:, None, None] * abs(np.subtract(*ramp(q, k))))),
    "segment_ids": ("scale(#attn.log_length<base = 2.0, n = keys>) softmax(#attn.softmax) masks [#attn.segment_ids]",
                    [("rows", "bm", "i32"), ("keys", "bn", "i32")], None),
    "dense_mask": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask]", [("mask", "bhmn", "i1")],
                   lambda q, k, v, t: attend(q, k, v, mask=t)),
    "additive_mask": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.additive_mask]", [("mask", "mn", "f32")],
                      lambda q, k, v, t: attend(q, k, v, bias=t)),
    "cosine": ("scale(#attn.constant<4.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)", [], None),
    "loads": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) load_query [#attn.row_norm<rms, eps = 1.0e-6, gamma>] "
              "load_key [#attn.row_norm<rms, eps = 1.0e-6, gamma>]", [("gq", "d", "f32"), ("gk", "d", "f32")],
              lambda q, k, v, s, t: attend(row_norm(q) * s, row_norm(k) * t, v)),
    "rotated": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) load_query [#attn.rotate<half_split, dims = 16>] "
                "load_key [#attn.rotate<half_split, dims = 16>]", [("tq", "md", "f32"), ("tk", "nd", "f32")], None),
    "probes": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>, #attn.probe<max_logit>]", [], None),
    "lse": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)", [], lambda q, k, v: attend(q, k, v, lse=True)),
    "parts": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) products(bf16x6)", [], lambda q, k, v: attend(q, k, v)),
} | {name: (f"scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) {clauses}", params, None)
     for name, mask in policies.MASKS.items() for clauses, params in mask.sizes}
SIZE = {"b": "b", "h": "h", "m": "m", "n": "n"}


def attention_case(name, form, element="f32", dims=("16", "8")):
    """`form`: static (head dimensions known: the fast path), dynamic, grouped (key heads g, h = 2 g) or decode (one row)."""
    clauses, params, numbers = POLICIES[name]
    d, e = ("d", "e") if form == "dynamic" else dims
    heads, rows = ("g" if form == "grouped" else "h"), ("1" if form == "decode" else "m")
    size = {**SIZE, "d": d, "m": rows}
    wide = [(param, [size[c] for c in letters], kind) for param, letters, kind in params]
    more = [("lse", ["b", "h", rows], "f32")] if name == "lse" else []
    more += [(f"probe{i}", ["b", "h", rows], "f32") for i in range(2)] if name == "probes" else []
    outs = [("o", ["b", "h", rows, e], element)] + more
    inputs = [("q", ["b", "h", rows, d], element), ("k", ["b", heads, "n", d], element), ("v", ["b", heads, "n", e], element)] + wide
    spell = {n: f"tensor<{' '.join(dims + [kind])}>" for n, dims, kind in inputs + outs}
    head = "h floordiv 2" if form == "grouped" else "h"
    maps = ["(b, h, m, d)", f"(b, {head}, n, d)", f"(b, {head}, n, e)"] + [MAPS[letters] for _, letters, _ in params] + \
        ["(b, h, m, e)"] + [MAPS["bhm"]] * len(more)
    maps = ", ".join(f"affine_map<(b, h, m, n, d, e) -> {m}>" for m in maps)
    body = "".join(f"  %init_{n} = tensor.empty({', '.join('%' + x for x in dims if not x.isdigit())}) : {spell[n]}\n"
                   for n, dims, _ in outs)
    names = "%r" if len(outs) == 1 else ", ".join(f"%r{i}" for i in range(len(outs)))
    types = ", ".join(spell[n] for n, _, _ in outs)
    group = f"params({', '.join('%' + n for n, _, _ in wide)} : {', '.join(spell[n] for n, _, _ in wide)}) " if wide else ""
    body += f"  {names} = attn.attention {clauses} indexing_maps [{maps}] ins(%q, %k, %v : {spell['q']}, {spell['k']}, " \
        f"{spell['v']}) {group}outs({', '.join('%init_' + n for n, _, _ in outs)} : {types}) -> {types}"
    text = ", ".join(f"{n}: {' '.join(dims)} {kind}" for n, dims, kind in inputs)
    more_name = ("" if element == "f32" else f"_{element}") + ("" if dims == ("16", "8") else f"_{d}_{e}")
    return Case(f"attention_{name}_{form}{more_name}", text,
                ", ".join(" ".join(dims + [kind]) for _, dims, kind in outs), body,
                None if element != "f32" else numbers, where="h == 2 * g" if form == "grouped" else "",
                data={"lens": lambda s: np.minimum(np.arange(s["b"]) + 3, s["n"])},
                safe={"lens": [-1, 10**6, 2**31 - 1, -2**31], "at": [-5, 2**31 - 1, -2**31], "rows": [-2**31], "keys": [2**31 - 1]})


def attn_cases():
    cases = [attention_case(name, "static") for name in POLICIES]
    cases += [attention_case(name, "dynamic") for name in POLICIES if name not in ("rotated", "softmax1")]
    cases += [attention_case(name, "grouped") for name in ("plain", "kv_lengths", "learned_sink", "dense_bias", "lse")]
    cases += [attention_case(name, "decode") for name in ("plain", "kv_lengths", "operand", "segment_ids", "dense_mask", "lse", "probes")]
    cases += [attention_case("plain", form, element) for element in ("f16", "bf16", "f64") for form in ("static", "decode")]
    # Heads that a tile unit takes, which end within its tiles.
    cases += [attention_case(name, "static", "bf16", ("40", "24")) for name in ("plain", "causal_window", "kv_lengths", "lse")]
    # Whole tiles of terms: keys are read where they lie, but for the last ones.
    cases += [attention_case(name, "static", "bf16", ("64", "32")) for name in ("plain", "kv_lengths")]
    cases += [attention_case("parts", "static", dims=dims) for dims in (("40", "24"), ("64", "32"))]
    return cases
