# REQUIRES: onnx
# RUN: %attn-frameworks %s
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The node tests of the onnx package's backend suite through attn.onnx: imported, compiled, compared.

    python3 backend_suite.py [--only=REGEX] [--all] [--verbose]

Without --all the tests of the ops that the importer maps to ops of attn are run; each has to pass, or to stand in
EXPECTED with its reason.
"""

import argparse
import re
import sys
import traceback
import warnings

import numpy as np

warnings.simplefilter("ignore")
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

import attn

MAPPED = re.compile(r"test_(attention|layer_normalization|rms_normalization|rotary_embedding|softmax|gelu|group_query"
                    r"|multi_?head|basic_conv|conv_with|scatter)_?")
#: What is not expected to pass, and why.
EXPECTED: dict = {}


def as_arrays(values):
    read = lambda v: numpy_helper.to_array(v) if isinstance(v, TensorProto) else np.asarray(v, order="C")
    return [read(value) for value in values]


def compare(name, got, wanted, rtol, atol):
    """bf16 and f16 are compared in units of their own type, which the suite's tolerances are below."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        raise AssertionError(f"{name}: {got.dtype}{got.shape}, wanted {wanted.dtype}{wanted.shape}")
    unit = {"float16": 2e-3, "bfloat16": 1.6e-2}.get(wanted.dtype.name, 0)
    np.testing.assert_allclose(got.astype(np.float64), wanted.astype(np.float64), max(rtol, unit), max(atol, unit),
                               err_msg=name)


def run(case):
    call = attn.compile(case.model, cache=False)
    for inputs, outputs in case.data_sets:
        results = call(*as_arrays(inputs))
        results = results if isinstance(results, tuple) else (results,)
        for i, (got, wanted) in enumerate(zip(results, as_arrays(outputs), strict=True)):
            compare(f"output {i}", got, wanted, case.rtol, case.atol)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name has this")
    parser.add_argument("--all", action="store_true", help="all node tests of the suite")
    parser.add_argument("--verbose", action="store_true", help="with the trace of each failure")
    args = parser.parse_args()
    cases = [c for c in collect_testcases(None) if re.search(args.only, c.name) and (args.all or MAPPED.match(c.name))]
    counts = {"passed": 0, "failed": 0, "expected": 0}
    for case in cases:
        try:
            run(case)
            result = "passed"
        except Exception as error:
            result = "expected" if case.name in EXPECTED else "failed"
            words = " ".join(str(error).split())[:400]
            print(f"{case.name}: {result}: {type(error).__name__}: {words}", flush=True)
            if args.verbose:
                traceback.print_exc()
        counts[result] += 1
    print(f"{len(cases)} node tests of onnx: {counts['passed']} passed, {counts['failed']} failed, "
          f"{counts['expected']} not expected to pass")
    return counts["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
