#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the compiler at random places and counts how many breaks the tests catch.

A mutant is one changed operator, number, condition or call in a function under lib/. It is compiled first: one that does
not compile, or whose object has the same bytes, does not count. Then the tests of the mirrored folder run, then the quick
ones, then all, until one fails. The same seed gives the same mutants; results are kept in a file, and a second call goes
on behind them (utils/mutate.py has breaks that are known by name).

  utils/mutate_random.py --sample=20 --state=build/mutants.json
  utils/mutate_random.py --only=PTXSim --minutes=60 --state=build/mutants.json
  utils/mutate_random.py --list=10            only shows what would be changed
"""

import argparse
import collections
import glob
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
TOOLS = ["attn-opt", "attn-run", "attn-compile", "attn-ptx-run", "attn-lsp-server"]
STAGES = ["near", "quick", "all"]
#: seconds that a stage may take: a mutant that hangs is caught
LIMITS = {"near": 600, "quick": 900, "all": 5400}

#: name, pattern, what may stand in its place; clang-format puts spaces around binary operators and none into templates
OPERATORS = [
    ("comparison", r" (<|<=|>|>=|==|!=) ",
     {"<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}),
    ("logic", r" (&&|\|\|) ", {"&&": ["||"], "||": ["&&"]}),
    ("arithmetic", r" (\+|-|\*|/|%|\+=|-=) ", {"+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "+=": ["-="], "-=": ["+="]}),
    ("constant", r"(?<![\w.])(\d+)(?![\w.])", None),
    ("boolean", r"\b(true|false)\b", {"true": ["false"], "false": ["true"]}),
    ("bound", r"\b(min|max)(?=[(<])", {"min": ["max"], "max": ["min"]}),
]
#: what is no code, or says the same in other words
SKIPPED = re.compile(r"^\s*(//|#|assert\(|llvm_unreachable|return emit|.*emit(Op)?Error|.*static_assert|.*LLVM_|using |template)")


def mask(line):
    """The line with blanks in the place of texts and comments."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', lambda m: " " * len(m.group()), line)
    return re.sub(r"//.*", lambda m: " " * len(m.group()), line)


def changes_of(line):
    """(operator, new line) for each change of one line."""
    shown = mask(line)
    for name, pattern, table in OPERATORS:
        for match in re.finditer(pattern, shown):
            old, (start, end) = match.group(1), match.span(1)
            for new in table[old] if table else [str(int(old) + 1), str(max(int(old) - 1, 0))]:
                if new != old:
                    yield name, line[:start] + new + line[end:]
    condition = re.match(r"^(\s*(?:\} else )?if \()(.*)(\)(?: \{)?)$", line)
    if condition and shown.count("(") == shown.count(")") and ";" not in condition.group(2) and " = " not in condition.group(2):
        yield "condition", f"{condition.group(1)}!({condition.group(2)}){condition.group(3)}"
    statement = re.match(r"^\s+(?!return\b|delete\b)[A-Za-z_][\w.\->:\[\]]*\(.*\);$", shown)
    if statement and shown.count("(") == shown.count(")"):
        yield "call", re.match(r"^\s*", line).group() + ";"


def functions_of(path):
    """(first line, last line, name) of each function or class at the left margin."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    start, head = None, ""
    for i, line in enumerate(lines):
        if start is None and line and not line[0].isspace() and not line.startswith(("}", "//", "#", "namespace", "extern", "using")):
            head = head + " " + line if head and not head.endswith((";", "}")) else line
            if line.endswith("{"):
                start = i
        elif start is None and line.strip().endswith("{") and head:
            start = i
        elif start is not None and line.startswith("}"):
            name = re.search(r"([\w:~]+)\(|(?:class|struct) (\w+)", head)
            yield start + 1, i, (name.group(1) or name.group(2)) if name else head[:40]
            start, head = None, ""


def all_functions(only):
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "lib", "**", "*.cpp"), recursive=True)):
        name = os.path.relpath(path, ROOT)
        outside = not name.startswith(("lib/Analysis/", "lib/PTXSim/"))
        if re.search(only, name) if only else outside:
            found += [(name, *function) for function in functions_of(path)]
    return found


def mutants(seed, only):
    """One after the other, without end: each is drawn from a function, and each function is as likely as any other."""
    rng, functions, seen = random.Random(seed), all_functions(only), set()
    while True:
        path, first, last, function = rng.choice(functions)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
        sites = [(i, name, new) for i in range(first, last) if not SKIPPED.match(lines[i]) for name, new in changes_of(lines[i])]
        if sites:
            kind = rng.choice(sorted({name for _, name, _ in sites}))
            i, name, new = rng.choice([site for site in sites if site[1] == kind])
            if (path, i, new) not in seen:
                seen.add((path, i, new))
                yield {"file": path, "line": i + 1, "function": function, "operator": name, "before": lines[i].strip(),
                       "after": new.strip(), "text": new}


def describe(mutant):
    return f"{mutant['file']}:{mutant['line']} {mutant['function']}"


def run(command, limit=None):
    """Exit code and output; 124 when the time was over."""
    def limit_memory():
        resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.setpgrp()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          preexec_fn=limit_memory) as process:
        try:
            return process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return process.communicate()[0], 124


def near_folder(path):
    """The folder of tests that mirrors the source's, or the nearest one above it that is there."""
    folder = os.path.dirname(path).replace("lib", "test", 1)
    while not os.path.isdir(os.path.join(ROOT, folder)):
        folder = os.path.dirname(folder)
    return folder if folder != "test" else "test/Integration"


