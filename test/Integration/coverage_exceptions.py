# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What dialect_coverage.py does not ask of the generated cases, and why."""

import norm_cases

#: Ops that tiling makes, and the one that ends regions. They run wherever an attention does.
INNER_OPS = {"finalize", "online_attention", "pack_query", "yield"}
#: What tiling and scheduling add to an op; nobody writes it.
INNER_ARGUMENTS = {"origin", "sizes", "schedule", "packed"}
#: Attributes that are a part of others, or of the above, and a discardable one, which is no argument: generate_cases.py has it.
INNER_ATTRIBUTES = {"schedule", "norm_schedule", "contraction_schedule", "position_schedule", "softmax_schedule",
                    "statistics_schedule", "length", "target", "products"}
#: Ops that make a new tensor.
NO_DESTINATION = {"activation", "residual", "multi_head_attention", "feed_forward"}

#: (ops, what, values, reason), alternatives separated by |.
EXCEPTIONS = [
    ("init", "function", "sigmoid|tanh|hard_sigmoid|softsign", "E f(sigma z)^2 = 1 has no solution; the verifier says so"),
    ("sinusoidal_positions", "sizes", "odd row|one column", "elements come in pairs"),
    ("attention", "outputs", "without", "the output is always there"),
    ("attention", "load_query kind|load_key kind", "|".join(norm_cases.NOT_OF_ROW), "no norm of a row; the verifier says so"),
    ("multi_head_attention", "qk_norm", "|".join(norm_cases.NOT_OF_ROW), "no norm of a row; the verifier says so"),
]
