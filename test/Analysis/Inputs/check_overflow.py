#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what the JSON report of the moments says of values that overflow."""

import json
import sys


def refuse(name):
    raise ValueError(name + " is no JSON")


with open(sys.argv[1]) as file:
    report = {f["function"]: f for f in json.load(file, parse_constant=refuse)}
loop = report["loop"]["values"]
assert all(v["overflows"] and v["second_moment"] is None for v in loop[-3:])
assert [f["kind"] for f in report["loop"]["findings"]] == ["overflows"]
types = [(v["op"], v["overflows"]) for v in report["types"]["values"]]
assert types[-2:] == [("arith.mulf", True), ("arith.mulf", False)]
assert not any(v["overflows"] for v in report["mask"]["values"])
