# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a peer script does: measure one case per line of standard input.

Each line is a JSON object {"peer", "B", "H", "M", "N", "d", "causal", "threads",
"seconds"}; the answer is one line {"best", "median"} in seconds, or {"error"}.
One process stays alive for the whole run, so that start-up is not measured and
peers can be interleaved with our kernel.
"""

import contextlib
import json
import statistics
import sys
import time


def measure(function, seconds):
    """Best and median time of a call, over at least five calls."""
    function()
    function()
    samples, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds or len(samples) < 5:
        before = time.perf_counter()
        function()
        samples.append(time.perf_counter() - before)
    return {"best": min(samples), "median": statistics.median(samples)}


def serve(makers):
    """Answers cases until the input ends. `makers` maps a peer's name to a
    function from a case to the callable to be measured."""
    cache = {}
    for line in sys.stdin:
        case = json.loads(line)
        key = json.dumps({k: v for k, v in case.items() if k != "seconds"}, sort_keys=True)
        try:
            if key not in cache:
                cache.clear()
                with contextlib.redirect_stdout(sys.stderr):  # answers alone go to standard output
                    cache[key] = makers[case["peer"]](case)
            answer = measure(cache[key], case["seconds"])
        except Exception as error:  # a peer that fails is a line in the table
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
