# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what the harness of guard_pages.py sees of the functions of trespass.c."""

import ctypes
import functools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from guard_pages import Tensor, call_all, run_call  # pylint: disable=wrong-import-position

library = ctypes.CDLL(sys.argv[1])


def work(name, layout, at_end):
    values = np.arange(5, dtype=np.float32)
    return run_call(library, name, [Tensor(values, "f32", None, layout)], [Tensor(np.zeros(5, np.float32), "f32", None, layout, True)], at_end)


plan = [("good", "compact", True), ("good", "columns", True), ("good", "reversed", False), ("reads_behind", "compact", True),
        ("reads_before", "compact", False), ("writes_behind", "compact", True), ("writes_behind", "compact", False),
        ("writes_between", "columns", True), ("writes_input", "compact", True), ("writes_behind_scratch", "compact", True),
        ("writes_and_refuses", "compact", True), ("keeps_scratch", "compact", True), ("hangs", "compact", True), ("good", "compact", True)]
for (name, layout, at_end), outcome in zip(plan, call_all([functools.partial(work, *how) for how in plan], 2)):
    result = outcome.outputs[0].tolist() if outcome.outputs else ""
    kind = (outcome.breach() or [""])[0]
    print(f"{name}, {layout}, {'end' if at_end else 'begin'}: {outcome.fault or outcome.status} {outcome.outside} "
          f"{kind if kind in ('late', 'leak') else result}")
