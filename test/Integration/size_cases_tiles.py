# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the ops on tiles, which passes make of an attention, written by hand, for size_sweep.py."""

from size_case import Case

LETTERS = {"q": "(m, d)", "k": "(n, d)", "v": "(n, e)", "acc": "(e, m)", "row": "(m)", "o": "(m, e)", "packed": "(d, m)"}


def tile_op(op, maps, operands, loops, scale="#attn.none", clauses=""):
    """One op whose tile is all of the tensors. `loops` are the sizes of m, n, d and e."""
    spelled = ", ".join(f"affine_map<(m, n, d, e) -> {LETTERS[name]}>" for name in maps)
    sizes = ", ".join(size if size.startswith("%") else f"%c{size}" for size in loops)
    constants = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in sorted({"0"} | {n for n in loops if not n.startswith("%")}))
    return f"{constants}  {op} scale({scale}) softmax(#attn.softmax) {clauses}indexing_maps [{spelled}] " \
        f"origin(%c0, %c0, %c0, %c0) sizes({sizes}) {operands}"


ONLINE = tile_op("%r0, %r1, %r2 = attn.online_attention", ["q", "k", "v", "acc", "row", "row"], """
      ins(%q, %k, %v : tensor<m 16 f32>, tensor<n 16 f32>, tensor<n e f32>)
      outs(%acc, %top, %sum : tensor<e m f32>, tensor<m f32>, tensor<m f32>) -> tensor<e m f32>, tensor<m f32>, tensor<m f32>""",
                 ["%m", "%n", "16", "%e"])
FINALIZE = "  %init = tensor.empty(%m, %e) : tensor<m e f32>\n" + tile_op("%r = attn.finalize", ["acc", "row", "row", "o"], """
      ins(%acc, %top, %sum : tensor<e m f32>, tensor<m f32>, tensor<m f32>) outs(%init : tensor<m e f32>) -> tensor<m e f32>""",
                                                                          ["%m", "1", "1", "%e"])
PACK = "  %init = tensor.empty(%m) : tensor<16 m f32>\n  %scales = tensor.empty(%m) : tensor<m f32>\n" + tile_op(
    "%r0, %r1 = attn.pack_query", ["q", "packed", "row"], """
      ins(%q : tensor<m 16 f32>) outs(%init, %scales : tensor<16 m f32>, tensor<m f32>) -> tensor<16 m f32>, tensor<m f32>""",
    ["%m", "%m", "16", "1"], scale="#attn.log_length<base = 8.0, n = position>", clauses="align(top_left) ")


def tile_cases():
    return [
        Case("online_attention", "q: m 16 f32, k: n 16 f32, v: n e f32, acc: e m f32, top: m f32, sum: m f32",
             "e m f32, m f32, m f32", ONLINE),
        Case("finalize", "acc: e m f32, top: m f32, sum: m f32", "m e f32", FINALIZE,
             lambda acc, top, sum: [acc.T / sum[:, None]], data={"top": 1.0, "sum": 2.0}),
        Case("pack_query", "q: m 16 f32", "16 m f32, m f32", PACK, where="m >= 1"),
    ]
