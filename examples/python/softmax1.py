# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""softmax1 against softmax: with softmax1 a head may attend to nothing, so what it adds can vanish.

    python3 softmax1.py [FIGURE.svg]

Needs numpy only.
"""

import sys

import numpy as np

import attn

ATTENTION = """
func.func @attention(%q: tensor<1x1x?x64xf32>, %k: tensor<1x1x?x64xf32>, %v: tensor<1x1x?x64xf32>)
    -> (tensor<1x1x?x64xf32>, tensor<1x1x?xf32>) {{
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c2 : tensor<1x1x?x64xf32>
  %o = tensor.empty(%m) : tensor<1x1x?x64xf32>
  %s = tensor.empty(%m) : tensor<1x1x?xf32>
  %r:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.{softmax}) probes [#attn.probe<sum_p>]
      ins(%q, %k, %v : tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>)
      outs(%o, %s : tensor<1x1x?x64xf32>, tensor<1x1x?xf32>) -> tensor<1x1x?x64xf32>, tensor<1x1x?xf32>
  return %r#0, %r#1 : tensor<1x1x?x64xf32>, tensor<1x1x?xf32>
}}
"""
kernels = {softmax: attn.compile(ATTENTION.format(softmax=softmax)) for softmax in ("softmax", "softmax1")}
rng = np.random.default_rng(0)
k, v = rng.standard_normal((2, 1, 1, 32, 64)).astype(np.float32)
# What all keys have in common. Queries that find nothing point away from it, more and more.
common = rng.standard_normal(64).astype(np.float32)
k += common
strengths = np.linspace(0, 2, 25, dtype=np.float32)
q = -strengths[None, None, :, None] * common
curves = {}
for softmax, kernel in kernels.items():
    output, total = kernel(q, k, v)
    curves[softmax] = np.linalg.norm(output, axis=-1)[0, 0], total[0, 0]
print("strength  |output| softmax  softmax1   sum of weights softmax  softmax1")
for i in range(0, len(strengths), 6):
    (a, s), (b, t) = curves["softmax"], curves["softmax1"]
    print(f"{strengths[i]:8.1f} {a[i]:17.3f} {b[i]:9.3f} {s[i]:24.3f} {t[i]:9.3f}")
assert np.allclose(curves["softmax"][1], 1, atol=1e-5) and curves["softmax1"][1][-1] < 0.5
if len(sys.argv) > 1:
    chart = attn.plot.Chart("A head that attends to nothing", "how far the query points away from all keys",
                            "norm of the attention's output")
    for softmax, (norm, _) in curves.items():
        chart.add(softmax, list(zip(strengths.tolist(), norm.tolist())))
    chart.save(sys.argv[1])
