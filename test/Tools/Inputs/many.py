"""many.py COUNT: functions that differ, each with a linear layer. Whoever compiles them has work to do."""

import sys

for rows in range(2, 2 + int(sys.argv[1])):
    x, w = f"tensor<{rows}x96xf32>", "tensor<96x96xf32>"
    print(f"func.func @f{rows}(%x: {x}, %w: {w}) -> {x} {{")
    print(f"  %y = attn.linear ins(%x, %w : {x}, {w}) outs(%x : {x}) -> {x}")
    print(f"  return %y : {x}")
    print("}")
