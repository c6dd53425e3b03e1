# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs, as text and as bytecode, of which bytes and words are others, missing, or there twice."""

import glob
import os
import random
import re
import subprocess

from npz_mode import PROGRAM, mutate
from outcome import run_tool

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "*.mlir")
MOST_BYTES = 20000
TOOLS = {"attn-opt": [], "attn-compile": ["-o", "out"]}
#: what no text of ours can keep LLVM's parser from: a fault in it ends as a report, a copy of the input and status 3
UPSTREAM = re.compile(r"internal error: .* in '(parse|read)'\n.*[Pp]lease report it to the attn-mlir project")


def swap_words(text, rng):
    """Some words of a text are others of it, missing, or there twice."""
    words = re.findall(rb"[\w.]+|\s+|.", text, re.S)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        at, other = rng.randrange(len(words)), rng.choice(words)
        words[at] = rng.choice([other, b"", words[at] + other, b"-1", b"?", b"9223372036854775808"])
    return b"".join(words)


class ParseMode:
    """A tool takes the program or says what is wrong with it. Only LLVM's parser may fail, and then with our report."""

    def __init__(self, tools):
        self.tools, self.programs = tools, [PROGRAM.encode()]
        for path in sorted(glob.glob(EXAMPLES)):
            with open(path, "rb") as file:
                text = file.read()
            if len(text) > MOST_BYTES:
                continue
            done = subprocess.run([tools.path("attn-opt"), path, "--emit-bytecode", "-o", "-"], capture_output=True, check=False)
            self.programs += [text] + ([done.stdout] if done.returncode == 0 else [])

    def run(self, seed):
        rng = random.Random(seed)
        program, tool = rng.choice(self.programs), rng.choice(list(TOOLS))
        is_text = not program.startswith(b"ML\xefR")
        data = swap_words(program, rng) if is_text and rng.random() < 0.7 else mutate(program, rng)
        path = os.path.join(self.tools.directory, "broken.mlir")
        with open(path, "wb") as file:
            file.write(data)
        refused = (1, 2) if tool == "attn-opt" else (2,)
        found, _ = run_tool([self.tools.path(tool), path, *TOOLS[tool]], self.tools.seconds, wrong=(), refused=refused,
                            cwd=self.tools.directory, env={**os.environ, "TMPDIR": self.tools.directory})
        if found.kind == "crash" and found.text.startswith("status 3") and UPSTREAM.search(found.text):
            found.kind = "upstream"
        found.text += "\n" + " ".join([tool, *TOOLS[tool]])
        found.files = {"mlir": data}
        return found, None
