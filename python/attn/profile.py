# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the steps of a compiled function take."""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Sequence

from .kernel import Entry
from .report import clone


class Step(NamedTuple):
    """A part of a kernel. name: the ops that it computes, as `attn.norm + attn.linear`; location: `FILE:LINE`, or
    empty; seconds, runs: of one call."""

    name: str
    location: str
    seconds: float
    runs: float


class Profile(NamedTuple):
    """steps: the longest first. seconds: of a call, with what no step has. calls: how many were counted."""

    steps: tuple
    seconds: float
    calls: int

    def share(self, step: Step) -> float:
        """Of a call's time."""
        return step.seconds / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        lines = [f"{self.calls} calls, {1e3 * self.seconds:.4g} ms each"]
        for step in self.steps:
            place = f" at {step.location}" if step.location else ""
            runs = f", {step.runs:.1f} runs" if step.runs != 1 else ""
            lines.append(f"{100 * self.share(step):5.1f} % {1e3 * step.seconds:10.4g} ms  {step.name}{place}{runs}")
        rest = max(0.0, self.seconds - sum(step.seconds for step in self.steps))
        lines.append(f"{100 * rest / self.seconds if self.seconds else 0:5.1f} % {1e3 * rest:10.4g} ms  between the steps")
        return "\n".join(lines)


def compile_again(compiled, **changes) -> Entry:
    """The entry of a kernel with other options, and the same tensors given for good."""
    kernel = compiled.module.compile(compiled.options._replace(**changes))
    entry = Entry(kernel, compiled.spec.name)
    entry.bind({i: kept[3] for i, kept in compiled._bound.items()})
    entry.threads = compiled.threads
    return entry


def run_profile(entry: Entry, inputs: Sequence[Any], seconds: float = 0.3) -> Profile:
    """Calls it for so long, and at least five times; caches are updated in copies."""
    tensors = [clone(x) for x in inputs]
    entry(*tensors)
    entry.kernel.begin_profile()
    end, calls = time.perf_counter() + seconds, 0
    while calls < 5 or time.perf_counter() < end:
        entry(*tensors)
        calls += 1
    found = entry.kernel.read_profile(calls)
    return Profile(tuple(Step(**step) for step in found["steps"]), found["seconds"], found["calls"])


def profile(compiled, inputs: Sequence[Any], seconds: float) -> Profile:
    """Of Compiled.profile."""
    return run_profile(compile_again(compiled, profile=True), compiled.flatten(*inputs), seconds)


__all__ = ["Profile", "Step", "profile"]
