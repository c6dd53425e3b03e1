"""Predicted second moments of deep stacks beside measured ones.

For each stack the script writes two modules of the same blocks: one with all
blocks in a row, which attn-opt --attn-analyze-moments follows, and one with a
loop over the blocks, which attn-run compiles and which returns the mean square
of the stream after each block. Weights are drawn by attn.init from a new seed
in each block. The worst relative difference over all depths is compared with
the bound. The exit code is 0 when no stack is off by more.

    python3 test/Analysis/Inputs/measure_moments.py --json=benchmarks/results/moments.json

is the whole measurement: each of the five residual policies with three
activations, with and without gain, and with attention, 64 layers, 8 seeds. It
takes about 40 minutes on one core.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

NORM = """%{out} = attn.norm {kind} axes [1] eps(1.0e-06)
        ins(%{x} : {row}) outs(%e : {row}) -> {row}"""


class Stack:
    """One residual policy with one kind of branch."""

    def __init__(self, policy, branch, activation="gelu", gain=False, norm="rms", causal=False):
        self.policy, self.branch, self.activation = policy, branch, activation
        self.gain, self.norm, self.causal = gain, norm, causal

    def name(self):
        parts = [self.policy, self.branch, self.norm]
        if "ffn" in self.branch:
            parts.append(self.activation + ("+gain" if self.gain else ""))
        return " ".join(parts + (["causal"] if self.causal else []))


class Writer:
    def __init__(self, stack, args):
        self.stack, self.tokens, self.width = stack, args.tokens, args.width
        self.hidden, self.head_dim = args.hidden or 4 * args.width, args.head_dim
        self.row = f"tensor<{self.tokens}x{self.width}xf32>"
        self.alpha, self.count = args.alpha, 0

    def init(self, name, m, n, rule, seed):
        """A weight; each one of a block has a seed of its own."""
        self.count += 1
        kind = f"tensor<{m}x{n}xf32>"
        return f"""
      %s{name} = arith.addi %{seed}, %k{self.count} : i64
      %i{name} = tensor.empty() : {kind}
      %{name} = attn.init normal variance({rule}) seed(%s{name} : i64) outs(%i{name} : {kind}) -> {kind}"""

    def norm(self, out, x):
        return NORM.format(out=out, x=x, kind=self.stack.norm, row=self.row)

    def ffn(self, out, x, tag, seed):
        t, w, h = self.tokens, self.width, self.hidden
        mid, gain = f"tensor<{t}x{h}xf32>", " unit_moment" if self.stack.gain else ""
        last = "zero" if self.stack.policy == "fixup" else "lecun"
        return (self.init(f"u{tag}", w, h, "lecun", seed) + self.init(f"d{tag}", h, w, last, seed) + f"""
      %eh{tag} = tensor.empty() : {mid}
      %h{tag} = attn.linear ins(%{x}, %u{tag} : {self.row}, tensor<{w}x{h}xf32>) outs(%eh{tag} : {mid}) -> {mid}
      %a{tag} = attn.activation {self.stack.activation}{gain} %h{tag} : {mid}
      %{out} = attn.linear ins(%a{tag}, %d{tag} : {mid}, tensor<{h}x{w}xf32>) outs(%e : {self.row}) -> {self.row}""")

    def attention(self, out, x, tag, seed):
        t, w, d = self.tokens, self.width, self.head_dim
        heads, square = w // d, f"tensor<{w}x{w}xf32>"
        split = f"tensor<{t}x{heads}x{d}xf32>"
        text = ""
        for part in "qkv":
            text += self.init(f"w{part}{tag}", w, w, "lecun", seed) + f"""
      %l{part}{tag} = attn.linear ins(%{x}, %w{part}{tag} : {self.row}, {square}) outs(%e : {self.row}) -> {self.row}
      %{part}{tag} = tensor.expand_shape %l{part}{tag} [[0], [1, 2]] output_shape [{t}, {heads}, {d}] : {self.row} into {split}"""
        last = "zero" if self.stack.policy == "fixup" else "lecun"
        masks = " align(top_left) masks [#attn.causal]" if self.stack.causal else ""
        return text + self.init(f"wo{tag}", w, w, last, seed) + f"""
      %eo{tag} = tensor.empty() : {split}
      %o{tag} = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax){masks}
        indexing_maps [#q, #k, #v, #o] ins(%q{tag}, %k{tag}, %v{tag} : {split}, {split}, {split})
        outs(%eo{tag} : {split}) -> {split}
      %c{tag} = tensor.collapse_shape %o{tag} [[0], [1, 2]] : {split} into {self.row}
      %{out} = attn.linear ins(%c{tag}, %wo{tag} : {self.row}, {square}) outs(%e : {self.row}) -> {self.row}"""

    def spelled_post(self, out, x, tag, seed, part):
        """Norm(x + F(x)) with the sum, which is measured, by name."""
        body = self.ffn if part == "ffn" else self.attention
        self.measured = f"s{tag}"
        return f"""{body('f' + tag, x, tag, seed)}
      %s{tag} = arith.addf %{x}, %f{tag} : {self.row}
      {self.norm(out, 's' + tag)}"""

    def residual(self, out, x, tag, seed, part):
        self.measured = out
        if self.stack.policy == "post" and self.is_loop:
            return self.spelled_post(out, x, tag, seed, part)
        head = {"post": "post", "pre": "pre", "inv_sqrt2": "inv_sqrt2", "fixup": "fixup", "rezero": "rezero", "scheduled": "scheduled"}[self.stack.policy]
        head = f"%{out} = attn.residual {head}(%{x} : {self.row})"
        if self.stack.policy == "rezero":
            head += " alpha(%alpha : tensor<f32>)"
        if self.stack.policy == "scheduled":
            head += " time(%time : tensor<i64>) step(1.0e-01)"
        if self.stack.policy in ("post", "pre"):
            head += f" norm {{\n    ^bb0(%z{tag}: {self.row}):\n      {self.norm('n' + tag, 'z' + tag)}\n      attn.yield %n{tag} : {self.row}\n    }}"
        body = self.ffn if part == "ffn" else self.attention
        return f"""
    {head} branch {{
    ^bb0(%b{tag}: {self.row}):{body('f' + tag, 'b' + tag, tag, seed)}
      attn.yield %f{tag} : {self.row}
    }}"""

    def block(self, out, x, tag, seed):
        self.count = 0
        parts = self.stack.branch.split("+")
        text = ""
        for i, part in enumerate(parts):
            last = i + 1 == len(parts)
            here = out if last else f"{out}p{i}"
            text += self.residual(here, x, f"{tag}{i}", seed, part)
            x = here
        return text

    def header(self, result):
        maps = {"q": "(m, h, d)", "k": "(n, h, d)", "v": "(n, h, e)", "o": "(m, h, e)"}
        text = "".join(f"#{key} = affine_map<(h, m, n, d, e) -> {to}>\n" for key, to in maps.items())
        constants = "".join(f"    %k{i} = arith.constant {1000003 * i} : i64\n" for i in range(1, 9))
        return text + f"""func.func @stack(%x: {self.row}, %seed: i64,
    %alpha: tensor<f32> {{attn.moments = array<f64: {self.alpha}, {self.alpha**2}>}},
    %time: tensor<i64> {{attn.moments = array<f64: 2.0, 4.0>}}) -> {result} {{
    %e = tensor.empty() : {self.row}
{constants}"""

    def straight(self, layers):
        self.is_loop = False
        text = self.header(self.row)
        x = "x"
        for layer in range(layers):
            text += f"""
    %kl{layer} = arith.constant {8000024 * layer} : i64
    %seed{layer} = arith.addi %seed, %kl{layer} : i64"""
            text += self.block(f"y{layer}", x, f"_{layer}_", f"seed{layer}")
            x = f"y{layer}"
        if self.stack.policy == "pre":
            text += "\n    " + self.norm("final", x)
            x = "final"
        return text + f"\n    return %{x} : {self.row}\n}}\n"

    def loop(self, layers):
        self.is_loop = True
        stats = f"tensor<{layers}xf32>"
        total = self.tokens * self.width
        return self.header(f"({stats}, tensor<f32>)") + f"""
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cn = arith.constant {layers} : index
    %zero = arith.constant 0.0 : f32
    %count = arith.constant {total}.0 : f32
    %es = tensor.empty() : {stats}
    %ef = tensor.empty() : tensor<f32>
    %s0 = linalg.fill ins(%zero : f32) outs(%es : {stats}) -> {stats}
    %last:2 = scf.for %l = %c0 to %cn step %c1 iter_args(%xl = %x, %sl = %s0) -> ({self.row}, {stats}) {{
    %li = arith.index_cast %l : index to i64
    %ls = arith.muli %li, %k8 : i64
    %seedl = arith.addi %seed, %ls : i64
{self.block('y', 'xl', 't', 'seedl')}
    %m = func.call @mean_square(%{self.measured}) : ({self.row}) -> f32
    %sn = tensor.insert %m into %sl[%l] : {stats}
    scf.yield %y, %sn : {self.row}, {stats}
    }}
    {self.norm('final', 'last#0')}
    %mf = func.call @mean_square(%final) : ({self.row}) -> f32
    %f = tensor.insert %mf into %ef[] : tensor<f32>
    return %last#1, %f : {stats}, tensor<f32>
}}
func.func private @mean_square(%y: {self.row}) -> f32 {{
    %zero = arith.constant 0.0 : f32
    %count = arith.constant {total}.0 : f32
    %em = tensor.empty() : tensor<f32>
    %m0 = linalg.fill ins(%zero : f32) outs(%em : tensor<f32>) -> tensor<f32>
    %sum = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}}
        ins(%y : {self.row}) outs(%m0 : tensor<f32>) {{
    ^bb0(%a: f32, %acc: f32):
      %sq = arith.mulf %a, %a : f32
      %r = arith.addf %acc, %sq : f32
      linalg.yield %r : f32
    }} -> tensor<f32>
    %total = tensor.extract %sum[] : tensor<f32>
    %m = arith.divf %total, %count : f32
    return %m : f32
}}
"""


def predict(writer, args, stem):
    with open(stem + ".straight.mlir", "w") as file:
        file.write(writer.straight(args.layers))
    subprocess.run([args.attn_opt, stem + ".straight.mlir", "-o", os.devnull, f"--attn-analyze-moments=json={stem}.json"], check=True, stderr=subprocess.DEVNULL)
    with open(stem + ".json") as file:
        report = json.load(file)[0]
    if report["not_followed"]:
        sys.exit(f"not followed: {report['not_followed']}")
    if writer.stack.policy == "post":
        # Norms make the stream 1 at every depth; what enters them says more.
        blocks = [block["input_second_moment"] + block["branch_second_moment"] for block in report["residuals"]]
    else:
        blocks = [block["result_second_moment"] for block in report["residuals"]]
    parts = len(blocks) // args.layers
    return np.array(blocks[parts - 1 :: parts]), report["values"][-1]["second_moment"]


def measure(writer, args, stem):
    with open(stem + ".loop.mlir", "w") as file:
        file.write(writer.loop(args.layers))
    layers, finals = [], []
    for seed in range(args.seeds):
        x = np.random.default_rng(seed).standard_normal((args.tokens, args.width)).astype(np.float32)
        np.savez(stem + ".npz", arg0=x, arg1=np.int64(7919 * (seed + 1)), arg2=np.float32(args.alpha), arg3=np.int64(2))
        subprocess.run([args.attn_run, stem + ".loop.mlir", "--entry=stack", f"--inputs={stem}.npz", f"--output={stem}.out.npz"], check=True, stdout=subprocess.DEVNULL)
        out = np.load(stem + ".out.npz")
        layers.append(out["out0"].astype(np.float64))
        finals.append(float(out["out1"]))
    layers = np.array(layers)
    spread = np.std(layers[:, -1], ddof=1) / np.sqrt(args.seeds)
    return layers, np.mean(finals), spread


def stacks(args):
    policies = ["post", "pre", "rezero", "fixup", "scheduled"]
    if args.all:
        # Without a norm, 1/sqrt(2) is no policy to train with: the stream of
        # most activations runs away from the mean (docs/Analyses.md).
        policies.append("inv_sqrt2")
    if args.quick:
        kinds = {"post": ("gelu", True), "pre": ("relu", False), "rezero": ("silu", False), "fixup": ("gelu", False),
                 "scheduled": ("gelu", True), "inv_sqrt2": ("relu", True)}
        yield from (Stack(policy, "ffn", *kinds[policy]) for policy in policies)
        yield Stack("post", "attention+ffn", "gelu", True, "layer")
        yield Stack("pre", "attention+ffn", "relu", False, causal=True)
        return
    for policy in policies:
        for activation in ("relu", "gelu", "silu"):
            for gain in (False, True):
                yield Stack(policy, "ffn", activation, gain, "layer" if activation == "silu" else "rms")
    for policy in policies:
        yield Stack(policy, "attention", norm="layer")
        yield Stack(policy, "attention+ffn", "gelu", True)
        # Without a norm the rows of a causal attention become less and less
        # alike, which the analysis does not follow (docs/Analyses.md).
        if args.all or policy in ("post", "pre"):
            yield Stack(policy, "attention+ffn", "relu", False, causal=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attn-opt", default="build/bin/attn-opt")
    parser.add_argument("--attn-run", default="build/bin/attn-run")
    parser.add_argument("--directory", default=os.path.join(tempfile.gettempdir(), "attn-moments"))
    parser.add_argument("--layers", type=int, default=64)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--hidden", type=int, default=0)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--head-dim", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--alpha", type=float, default=0.25, help="of rezero")
    parser.add_argument("--bound", type=float, default=0.05)
    parser.add_argument("--attention-bound", type=float, default=0.10)
    parser.add_argument("--standard-errors", type=float, default=0.0, help="how many of the mean of seeds the bounds are widened by")
    parser.add_argument("--quick", action="store_true", help="one stack for each policy")
    parser.add_argument("--all", action="store_true", help="also stacks that break an assumption of the analysis")
    parser.add_argument("--only", default="", help="stacks with one of these, separated by |, in their names")
    parser.add_argument("--json", default="", help="file for the figures")
    parser.add_argument("--samples", default="", help="folder for the mean squares of each seed and depth, as .npy")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    failures, rows = 0, []
    for number, stack in enumerate(stacks(args)):
        if not any(part in stack.name() for part in args.only.split("|")):
            continue
        stem = os.path.join(args.directory, f"stack{number}")
        writer = Writer(stack, args)
        predicted, final = predict(writer, args, stem)
        samples, measured_final, spread = measure(writer, args, stem)
        measured = samples.mean(axis=0)
        if args.samples:
            os.makedirs(args.samples, exist_ok=True)
            np.save(os.path.join(args.samples, stack.name().replace(" ", "_") + ".npy"), samples)
        errors = np.abs(predicted / measured - 1)
        error = errors.max()
        if stack.policy == "pre":
            error = max(error, abs(final / measured_final - 1))
        bound = args.attention_bound if "attention" in stack.branch else args.bound
        bound += args.standard_errors * spread / measured[-1]
        bad = not error <= bound
        failures += bad
        rows.append({"blocks": stack.name(), "predicted": float(predicted[-1]), "measured": float(measured[-1]),
                     "standard_error": float(spread / measured[-1]), "worst": float(error), "at": int(errors.argmax()) + 1, "bound": float(bound)})
        print(f"{stack.name():40} depth 1: {predicted[0]:9.4g} measured {measured[0]:9.4g}  depth {args.layers}: {predicted[-1]:9.4g} measured {measured[-1]:9.4g} (+- {spread / measured[-1]:.1%})  worst {error:.2%} at {errors.argmax() + 1}{'  ABOVE ' + format(bound, '.0%') if bad else ''}", flush=True)
    if args.json:
        setting = {name: getattr(args, name) for name in ("layers", "width", "tokens", "head_dim", "seeds", "alpha")}
        setting["hidden"] = args.hidden or 4 * args.width
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"setting": setting, "stacks": rows}, file, indent=1)
            file.write("\n")
    print(f"{len(rows)} stacks, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
