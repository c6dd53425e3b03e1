# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All results of a folder, and Markdown made of them."""

import dataclasses
import glob
import os

from .fields import ReportError, read
from .rows import percent, read_rows

HEAD = """# Results

Made by `benchmarks/make_report.py` from `benchmarks/results`; do not edit. How they are measured is in [README.md](README.md).

* **ours**: the median rate of our kernel.
* **beside**, **theirs**: what was measured in the same rounds, a peer or another case of ours (in quotes).
* **ratio**: how many times as fast ours is.
* **share**, **of**: our rate over that of a loop of the same run. *FMA tile*: multiply-adds of a register tile with operands in L1;
  nothing where a tile unit computes.
  *Reading*: vector loads over the same arguments. *A copy*: one array to another. *A stream*: two arrays to two, past the caches.
* **promised**: the least ratio or share that the suite promised when it was measured, and whether this machine kept it.
  A decoder layer is held against what its suite promises today.

"""
COLUMNS = ["case", "machine", "ours", "beside", "theirs", "ratio", "share", "of", "promised"]


@dataclasses.dataclass
class Result:
    """The rows of one file of results."""
    section: str
    machine: str
    rounds: int
    description: str
    rows: list


class Results:
    """Every file of a folder, read with the facts that stand beside them (`facts`: machines.json)."""

    def __init__(self, folder, facts, suites):
        self.suites = suites
        self.facts = read(facts, os.path.basename(facts))
        self.all = []
        for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
            name = os.path.basename(path)
            if name not in self.facts.texts("elsewhere"):
                self.all.append(self.read_file(path, name))
        names = [f"{result.section}-{result.machine}" for result in self.all]
        for name in self.facts.object("notes").value:
            if name not in names:
                raise ReportError(f"{self.facts.where}: notes for '{name}', of which there are no results")

    def read_file(self, path, name):
        stem = name.removesuffix(".json")
        machine = next((m for m in self.facts.object("machines").value if stem.endswith(f"-{m}")), None)
        if not machine:
            raise ReportError(f"{name}: ends with no machine of {self.facts.where}")
        record = read(path, name)
        suite = record.text("suite")
        known = os.path.exists(self.suite_path(suite))
        description = self.suite(suite).text("description") if known else ""
        return Result(stem.removesuffix(f"-{machine}"), machine, int(record.number("rounds")), description,
                      read_rows(record, lambda: self.suite(suite)))

    def suite_path(self, suite):
        return os.path.join(self.suites, f"{suite}.json")

    def suite(self, suite):
        return read(self.suite_path(suite), f"suites/{suite}.json")

    def machine_name(self, result):
        return self.facts.text("machines", result.machine, "name")

    def kept(self, machine):
        """How many promises a machine kept, of those that were measured on it."""
        kept = [promise.kept for result in self.all if result.machine == machine for row in result.rows
                for promise in row.promises if promise.kept is not None]
        return f"{sum(kept)} of {len(kept)}"

    def sections(self):
        """Results by section, each machine's after the other."""
        sections = {}
        for result in self.all:
            sections.setdefault(result.section, []).append(result)
        return sections

    def remarks(self, result):
        """What the JSON does not hold, a line each."""
        name = f"{result.section}-{result.machine}"
        return self.facts.texts("notes", name) if self.facts.has("notes", name) else []

    def headlines(self):
        """(text, result, row) of the rows that README.md shows."""
        rows = {(f"{result.section}-{result.machine}", row.case, row.beside): (result, row)
                for result in self.all for row in result.rows}
        for wanted in self.facts.objects("headlines"):
            key = wanted.text("results"), wanted.text("case"), wanted.text("beside")
            if key not in rows:
                raise ReportError(f"{wanted.where}: no such row in the results")
            yield wanted.text("text"), *rows[key]


def ratio(row):
    """Cases of ours differ by less than peers do."""
    if row.ratio is None:
        return ""
    return f"{row.ratio:.3f}" if row.beside.startswith("'") and row.ratio < 2 else f"{row.ratio:.2f}"


def cells(results, result, row):
    """The texts of one row."""
    return [row.case, results.machine_name(result), row.ours, row.beside, row.theirs,
            ratio(row), "" if row.share is None else percent(row.share), row.of,
            "; ".join(map(str, row.promises))]


def table(columns, lines):
    """Columns that no line fills are left out."""
    kept = [i for i, column in enumerate(columns) if not lines or any(line[i] for line in lines)]
    rows = [[columns[i] for i in kept], ["---"] * len(kept), *([line[i] for i in kept] for line in lines)]
    return "".join("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |\n" for row in rows)


def markdown(results):
    """The page of all results."""
    sections = results.sections()
    parts = [HEAD, "\n".join(f"* [{name}](#{name})" for name in sections), "\n\n"]
    parts.append(table(["machine", "what it is", "promises kept"], [
        [results.facts.text("machines", name, "name"), results.facts.text("machines", name, "about"), results.kept(name)]
        for name in results.facts.object("machines").value]))
    for name, section in sections.items():
        parts.append(f"\n## {name}\n\n")
        if section[0].description:
            parts.append(f"{section[0].description}.\n\n")
        parts.append(table(COLUMNS, [cells(results, result, row) for result in section for row in result.rows]))
        parts.append("\n")
        for result in section:
            rounds = f"{result.rounds} round" + ("s" if result.rounds != 1 else "")
            parts.append(f"* {results.machine_name(result)}: {rounds}.\n")
            parts += [f"* {results.machine_name(result)}: {line}\n" for line in results.remarks(result)]
    return "".join(parts)


def headline_table(results):
    """The rows that README.md shows."""
    lines = [[text, *cells(results, result, row)[1:8]] for text, result, row in results.headlines()]
    return table(["", *COLUMNS[1:8]], lines)
