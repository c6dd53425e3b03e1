//===- ResidualOps.td - Residual blocks -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_RESIDUALOPS_TD
#define ATTN_DIALECT_ATTN_IR_RESIDUALOPS_TD

include "attn/Dialect/Attn/IR/BlockOpBase.td"

def Attn_ResidualOp : Op<Attn_Dialect, "residual", [
    AttrSizedOperandSegments, AllTypesMatch<["input", "result"]>,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<Attn_BlockOpInterface>]> {
  let summary = "x + F(x), and how";
  let description = [{
    F is the region `branch`, Norm the region `norm`; each takes one tensor and
    yields one of the same type. They may use values from outside, such as
    weights.

    | policy | y |
    |---|---|
    | `post` | Norm(x + F(x)) |
    | `pre` | x + F(Norm(x)) |
    | `rezero` (skipinit) | x + alpha F(x), alpha a trained number that starts at 0 |
    | `fixup` | x + F(x), the last weight and bias of F initialised to 0 |
    | `scheduled` | x + alpha_t F(x), alpha_t = min(1, t * step) |
    | `inv_sqrt2` | (x + F(x)) / sqrt(2) |

    `post` and `pre` have a region `norm`, the others none. `rezero` has the
    operand `alpha`, `scheduled` the operand `time` and the attribute `step`.

    Example:

    ```mlir
    %y = attn.residual pre(%x : tensor<4x64xf32>) norm {
    ^bb0(%z: tensor<4x64xf32>):
      %n = linalg.softmax dimension(1) ins(%z : tensor<4x64xf32>) outs(%init : tensor<4x64xf32>) -> tensor<4x64xf32>
      attn.yield %n : tensor<4x64xf32>
    } branch {
    ^bb0(%h: tensor<4x64xf32>):
      %f = attn.linear ins(%h, %w : tensor<4x64xf32>, tensor<64x64xf32>)
          outs(%init : tensor<4x64xf32>) -> tensor<4x64xf32>
      attn.yield %f : tensor<4x64xf32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Optional<AnyType>:$alpha,
    Optional<AnyType>:$time, Attn_ResidualPolicyAttr:$policy,
    OptionalAttr<F64Attr>:$step);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region AnyRegion:$norm, SizedRegion<1>:$branch);
  let hasVerifier = 1;
  let assemblyFormat = [{
    custom<Keyword>($policy) `(` $input `:` type($input) `)`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    (`time` `(` $time^ `:` type($time) `)`)? (`step` `(` $step^ `)`)?
    (`norm` $norm^)? `branch` $branch attr-dict
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_RESIDUALOPS_TD
