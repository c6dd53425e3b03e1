# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds attn-lint against models with a known fault that frameworks exported, and against their twins.

    python3 check_faults.py --bin=build/bin --cases=exported.tar.xz --directory=DIR

Each fault has to be named with its id, number and mend, alone; a twin says nothing. What the mended model computes on
drawn arguments has to be as large as the analysis says of it, and its scores as the warning promised.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile

import numpy as np

#: PyTorch divides rows by their lengths: their products take a number.
COSINE = r"scale\(#attn.(gradient_max_fit<scores = cosine, n = keys>|constant<8.000000e\+00>)\)"
#: Fault: id, the number that it is about, the mend, whether `fix` makes it.
FAULTS = {
    "no_scale": ("w101", "variance", 64.0, r"scale\(#attn.inv_sqrt_dim\)", True),
    "one_over_d": ("w108", "variance", 1 / 64, r"scale\(#attn.inv_sqrt_dim\)", True),
    "scaled_twice": ("w108", "variance", 1 / 64, r"scale\(#attn.inv_sqrt_dim\)", True),
    "log_2_n": ("w101", "variance", 81.0, r"scale\(#attn.inv_sqrt_dim\)", True),
    "kappa": ("w101", "variance", 959.1, r"scale\(#attn.inv_sqrt_dim\)", True),
    "cosine": ("w108", "variance", 1 / 64, COSINE, True),
    "hot_cosine": ("w109", "variance", 1e4 / 64, COSINE, True),
    "tokens": ("w101", "variance", 64.0, r"scale\(#attn.inv_sqrt_dim\)", True),
    "no_final_norm": ("w102", "blocks", 2.0, r"attn.norm \w+ behind it", True),
    "post_norm": ("w104", "blocks", 8.0, r"pre for \w+ in its blocks, and attn.norm \w+ behind the last", False),
    "sigmoid": ("w103", "output", 0.2934, r"unit_moment|a gain", True),
    "tanh": ("w103", "output", 0.3943, r"unit_moment|a gain", True),
    "softsign": ("w103", "output", 0.1830, r"unit_moment|a gain", True),
    "bare_sums": ("w111", "moment", 256.0, r"attn.residual pre, post or rezero", False),
    "inv_sqrt2": ("w104", "blocks", 8.0, r"pre for \w+ in its blocks, and attn.norm \w+ behind the last", False),
}
#: Numbers behind the fix, against those that were promised, and what the mended model computes, over so many draws of
#: the weights.
BOUND, SEEDS = 0.1, 6


class Case:
    def __init__(self, args, name):
        self.args, self.stem = args, os.path.join(args.directory, name)
        self.faults = []

    def opt(self, source, *passes):
        done = subprocess.run([self.args.bin + "/attn-opt", source, *passes], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.faults.append(done.stderr.strip()[-200:])
        return done.stdout

    def lint(self, source, *passes, fix=""):
        """The warnings, and the module behind it."""
        text = self.opt(source, *passes, f"--attn-lint={fix} json={self.stem}.json")
        with open(self.stem + ".json", encoding="utf-8") as file:
            return [w for w in json.load(file)["warnings"] if w["mend"]], text

    def near(self, what, found, wanted):
        if not abs(found / wanted - 1) <= BOUND:
            self.faults.append(f"{what} is {found:.4g}, not {wanted:.4g}")

    def measure(self, report):
        """The second moment of the first result, over arguments as the report takes them for."""
        squares = []
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            arrays = {}
            shapes = re.findall(r"%arg\d+: (?:tensor<([\dx]*?)x?)?([fi]\d+)>?",
                                re.search(r"func\.func (?:public )?@main\((.*?)\) ->", report["text"]).group(1))
            for argument, (shape, kind) in zip(report["arguments"], shapes):
                sizes = [int(size) for size in shape.split("x") if size]
                if kind[0] == "i":
                    array = rng.integers(0, 1000, sizes).astype(np.int64 if kind == "i64" else np.int32)
                else:
                    deviation = max(0.0, argument["variance"]) ** 0.5
                    array = (argument["mean"] + deviation * rng.standard_normal(sizes)).astype(np.float32)
                arrays[f"arg{argument['index']}"] = array
            np.savez(self.stem + ".npz", **arrays)
            subprocess.run([self.args.bin + "/attn-run", self.stem + ".mended.mlir", "--portable", f"--inputs={self.stem}.npz",
                            f"--output={self.stem}.out.npz"], check=True, stdout=subprocess.DEVNULL)
            with np.load(self.stem + ".out.npz") as file:
                squares.append(np.mean(file["out0"].astype(np.float64) ** 2))
        return float(np.mean(squares))

    def check_fault(self, wanted):
        id_, number, value, mend, is_fixed = wanted
        warnings, _ = self.lint(self.stem + ".mlir", "--attn-raise-pipeline")
        if [w["id"] for w in warnings] != ["attn-" + id_]:
            return self.faults.append("says " + ("; ".join(w["id"] + " " + w["text"] for w in warnings) or "nothing"))
        warning, = warnings
        self.near(number, warning["values"][number], value)
        if not re.fullmatch(mend, warning["mend"]):
            self.faults.append("its mend is " + warning["mend"])
        left, text = self.lint(self.stem + ".mlir", "--attn-raise-pipeline", fix="fix")
        if is_fixed != any(w["fixed"] for w in left):
            self.faults.append("is mended" if not is_fixed else "is not mended")
        if not is_fixed:
            return None
        with open(self.stem + ".mended.mlir", "w", encoding="utf-8") as file:
            file.write(text)
        again, _ = self.lint(self.stem + ".mended.mlir")
        if again:
            self.faults.append("after the fix: " + again[0]["text"])
        report = json.loads(self.opt(self.stem + ".mended.mlir", "-o", os.devnull, "--attn-analyze-moments=json=-"))[0]
        report["text"] = text
        for name, key in (("mended", "row_variance"), ("after", "sum_p2")):
            if name in warning["values"]:
                self.near(f"{key} after the fix", report["scores"][-1][key], warning["values"][name])
        self.near("the result", self.measure(report), report["values"][-1]["second_moment"])
        return None

    def check_twin(self):
        for warning in self.lint(self.stem + "_right.mlir", "--attn-raise-pipeline")[0]:
            self.faults.append("the twin is warned of: " + warning["id"] + " " + warning["text"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bin", "cases", "directory"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    with tarfile.open(args.cases) as archive:
        archive.extractall(args.directory)
    failures = 0
    names = [f"{framework}_{name}" for name in FAULTS for framework in ("torch", "jax")]
    for name in names:
        case = Case(args, name)
        case.check_fault(FAULTS[name.split("_", 1)[1]])
        case.check_twin()
        failures += bool(case.faults)
        for fault in case.faults:
            print(f"{name}: {fault}")
    print(f"{len(names)} faults and {len(names)} twins, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
