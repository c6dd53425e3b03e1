# REQUIRES: onnxruntime
# RUN: %attn-frameworks %s
"""com.microsoft GroupQueryAttention equals onnxruntime's, with smooth_softmax and head_sink, in 50 random cases."""

import numpy as np
from ort import floats, make_model, run_both

CASES = 50


def draw(rng):
    """What a case is: prompts fill the cache, or one row of each goes behind what its cache has."""
    batch, group, heads = (int(rng.integers(1, 4)) for _ in range(3))
    case = {"batch": batch, "heads": group * heads, "kv_heads": heads, "dim": int(rng.choice([16, 32, 64])),
            "normalizer": rng.choice(["smooth_softmax", "head_sink", "softmax"], p=[0.4, 0.4, 0.2]),
            "rotary": bool(rng.integers(2)), "interleaved": int(rng.integers(2)), "packed": bool(rng.integers(2)),
            "window": int(rng.choice([-1, -1, 3, 7])), "softcap": float(rng.choice([0, 5])),
            "scale": float(rng.choice([0, 0.3])), "bias": bool(rng.integers(2))}
    if rng.integers(2):
        rows = int(rng.integers(2, 20))
        lengths = rng.integers(1, rows + 1, batch)
        lengths[0] = rows
        return case | {"rows": rows, "room": int(rng.choice([0, rows + 5])), "total": rows, "lengths": lengths}
    room = int(rng.integers(1, 30))
    lengths = rng.integers(1, room + 2, batch)
    if rng.integers(2):
        lengths[0] = room + 1
    return case | {"rows": 1, "room": room, "total": int(lengths.max()), "lengths": lengths}


def make(rng, case):
    batch, rows, heads, kv_heads, dim = (case[n] for n in ("batch", "rows", "heads", "kv_heads", "dim"))
    separate = not case["packed"]
    width = heads * dim if separate else (heads + 2 * kv_heads) * dim
    angles = np.arange(64)[:, None] * 10000.0 ** (-np.arange(dim // 2) / (dim // 2))[None]
    rotary = case["rotary"]
    # onnxruntime has no window beside a bias.
    bias = case["bias"] and case["window"] < 0
    inputs = {
        "query": floats(rng, batch, rows, width),
        "key": floats(rng, batch, rows, kv_heads * dim) if separate else None,
        "value": floats(rng, batch, rows, kv_heads * dim) if separate else None,
        "past_key": floats(rng, batch, kv_heads, case["room"], dim),
        "past_value": floats(rng, batch, kv_heads, case["room"], dim),
        "lengths": (case["lengths"] - 1).astype(np.int32), "total": np.array([case["total"]], np.int32),
        "cos": np.cos(angles).astype(np.float32) if rotary else None,
        "sin": np.sin(angles).astype(np.float32) if rotary else None, "positions": None,
        "bias": floats(rng, 1, heads, rows, case["total"]) if bias else None,
        "sink": floats(rng, heads) if case["normalizer"] == "head_sink" else None}
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads, "do_rotary": int(rotary), "softcap": case["softcap"],
                  "rotary_interleaved": case["interleaved"], "local_window_size": case["window"]}
    if case["scale"]:
        attributes["scale"] = case["scale"]
    if case["normalizer"] == "smooth_softmax":
        attributes["smooth_softmax"] = 1
    return make_model("GroupQueryAttention", inputs, ["y", "keys", "values"], ("total",), **attributes)


def compare(case, got, wanted):
    """Rows that only fill a batch up, and places of caches that hold nothing, mean nothing."""
    for b, length in enumerate(case["lengths"]):
        past = 0 if case["rows"] == case["total"] else length - case["rows"]
        np.testing.assert_allclose(got[0][b, :length - past], wanted[0][b, :length - past], atol=2e-5, err_msg=str(case))
        for ours, theirs in zip(got[1:], wanted[1:]):
            assert ours.shape == theirs.shape, (ours.shape, theirs.shape, case)
            np.testing.assert_allclose(ours[b, :, :length], theirs[b, :, :length], atol=2e-6, err_msg=str(case))


generator = np.random.default_rng(20)
counts = {}
for _ in range(CASES):
    drawn = draw(generator)
    compare(drawn, *run_both(*make(generator, drawn)))
    counts[str(drawn["normalizer"])] = counts.get(str(drawn["normalizer"]), 0) + 1
print(f"{CASES} random cases of GroupQueryAttention equal onnxruntime's: {counts}")
