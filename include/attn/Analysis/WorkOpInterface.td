//===- WorkOpInterface.td - What an op costs ---------------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_WORKOPINTERFACE_TD
#define ATTN_ANALYSIS_WORKOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Attn_WorkOpInterface : OpInterface<"WorkOpInterface"> {
  let description = [{
    An op that says what it costs. Ops get it from
    `registerWorkOpInterfaceExternalModels`: sizes are known to an analysis.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<[{Operations on floats, as the description of
      attn-analyze-work counts them; nothing if a size is not known.}],
      "::std::optional<double>", "countOperations",
      (ins "::attn::SizeEvaluator &":$sizes)>,
    InterfaceMethod<"The operands that hold trained numbers.",
      "::llvm::SmallVector<::mlir::Value>", "getTrained", (ins), "",
      "return {};">
  ];
}

#endif // ATTN_ANALYSIS_WORKOPINTERFACE_TD
