#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs what a machine with a GPU needs to test and time our kernels: it needs neither LLVM nor this repository.

  benchmarks/gpu_suite/make.py --target=nvptx:sm_80 --output=gpu_suite.tar.gz
  tar xf gpu_suite.tar.gz && python3 gpu_suite/suite.py --json=results.json         there

In the bundle are
  tests    generated cases of all kinds as shared libraries, with their inputs, what the simulator gave, and how far
           a result may be from it
  golden   kernels of a few instructions on small numbers, with the bits that the simulator gave
  timings  the cases of benchmarks/suites/gpu.json, whose inputs are drawn there
"""

import argparse
import concurrent.futures
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INTEGRATION = os.path.join(ROOT, "test", "Integration")
sys.path += [os.path.dirname(HERE), INTEGRATION]

import bench  # noqa: E402
import run as run_attention  # noqa: E402
import run_activations  # noqa: E402
import run_linear  # noqa: E402
import run_norms  # noqa: E402
import run_positions  # noqa: E402
import run_rows  # noqa: E402

#: Who writes the IR of a case of suites/gpu.json.
WRITERS = {"attention": run_attention.to_module, "linear": run_linear.to_mlir, "norm": run_norms.to_mlir,
           "rows": run_rows.to_mlir, "positions": run_positions.to_mlir, "activation": run_activations.to_mlir}

#: Generators of cases: their share of the tests in percent, and about how many cases they have.
GENERATORS = {"generate_cases.py": (50, 620), "load_cases.py": (5, 156), "probe_cases.py": (5, 60),
              "generate_decode.py": (10, 100), "norm_cases.py": (10, 300), "row_cases.py": (10, 300),
              "generate_elements.py": (10, 100)}


def run(command, what, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"make.py: {what}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def add_sanitizer(dump):
    """The LLVM IR of the host's side before it is optimised, whose functions want to be instrumented, and its entry,
    which attn-run calls by a function beside it, so that nobody else sees it."""
    path = glob.glob(os.path.join(glob.escape(dump), "*-llvm.ll"))[0]
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^(define .*) \{$", r"\1 sanitize_address {", file.read(), flags=re.MULTILINE)
    entry = re.search(r"^define i32 @(\w+)__shapes__invoke\(", text, re.MULTILINE)[1]
    text = re.sub(rf"^define internal (i32 @{entry}(?:__shapes)?\()", r"define \1", text, flags=re.MULTILINE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path, entry


def with_schedule(text, case):
    """The module with the case's `schedule` in its only attention or layer, where it names one."""
    if "schedule" not in case:
        return text
    text, count = re.subn(r"= attn\.(attention|linear(?: weight\(\w+\))?) ", rf"\g<0>schedule({case['schedule']}) ", text)
    if count != 1:
        sys.exit(f"make.py: {case['name']}: a schedule is for an attention or a layer")
    return text


def find_beside(timings):
    """Each timing that runs `beside` another one holds it, without what that one runs beside."""
    named = {timing["case"]["name"]: timing for timing in timings}
    return [timing | {"beside": named[timing["case"]["beside"]]} if "beside" in timing["case"] else timing
            for timing in timings]


