#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every form of an instruction that ptxas takes is decoded, or refused by its name and line.

  check_forms.py --tool=attn-ptx-run [--ptxas=ptxas] [--table]

corpus/forms.txt.xz lists one instruction a line, after the targets (80 for sm_80, 90a for sm_90a) for which ptxas
13.0 took it; forms.py has made the candidates. The decoded forms of a target are the unreachable part of one kernel;
each refused one is a kernel of its own. With --ptxas the list is checked against an assembler at hand. --table prints
how many forms of each opcode there are, which is what docs/PTXSim-instructions.md says.
"""

import argparse
import collections
import lzma
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """.version 9.0
.target sm_TARGET
.address_size 64
.extern .shared .align 16 .b8 dyn[];
.shared .align 16 .b8 smem[1024];
.global .align 16 .b8 gvar[1024];
.const .align 16 .b8 cvar[1024];
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) malloc (.param .b64 a);
.extern .func free (.param .b64 a);
.func dfun () { ret; }
.func (.param .b32 r) dfun2 (.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }
.func (.reg .b32 %o) rfun (.reg .b32 %i) { mov.b32 %o, %i; ret; }
.visible .entry kern (.param .b64 kern_p0)
{
.reg .pred %p<8>; .reg .b8 %b<8>; .reg .b16 %h<40>; .reg .b32 %r<200>; .reg .b64 %d<40>;
.reg .f32 %f<160>; .reg .f64 %g<60>; .reg .b128 %q<20>;
.local .align 16 .b8 lvar[64];
.param .b32 rv; .param .b32 pa; .param .b64 pb;
"""
TAIL = """LAB: ret;
TAB: .branchtargets LAB;
}
"""

# What the simulator leaves out, with a part of the error that says so.
REFUSED = [
    (r"(alloca|stacksave|stackrestore|istypep|multimem|suld|tensormap|tex|txq|wmma|v(ad|avrg|mad|min|set|sh|sub))",
     "unknown instruction"),
    (r"call .*(vprintf|malloc|free)", "has no body"),
    (r"cp\..*im2col", "are not supported"),
    (r"fma\.rn\.oob", "unsupported modifier '.oob'"),
    (r"mma\.sp\.", "not supported"),
    (r"mma\..*m8n8k4\.\w+\.\w+\.f(16|32)\.f16", "supported"),
    (r"mma\..*\.(u4|s4|b1)\.", "types that this simulator does not multiply"),
    (r"wgmma\..*\.b1\.", "no such shape and types"),
    (r"mov\.u64 %d1, %gridid", "does not match the type"),
    (r"mov\.v4", "undeclared register"),
    (r"mov\.\w+ %\w+, %(reserved_smem_offset_[01]|tid\.w|ctaid\.w|pm\d|envreg)", "undeclared register"),
    (r"ld\..*\]\.unified", "expected"),
]


def refusal(form):
    return next((text for pattern, text in REFUSED if re.match(pattern, form)), None)


def read_list():
    with lzma.open(os.path.join(HERE, "corpus", "forms.txt.xz"), "rt") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def run(options, target, forms):
    """The exit status and messages of a kernel that never comes to these instructions."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        body = "".join(form + ";\n" for form in forms)
        file.write(HEAD.replace("TARGET", target) + "ret;\n" + body + TAIL)
        file.flush()
        command = [options.tool, file.name, "--kernel=kern", "--grid=1", "--block=32", "--arg=u64:0",
                   "--schedule=earliest"]
        result = subprocess.run(command, capture_output=True, text=True)
        return result.returncode, result.stderr + result.stdout


def check_target(options, target, forms):
    decoded = [form for form in forms if not refusal(form)]
    status, messages = run(options, target, decoded)
    problems = [] if status == 0 else [f"sm_{target}: exit status {status}: {messages}"]
    line = (HEAD + "ret;\n").count("\n") + 1
    refused = [form for form in forms if refusal(form)]
    for form in refused:
        status, messages = run(options, target, [form])
        # What is refused before it is decoded has no name yet; extern functions are refused where they stand.
        early = refusal(form) in ("undeclared register", "expected", "has no body")
        named = form.split()[0] in messages or early
        placed = f":{line}: " in messages or "has no body" in messages
        if status != 2 or refusal(form) not in messages or not named or not placed:
            problems.append(f"sm_{target}: '{form}' has exit status {status}: {messages}")
    return len(decoded), len(refused), problems


def check_assembler(options, target, forms):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "forms.ptx")
        with open(path, "w") as file:
            file.write(HEAD.replace("TARGET", target) + "".join(form + ";\n" for form in forms) + TAIL)
        command = [options.ptxas, f"-arch=sm_{target}", "-O0", "-o", os.devnull, path]
        messages = subprocess.run(command, capture_output=True, text=True)
        return re.findall(r"line \d+; error.*", messages.stderr + messages.stdout)


def table(entries):
    counts = collections.defaultdict(lambda: [0, 0])
    for _, form in entries:
        counts[re.split(r"[. ]", form)[0]][refusal(form) is not None] += 1
    for opcode, (decoded, refused) in sorted(counts.items()):
        print(f"{opcode:16} {decoded:5} {refused:5}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool")
    parser.add_argument("--ptxas")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    entries = read_list()
    if options.table:
        table(entries)
        return 0
    failed = False
    for target in ("80", "90a"):
        forms = [form for targets, form in entries if target in targets.split(",")]
        if options.ptxas:
            errors = check_assembler(options, target, forms)
            failed |= bool(errors)
            print(f"sm_{target}: ptxas refuses {len(errors)} of {len(forms)}", *errors[:10], sep="\n")
        if not options.tool:
            continue
        decoded, refused, problems = check_target(options, target, forms)
        failed |= bool(problems)
        print(*problems, sep="\n", end="\n" if problems else "")
        print(f"sm_{target}: {decoded} forms decoded, {refused} refused by name")
    return failed


if __name__ == "__main__":
    sys.exit(main())
