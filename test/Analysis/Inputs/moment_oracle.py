"""Self-attentions of random sizes: what the analysis predicts beside drawn models.

The models are drawn here, with NumPy, in f64, and share nothing with the product:
x of independent normal rows, weights of variance 1 / fan in, softmax row by row. The
sums of the weights, of their squares, and the second moment of the output are
compared with what attn-opt --attn-analyze-moments says of the same sizes. The exit
code is 0 when none is off by more than the bound and four standard errors.

    python3 moment_oracle.py --attn-opt=attn-opt --models=200          (minutes)
    python3 moment_oracle.py --attn-opt=attn-opt --models=12 --largest=512
"""

import argparse
import json
import subprocess
import sys
import tempfile

import numpy as np


class Model:
    def __init__(self, generator, largest):
        choose = lambda values: values[generator.integers(len(values))]
        powers = lambda low, high: [2**i for i in range(low, high + 1) if 2**i <= max(largest, 2**low)]
        self.width = choose(powers(6, 11))
        self.rows = choose(powers(4, 12))
        self.head_dim = choose([d for d in (32, 64, 128) if d <= self.width])
        self.heads = self.width // self.head_dim
        self.kv_heads = choose([g for g in (self.heads, self.heads // 2, self.heads // 4, 1) if g])
        self.causal = bool(generator.integers(2))
        self.cosine = bool(generator.integers(4) == 0)
        self.softmax1 = bool(generator.integers(3) == 0)
        factor = choose([0.5, 1.0, 1.5]) if not self.cosine else choose([1.0, 2.0, 3.5])
        self.scale = factor * (self.head_dim**0.5 if self.cosine else self.head_dim**-0.5)

    def __str__(self):
        return (
            f"m={self.width} n={self.rows} d={self.head_dim} heads={self.heads}/{self.kv_heads} "
            f"scale={self.scale:.4g}{' cosine' * self.cosine}{' causal' * self.causal}{' softmax1' * self.softmax1}"
        )

    def write(self, name):
        row = f"tensor<{self.rows}x{self.width}xf32>"
        narrow = self.kv_heads * self.head_dim
        weight, small = f"tensor<{self.width}x{self.width}xf32>", f"tensor<{self.width}x{narrow}xf32>"
        return f"""
func.func @{name}(%x: {row}, %q: {weight}, %k: {small}, %v: {small}, %o: {weight}) -> {row} {{
  %y = attn.multi_head_attention heads({self.heads}) kv_heads({self.kv_heads}) scale(#attn.constant<{self.scale}>)
      {'similarity(#attn.cosine<eps = 1.0e-12, mode = rsqrt_sum>)' if self.cosine else ''}
      softmax(#attn.{'softmax1' if self.softmax1 else 'softmax'}) {'align(top_left) masks [#attn.causal]' if self.causal else ''}
      ins(%x : {row}) query(%q : {weight}) key(%k : {small}) value(%v : {small}) output(%o : {weight}) -> {row}
  return %y : {row}
}}"""

    def draw(self, generator):
        """One draw: mean sum p, sum p^2 and second moment of the heads that were looked at."""
        m, n, d = self.width, self.rows, self.head_dim
        x = generator.standard_normal((n, m))
        chosen = np.arange(n) if n <= 256 else np.sort(generator.choice(n, 256, replace=False))
        if self.causal and n > 256:
            # Early rows count most: as many of them as of the others, each with its share.
            edges = np.unique(np.round(np.geomspace(1, n + 1, 257)).astype(int)) - 1
            picked = [(generator.integers(a, b), (b - a) / n) for a, b in zip(edges, edges[1:])]
            chosen, share = np.array([p[0] for p in picked]), np.array([p[1] for p in picked])
        else:
            share = np.full(len(chosen), 1 / len(chosen))
        totals = np.zeros(3)
        heads = min(self.heads, 2)
        for _ in range(heads):
            wq, wk, wv = (generator.standard_normal((m, d)) / m**0.5 for _ in range(3))
            q, k, v = x[chosen] @ wq, x @ wk, x @ wv
            if self.cosine:
                q /= np.linalg.norm(q, axis=1, keepdims=True)
                k /= np.linalg.norm(k, axis=1, keepdims=True)
            s = self.scale * (q @ k.T)
            if self.causal:
                s[np.arange(n)[None, :] > chosen[:, None]] = -np.inf
            top = s.max(axis=1, keepdims=True)
            p = np.exp(s - top)
            p /= p.sum(axis=1, keepdims=True) + self.softmax1 * np.exp(-top)
            o = p @ v
            rows = np.stack([p.sum(axis=1), (p**2).sum(axis=1), (o**2).mean(axis=1)])
            totals += rows @ share / heads
        return totals


class Stream:
    """A stream of residual blocks, attention and feed-forward in turns, with new weights in each."""

    def __init__(self, policy, width, rows, head_dim, causal, attention=True):
        self.policy, self.width, self.rows, self.head_dim = policy, width, rows, head_dim
        self.causal, self.attention = causal, attention
        self.layers = 64

    def __str__(self):
        kind = "attention and relu" if self.attention else "relu"
        return f"{self.policy} m={self.width} n={self.rows} d={self.head_dim} {kind}{' causal' * self.causal}"

    def uses_attention(self, layer):
        return self.attention and layer % 2 == 0

    def write(self, name):
        m = self.width
        row, weight, up, down = (f"tensor<{a}x{b}xf32>" for a, b in ((self.rows, m), (m, m), (m, 4 * m), (4 * m, m)))
        text = f"func.func @{name}(%x0: {row}, %q: {weight}, %k: {weight}, %v: {weight}, %o: {weight}, %up: {up}, %down: {down}) -> {row} {{\n"
        text += f"  %e = tensor.empty() : {row}\n"
        norm = f"""norm {{
  ^bb0(%z: {row}):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%z : {row}) outs(%e : {row}) -> {row}
    attn.yield %n : {row}
  }} """
        for layer in range(self.layers):
            if self.uses_attention(layer):
                branch = f"""attn.multi_head_attention heads({m // self.head_dim}) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      {'align(top_left) masks [#attn.causal]' if self.causal else ''}
      ins(%h : {row}) query(%q : {weight}) key(%k : {weight}) value(%v : {weight}) output(%o : {weight}) -> {row}"""
            else:
                branch = f"attn.feed_forward relu ins(%h : {row}) up(%up : {up}) down(%down : {down}) -> {row}"
            text += f"""  %x{layer + 1} = attn.residual {self.policy}(%x{layer} : {row}) {norm}branch {{
  ^bb0(%h: {row}):
    %f = {branch}
    attn.yield %f : {row}
  }}
"""
        return text + f"  return %x{self.layers} : {row}\n}}\n"

    def draw(self, generator):
        m, n, d = self.width, self.rows, self.head_dim
        weight = lambda a, b: generator.standard_normal((a, b)) / a**0.5
        norm = lambda x: x / np.sqrt((x**2).mean(axis=1, keepdims=True))
        x, seconds = generator.standard_normal((n, m)), []
        for layer in range(self.layers):
            h = norm(x) if self.policy == "pre" else x
            if self.uses_attention(layer):
                q, k, v = (np.moveaxis((h @ weight(m, m)).reshape(n, m // d, d), 1, 0) for _ in range(3))
                s = q @ np.swapaxes(k, 1, 2) / d**0.5
                if self.causal:
                    s[:, np.triu(np.ones((n, n), bool), 1)] = -np.inf
                p = np.exp(s - s.max(axis=2, keepdims=True))
                o = (p / p.sum(axis=2, keepdims=True)) @ v
                f = np.moveaxis(o, 0, 1).reshape(n, m) @ weight(m, m)
            else:
                f = np.maximum(h @ weight(m, 4 * m), 0) @ weight(4 * m, m)
            x = x + f
            seconds.append((x**2).mean())
            if self.policy == "post":
                x = norm(x)
        return np.array(seconds)


def predict_streams(streams, attn_opt):
    for report in report_all(streams, attn_opt):
        # Of a post block, what its norm reads.
        yield np.array([block["input_second_moment"] + block["branch_second_moment"] for block in report["residuals"]])


def report_all(models, attn_opt):
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/models.mlir", "w") as file:
            file.write("".join(model.write(f"m{i}") for i, model in enumerate(models)))
        subprocess.run(
            [attn_opt, f"{directory}/models.mlir", "-o", "/dev/null", f"--attn-analyze-moments=json={directory}/out.json"],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        with open(f"{directory}/out.json") as file:
            reports = {report["function"]: report for report in json.load(file)}
    return [reports[f"m{i}"] for i in range(len(models))]


def predict(models, attn_opt):
    for report in report_all(models, attn_opt):
        (score,) = report["scores"]
        output = [v for v in report["values"] if v["op"] == "attn.multi_head_attention"][-1]
        yield np.array([score["sum_p"], score["sum_p2"], output["second_moment"]])


def compare_streams(args, generator):
    width = min(args.largest, 256)
    streams = [
        Stream(policy, width, 4 * width // 16, width // 4, causal, attention)
        for policy in ("pre", "post")
        for causal, attention in ((False, True), (True, True), (False, False))
    ]
    failures = 0
    for stream, expected in zip(streams, predict_streams(streams, args.attn_opt)):
        draws = np.array([stream.draw(generator) for _ in range(args.draws)])
        measured, error = draws.mean(axis=0), draws.std(axis=0, ddof=1) / args.draws**0.5
        wrong = (np.abs(expected - measured) > args.bound * measured + 4 * error).any()
        failures += bool(wrong)
        off = expected / measured - 1
        worst = np.abs(off).argmax()
        print(
            f"{'WRONG ' if wrong else ''}{stream}: at 64 {expected[-1]:.4g}/{measured[-1]:.4g} "
            f"{off[-1]:+.1%}+-{error[-1] / measured[-1]:.1%}, worst {off[worst]:+.1%} at {worst + 1}",
            flush=True,
        )
    print(f"{len(streams)} streams, {failures} wrong")
    return 1 if failures else 0


def measure(model, generator, count):
    """Means of so many draws, and their standard errors."""
    draws = np.array([model.draw(generator) for _ in range(count)])
    return draws.mean(axis=0), draws.std(axis=0, ddof=1) / count**0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--attn-opt", default="attn-opt")
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--largest", type=int, default=4096)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--again", type=int, default=0, help="draws of their own for models that are off by more than the bound")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bound", type=float, default=0.05)
    parser.add_argument("--streams", action="store_true", help="streams of 64 blocks instead")
    args = parser.parse_args()
    generator = np.random.default_rng(args.seed)
    if args.streams:
        sys.exit(compare_streams(args, generator))
    models = [Model(generator, args.largest) for _ in range(args.models)]
    failures, worst = 0, np.zeros(3)
    for model, expected in zip(models, predict(models, args.attn_opt)):
        measured, error = measure(model, generator, args.draws)
        off = expected / measured - 1
        if args.again and (np.abs(off) > args.bound).any():
            # Is it the few draws?
            measured, error = measure(model, generator, args.again)
            off = expected / measured - 1
        worst = np.maximum(worst, np.abs(off))
        wrong = np.abs(expected - measured) > args.bound * measured + 4 * error
        failures += bool(wrong.any())
        text = "  ".join(f"{e:.4g}/{v:.4g} {100 * o:+.1f}%+-{100 * r / v:.1f}" for e, v, o, r in zip(expected, measured, off, error))
        print(f"{'WRONG ' if wrong.any() else ''}{model}: {text}", flush=True)
    print(f"worst: sum p {worst[0]:.1%}, sum p^2 {worst[1]:.1%}, output {worst[2]:.1%}")
    print(f"{len(models)} models, {failures} wrong")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
