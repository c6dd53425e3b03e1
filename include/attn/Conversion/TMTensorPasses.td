//===- TMTensorPasses.td - What torch-mlir leaves beside linalg -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_TMTENSORPASSES_TD
#define ATTN_CONVERSION_TMTENSORPASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTMTensorPass : Pass<"attn-lower-tm-tensor", "::mlir::func::FuncOp"> {
  let summary = "Scans, scatters and sorts of torch-mlir become loops";
  let description = [{
    Input: a function as torch-mlir exports it.

    `tm_tensor.scan` becomes a loop along its dimension with structured ops on
    the other dimensions, `tm_tensor.scatter` a loop over its updates,
    `tm_tensor.sort` a stable merge sort of each row, `tm_tensor.topk` a loop
    that puts each element in its place among those that are kept. Tools run
    this pass on each file that they read.

    Output: no op of the dialect tm_tensor.
    Numerics: a scan combines in order. Positions of a scatter that lie outside
    are an error of the call, as those of every slice.

    ```mlir
    %r:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<9xi64>)
        outs(%out, %last : tensor<9xi64>, tensor<i64>) { arith.addi }
    // becomes
    %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%to = %out, %before = %last) {
      tensor.extract_slice %x[%i] ...
      linalg.generic ... { arith.addi }
      tensor.insert_slice ... into %to[%i]
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // ATTN_CONVERSION_TMTENSORPASSES_TD
