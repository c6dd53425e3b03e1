"""Compares moment reports of one module in several spellings.

    check_expanded.py FIRST.json OTHER.json...

Arguments, residual streams and scores have to be the same; names of values and
the order in which places of one line are listed do not count.
"""

import json
import math
import sys


def isclose(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(isclose(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(isclose, a, b))
    return a == b


def read(path):
    reports = {}
    for report in json.load(open(path)):
        for score in report["scores"]:
            del score["value"]
        reports[report["function"]] = {key: report[key] for key in ("arguments", "residuals", "scores")}
    return reports


first = read(sys.argv[1])
assert first["policies"]["residuals"] and first["model"]["residuals"]
assert not first["no_blocks"]["residuals"]
assert first["model"]["scores"]
for path in sys.argv[2:]:
    other = read(path)
    assert first.keys() == other.keys()
    for name in first:
        for key in first[name]:
            assert isclose(first[name][key], other[name][key]), (path, name, key, first[name][key], other[name][key])
