//===- DecomposeOpInterface.td - A form in plain linalg ----*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_DECOMPOSEOPINTERFACE_TD
#define ATTN_CONVERSION_DECOMPOSEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Attn_DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let description = [{
    An op that has a form in structured ops and arithmetic. Ops get it from
    `registerDecomposeOpInterfaceExternalModels`: the dialect does not link how.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<[{Replaces the op, which has results. Fails, with the reason
      told to the rewriter, where it has no such form.}],
      "::llvm::LogicalResult", "decompose", (ins "::mlir::RewriterBase &":$rewriter)>
  ];
}

#endif // ATTN_CONVERSION_DECOMPOSEOPINTERFACE_TD
