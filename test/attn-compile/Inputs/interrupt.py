"""Stops attn-compile at random moments and looks at what it leaves.

usage: interrupt.py TOOL FILE.mlir FOLDER RUNS"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

SUFFIXES = (".o", ".so", ".h", ".json")
OLD = b"what was there before\n"


def start(tool, file, folder):
    # Temporary files of the linker are looked for there.
    environment = dict(os.environ, TMPDIR=os.path.join(folder, "tmp"))
    command = [tool, file, "--target=cpu:x86-64-v3", "--emit=obj,shared,header,metadata", "-o", os.path.join(folder, "k")]
    # A group of its own, so that a linker outliving its parent can be ended.
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def prepare(folder):
    os.makedirs(os.path.join(folder, "tmp"))
    for suffix in SUFFIXES:
        with open(os.path.join(folder, "k" + suffix), "wb") as file:
            file.write(OLD)


def read(folder, suffix):
    with open(os.path.join(folder, "k" + suffix), "rb") as file:
        return file.read()


def main():
    tool, file, root, runs = sys.argv[1:5]
    shutil.rmtree(root, ignore_errors=True)
    folder = os.path.join(root, "good")
    prepare(folder)
    seconds = []
    for _ in range(3):
        begin = time.monotonic()
        assert start(tool, file, folder).wait() == 0
        seconds.append(time.monotonic() - begin)
    usual = min(seconds)
    good = {suffix: read(folder, suffix) for suffix in SUFFIXES}
    assert all(content != OLD for content in good.values())

    random.seed(1)
    old = new = broken = left = 0
    for run in range(int(runs)):
        folder = os.path.join(root, str(run))
        prepare(folder)
        process = start(tool, file, folder)
        # Every second run is stopped near the end, where files are written.
        share = random.uniform(0.85, 1.1) if run % 2 else random.uniform(0, 1)
        time.sleep(share * usual)
        how = random.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
        process.send_signal(how)
        process.wait()
        end_group(process)
        contents = {suffix: read(folder, suffix) for suffix in SUFFIXES}
        if any(content not in (OLD, good[suffix]) for suffix, content in contents.items()):
            broken += 1
        elif contents[".o"] == OLD:
            old += 1
        else:
            new += 1
        files = len(os.listdir(folder)) - 1 + len(os.listdir(os.path.join(folder, "tmp")))
        # No program can tidy up after SIGKILL.
        if how != signal.SIGKILL and files != len(SUFFIXES):
            left += 1
            print(f"run {run}, {how.name}: {os.listdir(folder)}")
    print(
        f"{runs} runs: {old} stopped with the old files, {new} with the new ones, "
        f"{broken} with a broken file, {left} with a file left over"
    )
    shutil.rmtree(root, ignore_errors=True)


main()
