# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of the pages that no test runs as a whole (run_page.py).

    run_commands.py SOURCE BUILD DIRECTORY [PAGE...]

Those that start tools of this project run in DIRECTORY, which sees the build
tree and the examples where the pages have them; FILE is an example there. Those
of the C example run in a copy of it. Every other command has to be of a kind that
is listed here with what runs its like. The README's leave nothing in the checkout.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

ELSEWHERE = {
    r"utils/(demo|check)\.sh": "they build the project and run the tests, this one among them",
    r"utils/new-(policy|norm|op|pass) ": "test/Scaffold",
    r"utils/(fuzz\.py|mutate(_random|_together)?\.py|sanitize\.sh)|python3 test/Integration/size_sweep\.py":
        "test/fuzz/fuzz.test, test/Tools, test/Integration/guard-pages.test; they take from minutes to hours",
    r"cmake |ninja ": "what built this",
    r"\$\(llvm-config-22 --bindir\)/lit ": "what runs this",
    r"attn-ptx-run FILE|cd test/PTXSim|python3 check_": "test/attn-ptx-run, test/PTXSim",
    r"cc program\.c -lattn ": "test/CAPI/page.test",
    r"utils/build-wheel|pip install dist|python -m attn": "test/Python/wheel.test, test/Python/package.py",
    r"aarch64-linux-gnu-gcc |qemu-aarch64 ": "test/Examples/c-aarch64.test",
    r"mkdir -p corpus|build-fuzz/": "needs another build",
}


def commands(page):
    """(line, command) of the page's sh blocks, without comments."""
    inside, start, text = False, 0, ""
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                inside = line.strip() == "```sh"
                continue
            if not inside:
                continue
            start = number if not text else start
            text += re.sub(r"\s+# .*", "", line.rstrip())
            if text.endswith("\\"):
                text = text[:-1]
            elif text:
                yield start, text.strip()
                text = ""


def lacks_vectors(command):
    """Whether this machine cannot run it: tiles are emulated, the vectors beside them are not."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return "--emulator=amx" in command and "avx512bw" not in file.read()


def prepare(source, build, directory):
    os.makedirs(directory, exist_ok=True)
    for name, target in [("build", build), ("examples", f"{source}/examples")]:
        if not os.path.lexists(f"{directory}/{name}"):
            os.symlink(target, f"{directory}/{name}")
    shutil.copytree(f"{source}/examples/c", f"{directory}/c", dirs_exist_ok=True)


def main():
    source, build, directory, *pages = sys.argv[1:]
    prepare(source, build, directory)
    if not pages:
        tests = "".join(open(path, encoding="utf-8").read() for path in glob.glob(f"{source}/test/Docs/*.test"))
        pages = [page for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/*.md")
                 for page in sorted(glob.glob(f"{source}/{pattern}", recursive=True))
                 if f"run_page.py %attn_src_root/{os.path.relpath(page, source)}" not in tests]
    environment = os.environ | {"PATH": f"{build}/bin:{os.environ['PATH']}"}
    count = failures = 0
    for page in pages:
        for line, command in commands(page):
            where = f"{os.path.relpath(page, source)}:{line}: {command}"
            if any(re.match(kind, command) for kind in ELSEWHERE):
                continue
            if lacks_vectors(command):
                print(f"{where}\n  is left out: this machine has no AVX-512")
                continue
            is_c_example = re.match(r"cc main\.c |attn-compile decoder\.mlir ", command)
            if not command.startswith("build/") and not is_c_example:
                print(f"{where}\n  is of no kind that some test runs")
                failures += 1
                continue
            command = command.replace("FILE.mlir", "examples/torch_sdpa_causal.mlir").replace("DIR", "dump")
            folder = f"{directory}/c" if is_c_example else directory
            before = os.listdir(folder)
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                                  check=False)
            count += 1
            if os.path.relpath(page, source) == "README.md" and os.listdir(folder) != before:
                print(f"{where}\n  leaves files behind")
                failures += 1
            if done.returncode:
                print(f"{where}\n  ends with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                failures += 1
    print(f"{count} commands, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
