# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of a machine: products beside the roofline, and the rest beside a loop over memory."""

from xml.sax.saxutils import escape

from plots.svg import DARK, MARKERS, STYLE, Axis, Chart

BAR, LABEL, NOTE, WIDE = 18, 250, 210, 780


def roofline(machine, results):
    """Rate over intensity of the machine's rows of one thread, under the roof of its own run; None without any."""
    points = [(result.section, row) for result in results for row in result.rows
              if row.intensity and row.threads == 1]
    peaks = [row.tile_peak for _, row in points if row.tile_peak]
    loops = [row.loop for result in results for row in result.rows if row.loop and row.threads == 1]
    if not points or not peaks or not loops:
        return None
    peak, loop = max(peaks), max(loops)
    low = min([row.intensity for _, row in points] + [peak / loop]) / 2
    high = max([row.intensity for _, row in points] + [peak / loop]) * 2
    bottom = min([row.gflops for _, row in points] + [low * loop]) / 2
    chart = Chart(f"{machine}: products under the roof of one thread", Axis("flops for each byte of operands", low, high, log=True),
                  Axis("GFLOP/s", bottom, peak * 2, log=True))
    chart.line([low, peak / loop], [low * loop, peak], f"memory, {loop:.0f} GB/s", color=5, dash="dash")
    chart.line([peak / loop, high], [peak, peak], f"FMA tile, {peak:.0f} GFLOP/s", color=5)
    sections = list(dict.fromkeys(section for section, _ in points))
    markers = list(MARKERS)
    for i, section in enumerate(sections):
        color, marker = i % (len(DARK) - 1), markers[i % len(markers)]
        color += color >= 5  # the roof's own
        chart.points([], [], section, color, marker)
        for row in (row for name, row in points if name == section):
            place = chart.at(row.intensity, row.gflops)
            title = f"{section}: {row.case}: {row.gflops:.3g} GFLOP/s"
            chart.body.append(f'<g class="p{color}" stroke-width="1.7">{MARKERS[marker](*place)}>'
                              f"<title>{escape(title)}</title>{closing(marker)}</g>")
    return chart.svg()


def closing(marker):
    return {"circle": "</circle>", "square": "</rect>"}.get(marker, "</path>")


def bars(title, rows):
    """A bar for each row that is held against a loop over memory; None without any."""
    rows = [row for row in rows if row.share is not None and row.loop and row.intensity is None]
    if not rows:
        return None
    most = max(1, max(row.share for row in rows))
    scale = (WIDE - LABEL - NOTE) / most
    height = 44 + BAR * len(rows) + 30
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}" width="{WIDE}" height="{height}">',
             f"<title>{escape(title)}</title><style>{STYLE}</style>",
             f'<rect class="paper" width="{WIDE}" height="{height}" rx="8"/>',
             f'<text class="title" x="16" y="26">{escape(title)}</text>']
    for i, row in enumerate(rows):
        y = 44 + BAR * i + BAR / 2
        missed = any(promise.kept is False for promise in row.promises)
        color, note = (6, ", promise missed") if missed else (0, "")
        lines.append(f'<text x="{LABEL - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(row.case)}</text>')
        lines.append(f'<path class="l{color}" stroke-width="{BAR - 7}" d="M{LABEL} {y:.1f}h{max(scale * row.share, 0.5):.1f}"/>')
        lines.append(f'<text x="{LABEL + scale * row.share + 6:.1f}" y="{y + 4:.1f}">{100 * row.share:.0f} % of '
                     f"{escape(row.of + note)}</text>")
    limit, bottom = LABEL + scale, 44 + BAR * len(rows)
    lines.append(f'<path class="axis" stroke-dasharray="3 3" d="M{limit:.1f} 40V{bottom + 4}"/>')
    lines.append(f'<text x="{limit:.1f}" y="{bottom + 20}" text-anchor="middle">100 %</text>')
    return "\n".join(lines + ["</svg>", ""])
