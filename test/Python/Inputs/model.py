# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the snippet of python/README.md is shown without."""

import numpy as np

x = np.ones((4, 8), np.float32)
with open("model.mlir", "w", encoding="utf-8") as file:
    file.write("""func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = arith.addf %x, %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}""")
