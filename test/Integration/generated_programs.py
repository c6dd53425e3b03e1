# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All programs that the generators make, with the counts and seeds that the tests use."""

import random
from dataclasses import dataclass, field
from typing import Callable

import attention_case
import function_case
import generate_blocks
import generate_cases
import generate_elements
import generate_transformer
import load_cases
import norm_cases
import probe_cases


@dataclass
class Program:
    """One function, and how attn-run is told its arguments."""
    text: str
    #: makes arg0, arg1, ...; without any, attn-run draws them
    arrays: Callable[[], dict] = dict
    options: list = field(default_factory=list)


def attention_programs(small):
    for case in load_cases.all_cases(120, 7, load_cases.make_small_case) if small else load_cases.all_cases(120, 6):
        yield Program(load_cases.build(case)[0], lambda case=case: load_cases.build(case)[1])
    cases = [case for _, case in generate_cases.make_choices(400 if small else 800, 20, small)]
    for case in cases + probe_cases.make_cases(random.Random(4), 60, small):
        yield Program(attention_case.to_mlir(case), lambda case=case: attention_case.to_arrays(case))


def programs(small):
    """`small`: those for a simulated GPU."""
    for case in (norm_cases.small_cases if small else norm_cases.all_cases)(300, 5):
        yield Program(norm_cases.to_mlir(case), lambda case=case: norm_cases.to_arrays(case))
    yield from attention_programs(small)
    for module in (generate_blocks, generate_transformer):
        for number, (_, function, text) in enumerate(module.all_cases()):
            if not small or function.elements <= function_case.MOST_SIMULATED:
                yield Program(text, options=[f"--seed={number}", *function.options])
    for number, module in enumerate(generate_elements.modules()):
        yield Program(module.text(), lambda module=module: module.arrays, [f"--seed={number}"])
