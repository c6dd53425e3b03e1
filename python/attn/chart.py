# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of lines and dots, as SVG or as figures of matplotlib."""

from __future__ import annotations

import math
from html import escape
from typing import Any, NamedTuple, Sequence

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 72, 736, 44, 346
ROW = 20
#: Of ink, labels, grid, page, and series: dark ones on light pages, light ones on dark pages.
THEMES = {
    "light": ("#1b1f24", "#4b5460", "#d8dde3", "#ffffff",
              ("#0b62c4", "#c2410c", "#15803d", "#7e22ce", "#7a6a00", "#0e7490", "#be185d", "#4d5562")),
    "dark": ("#e6e9ed", "#aab3be", "#343b44", "#14171b",
             ("#6cb0ff", "#ff9a6b", "#5fd38d", "#c99bff", "#f0c04f", "#58cfe6", "#ff8dbf", "#b7c0cb"))}


class Series(NamedTuple):
    """name: in the legend, where it has one. style: `line`, `dashes` or `dots`. color: a number; series of one thing
    share it."""

    name: str
    points: list
    style: str = "line"
    color: int = 0


class Axis:
    """A range of values and where it lies on the page."""

    def __init__(self, values: Sequence[float], start: float, end: float, logarithmic: bool):
        low, high = min(values, default=1.0), max(values, default=1.0)
        if logarithmic:
            margin = (high / low) ** 0.04 if high > low else 2.0
            low, high = low / margin, high * margin
        else:
            margin = 0.05 * (high - low) if high > low else 1.0
            low, high = low - margin, high + margin
        self.low, self.high, self.start, self.end, self.logarithmic = low, high, start, end, logarithmic

    def place(self, value: float) -> float:
        if self.logarithmic:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers in the range, about ten at most."""
        if self.logarithmic:
            # Powers of 2 over a short range, of 10 over a long one.
            base = 2.0 if self.high / self.low < 1e4 else 10.0
            first = math.ceil(math.log(self.low, base) - 1e-9)
            last = math.floor(math.log(self.high, base) + 1e-9)
            return [base ** power for power in range(first, last + 1, max(1, math.ceil((last - first) / 9)))]
        rough = (self.high - self.low) / 6
        unit = 10.0 ** math.floor(math.log10(rough))
        step = unit * next((k for k in (1, 2, 5) if rough / unit < 1.5 * k), 10)
        first = math.ceil(self.low / step)
        return [step * k for k in range(first, math.floor(self.high / step) + 1)]


class Chart:
    """A title, two axes with labels, and series. `svg()` and `save(path)` need nothing; `figure()` needs matplotlib;
    notebooks show it by themselves."""

    def __init__(self, title: str, x_label: str, y_label: str, log_x: bool = False, log_y: bool = False):
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.log_x, self.log_y = log_x, log_y
        self.series: list[Series] = []

    def add(self, name: str, points: Sequence[tuple], style: str = "line") -> Series:
        """A series in the next color."""
        series = Series(name, list(points), style, 1 + max((s.color for s in self.series), default=-1))
        self.series.append(series)
        return series

    def _drawn(self, series: Series) -> list:
        """Points that the axes have: no infinities, nothing below zero on a logarithmic one."""
        def fits(value, logarithmic):
            return value is not None and math.isfinite(value) and (value > 0 or not logarithmic)
        return [(x, y) for x, y in series.points if fits(x, self.log_x) and fits(y, self.log_y)]

    def svg(self, theme: str = "auto") -> str:
        """theme: `light`, `dark`, or `auto`, which follows the reader's choice."""
        return _Writer(self, theme).write()

    def save(self, path: Any, theme: str = "auto") -> None:
        """Writes a file of SVG."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg(theme))

    def _repr_svg_(self) -> str:
        return self.svg()

    def figure(self):
        """As a figure of matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            from .errors import MissingExtraError
            raise MissingExtraError("figures need matplotlib: pip install matplotlib, or take svg()") from None
        figure = Figure(figsize=(7.6, 4.4), layout="constrained")
        axes = figure.subplots()
        colors = THEMES["light"][4]
        for series in self.series:
            xs, ys = zip(*self._drawn(series)) if self._drawn(series) else ((), ())
            form = {"line": {}, "dashes": {"linestyle": "--"}, "dots": {"linestyle": "", "marker": "o"}}[series.style]
            axes.plot(xs, ys, color=colors[series.color % len(colors)], label=series.name or "_", **form)
        if self.log_x:
            axes.set_xscale("log", base=2)
        if self.log_y:
            axes.set_yscale("log")
        axes.set(title=self.title, xlabel=self.x_label, ylabel=self.y_label)
        axes.grid(True, alpha=0.4)
        axes.legend()
        return figure


