# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports on compiled functions: raising, numbers against f64, speed against the framework."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, NamedTuple, Optional


class Error(NamedTuple):
    """Of one result against the reference in f64: the largest difference, and the largest magnitude it has there."""

    largest: float
    scale: float


class Report(NamedTuple):
    """What became of a function.

    text: what raising made of the module. raised, fused: remarks on what became one op, and on what is part of
    another. missed: remarks on what was not raised, fused or given a fast path, each with its reason.
    errors: of each result, where inputs were given. flops, bytes: of one call, where all sizes are known.
    seconds, other: the best time of a call, and of the other function, where one was given.
    """

    text: str
    raised: tuple = ()
    fused: tuple = ()
    missed: tuple = ()
    errors: tuple = ()
    flops: Optional[float] = None
    bytes: Optional[float] = None
    seconds: Optional[float] = None
    other: Optional[float] = None

    @property
    def speedup(self) -> Optional[float]:
        """How many times faster than the other function."""
        return self.other / self.seconds if self.seconds and self.other else None

    def measurements(self) -> list[str]:
        """The lines about numbers and times."""
        lines = []
        for i, error in enumerate(self.errors):
            lines.append(f"result {i}: largest error {error.largest:.3g} against f64, of numbers up to {error.scale:.3g}")
        if self.seconds:
            lines.append(f"time: {1e3 * self.seconds:.3f} ms")
        if self.other and self.speedup:
            lines.append(f"the other: {1e3 * self.other:.3f} ms, {self.speedup:.2f} times ours")
        return lines

    def __str__(self) -> str:
        return "\n".join([self.text.rstrip(), *self.measurements()])


def to_numpy(tensor: Any):
    """A copy as a numpy array; bfloat16 as float32."""
    import numpy
    if type(tensor).__module__.partition(".")[0] == "torch" or hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu()
        return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy().copy()
    array = numpy.array(tensor)
    return array.astype(numpy.float32) if array.dtype.name == "bfloat16" else array


def _all_inputs(compiled, inputs) -> list:
    """With those that were given for good."""
    given = iter(inputs)
    return [compiled._bound[i][3] if i in compiled._bound else next(given) for i in range(len(compiled.spec.inputs))]


def clone(tensor: Any):
    return tensor.clone() if hasattr(tensor, "clone") else tensor.copy() if hasattr(tensor, "copy") else tensor


def measure_errors(compiled, inputs) -> tuple:
    """Calls it and the interpreter with the same numbers."""
    import numpy
    inputs = [clone(x) for x in inputs]
    # The interpreter goes first: a cache is updated by the call.
    shapes = None
    if any(None in spec.shape for spec in compiled.spec.outputs):
        copies = [clone(x) for x in inputs]
        found = compiled.call_flat(*copies)
        shapes = [tuple(x.shape) for x in (found if isinstance(found, tuple) else (found,))]
    exact = compiled.module.interpret(*[_detach(x) for x in _all_inputs(compiled, inputs)], entry=compiled.spec.name,
                                      outputs=shapes)
    found = compiled.call_flat(*inputs)
    errors = []
    for ours, wanted in zip(found if isinstance(found, tuple) else (found,),
                            exact if isinstance(exact, tuple) else (exact,)):
        ours, wanted = to_numpy(ours).astype(numpy.float64), wanted.astype(numpy.float64)
        same = (ours == wanted) | (numpy.isnan(ours) & numpy.isnan(wanted))
        difference = numpy.where(same, 0, numpy.abs(ours - wanted))
        finite = numpy.abs(wanted[numpy.isfinite(wanted)])
        errors.append(Error(float(difference.max(initial=0)), float(finite.max(initial=0))))
    return tuple(errors)


def _detach(tensor: Any):
    return tensor.detach() if hasattr(tensor, "detach") else tensor


def measure_times(ours: Callable, other: Callable | None, rounds: int) -> tuple:
    """The best time of each; in turns, so that what else runs here meets both."""
    best = [float("inf"), float("inf")]
    functions = [ours] + ([other] if other else [])
    for function in functions:
        function()
    for _ in range(max(1, rounds)):
        for k, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[k] = min(best[k], time.perf_counter() - start)
    return best[0], best[1] if other else None


def _number(remark: dict) -> int:
    """101 of attn-r101."""
    digits = remark["id"].rpartition("-r")[2]
    return int(digits) if digits.isdigit() else 0


def _sort_remarks(remarks) -> tuple:
    """Those on what was raised, fused and missed: recognition is below 200, fusion from 400, as their table says."""
    kinds: dict[str, list] = {"raised": [], "fused": [], "missed": []}
    for remark in remarks:
        number = _number(remark)
        if remark.get("kind") == "missed":
            kinds["missed"].append(remark)
        elif remark.get("kind") == "passed" and number < 200:
            kinds["raised"].append(remark)
        elif remark.get("kind") == "passed" and 400 <= number < 500:
            kinds["fused"].append(remark)
    return tuple(kinds["raised"]), tuple(kinds["fused"]), tuple(kinds["missed"])


def count_work(compiled) -> tuple:
    """Flops and bytes of a call; None where a size is not known."""
    for function in json.loads(compiled.module.report("json"))["functions"]:
        if function["name"] == compiled.spec.name and "unknown_size" not in function:
            return function["flops"], function["bytes"]
    return None, None


def write_page(compiled, inputs, report: Report, path) -> None:
    """Compiles once more, with the texts of all phases; with inputs also with counts of what each step takes."""
    from .profile import compile_again, run_profile
    entry = compile_again(compiled, page=True, profile=bool(inputs))
    if inputs:
        run_profile(entry, compiled.flatten(*inputs))
    name, data = compiled.origin.name, compiled.origin.data
    source = None if data.startswith(b"ML\xefR") else data
    html = entry.kernel.page(f"{compiled.spec.name} of {name}", "\n".join(report.measurements()) or None, source)
    with open(path, "w", encoding="utf-8") as file:
        file.write(html)


def make_report(compiled, inputs, against, form: str, rounds: int, html=None):
    """Of Compiled.report: a Report, or for `html` and `json` the text alone."""
    text = compiled.module.report(form)
    if form != "text":
        return text
    report = Report(text, *_sort_remarks(compiled.remarks))
    if inputs:
        errors = measure_errors(compiled, compiled.flatten(*inputs))
        flops, moved = count_work(compiled)
        seconds, other = measure_times(lambda: compiled(*inputs), against and (lambda: against(*inputs)), rounds)
        report = report._replace(errors=errors, flops=flops, bytes=moved, seconds=seconds, other=other)
    if html is not None:
        write_page(compiled, inputs, report, html)
    return report


__all__ = ["Error", "Report", "make_report", "to_numpy"]
