"""Prints functions each of which adds the one before it to a stream, twice.

    make_streams.py LEVELS

The first one is a norm and a layer. The last adds to the stream as often as 2
to the power of LEVELS, and leaves it without a norm.
"""

import sys

T, W = "tensor<8x16xf32>", "tensor<16x16xf32>"
print(f"""func.func private @f0(%x: {T}, %w: {W}) -> {T} {{
  %e = tensor.empty() : {T}
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : {T}) outs(%e : {T}) -> {T}
  %y = attn.linear ins(%n, %w : {T}, {W}) outs(%e : {T}) -> {T}
  return %y : {T}
}}""")
levels = int(sys.argv[1])
for i in range(1, levels):
    print(f"""func.func private @f{i}(%x: {T}, %w: {W}) -> {T} {{
  %a = call @f{i - 1}(%x, %w) : ({T}, {W}) -> {T}
  %s = arith.addf %x, %a : {T}
  %b = call @f{i - 1}(%s, %w) : ({T}, {W}) -> {T}
  %t = arith.addf %s, %b : {T}
  return %t : {T}
}}""")
print(f"""func.func @main(%x: {T}, %w: {W}) -> {T} {{
  %y = call @f{levels - 1}(%x, %w) : ({T}, {W}) -> {T}
  %s = arith.addf %x, %y : {T}
  return %s : {T}
}}""")
