//===- ActivationOps.td - Activation functions -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ACTIVATIONOPS_TD
#define ATTN_DIALECT_ATTN_IR_ACTIVATIONOPS_TD

include "attn/Dialect/Attn/IR/AttnDialect.td"
include "attn/Dialect/Attn/IR/ElementEnums.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_ActivationOp : Op<Attn_Dialect, "activation", [
    Pure, SameOperandsAndResultType, Elementwise, Scalarizable, Vectorizable,
    Tensorizable,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "a function of each element";
  let description = [{
    | function | f(x) |
    |---|---|
    | `relu` | max(x, 0) |
    | `elu` | x for x > 0, else exp(x) - 1 |
    | `selu` | lambda x for x > 0, else lambda alpha (exp(x) - 1) |
    | `gelu` | x Phi(x) = x/2 (1 + erf(x / sqrt 2)) |
    | `gelu_tanh` | x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) |
    | `silu` | x / (1 + exp(-x)) |
    | `sigmoid` | 1 / (1 + exp(-x)) |
    | `tanh` | tanh x |
    | `softplus` | log(1 + exp(x)) |
    | `quick_gelu` | x / (1 + exp(-1.702 x)) |
    | `hard_swish` | x min(max(x + 3, 0), 6) / 6 |
    | `mish` | x tanh(log(1 + exp(x))) |
    | `relu_squared` | max(x, 0)^2 |
    | `leaky_relu` | x for x > 0, else x / 100 |
    | `relu6` | min(max(x, 0), 6) |
    | `hard_sigmoid` | min(max(x + 3, 0), 6) / 6 |
    | `softsign` | x / (1 + abs(x)) |

    lambda and alpha of `selu` are those that give f(z) the mean 0 and the
    variance 1, for z ~ N(0, 1).

    `centered` subtracts E f(z). `unit_moment` divides by the root of the second
    moment of what is left, so that the result has the second moment 1:

    | | y |
    |---|---|
    | | f(x) |
    | `centered` | f(x) - E f(z) |
    | `unit_moment` | f(x) / sqrt(E f(z)^2) |
    | `centered unit_moment` | (f(x) - E f(z)) / sqrt(Var f(z)) |

    The expectations are computed by the compiler. Elements of f16 and bf16 are
    computed in f32 and rounded once.

    Example:

    ```mlir
    %y = attn.activation gelu %x : tensor<?x4096xf32>
    %z = attn.activation sigmoid centered unit_moment %x : tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, Attn_FunctionAttr:$function,
    UnitAttr:$centered, UnitAttr:$unit_moment);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    custom<Keyword>($function) (`centered` $centered^)? (`unit_moment` $unit_moment^)?
    $input attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // ATTN_DIALECT_ATTN_IR_ACTIVATIONOPS_TD
