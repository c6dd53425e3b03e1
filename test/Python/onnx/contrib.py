# REQUIRES: onnxruntime
# RUN: %attn-frameworks %s
"""The other ops of com.microsoft equal onnxruntime's."""

import numpy as np
from ort import MICROSOFT, floats, make_model, run_both

import attn

rng = np.random.default_rng(3)
B, S, L, H, D = 2, 5, 7, 3, 8
W = H * D


def check(op, inputs, outputs=("y",), atol=2e-5, **attributes):
    got, wanted = run_both(*make_model(op, inputs, list(outputs), domain=attributes.pop("domain", MICROSOFT), **attributes))
    for ours, theirs in zip(got, wanted, strict=True):
        assert ours.shape == theirs.shape, (op, ours.shape, theirs.shape)
        np.testing.assert_allclose(ours, theirs, atol=atol, rtol=1e-4, err_msg=f"{op} {attributes} {list(inputs)}")
    print(op, {n: list(a.shape) for n, a in inputs.items() if a is not None}, attributes)


def attend(atol=2e-5, **given):
    """MultiHeadAttention with some of its inputs."""
    order = ["query", "key", "value", "bias", "padding", "scores_bias", "past_key", "past_value"]
    attributes = {n: v for n, v in given.items() if n not in order}
    inputs = {n: given.get(n) for n in order}
    outputs = ["y", "keys", "values"] if given.get("past_key") is not None else ["y"]
    check("MultiHeadAttention", inputs, outputs, atol, num_heads=H, **attributes)


q, k, v = floats(rng, B, S, W), floats(rng, B, L, W), floats(rng, B, L, W)
attend(query=q, key=k, value=v)
attend(query=q, key=k, value=v, scale=0.2, bias=floats(rng, 3 * W))
attend(query=q, key=k, value=v, padding=np.array([L, 4], np.int32))
attend(query=q, key=k, value=v, padding=(np.arange(L)[None] < np.array([[L], [3]])).astype(np.int32))
# Scores around -10000 have two digits behind the point in f32.
attend(query=q, key=k, value=v, padding=np.zeros((B, L), np.int32), atol=2e-3)
attend(query=q, key=k, value=v, scores_bias=floats(rng, 1, H, S, L))
attend(query=q, key=floats(rng, B, H, L, D), value=floats(rng, B, H, L, D))
same = floats(rng, B, S, W), floats(rng, B, S, W)
attend(query=q, key=same[0], value=same[1], unidirectional=1)
attend(query=q, key=same[0], value=same[1], past_key=floats(rng, B, H, 4, D), past_value=floats(rng, B, H, 4, D))
attend(query=q, key=same[0], value=same[1], past_key=floats(rng, B, H, 4, D), past_value=floats(rng, B, H, 4, D),
       unidirectional=1)

# onnxruntime packs keys and values on GPUs only: the same numbers apart.
packed = floats(rng, B, S, H, 3, D)
q1, k1, v1 = (np.ascontiguousarray(packed[:, :, :, i]).reshape(B, S, W) for i in range(3))
apart, feeds = make_model("MultiHeadAttention", {"query": q1, "key": k1, "value": v1}, ["y"], num_heads=H)
wanted = run_both(apart, feeds)[1][0]
for inputs in ({"query": packed}, {"query": q1, "key": np.ascontiguousarray(packed[:, :, :, 1:])}):
    together, feeds = make_model("MultiHeadAttention", inputs, ["y"], num_heads=H)
    np.testing.assert_allclose(attn.compile(together, cache=False)(*feeds.values()), wanted, atol=2e-5)

x, gain, shift, skip = floats(rng, B, S, W), floats(rng, W), floats(rng, W), floats(rng, B, S, W)
check("SkipLayerNormalization", {"x": x, "skip": skip, "gamma": gain, "beta": shift}, epsilon=1e-5)
check("SkipLayerNormalization", {"x": x, "skip": skip, "gamma": gain, "beta": shift, "bias": floats(rng, W)},
      ["y", "", "", "sum"])
check("SkipSimplifiedLayerNormalization", {"x": x, "skip": skip, "gamma": gain}, ["y", "", "", "sum"], epsilon=1e-6)
check("SimplifiedLayerNormalization", {"x": x, "gamma": gain}, domain="", axis=-1, epsilon=1e-6)
check("FastGelu", {"x": x})
check("FastGelu", {"x": x, "bias": shift})
check("BiasGelu", {"x": x, "bias": shift})
check("Gelu", {"x": x})
check("QuickGelu", {"x": x}, alpha=1.702)
check("QuickGelu", {"x": x}, alpha=1.2)

angles = np.arange(32)[:, None] * 100.0 ** (-np.arange(D // 2) / (D // 2))[None]
cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
places = rng.integers(0, 32, (B, S)).astype(np.int64)
for interleaved in (0, 1):
    check("RotaryEmbedding", {"x": x, "at": places, "cos": cos, "sin": sin}, interleaved=interleaved)
    check("RotaryEmbedding", {"x": x, "at": np.array([9], np.int64), "cos": cos, "sin": sin}, interleaved=interleaved)
    check("RotaryEmbedding", {"x": floats(rng, B, H, S, D), "at": places, "cos": cos, "sin": sin}, interleaved=interleaved)
    check("RotaryEmbedding", {"x": x, "at": places, "cos": cos[:, :2], "sin": sin[:, :2]}, interleaved=interleaved,
          num_heads=H, rotary_embedding_dim=4)
