#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges many of mutate_random.py's mutants with one build.

All are planted into the sources, and ATTN_MUTANT=N chooses one when a program runs. A run of the tests records which
mutants each test reaches; then only those tests run for a mutant, fastest first, until one fails.

This CHANGES the checkout that it stands in: the sources, test/lit.cfg.py and what is built. Use a copy. `remove` puts back
what was there before `plant`, so edit no source between the two. Tests may be edited; `record` those again.

  utils/mutate_together.py plant --sample=300            outside Analysis and PTXSim, and builds; --only=REGEX for others
  utils/mutate_together.py plant --sample=110 --only=lib/PTXSim/                       may be called again: these, too
  utils/mutate_together.py record --quick                all tests; or folders or files below build/test, and --filter=REGEX
  utils/mutate_together.py judge --seconds=150 --jobs=2  goes on where the last call ended; --only=REGEX, --again=survived
  utils/mutate_together.py equivalent                    takes out survivors that give the same object or do not compile
  utils/mutate_together.py report                        the sums; --survivors shows each
  utils/mutate_together.py remove

lit needs Python's psutil to end a test that hangs. A test that clears its environment reaches nothing.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

import mutate_planting
import mutate_random

ROOT, BUILD = mutate_random.ROOT, mutate_random.BUILD
FOLDER = os.path.join(BUILD, "mutants")
CLEAN, HEADER = os.path.join(FOLDER, "clean"), os.path.join(FOLDER, "mutants.h")
STATE, TESTS = os.path.join(FOLDER, "state.json"), os.path.join(FOLDER, "tests.json")
CONFIGS = ["test/lit.cfg.py", "test/unittests/lit.cfg.py"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Only what is new is written, so that ninja builds nothing else."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or read(path) != text:
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)


def load(path, otherwise):
    return json.loads(read(path)) if os.path.exists(path) else otherwise


def write_sources(state):
    write(HEADER, mutate_planting.HEADER_TEXT)
    for name in {mutant["file"] for mutant in state["mutants"]}:
        alive = [mutant for mutant in state["mutants"] if mutant["file"] == name and mutant["result"] != "invalid"]
        write(os.path.join(ROOT, name), mutate_planting.planted(read(os.path.join(CLEAN, name)), alive, HEADER))
    for name in CONFIGS:
        write(os.path.join(ROOT, name), mutate_planting.planted_config(read(os.path.join(CLEAN, name))))


def save(state):
    write(STATE, json.dumps(state, indent=1))


def plant(args, state):
    if not os.path.exists(CLEAN):
        if subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=ROOT, capture_output=True, check=True).stdout and not args.force:
            sys.exit("this would change a checkout that has changes already; --force does it all the same")
        shutil.copytree(os.path.join(ROOT, "lib"), os.path.join(CLEAN, "lib"))
        for name in CONFIGS:
            write(os.path.join(CLEAN, name), read(os.path.join(ROOT, name)))
    mutate_random.ROOT, found, left_out = CLEAN, 0, 0
    for mutant in mutate_random.mutants(args.seed, args.only):
        if found == args.sample:
            break
        if mutate_planting.place(read(os.path.join(CLEAN, mutant["file"])), mutant):
            found += 1
            state["mutants"].append({"id": len(state["mutants"]) + 1, **mutant, "result": "", "by": ""})
        else:
            left_out += 1
    print(f"{found} planted, {left_out} were drawn outside of functions that can be planted")
    save(state)
    write_sources(state)
    build(args, state)


def culprits(text):
    """The mutants in whose code the compiler saw errors; where it saw none there, those that its notes point to."""
    found = set()
    for edge in text.split("\nFAILED: ")[1:]:
        kinds = {"error": set(), "note": set()}
        for path, line, kind in re.findall(r"^(\S+\.cpp):(\d+):\d+: (?:fatal )?(error|note)", edge, re.M):
            above = re.findall(r"// (end of )?mutant (\d+)$", "\n".join(read(os.path.join(BUILD, path)).split("\n")[:int(line)]), re.M)
            if above and not above[-1][0]:
                kinds[kind].add(int(above[-1][1]))
        found |= kinds["error"] or kinds["note"]
    return found


def build(args, state):
    while args.targets != [""]:
        text, code = mutate_random.run(["ninja", "-C", BUILD, "-k", "0", f"-j{args.jobs}", *args.targets])
        if not code:
            return
        broken = culprits(text)
        if not broken:
            sys.exit(f"this does not build, and no mutant in it is seen:\n{text[-4000:]}")
        for mutant in state["mutants"]:
            if mutant["id"] in broken:
                mutant["result"] = "invalid"
        print(f"{len(broken)} do not compile", flush=True)
        save(state)
        write_sources(state)


