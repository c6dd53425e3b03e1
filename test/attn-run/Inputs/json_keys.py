"""Prints the keys of a JSON object, sorted, with the values that do not change
from run to run."""

import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)


def show(key, value):
    if isinstance(value, list):
        return "list"
    if isinstance(value, dict):
        return ",".join(value)
    if key in ("flops", "bytes"):
        return f"{value:g}"
    if key == "threads" or isinstance(value, str):
        return value
    return "number"


print(*(f"{key}={show(key, report[key])}" for key in sorted(report)))
