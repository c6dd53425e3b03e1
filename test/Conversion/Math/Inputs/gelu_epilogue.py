"""Numbers for gelu-epilogue.mlir, and what it makes of them.

  gelu_epilogue.py make FILE.npz             writes arg0 and arg1
  gelu_epilogue.py check IN.npz OUT.npz      compares out0 with x/2 erfc(-x / sqrt 2) in f64
"""

import argparse
import math

import numpy as np

COLUMNS = 64
# Where a result may be 0, as attn/Conversion/ExpandMath.h says.
SMALLEST = 1.3e-13
ULP = 2.0**-23


def make(path):
    x = np.concatenate([
        np.linspace(-15.0, 15.0, 3001), -np.logspace(-37, 37, 551), np.logspace(-37, 37, 551),
        [0.0, -0.0, np.inf, -np.inf, np.nan, 7.625, -7.625]]).astype(np.float32)
    rows = np.resize(x, 4109)
    np.savez(path, arg0=rows.reshape(-1, 1), arg1=np.ones((1, COLUMNS), np.float32))


def find_error(x, y):
    """What is wrong with y as gelu of x, or nothing."""
    if math.isnan(x) or x == -math.inf:
        return "" if math.isnan(y) else "not NaN"
    if x == math.inf:
        return "" if y == math.inf else "not infinite"
    exact = 0.5 * x * math.erfc(-x * math.sqrt(0.5))
    if y == 0.0 and -SMALLEST < exact <= float(np.finfo(np.float32).tiny):
        return ""
    bound = 7.0 * ULP * abs(exact) * (1.0 + (x * x / 4.0 + x**4 / 32.0 if x < 0 else 0.0))
    return "" if abs(y - exact) <= bound else f"{exact} expected"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("make", "check"))
    parser.add_argument("files", nargs="+")
    parser.add_argument("--change", type=float, default=1.0, help="what results are multiplied by first")
    args = parser.parse_args()
    if args.mode == "make":
        return make(args.files[0])
    x, y = np.load(args.files[0])["arg0"][:, 0], np.load(args.files[1])["out0"] * np.float32(args.change)
    for number, row in zip(x, y):
        for value in {float(v) for v in row}:
            error = find_error(float(number), value)
            if error:
                return print(f"error: gelu({number}) is {value}; {error}")
    return print(f"{len(x)} numbers, {y.shape[1]} columns: good")


if __name__ == "__main__":
    main()