def _style(theme: str) -> str:
    """Of the classes that the elements have."""
    ink, soft, grid, page, colors = THEMES[theme]
    rules = [f".page{{fill:{page}}}", f"text{{fill:{soft};font:13px system-ui,sans-serif}}",
             f".title{{fill:{ink};font-weight:600;font-size:15px}}", f".grid{{stroke:{grid}}}",
             ".line{fill:none;stroke-width:2}"]
    for number, color in enumerate(colors):
        rules.append(f".line.c{number}{{stroke:{color}}}.dot.c{number}{{fill:{color}}}")
    return "".join(rules)


def _number(value: float) -> str:
    """Short: 0.001, 64, 16384, 1e+06."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e6 else f"{value:.4g}"


class _Writer:
    def __init__(self, chart: Chart, theme: str):
        if theme != "auto" and theme not in THEMES:
            raise ValueError(f"there is no theme {theme!r}: choose auto, light or dark")
        self.chart, self.theme = chart, theme
        points = [point for series in chart.series for point in chart._drawn(series)]
        self.x = Axis([x for x, _ in points], LEFT, RIGHT, chart.log_x)
        self.y = Axis([y for _, y in points], BOTTOM, TOP, chart.log_y)
        self.parts: list[str] = []

    def text(self, x: float, y: float, words: str, attributes: str = "") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(words)}</text>')

    def write(self) -> str:
        chart = self.chart
        height = HEIGHT + 16 + ROW * sum(bool(series.name) for series in chart.series)
        style = _style("light" if self.theme == "auto" else self.theme)
        if self.theme == "auto":
            style += f"@media(prefers-color-scheme:dark){{{_style('dark')}}}"
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
                      f'aria-label="{escape(chart.title)}">', f"<style>{style}</style>",
                      f'<rect class="page" width="{WIDTH}" height="{height}"/>']
        self.text(LEFT, 26, chart.title, 'class="title"')
        self._frame()
        for series in chart.series:
            self._draw(series)
        self._legend()
        return "\n".join([*self.parts, "</svg>", ""])

    def _frame(self) -> None:
        line = '<line class="grid" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>'
        for tick in self.x.ticks():
            at = self.x.place(tick)
            self.parts.append(line.format(at, TOP, at, BOTTOM))
            self.text(at, BOTTOM + 19, _number(tick), 'text-anchor="middle"')
        for tick in self.y.ticks():
            at = self.y.place(tick)
            self.parts.append(line.format(LEFT, at, RIGHT, at))
            self.text(LEFT - 8, at + 4, _number(tick), 'text-anchor="end"')
        self.text((LEFT + RIGHT) / 2, BOTTOM + 42, self.chart.x_label, 'text-anchor="middle"')
        middle = (TOP + BOTTOM) / 2
        self.text(16, middle, self.chart.y_label, f'text-anchor="middle" transform="rotate(-90 16 {middle})"')

    def _draw(self, series: Series) -> None:
        color = f"c{series.color % len(THEMES['light'][4])}"
        points = [(self.x.place(x), self.y.place(y), x, y) for x, y in self.chart._drawn(series)]
        if series.style != "dots":
            dashes = ' stroke-dasharray="6 4"' if series.style == "dashes" else ""
            way = " ".join(f"{x:.1f},{y:.1f}" for x, y, *_ in points)
            self.parts.append(f'<polyline class="line {color}"{dashes} points="{way}"/>')
            return
        for left, top, x, y in points:
            # The numbers as a tooltip.
            self.parts.append(f'<circle class="dot {color}" cx="{left:.1f}" cy="{top:.1f}" r="4.5">'
                              f"<title>{escape(series.name)} {x:.6g}, {y:.5g}</title></circle>")

    def _legend(self) -> None:
        base = HEIGHT + 16
        for series in self.chart.series:
            if not series.name:
                continue
            color = f"c{series.color % len(THEMES['light'][4])}"
            if series.style == "dots":
                self.parts.append(f'<circle class="dot {color}" cx="{LEFT + 12}" cy="{base - 4}" r="4.5"/>')
            else:
                dashes = ' stroke-dasharray="6 4"' if series.style == "dashes" else ""
                self.parts.append(f'<line class="line {color}"{dashes} x1="{LEFT}" y1="{base - 4}" x2="{LEFT + 24}" '
                                  f'y2="{base - 4}"/>')
            self.text(LEFT + 34, base, series.name)
            base += ROW
