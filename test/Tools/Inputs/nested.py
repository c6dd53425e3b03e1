"""nested.py KIND DEPTH: a module with something nested that deep.

KIND: array, tuple, affine, minus, location, if
"""

import sys

kind, depth = sys.argv[1], int(sys.argv[2])


def nest(before, inner, after):
    return before * depth + inner + after * depth


if kind == "array":
    print(f"func.func private @f() attributes {{a = {nest('[', '', ']')}}}")
elif kind == "tuple":
    print(f"func.func private @f({nest('tuple<', 'f32', '>')})")
elif kind == "affine":
    print(f"#map = affine_map<(d0, d1) -> ({nest('(', 'd0', ' floordiv 3 + d1)')})>")
    print("func.func private @f() attributes {a = #map}")
elif kind == "minus":
    print(f"#map = affine_map<(d0) -> ({nest('-', 'd0', '')})>")
    print("func.func private @f() attributes {a = #map}")
elif kind == "location":
    print(f"func.func private @f() loc({nest('fused[', 'unknown', ']')})")
elif kind == "if":
    print("func.func @f(%c: i1) {")
    print(nest("scf.if %c {\n", "", "}\n") + "return\n}")
