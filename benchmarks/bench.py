# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the drivers of benchmarks have in common: arguments, suites, one run of attn-run."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def make_parser(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", help="name of a file in benchmarks/suites, or a path")
    parser.add_argument("--attn-run", default=os.path.join(HERE, os.pardir, "build", "bin", "attn-run"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="per kernel and round")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", default="", help="where to write the results")
    parser.add_argument("--peer-python", help="a Python with torch, to measure it beside")
    return parser


def read_suite(name):
    """All cases of a suite, each with the suite's defaults."""
    path = name if os.path.exists(name) else os.path.join(HERE, "suites", name + ".json")
    with open(path, encoding="utf-8") as file:
        suite = json.load(file)
    return [{"threads": suite["threads"]} | suite["defaults"] | case for case in suite["cases"]]


def measure(args, text, entry, directory):
    """attn-run's report on the module `text`."""
    path, report = os.path.join(directory, "case.mlir"), os.path.join(directory, "report.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    command = [args.attn_run, path, f"--bench={args.seconds}", f"--json={report}", f"--threads={entry['threads']}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)


class Peer:
    """One peer script in a process of its own, which starts when it is first asked and stays alive."""

    def __init__(self, python, script):
        self.command, self.process = [python, os.path.join(HERE, "peers", script)], None

    def measure(self, case, seconds):
        """{"best", "median"} in seconds, or {"error"}."""
        if not self.command[0]:
            return {"error": "no --peer-python"}
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.process.stdin.write(json.dumps(case | {"seconds": seconds}) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        return json.loads(answer) if answer else {"error": f"{os.path.basename(self.command[1])} ended"}


def beside_peer(result, medians, answers):
    """Notes how many times as fast as the peer we are, or why that is not known; returns the words for it."""
    errors = [answer["error"] for answer in answers if "error" in answer]
    if errors:
        result["peer_error"] = errors[0]
        return f"; peer: {errors[0]}"
    result["peer_median_seconds"] = statistics.median(answer["median"] for answer in answers)
    result["over_peer"] = statistics.median(answer["median"] / own for own, answer in zip(medians, answers))
    return f"; {result['over_peer']:.2f} times {result['case']['peer']}"


def run_bandwidth_case(args, text, entry, beside, peer, directory, passes=1.0):
    """Measures one case beside a loop over memory of the same run, `beside` ("copy" or "stream"; "copy" where a report
    has no other), prints a line and returns the result: the share is the median of the rounds' shares, of `passes`
    such loops over what the case reads and writes once."""
    reports, answers = [], []
    for _ in range(args.rounds):
        reports.append(measure(args, text, entry, directory))
        if args.peer_python:
            answers.append(peer.measure(entry, args.seconds))
    own = [r["gbytes_per_second"] for r in reports]
    if f"{beside}_gbytes_per_second" not in reports[0]:
        beside = "copy"
    rate = [r[f"{beside}_gbytes_per_second"] for r in reports]
    share = statistics.median(passes * a / b for a, b in zip(own, rate))
    result = {"case": entry, "gbytes_per_second": statistics.median(own), "beside": beside,
              "beside_gbytes_per_second": statistics.median(rate), "share": share}
    line = f"{entry['name']:20} {result['gbytes_per_second']:6.2f} GB/s  {100 * share:5.1f} % of a {beside}'s " \
           f"{result['beside_gbytes_per_second']:.2f}"
    if answers:
        line += beside_peer(result, [r["median_seconds"] for r in reports], answers)
    if "at_least" in entry:
        result["kept"] = share >= entry["at_least"]
        line += f"; promised {100 * entry['at_least']:.0f} %: {'kept' if result['kept'] else 'NOT KEPT'}"
    print(line, flush=True)
    return result


def torch_layers(args, directory):
    return Peer(args.peer_python, "torch_layers.py")


def run_suite(description, run_case, make_peer=torch_layers):
    """What the driver of a suite does: reads its arguments, calls run_case(args, entry, peer, directory) for each case
    that was asked for and sums up. `args.entries` are all cases of the suite; the peer is what `make_peer` gives for
    the arguments and the folder."""
    args = make_parser(description).parse_args()
    args.entries = read_suite(args.suite)
    with tempfile.TemporaryDirectory() as directory:
        peer = make_peer(args, directory)
        results = [run_case(args, entry, peer, directory) for entry in args.entries if args.only in entry["name"]]
    finish(args, results)


def finish(args, results):
    """Counts the promises, and writes the results where they are asked for."""
    promises = [result["kept"] for result in results if "kept" in result]
    print(f"{sum(promises)} of {len(promises)} promises kept")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"suite": args.suite, "rounds": args.rounds, "results": results}, file, indent=1)
