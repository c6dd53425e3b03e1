# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of what is known of a function: as SVG without any dependency, or as figures of matplotlib.

    attn.plot.roofline(f.report(x, against=True)).save("roofline.svg")
    attn.plot.moments(f).save("moments.svg")
    attn.plot.entropy(f).save("entropy.svg")
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from typing import Any, Mapping, Optional

from .chart import Chart, Series
from .module import Module
from .report import measure_times


def _as_module(source: Any) -> Module:
    """A copy of its own, with attention as an op."""
    if isinstance(source, str):
        is_text = "\n" in source or "func.func" in source
        module = Module.parse(source) if is_text else Module.load(source)
    else:
        module = (source if isinstance(source, Module) else source.module).clone()
    module.run("attn-raise-pipeline")
    return module


def _analyze(source: Any, name: str, options: Mapping[str, Any]) -> Any:
    """What an analysis writes as JSON."""
    module = _as_module(source)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        words = [f"json={path}", *(f"{key.replace('_', '-')}={value}" for key, value in options.items())]
        module.run(f"{name}{{{' '.join(words)}}}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)


#: A product of 1024 x 1024 in f32, which the compiler has blocks for.
_PRODUCT = """
func.func @product(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %y = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
    outs(%i : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}"""


def measure_peaks(rounds: int = 5) -> tuple:
    """Flops and bytes a second of this machine, as calls of attn find them: of a product in f32, with `attn.set_threads`
    threads, and of numpy's copy of 64 MiB, which is read and written."""
    import numpy
    from .front import compile
    product = compile(_PRODUCT)
    a = numpy.ones((1024, 1024), numpy.float32)
    result = numpy.empty_like(a)
    source, target = numpy.ones(1 << 24, numpy.float32), numpy.empty(1 << 24, numpy.float32)
    flops = 2 * 1024 ** 3 / measure_times(lambda: product(a, a, out=result), None, rounds)[0]
    return flops, 2 * source.nbytes / measure_times(lambda: numpy.copyto(target, source), None, rounds)[0]


def roofline(reports: Any, peak_flops: Optional[float] = None, bandwidth: Optional[float] = None,
             other: str = "the other") -> Chart:
    """How near calls come to what the machine can do.

    reports: a `Report` that was made with inputs, or a dictionary of them by name. peak_flops, bandwidth: of the
    machine, a second; without them those of `measure_peaks`, in f32. other: what the function is called that the
    report was made `against`."""
    named = dict(reports) if isinstance(reports, Mapping) else {"attn": reports}
    for name, report in named.items():
        if not report.seconds or not report.flops or not report.bytes:
            raise ValueError(f"the report {name!r} has no times, or sizes that are not known: make it with inputs, of a "
                             "function that was compiled for their sizes")
    measured = not (peak_flops and bandwidth)
    if measured:
        flops, moved = measure_peaks()
        peak_flops, bandwidth = peak_flops or flops, bandwidth or moved
    assert peak_flops and bandwidth
    intensities = [report.flops / report.bytes for report in named.values()]
    ridge = peak_flops / bandwidth
    low, high = min(*intensities, ridge) / 4, max(*intensities, ridge) * 4
    how = "a product in f32, a copy" if measured else "given"
    chart = Chart("Roofline: calls and what the machine allows", "flops for each byte of arguments and results",
                  "GFLOP/s", log_x=True, log_y=True)
    chart.add(f"limit ({how}): {peak_flops / 1e9:.3g} GFLOP/s, {bandwidth / 1e9:.3g} GB/s",
              [(x, min(peak_flops, x * bandwidth) / 1e9) for x in (low, ridge, high)])
    for name, report in named.items():
        x = report.flops / report.bytes
        chart.add(f"{name}: {1e3 * report.seconds:.3g} ms", [(x, report.flops / report.seconds / 1e9)], style="dots")
        if report.other:
            chart.add(f"{other}: {1e3 * report.other:.3g} ms" if len(named) == 1 else f"{name}, {other}",
                      [(x, report.flops / report.other / 1e9)], style="dots")
    return chart


def moments(source: Any, **options: Any) -> Chart:
    """The second moment of each residual stream over depth, before training, with that of what is added to it.

    source: a compiled function, a `Module`, MLIR text or a path. options: of attn-analyze-moments, as `unknown_size`.
    """
    chart = Chart("Moments over depth, before training", "residual block", "second moment", log_y=True)
    for function in _analyze(source, "attn-analyze-moments", options):
        streams: dict[int, list] = {}
        for block in function.get("residuals", ()):
            streams.setdefault(block["stream"], []).append(block)
        for number, blocks in streams.items():
            name = f"@{function['function']}, stream {number}" if len(streams) > 1 else f"@{function['function']}"
            blocks.sort(key=lambda block: block["depth"])
            start = blocks[0]
            chart.add(f"{name}: the stream", [(start["depth"], start["input_second_moment"]),
                                              *((b["depth"] + 1, b["result_second_moment"]) for b in blocks)])
            chart.add(f"{name}: what a block adds", [(b["depth"] + 1, b["branch_second_moment"]) for b in blocks],
                      style="dots")
    if not chart.series:
        raise ValueError("there is no residual block: nothing of the form x + F(x)")
    return chart


def entropy(source: Any, index: int = 0, **options: Any) -> Chart:
    """The expected entropy of an attention's weights over the number of keys, with its own scale policy and with
    others; dots are measured on samples.

    source: as for `moments`. index: which attention, in the order of the program. options: of attn-analyze-entropy, as
    `to=65536`."""
    subjects = _analyze(source, "attn-analyze-entropy", options)["subjects"]
    if not 0 <= index < len(subjects):
        raise ValueError(f"there is no attention {index}: the module has {len(subjects)}")
    subject = subjects[index]
    what = f"{subject['op']}, d = {subject['head_dim']:g}"
    chart = Chart(f"Entropy of the weights of {what}: lines expected, dots measured", "keys n", "entropy in nats",
                  log_x=True)
    for policy in subject["policies"]:
        points = policy.get("lengths")
        if not points:
            continue
        own = " (its own)" if policy["own"] else ""
        line = chart.add(policy["policy"].removeprefix("#attn.") + own, [(p["n"], p["expected"]) for p in points])
        chart.series.append(Series("", [(p["n"], p["measured"]) for p in points], "dots", line.color))
    lengths = sorted({x for series in chart.series for x, _ in series.points})
    if not lengths:
        raise ValueError("the scale depends on an argument: nothing is known of its entropy")
    chart.add("ln n: all keys alike", [(n, math.log(n)) for n in lengths], style="dashes")
    return chart


__all__ = ["Chart", "entropy", "measure_peaks", "moments", "roofline"]
