"""What the JSON report of analyze-moments.mlir must say, beside the text."""

import json
import math
import sys

import numpy as np

with open(sys.argv[1]) as file:
    report = {function["function"]: function for function in json.load(file)}

# Shares of a stream add up to 1, and each branch's is what is left of it.
for block in report["streams"]["residuals"]:
    assert math.isclose(sum(block["shares"]), 1.0), block
    assert len(block["shares"]) == block["depth"] + 2, block
last = report["streams"]["residuals"][1]
assert np.allclose(last["shares"], [0.25, 0.25, 0.5], rtol=1e-4), last

# Weights of independent normal scores, sampled.
generator = np.random.default_rng(0)
n, rows = 128, 20000


def sample(variance, extra=0.0, visible=n):
    p = np.exp(np.sqrt(variance) * generator.standard_normal((rows // 20, visible)))
    p /= p.sum(axis=1, keepdims=True) + extra
    return p.sum(axis=1).mean(), (p**2).sum(axis=1).mean()


plain, scaled, causal, one = report["scores"]["scores"]
for score, variance, extra in ((plain, 64, 0), (scaled, 1, 0), (one, 1, 1)):
    total, squares = sample(variance, extra)
    assert math.isclose(score["sum_p"], total, rel_tol=0.01), (score, total)
    assert math.isclose(score["sum_p2"], squares, rel_tol=0.04), (score, squares)
squares = np.mean([sample(1, 0, visible)[1] for visible in range(1, n + 1)])
assert math.isclose(causal["sum_p2"], squares, rel_tol=0.08), (causal, squares)

# Findings are data, too.
(finding,) = report["scores"]["findings"]
assert finding["kind"] == "scores-saturate" and math.isclose(finding["value"], 64), finding
(finding,) = report["explodes"]["findings"]
assert finding["kind"] == "explodes" and math.isclose(finding["value"], 64**3), finding
assert report["loop"]["not_followed"][0]["reason"]
