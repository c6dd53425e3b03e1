# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One page of HTML that needs nothing else: the plots of each machine, and all rows."""

from html import escape

from .plots import bars, roofline
from .tables import COLUMNS, cells

STYLE = """:root{color-scheme:light dark}
body{font-family:system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;line-height:1.5}
svg{max-width:100%;height:auto} figure{margin:1.5rem 0} .scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem} th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #8886}
td{font-variant-numeric:tabular-nums;white-space:nowrap}
"""


def plot(svg, name):
    """An SVG text as a part of the page: with a role, and with ids of its own."""
    svg = svg.replace("<svg ", '<svg role="img" ', 1).replace('id="inside"', f'id="{name}"').replace("url(#inside)", f"url(#{name})")
    return f"<figure>{svg}</figure>\n"


def section_table(results, section):
    lines = [cells(results, result, row) for result in section for row in result.rows]
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in COLUMNS)
    body = "".join("<tr>" + "".join(f"<td>{escape(text.replace('**', ''))}</td>" for text in line) + "</tr>\n" for line in lines)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n'


def page(results):
    parts = ['<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n',
             f"<title>Benchmarks of attn-mlir</title><style>{STYLE}</style></head><body>\n<h1>Benchmarks of attn-mlir</h1>\n",
             "<p>Each point and each bar is the median of one case, beside the peak that was measured in the same rounds. ",
             "Red bars miss a promise. A point of a plot says its case when the pointer rests on it.</p>\n"]
    for machine in results.facts.object("machines").value:
        mine = [result for result in results.all if result.machine == machine]
        if not mine:
            continue
        name = results.machine_name(mine[0])
        parts.append(f"<h2>{escape(name)}</h2>\n<p>{escape(results.facts.text('machines', machine, 'about'))}</p>\n")
        plots = [roofline(name, mine)] + [bars(f"{name}: {result.section} beside a loop over memory", result.rows) for result in mine]
        parts += [plot(svg, f"{machine}-{i}") for i, svg in enumerate(plots) if svg]
    parts.append("<h2>All rows</h2>\n")
    for title, section in results.sections().items():
        parts.append(f"<details><summary>{escape(title)}</summary>\n{section_table(results, section)}</details>\n")
    return "".join(parts) + "</body></html>\n"
