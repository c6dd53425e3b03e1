#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes tables and plots from the results of benchmarks.

make_report.py               write benchmarks/Results.md and the table in README.md
make_report.py --check       write nothing; fail where they are not what the results say
make_report.py --html=FILE   write one page with the plots beside the roofline and all rows

Facts that no JSON file holds stand in machines.json: the machines, notes, and which
rows README.md shows.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "docs", "tutorial"))  # plots.svg

from report.fields import ReportError  # noqa: E402
from report.page import page  # noqa: E402  (needs the path above)
from report.tables import Results, headline_table, markdown  # noqa: E402

BEGIN, END = "<!-- made by benchmarks/make_report.py -->\n", "<!-- end -->\n"


def read_text(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def insert(path, text):
    """The text of `path` with what stands between the two markers replaced."""
    old = read_text(path)
    first, last = old.find(BEGIN), old.find(END)
    if first < 0 or last < first:
        raise ReportError(f"{path}: no lines '{BEGIN.strip()}' and '{END.strip()}'")
    return old[: first + len(BEGIN)] + text + old[last:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--html", metavar="FILE", help="write the page with plots, and nothing else")
    parser.add_argument("--results", default=os.path.join(HERE, "results"), help="the folder of JSON files")
    parser.add_argument("--machines", default=os.path.join(HERE, "machines.json"))
    parser.add_argument("--tables", default=os.path.join(HERE, "Results.md"), help="where the tables go")
    parser.add_argument("--readme", default=os.path.join(HERE, os.pardir, "README.md"),
                        help="the page with markers that some rows go into")
    arguments = parser.parse_args()
    try:
        results = Results(arguments.results, arguments.machines, os.path.join(HERE, "suites"))
        if arguments.html:
            files = {arguments.html: page(results)}
        else:
            files = {arguments.tables: markdown(results),
                     arguments.readme: insert(arguments.readme, headline_table(results))}
    except ReportError as error:
        print(f"make_report.py: {error}", file=sys.stderr)
        return 2
    stale = [path for path, text in files.items() if read_text(path) != text]
    if arguments.check:
        for path in stale:
            print(f"{os.path.normpath(path)} is not what the results say: run benchmarks/make_report.py")
        return 1 if stale else 0
    for path in stale:
        with open(path, "w", encoding="utf-8") as file:
            file.write(files[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
