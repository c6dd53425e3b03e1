"""Follows exported models and compares the result with the compiled one's, for
random inputs of several seeds."""

import argparse
import json
import os
import subprocess
import sys

import numpy as np

MODELS = ["jax_dpa_bias", "jax_dpa_causal", "torch_manual_scaled", "torch_sdpa_causal", "torch_sdpa_mask"]
# The means of this many results scatter by about 5 %.
SEEDS, BOUND = 6, 0.15


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attn-opt", required=True)
    parser.add_argument("--attn-run", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--directory", required=True)
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    output = os.path.join(args.directory, "out.npz")
    failures = 0
    for model in MODELS:
        path = os.path.join(args.examples, model + ".mlir")
        command = [args.attn_opt, path, "-o", os.devnull, "--attn-analyze-moments=json=-"]
        report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)[0]
        predicted = report["values"][-1]["second_moment"]
        squares = []
        for seed in range(SEEDS):
            subprocess.run([args.attn_run, path, f"--seed={seed}", f"--output={output}"], check=True, stdout=subprocess.DEVNULL)
            squares.append(np.mean(np.load(output)["out0"].astype(np.float64) ** 2))
        bad = bool(report["not_followed"]) or not abs(predicted / np.mean(squares) - 1) < BOUND
        failures += bad
        print(f"{model}: predicted {predicted:.4g}, measured {np.mean(squares):.4g}{' FAILED' if bad else ''}")
    print(f"{len(MODELS)} models, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