def lit_command(jobs):
    return [mutate_random.test_command("all", "")[0], f"-j{jobs}", "-q", "--no-progress-bar"]


def record(args, _):
    hits, own = os.path.join(FOLDER, "hits"), os.path.join(FOLDER, "record")
    for folder in (hits, own):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    command = lit_command(args.jobs) + [f"--filter={args.filter}", f"--timeout={args.limit}"]
    command += ["--param", "quick=1"] if args.quick else []
    paths = args.paths or [os.path.join(BUILD, "test"), os.path.join(BUILD, "test", "unittests")]
    text, code = mutate_random.run(["env", f"ATTN_MUTANT_HITS={hits}", f"ATTN_MUTANT_EXEC={own}", *command, *paths])
    if code not in (0, 1):
        sys.exit(text[-4000:])
    tests, failed = load(TESTS, {}), []
    for line in read(os.path.join(hits, "times")).splitlines():
        name, code, seconds = line.split("\t")
        reached = os.path.join(hits, mutate_planting.file_name(name))
        tests.pop(name, None)
        if code == "PASS":
            numbers = {int(number) for number in read(reached).split()} if os.path.exists(reached) else set()
            tests[name] = {"seconds": float(seconds), "hits": sorted(numbers)}
        elif code != "UNSUPPORTED":
            failed.append(f"{'takes too long' if code == 'TIMEOUT' else 'fails unbroken'}: {name}")
    write(TESTS, json.dumps(tests))
    print("\n".join(failed))
    print(f"{len(tests)} tests, {sum(test['seconds'] for test in tests.values()):.0f} s; all together reach "
          f"{len(set().union(*(test['hits'] for test in tests.values())))} mutants")


def failing(mutant, names, tests, limit):
    """The first of the tests that fails with the mutant."""
    own = os.path.join(FOLDER, "run", str(mutant["id"]))
    suites = {"attn": lambda path: os.path.join(BUILD, "test", path), "attn-unit": lambda _: os.path.join(BUILD, "test", "unittests")}
    paths = sorted({suites[name.split(" :: ")[0]](name.split(" :: ")[1]) for name in names})
    slowest = max(tests[name]["seconds"] for name in names)
    command = lit_command(1) + ["--max-failures=1", f"--timeout={int(10 * slowest + 20)}",
                                "--filter=^(" + "|".join(re.escape(name) for name in names) + ")$"]
    text, code = mutate_random.run(["env", f"ATTN_MUTANT={mutant['id']}", f"ATTN_MUTANT_EXEC={own}", *command, *paths], limit)
    shutil.rmtree(own, ignore_errors=True)
    if code not in (0, 1, 124):
        sys.exit(f"lit failed: {' '.join(command + paths)}\n{text[-2000:]}")
    found = re.search(r"^(?:Failed|Timed Out|Unresolved) Tests.*\n\s+(.*)", text, re.M) or re.search(r"^[A-Z]+: (.*?)(?: \(\d+ of|$)", text, re.M)
    return (found.group(1) if found else text[-200:] or "the time was over") if code else None


def judge_one(mutant, tests, seconds):
    reaching = sorted((test["seconds"], name) for name, test in tests.items() if mutant["id"] in test["hits"])
    if not reaching:
        return "unreached", ""
    done, aim, end = 0, 2, time.monotonic() + seconds
    while done < len(reaching):
        names, total, left = [], 0, end - time.monotonic()
        for needed, name in reaching[done:]:
            total += needed
            if total > (min(aim, left) if names else left if done else max(left, total)):
                break
            names.append(name)
        if not names:
            break
        by = failing(mutant, names, tests, 12 * seconds + 60)
        if by:
            return "killed", by
        done, aim = done + len(names), 2 * aim
    return "survived", f"{done} of {len(reaching)} tests"


def judge(args, state):
    tests, lock = load(TESTS, {}), threading.Lock()
    for test in tests.values():
        test["hits"] = set(test["hits"])

    end = time.monotonic() + 60 * args.minutes

    def one(mutant):
        if time.monotonic() > end:
            return
        started = time.monotonic()
        result, by = judge_one(mutant, tests, args.seconds)
        with lock:
            mutant.update(result=result, by=by, seconds=round(time.monotonic() - started))
            save(state)
            print(f"{result:10} {show(mutant)}  {by}", flush=True)

    chosen = [mutant for mutant in state["mutants"] if mutant["result"] in ("", *args.again) and re.search(args.only, mutant["file"])]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(one, chosen))
    report(args, state)


