# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts as SVG text: lines, points, axes and a legend, and nothing else.

The same numbers give the same bytes. Colours follow the reader's light or dark
theme; every series also has a dash or a marker of its own, so that no figure
depends on colour.
"""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 780, 420
LEFT, TOP, RIGHT, BOTTOM = 72, 44, 232, 56

LIGHT = ["#0b5cad", "#c2410c", "#15803d", "#9d2b92", "#8a6500", "#475569", "#b91c3c"]
DARK = ["#6cb2ff", "#ff9a5c", "#5fd38a", "#ec8be0", "#e0bb4a", "#aab6c8", "#ff8296"]
DASHES = {"solid": "", "dash": "7 4", "dot": "1.5 4", "dashdot": "9 4 2 4"}


def theme(ink, faint, paper, colors):
    rules = [
        f".paper{{fill:{paper}}} text{{fill:{ink}}} .axis{{stroke:{ink};fill:none}}",
        f".grid{{stroke:{faint}}} .band{{fill:{faint};opacity:.55}}",
    ]
    for i, color in enumerate(colors):
        rules.append(f".l{i}{{stroke:{color};fill:none}} .p{i}{{stroke:{color};fill:{paper}}}")
    return " ".join(rules)


STYLE = (
    "text{font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12.5px} "
    ".title{font-size:15px;font-weight:600} "
    + theme("#1f2937", "#e2e6ec", "#ffffff", LIGHT)
    + " @media (prefers-color-scheme:dark){"
    + theme("#dde3ec", "#333b47", "#12161c", DARK)
    + "}"
)

MARKERS = {
    "circle": lambda x, y: f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6"',
    "square": lambda x, y: f'<rect x="{x - 3.3:.1f}" y="{y - 3.3:.1f}" width="6.6" height="6.6"',
    "diamond": lambda x, y: f'<path d="M{x:.1f} {y - 4.8:.1f}l4.8 4.8l-4.8 4.8l-4.8 -4.8z"',
    "triangle": lambda x, y: f'<path d="M{x:.1f} {y - 4.6:.1f}l4.4 7.8h-8.8z"',
}


def number(value):
    """A tick's text: 0.01, 1, 4096, and powers of ten beyond."""
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.0e}".split("e")
        return ("" if mantissa == "1" else mantissa + "·") + "10" + "".join(
            "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(c)] if c.isdigit() else "⁻" for c in str(int(exponent))
        )
    return f"{value:g}".replace("-", "−")


class Axis:
    """A range of values, where they lie on the page, and ticks."""

    def __init__(self, label, low, high, log=False, ticks=None):
        self.label, self.low, self.high, self.log = label, low, high, log
        self.ticks = ticks or (self.decades() if log else self.steps())

    def share(self, value):
        if self.log:
            return math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def decades(self):
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        stride = max(1, (last - first + 7) // 8)
        return [10.0**e for e in range(first, last + 1, stride)]

    def steps(self):
        rough = (self.high - self.low) / 6
        unit = 10 ** math.floor(math.log10(rough))
        step = next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= 0.75 * rough)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(i * step, 12) for i in range(first, last + 1)]


class Chart:
    """A figure with one pair of axes. Series are drawn in the order of calls."""

    def __init__(self, title, x, y):
        self.title, self.x, self.y = title, x, y
        self.body, self.legend = [], []

    def at(self, x, y):
        wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return LEFT + wide * self.x.share(x), HEIGHT - BOTTOM - high * self.y.share(y)

    def line(self, xs, ys, label=None, color=0, dash="solid"):
        # A curve that leaves the page is cut by the clip path; points far out
        # are brought near, so that their coordinates stay short.
        places = [self.at(x, y) for x, y in zip(xs, ys) if math.isfinite(y)]
        path = " ".join(f"{x:.1f},{min(max(y, -999), 2999):.1f}" for x, y in places)
        stroke = f'class="l{color}" stroke-width="2"' + (f' stroke-dasharray="{DASHES[dash]}"' if DASHES[dash] else "")
        self.body.append(f'<polyline {stroke} points="{path}"/>')
        if label:
            self.legend.append((f'<path {stroke} d="M0 0h26"/>', label))

    def points(self, xs, ys, label=None, color=0, marker="circle"):
        for x, y in zip(xs, ys):
            if math.isfinite(y) and -0.001 <= self.y.share(y) <= 1.001 and -0.001 <= self.x.share(x) <= 1.001:
                self.body.append(MARKERS[marker](*self.at(x, y)) + f' class="p{color}" stroke-width="1.7"/>')
        if label:
            self.legend.append((MARKERS[marker](13, 0) + f' class="p{color}" stroke-width="1.7"/>', label))

    def series(self, label, color, marker, points, line, dash="solid"):
        """Measured points on the line of a formula, with one entry in the legend."""
        self.line(*line, None, color, dash)
        self.points(*points, label, color, marker)
        key, text = self.legend[-1]
        stroke = f' stroke-dasharray="{DASHES[dash]}"' if DASHES[dash] else ""
        self.legend[-1] = (f'<path class="l{color}" stroke-width="2"{stroke} d="M0 0h26"/>' + key, text)

    def band(self, low, high, label):
        """A marked range of y, behind what follows."""
        left, top = self.at(self.x.low, high)
        right, bottom = self.at(self.x.high, low)
        self.body.append(
            f'<rect class="band" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"/>'
        )
        self.legend.append(('<rect class="band" x="0" y="-6" width="26" height="12"/>', label))

    def note(self, text):
        """A line of the legend without a key: what the points are."""
        self.legend.append(("", text))

    def axes(self):
        left, bottom = self.at(self.x.low, self.y.low)
        right, top = self.at(self.x.high, self.y.high)
        for tick in self.x.ticks:
            x = self.at(tick, self.y.low)[0]
            yield f'<path class="grid" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
            yield f'<text x="{x:.1f}" y="{bottom + 18:.1f}" text-anchor="middle">{number(tick)}</text>'
        for tick in self.y.ticks:
            y = self.at(self.x.low, tick)[1]
            yield f'<path class="grid" d="M{left:.1f} {y:.1f}H{right:.1f}"/>'
            yield f'<text x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{number(tick)}</text>'
        middle = (top + bottom) / 2
        yield f'<text x="{(left + right) / 2:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{escape(self.x.label)}</text>'
        yield f'<text transform="translate(18 {middle:.1f}) rotate(-90)" text-anchor="middle">{escape(self.y.label)}</text>'

    def svg(self):
        left, bottom = self.at(self.x.low, self.y.low)
        right, top = self.at(self.x.high, self.y.high)
        frame = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
            f"<title>{escape(self.title)}</title><style>{STYLE}</style>",
            f'<clipPath id="inside"><rect {frame}/></clipPath>',
            f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
            f'<text class="title" x="{LEFT}" y="26">{escape(self.title)}</text>',
            *self.axes(),
            '<g clip-path="url(#inside)">',
            *self.body,
            "</g>",
            f'<rect class="axis" {frame}/>',
        ]
        for row, (key, label) in enumerate(self.legend):
            shift = 34 if key else 0
            lines.append(
                f'<g transform="translate({right + 16:.1f} {top + 10 + 21 * row:.1f})">{key}'
                f'<text x="{shift}" y="4.5">{escape(label)}</text></g>'
            )
        return "\n".join(lines + ["</svg>", ""])
