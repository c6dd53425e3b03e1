"""Compiles generated attention cases for some instruction sets and names what
their objects need from outside.

usage: check_symbols.py TOOL INTEGRATION_FOLDER FOLDER STEP TARGETS"""

import json
import os
import random
import subprocess
import sys

MEMORY = {"memcpy", "memmove", "memset", "memcmp", "bcmp"}


def main():
    tool, integration, folder, step, targets = sys.argv[1:6]
    sys.path.insert(0, integration)
    from attention_case import to_mlir
    from generate_cases import FACTORS, pairwise_cases

    os.makedirs(folder, exist_ok=True)
    cases = pairwise_cases(random.Random(20), FACTORS, 100, 0)[:: int(step)]
    failures = 0
    for index, case in enumerate(cases):
        source = os.path.join(folder, "case.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(to_mlir(case))
        prefix = os.path.join(folder, "case")
        done = subprocess.run(
            [tool, source, f"--target={targets}", "--emit=metadata", "-o", prefix],
            capture_output=True, text=True, check=False)
        problem = done.stderr.strip()
        if done.returncode == 0:
            with open(prefix + ".json", encoding="utf-8") as file:
                others = set(json.load(file)["undefined_symbols"]) - MEMORY
            problem = f"needs {' '.join(sorted(others))}" if others else ""
        if problem:
            failures += 1
            print(f"case {index}: {problem}\n  {case}")
    print(f"{len(cases)} cases, {failures} need more than the memcpy family")


main()
