#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a page of documentation as a test: run_page.py [--update] PAGE.md

Every ```sh block runs, in order, in a copy of the page's folder, beside the project's
examples; one that fails fails the page. A ```text block right after it is what it prints, numbers within
a tolerance, and a line `...` stands for any lines. Every ```mlir block is part
of a .mlir file of the folder, every block of C, C++ or CMake part of a file that
the page links or of one beside that, and every link leads to a file. --update
writes what the commands print into the page.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# Kernels of another instruction set add in another order; see make_figures.py.
RELATIVE = 2e-3
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?")
ABOUT_A_KERNEL = re.compile(r"\w+: cpu, \d+ thread|  kernel |  remark: ")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def last_digit(text):
    """The value of one unit of a number's last digit."""
    mantissa, _, exponent = text.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def same_line(expected, actual):
    if NUMBER.sub("#", expected).split() != NUMBER.sub("#", actual).split():
        return False
    for old, new in zip(NUMBER.findall(expected), NUMBER.findall(actual)):
        if abs(float(old) - float(new)) > RELATIVE * abs(float(old)) + 1.01 * last_digit(old):
            return False
    return True


def matches(expected, actual):
    """Whether lines match, `...` standing for any number of them."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and same_line(expected[0], actual[0]) and matches(expected[1:], actual[1:])


def abridged(output):
    """`output` for a page: what attn-run says of its kernels is left out."""
    lines = []
    for line in output:
        if not ABOUT_A_KERNEL.match(line):
            lines.append(line)
        elif lines[-1:] != ["..."]:
            lines.append("...")
    return lines


def without_indent(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


class Page:
    def __init__(self, path):
        self.path, self.folder = os.path.abspath(path), os.path.dirname(os.path.abspath(path))
        with open(path) as file:
            self.text = file.read()
        self.complaints = []

    def complain(self, where, what):
        line = self.text.count("\n", 0, where) + 1
        self.complaints.append(f"{self.path}:{line}: {what}")

    def run(self, folder, tools):
        """Runs the commands; returns the page with what they print."""
        environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
        result, done, output = "", 0, None
        for block in FENCE.finditer(self.text):
            kind, body = block.groups()
            if kind == "text" and output is not None and not self.text[end:block.start()].strip():
                expected = body.splitlines()
                if not matches(expected, output):
                    self.complain(block.start(), "printed was:\n" + "\n".join(output))
                body = "".join(line + "\n" for line in abridged(output))
                result += self.text[done : block.start()] + f"```text\n{body}```"
                done = block.end()
            output = None
            if kind == "sh":
                command = ["bash", "-e", "-o", "pipefail", "-c", body]
                ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
                output, end = ran.stdout.splitlines(), block.end()
                if ran.returncode:
                    self.complain(block.start(), f"status {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        return result + self.text[done:]

    def linked_sources(self):
        """The texts of the files that the page links, and of those beside them."""
        links = (os.path.join(self.folder, link) for link in re.findall(r"\]\(([^)#]+)", self.text))
        folders = {os.path.dirname(link) for link in links if link.endswith((".c", ".cpp", ".h"))}
        for folder in sorted(folders):
            for name in sorted(os.listdir(folder)):
                if name.endswith((".c", ".cpp", ".h", "CMakeLists.txt")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        yield without_indent(file.read())

    def check_references(self):
        sources = []
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".mlir"):
                with open(os.path.join(self.folder, name)) as file:
                    sources.append(without_indent(file.read()))
        for block in FENCE.finditer(self.text):
            if block[1] == "mlir" and not any(without_indent(block[2]) in source for source in sources):
                self.complain(block.start(), "no .mlir file beside the page has these lines")
            if block[1] in ("c", "cpp", "cmake") and not any(
                without_indent(block[2]) in source for source in self.linked_sources()
            ):
                self.complain(block.start(), "no file that the page links has these lines")
        for link in re.finditer(r"\]\(([^)#]+)(#[^)]*)?\)", self.text):
            if not link[1].startswith("http") and not os.path.exists(os.path.join(self.folder, link[1])):
                self.complain(link.start(), f"leads nowhere: {link[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page")
    parser.add_argument("--update", action="store_true", help="write what the commands print into the page")
    arguments = parser.parse_args()
    page = Page(arguments.page)
    page.check_references()
    with tempfile.TemporaryDirectory() as scratch:
        # As deep as in the project, so that commands find its examples; a page from elsewhere is alone.
        inside = os.path.relpath(page.folder, ROOT)
        folder, tools = os.path.join(scratch, "page" if inside.startswith("..") else inside), os.path.join(scratch, "tools")
        shutil.copytree(page.folder, folder)
        if not os.path.exists(os.path.join(scratch, "examples")):
            os.symlink(os.path.join(ROOT, "examples"), os.path.join(scratch, "examples"))
        os.mkdir(tools)
        # A link would not find the packages of a virtual environment.
        python = os.path.join(tools, "python3")
        with open(python, "w") as file:
            file.write(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        os.chmod(python, 0o755)
        text = page.run(folder, tools)
    if arguments.update and not any(": status " in complaint for complaint in page.complaints):
        with open(arguments.page, "w") as file:
            file.write(text)
        return 0
    print("\n".join(page.complaints) or f"{arguments.page}: as it says")
    return 1 if page.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