class Maker:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder

    def compile(self, source, name, sanitized="", symbol=""):
        """The shared library of a module, and its only entry as the metadata describes it. `sanitized` is the LLVM IR
        of its host's side, which takes the object's place, and `symbol` its entry there."""
        stem = os.path.join(self.folder, name)
        run([os.path.join(self.args.bin, "attn-compile"), source, f"--target={self.args.target}", "--name=attn_case", "-o",
             stem], name)
        extra = ["-O1", "-g", "-fPIC", "-fsanitize=address", "-Wno-override-module"] if sanitized else []
        run([self.args.cc, "-shared", *extra, "-o", stem + ".so", sanitized or stem + ".o"], name)
        with open(stem + ".json", encoding="utf-8") as file:
            metadata = json.load(file)
        for ending in (".o", ".h", ".json", ".ptx", ".cubin", "_launcher.c"):
            if os.path.exists(stem + ending):
                os.remove(stem + ending)
        entry = metadata["entries"][0]
        if sanitized:
            entry["name"] = symbol
        return entry, metadata["targets"][0]

    def add_test(self, source, name):
        """A case that a generator has left: its results in the simulator stand for what is right. Their distance to
        the reference, as a share of what the rules of tolerance allow, says how far another GPU may be."""
        arguments = source[: -len(".mlir")] + ".npz"
        results, report = os.path.join(self.folder, name + ".npz"), os.path.join(self.folder, name + ".report")
        dump = source + ".dump"
        run([os.path.join(self.args.bin, "attn-run"), source, f"--target={self.args.target}", "--simulate", "--check",
             f"--inputs={arguments}", f"--output={results}", f"--json={report}",
             *([f"--dump-dir={dump}"] if self.args.sanitize else [])], name)
        with open(report, encoding="utf-8") as file:
            report_text = json.load(file)
        os.remove(report)
        with np.load(arguments) as given, np.load(results) as made:
            np.savez_compressed(results, **given, **{key: made[key] for key in made.files})
        entry, _ = self.compile(source, name, *(add_sanitizer(dump) if self.args.sanitize else ()))
        margin = report_text["margin"]
        return {"name": name, "entry": entry, "allowed": report_text["max_error"] / margin if margin else None}

    def add_timing(self, case, index):
        name = f"timing{index}"
        source = os.path.join(self.folder, name + ".mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(with_schedule(WRITERS[case["driver"]](case), case))
        entry, target = self.compile(source, name)
        os.remove(source)
        result = {"name": name, "case": case, "entry": entry, "kernels": target["kernels"],
                  "device": target["device"]}
        if case["driver"] == "attention":
            result["flops"] = 4 * case["B"] * case["H"] * case["d"] * run_attention.visible_pairs(case)
        elif case["driver"] == "linear":
            result["flops"] = 2 * case["rows"] * case["in"] * case["out"]
        return result


def generate(args, script, count, folder):
    """Files of about so many cases. The generator complains of those that take another path than it wants; whether
    each is right is seen when it is packed."""
    shards = max(1, GENERATORS[script][1] // count)
    subprocess.run([sys.executable, os.path.join(INTEGRATION, script), f"--attn-run={args.bin}/attn-run",
                    f"--target={args.target}", f"--shard=0/{shards}", f"--jobs={args.jobs}", f"--directory={folder}", "--keep"],
                   cwd=INTEGRATION, stdout=subprocess.DEVNULL, check=False)
    return sorted(path for path in glob.glob(os.path.join(folder, "*.mlir")) if os.path.exists(path[:-5] + ".npz"))


def add_tests(args, maker, scratch):
    tests = []
    for script in filter(None, args.generators.split(",")):
        share, _ = GENERATORS[script]
        kind, folder = os.path.splitext(script)[0], os.path.join(scratch, script)
        count = max(1, args.tests * share // 100)
        sources = generate(args, script, count, folder)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            tests += pool.map(lambda item, kind=kind: maker.add_test(item[1], f"{kind}-{item[0]}"), enumerate(sources))
        print(f"{script}: {len(sources)} tests", flush=True)
    return tests


def add_golden(args, scratch, target):
    """Runs the unit tests of instructions, which note their kernels, and keeps each kernel once."""
    tests = os.path.join(args.bin, os.pardir, "test", "unittests", "bin", "PTXRunTests")
    notes = os.path.join(scratch, "golden")
    run([tests, "--gtest_brief=1"], "PTXRunTests", env=os.environ | {"ATTN_PTX_GOLDEN": notes})
    with open(notes, encoding="utf-8") as file:
        lines = sorted(set(file))
    with gzip.GzipFile(target, "w", mtime=0) as file:
        file.writelines(line.encode() for line in lines)
    print(f"golden: {len(lines)} kernels", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"), help="where the tools are")
    parser.add_argument("--target", default="nvptx:sm_80")
    parser.add_argument("--tests", type=int, default=300, help="about so many generated cases")
    parser.add_argument("--generators", default=",".join(GENERATORS), help="only these, separated by commas")
    parser.add_argument("--suite", default="gpu", help="what to time: a name in benchmarks/suites, or a file")
    parser.add_argument("--no-timings", action="store_true")
    parser.add_argument("--no-golden", action="store_true")
    parser.add_argument("--sanitize", action="store_true",
                        help="tests with the address sanitizer in the host's code; --cc is a clang")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", default="gpu_suite.tar.gz")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "gpu_suite")
        os.mkdir(folder)
        maker = Maker(args, folder)
        bundle = {"target": args.target, "tests": add_tests(args, maker, scratch), "timings": []}
        if not args.no_timings:
            cases = bench.read_suite(args.suite)
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                bundle["timings"] = find_beside(list(pool.map(maker.add_timing, cases, range(len(cases)))))
        if not args.no_golden:
            add_golden(args, scratch, os.path.join(folder, "golden.jsonl.gz"))
        with open(os.path.join(folder, "bundle.json"), "w", encoding="utf-8") as file:
            json.dump(bundle, file)
        run([args.cc, "-std=c99", "-O1", "-shared", "-fPIC", f"-I{ROOT}/include",
             f"{ROOT}/lib/Runtime/GPUDriver.c", "-ldl", "-o", f"{folder}/driver.so"], "the driver's context")
        for name in ("suite.py", "program.py", "golden.py", "timing.py", "worker.py"):
            shutil.copy(os.path.join(HERE, name), folder)
        with tarfile.open(args.output, "w:gz", compresslevel=6) as archive:
            archive.add(folder, "gpu_suite")
    print(f"{args.output}: {len(bundle['tests'])} tests, {len(bundle['timings'])} timings, "
          f"{os.path.getsize(args.output) / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