def test_command(stage, path):
    lit = os.path.join(subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip(), "lit")
    command = [lit, "-q", "--no-progress-bar", "--max-failures=1"]
    if stage == "near":
        return command + [os.path.join(BUILD, near_folder(path))]
    suites = [os.path.join(BUILD, "test"), os.path.join(BUILD, "test", "unittests")]
    return command + (["--param", "quick=1"] if stage == "quick" else []) + suites


def object_of(path):
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            if os.path.realpath(os.path.join(entry["directory"], entry["file"])) == os.path.realpath(os.path.join(ROOT, path)):
                return entry.get("output") or re.search(r" -o (\S+)", entry["command"]).group(1)
    return None


def digest(path):
    with open(os.path.join(BUILD, path), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Session:
    def __init__(self, args):
        self.args, self.state = args, {"seed": args.seed, "only": args.only, "mutants": [], "applied": None, "sound": []}
        if args.state and os.path.exists(args.state):
            with open(args.state, encoding="utf-8") as file:
                self.state = json.load(file)
            if (self.state["seed"], self.state["only"]) != (args.seed, args.only):
                sys.exit(f"{args.state} is of seed {self.state['seed']} and --only={self.state['only']}")
        self.restore()

    def save(self):
        if self.args.state:
            with open(self.args.state + ".new", "w", encoding="utf-8") as file:
                json.dump(self.state, file, indent=1)
            os.replace(self.args.state + ".new", self.args.state)

    def restore(self):
        """Puts back what a mutant, perhaps of an interrupted call, has changed."""
        if self.state["applied"]:
            path, source = self.state["applied"]
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(source)
            self.state["applied"] = None
            self.save()

    def apply(self, mutant):
        path = os.path.join(ROOT, mutant["file"])
        with open(path, encoding="utf-8") as file:
            source = file.read()
        self.state["applied"] = [mutant["file"], source]
        self.save()
        lines = source.split("\n")
        lines[mutant["line"] - 1] = mutant["text"]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))

    def require_sound(self, stage, path):
        """Tests that fail without a mutation would catch every one."""
        command = test_command(stage, path)
        known = " ".join(run(["git", "rev-parse", "HEAD"])[0].split() + command)
        if known not in self.state["sound"]:
            text, code = run(command)
            if code:
                sys.exit(f"unbroken, this fails already: {' '.join(command)}\n{text[-2000:]}")
            self.state["sound"].append(known)
            self.save()

    def judge(self, mutant):
        """Builds and tests one; sets its result."""
        output = object_of(mutant["file"])
        if not output or run(["ninja", "-C", BUILD, output, *self.targets()])[1]:
            sys.exit(f"{mutant['file']} does not build without a change")
        for stage in self.args.stages:
            self.require_sound(stage, mutant["file"])
        before = digest(output)
        self.apply(mutant)
        try:
            if run(["ninja", "-C", BUILD, output], 600)[1]:
                return "invalid", ""
            if digest(output) == before:
                return "equivalent", ""
            text, code = run(["ninja", "-C", BUILD, *self.targets()], 1800)
            if code:
                return "invalid", "the build"
            for stage in self.args.stages:
                text, code = run(test_command(stage, mutant["file"]), LIMITS[stage])
                failed = re.search(r"(?:FAIL|TIMEOUT|UNRESOLVED): (.*?)(?: \(\d+ of|$)", text, re.M)
                if code:
                    return "killed", stage + ": " + (failed.group(1) if failed else f"exit code {code}")
            return "survived", self.args.stages[-1]
        finally:
            self.restore()

    def targets(self):
        return ["attn-test-depends"] if "all" in self.args.stages else TOOLS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--sample", type=int, default=10, help="mutants that count, those of --state included")
    parser.add_argument("--minutes", type=float, default=1e9, help="starts none after that")
    parser.add_argument("--only", default="", help="a regular expression for files; without it all of lib but Analysis and PTXSim")
    parser.add_argument("--state", help="a file with the results, where the next call goes on")
    parser.add_argument("--stages", type=lambda text: text.split(","), default=STAGES, help="of near,quick,all")
    parser.add_argument("--list", type=int, help="prints so many mutants and leaves everything as it is")
    args = parser.parse_args()
    source = mutants(args.seed, args.only)
    if args.list:
        for _, mutant in zip(range(args.list), source):
            print(f"{describe(mutant)}: {mutant['operator']}\n  - {mutant['before']}\n  + {mutant['after']}")
        return 0
    session, end = Session(args), time.monotonic() + 60 * args.minutes
    done = session.state["mutants"]
    for i, mutant in enumerate(source):
        counts = collections.Counter(entry["result"] for entry in done)
        if counts["killed"] + counts["survived"] >= args.sample or time.monotonic() > end:
            break
        if i < len(done):
            continue
        started = time.monotonic()
        result, by = session.judge(mutant)
        text = mutant.pop("text")
        done.append({**mutant, "text": text, "result": result, "by": by, "seconds": round(time.monotonic() - started)})
        session.save()
        print(f"{result:10} {describe(mutant)}: {mutant['before']}  ->  {mutant['after']}  {by}", flush=True)
    if run(["ninja", "-C", BUILD, *session.targets()])[1]:
        sys.exit("the restored tree does not build")
    counts = collections.Counter(entry["result"] for entry in done)
    print(f"{counts['killed']} of {counts['killed'] + counts['survived']} mutants caught "
          f"({counts['invalid']} did not compile, {counts['equivalent']} gave the same object)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
