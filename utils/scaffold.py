"""What the scripts utils/new-* share: names, and edits of files."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fail(message):
    sys.exit(f"error: {message}")


def check_name(name, separator):
    if not re.fullmatch(rf"[a-z][a-z0-9]*({separator}[a-z0-9]+)*", name):
        fail(f"`{name}` is not a lower-case name joined by `{separator}`")
    return "".join(part.capitalize() for part in name.split(separator))


def cpp_header(file_name, purpose):
    start = f"//===- {file_name} - {purpose} "
    return (
        start + "-" * max(3, 74 - len(start)) + "===//\n"
        "//\n"
        "// Licensed under the Apache License v2.0 with LLVM Exceptions.\n"
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
        "//\n"
        "//===----------------------------------------------------------------------===//\n\n"
    )


def create(path, text):
    path = ROOT / path
    if path.exists():
        fail(f"{path.relative_to(ROOT)} exists already")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(f"created {path.relative_to(ROOT)}")


def insert_before(path, marker, text):
    """Inserts text before the last line that is exactly `marker`."""
    full = ROOT / path
    lines = full.read_text().splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if line.rstrip("\n") == marker]
    if not places:
        fail(f"{path}: no line `{marker}`")
    lines.insert(places[-1], text)
    full.write_text("".join(lines))
    print(f"changed {path}")


def _edit(path, change):
    """Replaces a file's lines by what `change` makes of them."""
    full = ROOT / path
    full.write_text("".join(change(full.read_text().splitlines(keepends=True))))
    print(f"changed {path}")


def _find(path, lines, start, first=0):
    """The first line, from `first` on, that begins so."""
    found = next((i for i in range(first, len(lines)) if lines[i].startswith(start)), None)
    if found is None:
        fail(f"{path}: no line that begins with `{start}`")
    return found


def insert_in(path, start, end, text):
    """Inserts text before the first line that begins with `end` behind one that begins with `start`."""

    def change(lines):
        at = _find(path, lines, end, _find(path, lines, start))
        return lines[:at] + [text] + lines[at:]

    _edit(path, change)


def change_line(path, start, to):
    """Gives the first line that begins with `start` another beginning."""

    def change(lines):
        at = _find(path, lines, start)
        return lines[:at] + [to + lines[at].removeprefix(start)] + lines[at + 1 :]

    _edit(path, change)


def append_to_section(path, section, text):
    """Appends text to the section under the banner `// section`, or to the file if that is empty or the last one."""

    def change(lines):
        first = _find(path, lines, f"// {section}\n") + 2 if section else len(lines)
        end = next((i for i in range(first, len(lines)) if lines[i].startswith("//===--")), len(lines))
        return lines[:end] + [text] + lines[end:]

    _edit(path, change)


def add_row(path, heading, row, mark="|"):
    """Adds a row to the first table under a heading, whose lines begin with `mark`."""

    def change(lines):
        end = _find(path, lines, mark, _find(path, lines, heading))
        while end < len(lines) and lines[end].startswith(mark):
            end += 1
        return lines[:end] + [row + "\n"] + lines[end:]

    _edit(path, change)
