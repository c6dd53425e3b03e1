"""Holds a JSON report of attn-analyze-entropy against an own simulation.

The report's expected entropies are compared with numpy's normal draws, and its
measured ones with its expected ones, each within four standard errors.
"""

import json
import sys

import numpy as np


def entropies(scores):
    shifted = scores - scores.max(axis=1, keepdims=True)
    mass = np.exp(shifted)
    total = mass.sum(axis=1)
    return np.log(total) - (mass * shifted).sum(axis=1) / total


report = json.load(open(sys.argv[1]))
subject = report["subjects"][0]
generator = np.random.default_rng(1)
draws = {}
compared = 0
for policy in subject["policies"]:
    for point in policy["lengths"]:
        n = point["n"]
        error = point["measured_error"]
        assert error < 0.1, point
        assert abs(point["measured"] - point["expected"]) < 4 * error, point
        if n not in draws:
            draws[n] = generator.standard_normal((300_000 // n, n))
        rows = entropies(point["lambda"] * subject["head_dim"] ** 0.5 * draws[n])
        own_error = rows.std() / len(rows) ** 0.5
        assert abs(rows.mean() - point["expected"]) < 4 * own_error, (point, rows.mean())
        compared += 1
    last, first = policy["lengths"][-1], policy["lengths"][0]
    assert policy["growth_expected"] == last["expected"] - first["expected"]
assert compared == 25, compared
# The published figures for n = 64 -> 1024, which are samples themselves.
figures = {"#attn.inv_sqrt_dim": (3.70, 6.43), "#attn.log_length": (3.95, 6.31)}
for policy in subject["policies"]:
    name = policy["policy"].split("<")[0]
    if name in figures:
        for point, figure in zip((policy["lengths"][0], policy["lengths"][-1]), figures.pop(name)):
            assert abs(point["measured"] - figure) < 0.02, point
            assert abs(point["expected"] - figure) < 0.02, point
assert not figures
