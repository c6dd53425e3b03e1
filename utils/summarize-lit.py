"""Counts lit's results: prints `passed failed`, writes what was skipped and why.

usage: summarize-lit.py RESULTS.json SKIPPED.txt
"""

import collections
import json
import re
import sys

REASONS = {
    "avx2": "this CPU has no AVX2",
    "avx512": "this CPU has no AVX-512",
    "avx512bf16": "this CPU has no AVX512-BF16",
    "amx": "this CPU has no AMX",
    "cuda": "no CUDA toolkit was found",
    "openmp": "no libomp was found",
    "pkg-config": "pkg-config is not installed",
    "plugin": "no libMLIR.so was found, or a build with sanitizers",
    "attn_python": "libattn was not built, or with sanitizers",
    "torch": "utils/check.sh --frameworks runs it, where pip has it",
    "jax": "utils/check.sh --frameworks runs it, where pip has it",
    "onnx": "utils/check.sh --frameworks runs it, where pip has it",
    "onnxruntime": "utils/check.sh --frameworks runs it, where pip has it",
    "onnxscript": "utils/check.sh --frameworks runs it, where pip has it",
    "mypy": "utils/check.sh --frameworks runs it, where pip has it",
    "valgrind": "valgrind is not installed",
    "asserts": "built without assertions (preset asserts has them)",
    "asan": "built without sanitizers (preset asan has them)",
    "not avx512": "this CPU has AVX-512, the test is about its absence",
    "not asan": "not for a build with sanitizers",
    "sweep": "utils/sweep.sh runs it",
    "full": "slow tests are left out of a quick run",
}
GOOD = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def missing_features(output):
    found = re.search(r"unavailable features: (.*)", output)
    if found:
        return found.group(1).strip()
    found = re.search(r"not support the following features and/or targets: (.*)", output)
    return f"not {found.group(1).strip()}" if found else "not supported here"


def main(results_path, skipped_path):
    with open(results_path) as file:
        tests = json.load(file)["tests"]
    passed = sum(test["code"] in GOOD for test in tests)
    skipped = [test for test in tests if test["code"] in SKIPPED]
    suites = collections.Counter(missing_features(test["output"]) for test in skipped)
    with open(skipped_path, "w") as file:
        for features, count in sorted(suites.items()):
            why = "; ".join(REASONS.get(name.strip(), name.strip()) for name in features.split(","))
            file.write(f"SKIPPED {features}: {count} tests ({why})\n")
    print(passed, len(tests) - passed - len(skipped))


if __name__ == "__main__":
    main(*sys.argv[1:])
