# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries numbers of schedules that nobody would choose: each is refused, or gives right results, within a time limit.

Every number of every schedule attribute takes, one at a time, the values at and past its limits of docs/Spec.md.
"""

import os
import re
import subprocess

from case_runner import describe_failure, make_parser, run_shard

INDICES = 2**31 - 1
VALUES = [-1, 0, 1, 3, 2**31, 2**40, 2**62]

# name of the attribute -> the most that each of its numbers may be
MOST = {
    "schedule": dict(rows=4096, keys=4096, lanes=64, mr=32, nr=32, splitKeys=INDICES, items=2**16),
    "contraction_schedule": dict(rows=4096, depth=4096, panels=2**20, lanes=64, mr=32, nr=32),
    "norm_schedule": dict(rows=INDICES, lanes=64, unroll=32, stream=2**63 - 1, panel=2**20, chunk=INDICES),
    "position_schedule": dict(rows=4096, lanes=64, stream=2**63 - 1),
    "softmax_schedule": dict(rows=INDICES, lanes=64, unroll=32, stream=2**63 - 1, whole=INDICES, segment=INDICES),
    "statistics_schedule": dict(chunks=INDICES, lines=INDICES, columns=INDICES, lanes=64, unroll=32),
}

LINEAR = dict(rows=8, depth=16, panels=2, lanes=8, mr=4, nr=2)
DECODE = dict(rows=4, keys=16, lanes=8, mr=4, nr=2, splitKeys=16, items=4)
SOFTMAX = dict(rows=2, lanes=8, unroll=2, stream=4096, whole=16, segment=16)
NORM = dict(rows=2, lanes=8, unroll=2, stream=4096)

# (attribute, its numbers, type of the first argument, op with @ for the schedule, %x and %e for input and output)
FORMS = [
    ("contraction_schedule", LINEAR, "9x70xf32", "9x33xf32",
     "attn.linear schedule(@) ins(%x, %w : tensor<9x70xf32>, tensor<70x33xf32>)", "70x33xf32"),
    ("contraction_schedule", LINEAR, "9x70xbf16", "9x33xbf16",
     "attn.linear weight(out_in) schedule(@) ins(%x, %w : tensor<9x70xbf16>, tensor<33x70xbf16>)", "33x70xbf16"),
    ("contraction_schedule", dict(LINEAR, rows=1, panels=0, mr=1, nr=1), "1x70xf32", "1x33xf32",
     "attn.linear weight(out_in) schedule(@) ins(%x, %w : tensor<1x70xf32>, tensor<33x70xf32>)", "33x70xf32"),
    ("schedule", dict(rows=16, keys=16, lanes=8, mr=4, nr=2), "2x37x24xf32", "2x37x24xf32",
     "attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(top_left) masks [#attn.causal] "
     "schedule(@) ins(%x, %w, %w : tensor<2x37x24xf32>, tensor<2x37x24xf32>, tensor<2x37x24xf32>)", "2x37x24xf32"),
    ("schedule", DECODE, "4x1x24xf32", "4x1x24xf32",
     "attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) "
     "schedule(@) ins(%x, %w, %w : tensor<4x1x24xf32>, tensor<1x99x24xf32>, tensor<1x99x24xf32>)", "1x99x24xf32"),
    ("softmax_schedule", SOFTMAX, "5x70xf32", "5x70xf32",
     "attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(@) ins(%x : tensor<5x70xf32>)", None),
    ("softmax_schedule", SOFTMAX, "5x70xf32", "5x70xf32",
     "attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) schedule(@) ins(%x : tensor<5x70xf32>)", None),
    ("norm_schedule", NORM, "5x70xf32", "5x70xf32",
     "attn.norm rms axes [1] eps(1.0e-5) schedule(@) ins(%x : tensor<5x70xf32>)", None),
    ("norm_schedule", dict(NORM, panel=16), "40x70xf32", "40x70xf32",
     "attn.norm rms axes [0] eps(1.0e-5) schedule(@) ins(%x : tensor<40x70xf32>)", None),
    ("norm_schedule", dict(NORM, panel=16, chunk=8), "40x70xf32", "40x70xf32",
     "attn.norm layer axes [0] eps(1.0e-5) schedule(@) ins(%x : tensor<40x70xf32>)", None),
    ("position_schedule", dict(rows=2, lanes=8, stream=4096), "5x70xf32", "5x70xf32",
     "attn.rope schedule(@) ins(%x : tensor<5x70xf32>)", None),
    ("position_schedule", dict(rows=2, lanes=8, stream=4096), "5x70xf32", "5x70xf32",
     "attn.rope pairs(half_split) rotary_dim(34) schedule(@) ins(%x : tensor<5x70xf32>)", None),
    ("position_schedule", dict(rows=2, lanes=8, stream=4096), "5x70xf32", "5x70xf32",
     "attn.sinusoidal_positions schedule(@)", None),
    ("statistics_schedule", dict(chunks=2, lines=2, columns=16, lanes=4, unroll=2), "5x70xf32", "f32",
     "attn.statistics kurtosis schedule(@) ins(%x : tensor<5x70xf32>)", None),
    ("statistics_schedule", dict(chunks=2, lines=2, columns=16, lanes=4, unroll=2), "5x70xf32", "5xf32",
     "attn.statistics infinity_norm axes [1] schedule(@) ins(%x : tensor<5x70xf32>)", None),
]

# The same with a tile unit, of which tiles are whole.
UNIT_FORMS = [
    ("contraction_schedule", dict(rows=32, depth=64, panels=1, lanes=16, mr=16, nr=2, instruction="bf16_tiles"), "45x70xbf16",
     "45x33xbf16", "attn.linear schedule(@) ins(%x, %w : tensor<45x70xbf16>, tensor<70x33xbf16>)", "70x33xbf16"),
    ("contraction_schedule", dict(rows=32, depth=64, panels=1, lanes=16, mr=16, nr=2, instruction="bf16_tiles", turned="true"),
     "45x70xbf16", "45x33xbf16",
     "attn.linear weight(out_in) schedule(@) ins(%x, %w : tensor<45x70xbf16>, tensor<33x70xbf16>)", "33x70xbf16"),
    ("schedule", dict(rows=64, keys=64, lanes=16, mr=32, nr=2, instruction="bf16_tiles"), "2x45x24xbf16", "2x45x24xbf16",
     "attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(top_left) masks [#attn.causal] "
     "schedule(@) ins(%x, %w, %w : tensor<2x45x24xbf16>, tensor<2x45x24xbf16>, tensor<2x45x24xbf16>)", "2x45x24xbf16"),
    ("schedule", dict(rows=10, keys=64, lanes=16, mr=16, nr=2, splitKeys=512, items=64, instruction="bf16_tiles"),
     "10x2x24xbf16", "10x2x24xbf16",
     "attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(bottom_right) masks [#attn.causal] "
     "schedule(@) ins(%x, %w, %w : tensor<10x2x24xbf16>, tensor<2x75x24xbf16>, tensor<2x75x24xbf16>)", "2x75x24xbf16"),
]
UNIT_VALUES = [16, 32, 48, 64]


def make_cases(has_unit):
    """Each form as it stands, with one number changed, and attention with operands of other types."""
    cases = []
    for form in UNIT_FORMS if has_unit else FORMS:
        cases.append((form, "", None, {}))
        for name, most in MOST[form[0]].items():
            if name not in form[1]:
                continue
            for value in VALUES + [most, most + 1] + (UNIT_VALUES if has_unit else []):
                # What does not fit 64 bits is no number to the parser.
                if value < 2**63:
                    cases.append((form, name, value, {name: value}))
    if has_unit:
        return cases
    for element in ["f16", "bf16", "f32", "f64", "i8"]:
        cases.append((FORMS[3], "operands", element, {"operands": element}))
    return cases


def write_module(path, form, changes):
    attribute, numbers, given, result, op, weight = form
    schedule = ", ".join(f"{name} = {value}" for name, value in {**numbers, **changes}.items())
    arguments = f"%x: tensor<{given}>" + (f", %w: tensor<{weight}>" if weight else "")
    text = f"#attn.{attribute}<{schedule}>"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"""func.func @main({arguments}) -> tensor<{result}> {{
  %e = tensor.empty() : tensor<{result}>
  %r = {op.replace('@', text)} outs(%e : tensor<{result}>) -> tensor<{result}>
  return %r : tensor<{result}>
}}
""")


def run(case, index, args):
    """(whether it ran, what is wrong or nothing)."""
    form, _, _, changes = case
    path = os.path.join(args.directory, f"schedule{index}.mlir")
    write_module(path, form, changes)
    command = [args.attn_run, path, "--check", f"--target={args.target}"]
    command += [f"--emulator={args.emulator}"] if args.emulator else []
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=args.limit, check=False)
    except subprocess.TimeoutExpired:
        return False, describe_failure(index, case, f"took more than {args.limit} s", command, "")
    text = result.stdout + result.stderr
    refused = result.returncode == 2 and re.search(
        r"error: .*(schedule|lanes and unroll|a segment must be|rows must be a multiple|chunks are those|norm_c14|attention_c17)",
        text)
    if result.returncode != 0 and not refused:
        return False, describe_failure(index, case, f"exit code {result.returncode}", command, text)
    if not args.keep:
        os.remove(path)
    return result.returncode == 0, None


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--limit", type=float, default=60, help="seconds that one case may take")
    args = parser.parse_args()
    cases = make_cases(args.emulator == "amx")
    mine, results = run_shard(cases, run, args)
    failures = [text for _, text in results if text]
    for text in failures:
        print(text)
    ran = sum(is_run for is_run, _ in results)
    print(f"{len(mine)} schedules of {len(cases)}: {ran} ran, {len(mine) - ran - len(failures)} refused, "
          f"{len(failures)} failures")


if __name__ == "__main__":
    main()
