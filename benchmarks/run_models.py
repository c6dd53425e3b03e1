#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures exported models and blocks beside the framework that they were exported from.

  benchmarks/run_models.py models --peer-python=VENV/bin/python --json=out.json

The peer writes the file that attn-run measures, so it needs what test/Models/requirements.txt names. Rounds take our
kernel and each peer in turn. A case may be measured `beside` another one of the suite (a static one, one in f32), and
may promise ratios of speed: `at_least` names what they are over (a peer, `beside`, or `read_share`, the part of the
rate at which a loop reads the same arguments).
"""

import json
import os
import statistics
import subprocess
import sys

import bench

#: What asks a peer is not what it builds.
OWN = ("name", "peers", "at_least", "beside", "note")


class Files:
    """The peers, a process each, and what they exported."""

    def __init__(self, args, directory):
        self.python, self.directory, self.peers = args.peer_python, directory, {}

    def ask(self, name, entry, seconds):
        script = name.split("-")[0] + "_models.py"
        if name not in self.peers:
            self.peers[name] = bench.Peer(self.python, script)
        case = {key: value for key, value in entry.items() if key not in OWN}
        stem = os.path.join(self.directory, entry["name"].replace(" ", "_"))
        return self.peers[name].measure(case | {"peer": name, "stem": stem}, seconds)

    def export(self, entry):
        """The stem of the case's files; the first peer writes them."""
        stem = os.path.join(self.directory, entry["name"].replace(" ", "_"))
        if not os.path.exists(stem + ".npz"):
            answer = self.ask(entry["peers"][0], entry, 0)
            if "error" in answer:
                sys.exit(f"{entry['name']}: {answer['error']}")
        return stem


def run_ours(args, files, entry, check):
    stem = files.export(entry)
    report = os.path.join(files.directory, "report.json")
    command = [args.attn_run, stem + ".mlir", f"--inputs={stem}.npz", f"--bench={args.seconds}", f"--json={report}",
               f"--threads={entry['threads']}"]
    if check and entry["dtype"] == "f32":
        command.append(f"--expect={stem}.npz")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def run_case(args, entry, files, _):
    beside = next((other for other in args.entries if other["name"] == entry.get("beside")), None)
    own, others, answers = [], [], {peer: [] for peer in entry["peers"]}
    for i in range(args.rounds):
        own.append(run_ours(args, files, entry, i == 0))
        if beside:
            others.append(run_ours(args, files, beside, False))
        for peer, samples in answers.items():
            samples.append(files.ask(peer, entry, args.seconds))
    seconds = [run["median_seconds"] for run in own]
    result = {"case": entry, "median_seconds": statistics.median(seconds),
              "best_seconds": min(run["best_seconds"] for run in own),
              "compile_seconds": statistics.median(run["compile_seconds"] for run in own),
              "read_share": statistics.median(run["read_share"] for run in own),
              "tile_peak_share": statistics.median(run["peak_share"] for run in own), "over": {}, "errors": {}}
    for peer, samples in answers.items():
        errors = [sample["error"] for sample in samples if "error" in sample]
        if errors:
            result["errors"][peer] = errors[0]
        else:
            result["over"][peer] = statistics.median(s["median"] / o for s, o in zip(samples, seconds))
    if beside:
        result["over"]["beside"] = statistics.median(b["median_seconds"] / o for b, o in zip(others, seconds))
    print_case(result)
    return result


def print_case(result):
    entry = result["case"]
    line = f"{entry['name']:26} {1e3 * result['median_seconds']:8.2f} ms, {100 * result['tile_peak_share']:.0f} % of the tile peak, " \
           f"compiled in {result['compile_seconds']:.1f} s"
    if "read_share" in entry.get("at_least", {}):
        line += f"; {100 * result['read_share']:.0f} % of reading"
    for what, ratio in result["over"].items():
        line += f"; {ratio:.2f} times " + (f"'{entry['beside']}'" if what == "beside" else what)
    for peer, error in result["errors"].items():
        line += f"; {peer}: {error[:200]}"
    measured = result["over"] | {"read_share": result["read_share"]}
    for what, bound in entry.get("at_least", {}).items():
        kept = measured.get(what, 0) >= bound
        result["kept"] = result.get("kept", True) and kept
        line += f"; promised {what} {bound}: {'kept' if kept else 'NOT KEPT'}"
    print(line, flush=True)


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case, Files)
