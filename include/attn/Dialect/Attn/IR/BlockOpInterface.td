//===- BlockOpInterface.td - What the ops of a block have in common -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_BLOCKOPINTERFACE_TD
#define ATTN_DIALECT_ATTN_IR_BLOCKOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Attn_BlockOpInterface : OpInterface<"BlockOpInterface"> {
  let description = [{
    An op of a transformer block beside attention (linear, softmax, positions,
    ...): it has a form in plain linalg, and says which sizes of its operands
    are equal.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<[{One map per operand, all over the same dimensions: operands
      that share a dimension have the same size there. An operand without sizes
      of its own has a null map.}],
      "::llvm::SmallVector<::mlir::AffineMap>", "getShapedMaps", (ins), "",
      "return ::llvm::SmallVector<::mlir::AffineMap>($_op->getNumOperands());">
  ];
}

#endif // ATTN_DIALECT_ATTN_IR_BLOCKOPINTERFACE_TD
