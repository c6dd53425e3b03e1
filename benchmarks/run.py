#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a suite: our kernel, its peers and the machine's peaks in one run.

  benchmarks/run.py attention_f32 --peer-python=VENV/bin/python --json=out.json

Rounds interleave our kernel (which measures the machine's peaks between its own
samples) with each peer. A figure is the best and the median over all rounds; a
share of the peak is the kernel's median over the tile peak's median of the same
round, so that a change of the clock hits both.

A case may be measured `beside` another one of its suite, in every round, and may
promise ratios: `at_least` names what they are over (`beside`, a peer, `read_share`,
`tile_peak_share`). The table says which are kept; other machines keep others.

A case may name a `target`, another clone than that of this machine. It is left out,
with the reason, on a machine that cannot run it.
"""

import argparse
import filecmp
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "test", "Integration"))

import bench  # noqa: E402  (beside this file)
import load_cases  # noqa: E402  (found through the path above)
from attention_case import Case, to_mlir  # noqa: E402


class OtherMachine(Exception):
    """The case names a target that this machine cannot run."""


def make_case(entry):
    masks, align = [], entry.get("align", "")
    if entry.get("causal"):
        masks.append("#attn.causal")
    if "window" in entry:
        left, right = entry["window"]
        masks.append(f"#attn.window<left = {left}, right = {right}>")
    masks += ["#attn." + name for name in entry.get("masks", [])]
    return Case(scale=entry.get("scale", "#attn.inv_sqrt_dim"),
                biases=tuple("#attn." + name for name in entry.get("biases", [])),
                softcap=entry.get("softcap", 0.0), region=entry.get("region", False),
                similarity=entry.get("similarity", ""), lse=entry.get("lse", False),
                products=entry.get("products", ""), normalizer="#attn." + entry.get("normalizer", "softmax"),
                masks=tuple(masks), align=align or ("top_left" if masks or entry.get("biases") else ""),
                dtype=entry["dtype"], dynamic=entry.get("dynamic", ""), B=entry["B"], Hq=entry["H"],
                Hkv=entry.get("Hkv", entry["H"]), M=entry["M"], N=entry["N"], d=entry["d"], dv=entry["d"])


def to_module(entry):
    """The IR of a case. `load` says how query and key rows are changed before the
    attention: by ops that may be fused, by ops that stay apart, or as loads."""
    if "load" not in entry:
        return to_mlir(make_case(entry))
    choice = {key: values[0] for key, values in load_cases.FACTORS.items()} | {
        "way": "loads" if entry["load"] == "loads" else "ops", "affine": "gamma", "pairs": "half_split",
        "similarity": "", "causal": bool(entry.get("causal")), "layout": "hmd", "dtype": entry["dtype"],
        "heads": (entry["H"], entry.get("Hkv", entry["H"])), "rows": entry["M"], "keys": entry["N"], "d": entry["d"],
        "q": tuple(entry["q"]), "k": tuple(entry["k"])} | entry.get("choice", {})
    return load_cases.build(load_cases.Case(choice, 0), entry["load"] == "apart")[0]


def visible_pairs(entry):
    """Row and key pairs that the masks leave: what flops are counted on."""
    left, right = entry.get("window", (entry["N"], entry["N"]))
    if entry.get("causal"):
        right = min(right, 0)
    shift = entry["N"] - entry["M"] if entry.get("align") == "bottom_right" else 0
    return sum(max(0, min(entry["N"], i + right + 1) - max(0, i - left))
               for i in range(shift, shift + entry["M"]))


def run_ours(args, entry, directory, output=""):
    report = os.path.join(directory, "report.json")
    path = os.path.join(directory, "case.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(to_module(entry))
    command = [args.attn_run, path, f"--bench={args.seconds}", f"--json={report}",
               f"--threads={entry['threads']}"]
    if "target" in entry:
        command.append(f"--target={entry['target']}")
    if output:
        command.append(f"--output={output}")
    if entry.get("dynamic"):
        sizes = {"q": (entry["B"], entry["H"], entry["M"], entry["d"]),
                 "k": (entry["B"], entry["H"], entry["N"], entry["d"])}
        for i, who in enumerate("qkk"):
            command.append(f"--shape={i}:" + "x".join(map(str, sizes[who])))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2 and "target" in entry and "this machine cannot run" in done.stderr:
        raise OtherMachine(done.stderr.strip())
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)


class Peers:
    """The peer processes, each started when it is first needed."""

    def __init__(self, python):
        self.python, self.scripts = python, {}

    def measure(self, peer, entry, seconds):
        script = peer.split("-")[0] + "_peer.py"
        if script not in self.scripts:
            self.scripts[script] = bench.Peer(self.python, script)
        keys = ("B", "H", "M", "N", "d", "threads", "dtype")
        request = {k: entry[k] for k in keys} | {"peer": peer, "Hkv": entry.get("Hkv", entry["H"]),
                                                 "causal": bool(entry.get("causal")),
                                                 "products": entry.get("products", "")}
        return self.scripts[script].measure(request, seconds)


def run_case(args, entry, beside, peers, directory):
    """One case; `beside` is the case it is compared with, or None."""
    ours, reference, others = [], [], {peer: [] for peer in entry["peers"]}
    outputs = [os.path.join(directory, name) if entry.get("same_bits") else "" for name in ("out.npz", "beside.npz")]
    for _ in range(args.rounds):
        if beside:
            reference.append(run_ours(args, beside, directory, outputs[1]))
        ours.append(run_ours(args, entry, directory, outputs[0]))
        for peer, samples in others.items():
            samples.append(peers.measure(peer, entry, args.seconds))
    flops = 4 * entry["B"] * entry["H"] * entry["d"] * visible_pairs(entry)
    result = {"case": entry, "flops": flops, "ours": summary(ours, "best_seconds", "median_seconds", flops),
              "peers": {}}
    result["ours"]["tile_peak_gflops"] = statistics.median(r["peak_gflops"] for r in ours)
    result["ours"]["tile_peak_share"] = statistics.median(r["peak_share"] for r in ours)
    # Absent where the machine has no such unit.
    for peak in ("register_peak_gflops", "pairs_bf16_peak_gflops", "amx_bf16_peak_gflops", "copy_gbytes_per_second",
                 "read_gbytes_per_second", "gbytes_per_second", "read_share"):
        if peak in ours[0]:
            result["ours"][peak] = statistics.median(r[peak] for r in ours)
    result["ours"]["compile_seconds"] = statistics.median(r["compile_seconds"] for r in ours)
    result["ours"]["schedule"] = ours[0].get("kernels")
    for peer, samples in others.items():
        errors = [s["error"] for s in samples if "error" in s]
        result["peers"][peer] = ({"error": errors[0]} if errors
                                 else summary(samples, "best", "median", flops))
    if beside:
        result["beside"] = compare(ours, reference, beside)
        if entry.get("same_bits"):
            result["beside"]["same_bits"] = filecmp.cmp(*outputs, shallow=False)
    result["promises"] = [judge(result, what, bound) for what, bound in entry.get("at_least", {}).items()]
    return result


def compare(ours, reference, beside):
    """How many times as fast as the case beside it: of each round, since a change of the clock hits both."""
    ratios = [r["median_seconds"] / o["median_seconds"] for o, r in zip(ours, reference)]
    peaks = [o["peak_gflops"] / r["peak_gflops"] for o, r in zip(ours, reference)]
    return {"name": beside["name"], "threads": beside["threads"], "median": statistics.median(ratios), "best_round": max(ratios),
            "best": min(r["best_seconds"] for r in reference) / min(o["best_seconds"] for o in ours),
            "tile_peak_ratio": statistics.median(peaks)}


def judge(result, what, bound):
    """Whether a promised ratio is kept, by the medians."""
    if what == "beside":
        measured = result["beside"]["median"]
    elif what in result["ours"]:
        measured = result["ours"][what]
    else:
        peer = result["peers"].get(what, {})
        measured = peer["median_seconds"] / result["ours"]["median_seconds"] if "median_seconds" in peer else None
    return {"what": what, "at_least": bound, "measured": measured,
            "kept": measured is not None and measured >= bound}


def summary(samples, best, median, flops):
    times = min(s[best] for s in samples), statistics.median(s[median] for s in samples)
    return {"best_seconds": times[0], "median_seconds": times[1],
            "best_gflops": flops / times[0] * 1e-9, "median_gflops": flops / times[1] * 1e-9}


def print_result(result):
    entry, ours = result["case"], result["ours"]
    print(f"{entry['name']:26} d={entry['d']:<4} N={entry['N']:<5} {ours['median_gflops']:6.1f} median "
          f"{ours['best_gflops']:6.1f} best GFLOP/s  {100 * ours['tile_peak_share']:5.1f} % of the tile peak "
          f"({ours['tile_peak_gflops']:.0f})  compile {ours['compile_seconds']:.2f} s")
    if entry["M"] < 16:
        print(f"    {ours['gbytes_per_second']:.2f} GB/s, {100 * ours['read_share']:.1f} % of reading the same bytes "
              f"({ours['read_gbytes_per_second']:.2f})")
    if "beside" in result:
        print_beside(entry, result["beside"])
    for peer, other in result["peers"].items():
        if "error" in other:
            print(f"    {peer:26} not measured: {other['error']}")
        else:
            print(f"    {peer:26} {other['median_gflops']:6.1f} median {other['best_gflops']:6.1f} best; ours is "
                  f"{other['median_seconds'] / ours['median_seconds']:.2f} x (median) "
                  f"{other['best_seconds'] / ours['best_seconds']:.2f} x (best)")
    for promise in result["promises"]:
        if promise["measured"] is None:
            text = "not measured"
        else:
            text = f"{promise['measured']:.3f}, {'kept' if promise['kept'] else 'NOT KEPT'}"
        print(f"    promised {promise['what']} >= {promise['at_least']:.3f}: {text}")
    sys.stdout.flush()


def print_beside(entry, beside):
    text = (f"    {beside['median']:.3f} (median) {beside['best']:.3f} (best) times the speed of '{beside['name']}' "
            f"in the same rounds")
    if entry["threads"] != beside["threads"]:
        text += (f"; the tile peak is {beside['tile_peak_ratio']:.2f} times as high, so that "
                 f"{100 * beside['median'] / beside['tile_peak_ratio']:.0f} % of what the machine gains is used")
    if "same_bits" in beside:
        text += "; bits are the same" if beside["same_bits"] else "; BITS DIFFER"
    print(text)


def find_beside(entry, entries):
    """The first case of that name with the same heads."""
    if "beside" not in entry:
        return None
    for other in entries:
        if other["name"] == entry["beside"] and other["d"] == entry["d"] and other["N"] == entry["N"]:
            return other
    sys.exit(f"'{entry['name']}' is to be measured beside '{entry['beside']}', which is not in the suite")


def print_peaks(results):
    """The machine's limits as the runs above measured them, best of all cases."""
    names = {"register_peak_gflops": "FMA, registers only: {:.0f} GFLOP/s",
             "tile_peak_gflops": "FMA, register tile from L1: {:.0f} GFLOP/s",
             "pairs_bf16_peak_gflops": "pairs of bf16, register tile from L1: {:.0f} GFLOP/s",
             "amx_bf16_peak_gflops": "AMX, bf16 tiles from L1: {:.0f} GFLOP/s",
             "copy_gbytes_per_second": "copy: {:.1f} GB/s"}
    for key, text in names.items():
        values = [r["ours"][key] for r in results if key in r["ours"]]
        print(text.format(max(values)) if values else f"{text.split(':')[0]}: not on this machine")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", help="name of a file in benchmarks/suites, or a path")
    parser.add_argument("--attn-run", default=os.path.join(HERE, os.pardir, "build", "bin", "attn-run"))
    parser.add_argument("--peer-python", default="", help="a Python that has torch, onnx and onnxruntime")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="per kernel and round")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", default="", help="where to write the results")
    args = parser.parse_args()
    path = args.suite
    if not os.path.exists(path):
        path = os.path.join(HERE, "suites", args.suite + ".json")
    with open(path, encoding="utf-8") as file:
        suite = json.load(file)
    peers, results = Peers(args.peer_python), []
    with tempfile.TemporaryDirectory() as directory:
        entries = [{"threads": suite["threads"]} | suite["defaults"] | case for case in suite["cases"]]
        for entry in entries:
            if args.only not in entry["name"]:
                continue
            try:
                results.append(run_case(args, entry, find_beside(entry, entries), peers, directory))
            except OtherMachine as reason:
                print(f"{entry['name']:26} left out: {reason}")
                continue
            print_result(results[-1])
    print_peaks(results)
    promises = [promise for result in results for promise in result["promises"]]
    if promises:
        print(f"{sum(promise['kept'] for promise in promises)} of {len(promises)} promises kept")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"suite": args.suite, "rounds": args.rounds, "seconds": args.seconds,
                       "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
