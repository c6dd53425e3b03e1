"""Expected results of the examples with position biases, from their definitions.

    position_biases.py NAME FILE.npz    arguments arg0, arg1, ... and the result out0
"""
import sys

import numpy as np

HEADS, ROWS, DIM = 4, 160, 32


def t5_bucket(relative, buckets=32, far=128, bidirectional=False):
    """The bucket of key - query, in integers: distance r >= e has bucket e + k for the
    largest k < c with (r / e)^c >= (far / e)^k, where c = buckets - e."""
    first = 0
    if bidirectional:
        buckets //= 2
        first = buckets if relative > 0 else 0
        distance = abs(relative)
    else:
        distance = max(-relative, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    count = buckets - exact
    steps = max(k for k in range(count)
                if distance**count * exact**k >= far**k * exact**count)
    return first + exact + steps


def t5_bias(table, bidirectional):
    return np.array([[table[t5_bucket(j - i, bidirectional=bidirectional)] for j in range(ROWS)]
                     for i in range(ROWS)]).transpose(2, 0, 1)


def distances():
    index = np.arange(ROWS)
    return np.abs(index[:, None] - index[None, :]).astype(float)[None]


def sandwich():
    t = np.arange(64)
    products = np.cos(distances()[0][..., None] / 10000.0**(2 * t / 128)).sum(-1)
    return products / (8 * (np.arange(HEADS) + 1) / HEADS)[:, None, None]


def alibi():
    slopes = 2.0**(-8 * (np.arange(HEADS) + 1) / HEADS)
    return -slopes[:, None, None] * distances()


def make(name):
    """Arguments, bias, scale and whether keys behind the query are hidden."""
    rng = np.random.default_rng(7)
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    rows = [draw(1, HEADS, ROWS, DIM) for _ in range(3)]
    wide = lambda x: x.astype(np.float64)
    if name in ("bidirectional", "causal"):
        table = draw(32, HEADS)
        return rows + [table], t5_bias(wide(table), name == "bidirectional"), 1.0, name == "causal"
    scale = 1 / np.sqrt(DIM)
    if name == "alibi":
        return rows, alibi(), scale, True
    if name == "sandwich":
        return rows, sandwich(), scale, True
    a, b = draw(HEADS, 1, 1), draw(HEADS, 1, 1)
    if name == "log":
        bias = -np.exp(wide(a)) * np.log1p(np.exp(wide(b)) * distances())
    else:
        bias = -np.exp(wide(a)) * distances()**(2 / (1 + np.exp(-wide(b))))
    return rows + [a, b], bias, scale, True


def attend(arguments, bias, scale, causal):
    q, k, v = (x.astype(np.float64)[0] for x in arguments[:3])
    scores = scale * q @ k.transpose(0, 2, 1) + bias
    if causal:
        scores = np.where(np.tri(ROWS, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v)[None].astype(np.float32)


if __name__ == "__main__":
    arguments, bias, scale, causal = make(sys.argv[1])
    arrays = {f"arg{i}": x for i, x in enumerate(arguments)}
    np.savez(sys.argv[2], out0=attend(arguments, bias, scale, causal), **arrays)
