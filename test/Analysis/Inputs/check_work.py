"""Holds a JSON report of attn-analyze-work against the formulas of the specification."""

import json
import sys

functions = {f["name"]: f for f in json.load(open(sys.argv[1]))["functions"]}
for function in functions.values():
    for key, total in function["total"].items():
        assert total == sum(op[key] for op in function["ops"]), (function["name"], key)

d, rows = 64, 10
assert functions["single_head"]["total"]["parameters"] == 3 * d**2
products = 3 * 2 * rows * d**2 + 2 * rows**2 * (d + d)
assert functions["single_head"]["total"]["flops"] == products

h = 64
layer = functions["layer"]
assert layer["total"]["parameters"] == 12 * h**2 + 13 * h
blocks = [i for i, op in enumerate(layer["ops"]) if op["op"] == "attn.residual"]
attention = layer["ops"][blocks[0] : blocks[1]]
feed_forward = layer["ops"][blocks[1] :]


def count(ops, kind):
    return sum(op["parameters"] for op in ops if op["op"] == kind)


assert count(attention, "attn.linear") == 4 * h**2 + 4 * h
assert count(feed_forward, "attn.linear") == 8 * h**2 + 5 * h
assert count(layer["ops"], "attn.norm") == 2 * 2 * h
# Causal: 16 * 17 / 2 pairs for each of 4 heads.
causal = [op for op in layer["ops"] if op["op"] == "attn.attention"]
assert causal[0]["flops"] == 4 * 136 * 2 * (16 + 16)

sink = functions["sink"]["ops"][0]
assert sink["flops"] == 2 * (3 * 8 - 2) * 2 * (16 + 16)
# q is key and value as well, and read once; the output; the sinks.
assert sink["bytes"] == 2 * (2 * 8 * 16 * 2) + 2 * 4

# 512 rows of 6 results.
assert functions["unknown"]["total"]["flops"] == 512 * 6 * 2 * 4
assert functions["unknown"]["unknown_size"] == 512
assert "unknown_size" not in functions["sink"]
assert functions["unknown"]["not_counted"][0]["op"] == "tensor.pad"
