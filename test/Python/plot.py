# REQUIRES: attn_python
# RUN: rm -rf %t && mkdir %t && %attn-python %s %attn_src_root %t
"""Pictures: what stands in them is what the reports say, in both themes, and as figures of matplotlib where that is."""

import math
import re
import sys
import xml.etree.ElementTree as ElementTree

import attn
from attn.chart import THEMES, Axis, Chart
from attn.errors import MissingExtraError
from attn.report import Report

root, out = sys.argv[1:]
SVG = "{http://www.w3.org/2000/svg}"


def read(chart):
    """The picture's words, its numbers of lines and of dots; everything lies on the page."""
    svg = chart.svg()
    tree = ElementTree.fromstring(svg)
    width, height = map(float, tree.get("viewBox").split()[2:])
    for element in tree.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(element.get(name, 0)) <= width, ElementTree.tostring(element)
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.get(name, 0)) <= height, ElementTree.tostring(element)
        for pair in (element.get("points") or "").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= width and 0 <= y <= height, pair
    words = " | ".join(element.text for element in tree.iter(SVG + "text"))
    return words, len(list(tree.iter(SVG + "polyline"))), len(list(tree.iter(SVG + "circle")))


# Pre Norm: 1, then what the blocks add to it, as docs/Analyses.md has it.
MODEL = f"{root}/docs/analyses.mlir"
chart = attn.plot.moments(MODEL)
stream, added = chart.series
assert [x for x, _ in stream.points] == [0, 1, 2] and math.isclose(stream.points[0][1], 1), stream
for before, after, (_, branch) in zip(stream.points, stream.points[1:], added.points):
    assert math.isclose(after[1], before[1] + branch, rel_tol=0.1) and after[1] > before[1], (stream, added)
words, lines, dots = read(chart)
assert lines == 1 and dots == len(added.points) + 1, (lines, dots)
for word in ("Moments over depth", "residual block", "second moment", "the stream", "what a block adds"):
    assert word in words, words

# Its own policy is none: between 64 and 16384 keys the entropy hardly grows, with 1/sqrt(d) it follows ln n.
chart = attn.plot.entropy(MODEL, to=1024)
named = {series.name: series for series in chart.series if series.name}
own, usual, limit = named["none (its own)"], named["inv_sqrt_dim"], named["ln n: all keys alike"]
assert [n for n, _ in own.points] == [64, 128, 256, 512, 1024]
for (n, a), (_, b), (_, top) in zip(own.points, usual.points, limit.points):
    assert 0 < a < b < top and math.isclose(top, math.log(n)), (n, a, b, top)
measured = [series for series in chart.series if series.style == "dots"]
assert len(measured) == len(named) - 1 and all(s.color in {t.color for t in named.values()} for s in measured)
for series, dots_of_it in zip([s for s in chart.series if s.style == "line"], measured):
    assert all(abs(a[1] - b[1]) < 0.3 for a, b in zip(series.points, dots_of_it.points)), series.name
words, lines, _ = read(chart)
assert lines == len(named) and "keys n" in words and "entropy in nats" in words and "log_length<base = " in words

# A call at half the memory's speed, one at a tenth of the peak; the numbers are in the legend.
slow = Report("", flops=1e6, bytes=1e6, seconds=2e-4, other=1e-3)
fast = Report("", flops=1e9, bytes=1e6, seconds=1e-1)
chart = attn.plot.roofline({"memory": slow, "compute": fast}, peak_flops=1e11, bandwidth=1e10, other="torch")
roof, *points = chart.series
assert roof.points[1] == (10.0, 100.0) and roof.points[0][1] == roof.points[0][0] * 10 and roof.points[2][1] == 100.0
assert [series.points[0] for series in points] == [(1.0, 5.0), (1.0, 1.0), (1000.0, 10.0)]
words, lines, dots = read(chart)
assert lines == 1 and dots == 6 and "100 GFLOP/s, 10 GB/s" in words and "memory, torch" in words, words
for bad in (Report(""), Report("", flops=1.0, bytes=1.0)):
    try:
        attn.plot.roofline(bad, 1e11, 1e10)
        raise SystemExit("a report without times")
    except ValueError as error:
        assert "with inputs" in str(error)

# A text with markup, values that no axis has, one point only.
odd = Chart("a < b & c", "x", "y", log_y=True)
odd.add("<one>", [(1, 0), (2, math.inf), (3, 5.0)])
assert "&lt;one&gt;" in odd.svg() and read(odd)[0].startswith("a < b & c")
assert 4 <= len(Axis([0, 7.3], 0, 100, False).ticks()) <= 11 and Axis([1, 1e9], 0, 100, True).ticks()[0] == 1

# Light, dark, or as the reader has it: the same picture in other colors, with ink that stands out from the page.
light, dark = odd.svg("light"), odd.svg("dark")
assert "prefers-color-scheme" in odd.svg() and "prefers-color-scheme" not in light + dark
strip = lambda svg: re.sub("<style>.*</style>", "", svg)
assert strip(light) == strip(dark) == strip(odd.svg()) and light != dark


def luminance(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


for ink, soft, _, page, colors in THEMES.values():
    for color in (ink, soft, *colors):
        a, b = sorted((luminance(color), luminance(page)))
        assert (b + 0.05) / (a + 0.05) > 4.5, (color, page)
try:
    odd.svg("blue")
    raise SystemExit("a theme that is none")
except ValueError as error:
    assert "choose auto" in str(error)

chart.save(f"{out}/roofline.svg")
with open(f"{out}/roofline.svg", encoding="utf-8") as file:
    assert file.read() == chart.svg()
try:
    axes = chart.figure().axes[0]
    assert axes.get_xlabel() == chart.x_label and len(axes.get_legend().get_texts()) == 4
except MissingExtraError as error:
    assert "matplotlib" in str(error)
print("pictures: good")