def compiled(path, text):
    """The object's bytes of another text of a file, or nothing where it does not compile."""
    name, target = path.replace(".cpp", ".mutant.cpp"), os.path.join(FOLDER, "mutant.o")
    entries = json.loads(read(os.path.join(BUILD, "compile_commands.json")))
    command = shlex.split(next(entry["command"] for entry in entries if entry["file"] == os.path.join(ROOT, path)))
    command = [os.path.join(ROOT, name) if word == os.path.join(ROOT, path) else word for word in command]
    for option, value in (("-MF", os.devnull), ("-MT", "x"), ("-o", target)):
        if option in command:
            command[command.index(option) + 1] = value
    write(os.path.join(ROOT, name), text)
    try:
        code = subprocess.run(command, cwd=BUILD, capture_output=True, check=False).returncode
    finally:
        os.remove(os.path.join(ROOT, name))
    if code:
        return None
    with open(target, "rb") as file:
        return file.read()


def equivalent(args, state):
    """Also looks whether what did not compile among others compiles alone."""
    for mutant in state["mutants"]:
        if mutant["result"] in ("survived", "unreached", "invalid") and not mutant.get("compiled") and re.search(args.only, mutant["file"]):
            text = read(os.path.join(CLEAN, mutant["file"]))
            lines = text.split("\n")
            lines[mutant["line"] - 1] = mutant["text"]
            changed = compiled(mutant["file"], "\n".join(lines))
            mutant["compiled"] = True
            if changed is None or mutant["result"] == "invalid":
                mutant["result"] = "invalid" if changed is None else "not planted"
            elif changed == compiled(mutant["file"], text):
                mutant["result"] = "equivalent"
            save(state)
            print(f"{mutant['result']:10} {show(mutant)}", flush=True)
    report(args, state)


def show(mutant):
    return f"{mutant['id']:3} {mutate_random.describe(mutant)}: {mutant['before']}  ->  {mutant['after']}"


def report(args, state):
    folders = collections.defaultdict(collections.Counter)
    for mutant in state["mutants"]:
        if re.search(args.only, mutant["file"]):
            for folder in ("/".join(os.path.dirname(mutant["file"]).split("/")[:3]), "all"):
                folders[folder][mutant["result"] or "not judged"] += 1
            if getattr(args, "survivors", False) and mutant["result"] in ("survived", "unreached"):
                print(f"{mutant['result']:10} {show(mutant)}  {mutant['by']}")
    for folder, counts in sorted(folders.items(), key=lambda item: (item[0] == "all", item[0])):
        counted = counts["killed"] + counts["survived"] + counts["unreached"]
        others = ", ".join(f"{count} {name}" for name, count in counts.items() if name != "killed")
        print(f"{folder:28} {counts['killed']} of {counted} caught ({100 * counts['killed'] / max(counted, 1):.0f} %); {others}")


def remove(_, state):
    for name in [*CONFIGS, *{mutant["file"] for mutant in state["mutants"]}]:
        write(os.path.join(ROOT, name), read(os.path.join(CLEAN, name)))
    shutil.rmtree(FOLDER)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for function in (plant, build, record, judge, equivalent, report, remove):
        sub = commands.add_parser(function.__name__)
        sub.set_defaults(function=function)
        sub.add_argument("--only", default="", help="a regular expression for files")
        sub.add_argument("--jobs", type=int, default=2)
        sub.add_argument("--targets", type=lambda text: text.split(","), default=["attn-test-depends"], help="what is built; nothing where it is empty")
        if function is plant:
            sub.add_argument("--seed", default="1")
            sub.add_argument("--sample", type=int, default=100)
            sub.add_argument("--force", action="store_true", help="in spite of local changes")
        elif function is record:
            sub.add_argument("--quick", action="store_true", help="without the slow tests")
            sub.add_argument("--filter", default="", help="a regular expression for tests")
            sub.add_argument("--limit", type=int, default=600, help="seconds; tests that take longer are left out")
            sub.add_argument("paths", nargs="*")
        elif function is judge:
            sub.add_argument("--seconds", type=float, default=150, help="for each mutant")
            sub.add_argument("--minutes", type=float, default=1e9, help="starts none after that")
            sub.add_argument("--again", type=lambda text: text.split(","), default=[], help="results that are judged again")
        elif function is report:
            sub.add_argument("--survivors", action="store_true")
    args = parser.parse_args()
    args.function(args, load(STATE, {"mutants": []}))


if __name__ == "__main__":
    main()
