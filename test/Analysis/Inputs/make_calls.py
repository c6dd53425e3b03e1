"""Prints functions each of which calls the one before it twice.

    make_calls.py LEVELS

The first one loses second moment in a sigmoid.
"""

import sys

T, W = "tensor<16x64xf32>", "tensor<64x64xf32>"
print(f"""func.func private @f0(%x: {T}, %w: {W}) -> {T} {{
  %e = tensor.empty() : {T}
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : {T}) outs(%e : {T}) -> {T}
  %a = attn.activation sigmoid %n : {T}
  %y = attn.linear ins(%a, %w : {T}, {W}) outs(%e : {T}) -> {T}
  return %y : {T}
}}""")
levels = int(sys.argv[1])
for i in range(1, levels):
    kind = "private " if i < levels - 1 else ""
    print(f"""func.func {kind}@f{i}(%x: {T}, %w: {W}) -> {T} {{
  %a = call @f{i - 1}(%x, %w) : ({T}, {W}) -> {T}
  %b = call @f{i - 1}(%a, %w) : ({T}, {W}) -> {T}
  return %b : {T}
}}""")
