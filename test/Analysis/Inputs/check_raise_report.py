# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a report of attn-opt --attn-raise-report on docs/exports.mlir against what docs/Exports.md says of it."""

import json
import sys

SHARES = ["flops_share", "bytes_share", "time_share"]
OP = {"op", "what", "result", "left", "flops", "bytes", *SHARES, "location", "remarks"}

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
assert list(report) == ["target", "functions"] and report["target"] == "cpu:x86-64-v3", report
[function] = report["functions"]
assert function["name"] == "main" and function["layers_by"] == "source"
assert function["before"]["linalg.batch_matmul"] > 0 and function["raised"]["attn.linear"] == 12
assert [layer["name"] for layer in function["layers"]] == ["layer 1 of 2", "layer 2 of 2", "behind"]

ops = [op for layer in function["layers"] for op in layer["ops"]]
for op in ops:
    assert OP <= set(op) <= OP | {"why"}, op
    assert op["left"] != op["op"].startswith("attn."), op
    assert op["location"][-1] == "model.py:71" or op["left"], op
for share in SHARES:
    # Shares are of the function, and layers share all of it.
    assert abs(sum(op[share] for op in ops) - 1) < 1e-4, share
    assert abs(sum(layer[share] for layer in function["layers"]) - 1) < 1e-4, share
    left = sum(op[share] for op in ops if op["left"])
    assert abs(left - function["left"][share]) < 1e-4 and 0 < left < 0.5, share
assert function["left"]["ops"] == sum(op["left"] for op in ops)
assert sum(op["flops"] for op in ops) == function["flops"] and sum(op["bytes"] for op in ops) == function["bytes"]

# q, k and v are products of 4 x 8 by 8 x 8; a product of scores is 2 x 4 x 4 x 4.
[first, second, _] = function["layers"]
linears = [op for op in first["ops"] if op["op"] == "attn.linear"]
assert [op["flops"] for op in linears] == [512] * 4 + [1024] * 2
assert [op["flops"] for op in first["ops"] if op["op"] == "linalg.batch_matmul"] == [256, 256]
assert [op["op"] for op in first["ops"]] == [op["op"] for op in second["ops"]]

# The reason is the same for all of the chain, and one for each layer.
for layer in [first, second]:
    reasons = [op["why"] for op in layer["ops"] if "why" in op]
    assert len(reasons) >= 3 and all(reason == reasons[0] for reason in reasons), reasons
    assert reasons[0]["id"] == "attn-r102" and "clamp" not in reasons[0]["text"]
    assert reasons[0]["location"][0] == "model.py:34", reasons[0]
    own = [remark["id"] for op in layer["ops"] for remark in op["remarks"] if remark["id"] == "attn-r102"]
    assert len(own) == 1, own
