#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the figures of the tutorial again, from what compiled kernels measure.

make_figures.py [PAGE...]           run the kernels; write data/*.json, figures/*.svg
make_figures.py --draw [PAGE...]    draw again from data/*.json, without a kernel
make_figures.py --check [PAGE...]   write nothing; fail where kernels or figures
                                    differ from data/*.json and figures/*.svg
make_figures.py --check --draw      the same without a kernel

Needs numpy, and attn-run and attn-opt in PATH or in build/bin.
"""

import argparse
import importlib
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = ["variance", "scale", "sinks", "depth", "rezero", "ntk", "activations",
         "initial", "norms", "transformer", "positions", "temperature", "length"]

# Kernels of another instruction set add in another order. 64 layers multiply
# what that changes, which is why this is not nearer to the unit roundoff.
RELATIVE, ABSOLUTE = 2e-3, 2e-4


def rounded(value):
    """Six digits are enough to draw, and to compare."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [rounded(item) for item in value]
    return value if isinstance(value, (str, int)) else float(f"{value:.6g}")


def differences(old, new, path=""):
    """The places where two measurements differ by more than rounding."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            yield from differences(old[key], new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, pair in enumerate(zip(old, new)):
            yield from differences(*pair, f"{path}[{i}]")
    elif not isinstance(old, (int, float)) or not isinstance(new, (int, float)):
        if old != new:
            yield f"{path}: {old} was measured, now {new}"
    elif not abs(old - new) <= RELATIVE * abs(old) + ABSOLUTE * (abs(old) < 1):
        yield f"{path}: {old} was measured, now {new}"


def figures_of(page, data):
    module = importlib.import_module(f"plots.{page}")
    return {os.path.join(HERE, "figures", f"{name}.svg"): chart.svg() for name, chart in module.draw(data).items()}


def data_path(page):
    return os.path.join(HERE, "data", f"{page}.json")


def load(page):
    with open(data_path(page)) as file:
        return json.load(file)


def check(page, draw_only):
    """The complaints about one page."""
    committed = load(page)
    if not draw_only:
        measured = rounded(importlib.import_module(f"plots.{page}").measure())
        for difference in differences(committed, measured):
            yield f"{page}.json{difference}"
    for path, text in figures_of(page, committed).items():
        with open(path) as file:
            if file.read() != text:
                yield f"{path} is not what make_figures.py --draw {page} writes"


def write(page, draw_only):
    data = load(page) if draw_only else rounded(importlib.import_module(f"plots.{page}").measure())
    if not draw_only:
        with open(data_path(page), "w") as file:
            json.dump(data, file)
            file.write("\n")
    for path, text in figures_of(page, data).items():
        with open(path, "w") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"some of {', '.join(PAGES)} (default: all)")
    parser.add_argument("--draw", action="store_true", help="draw from data/*.json")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    sys.path.insert(0, HERE)
    unknown = set(arguments.pages) - set(PAGES)
    if unknown:
        parser.error(f"no such page: {', '.join(sorted(unknown))}")
    failed = False
    for page in arguments.pages or PAGES:
        if not arguments.check:
            write(page, arguments.draw)
            continue
        complaints = list(check(page, arguments.draw))
        failed |= bool(complaints)
        source = "the data say" if arguments.draw else "the kernels measure"
        print("\n".join(complaints) or f"{page}: the figures are what {source}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
