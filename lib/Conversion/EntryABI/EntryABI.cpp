//===- EntryABI.cpp - Names shared by the passes that make entries --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/EntryABI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attn {

std::string getDimsFunctionName(StringRef name) {
  return (name + "__dims").str();
}
std::string getKernelFunctionName(StringRef name) {
  return (name + "__kernel").str();
}
std::string getShapesFunctionName(StringRef name) {
  return (name + "__shapes").str();
}

bool isEntryCandidate(func::FuncOp func) {
  return func.isPublic() && !func.isExternal();
}

void setInternalLinkage(func::FuncOp func) {
  func.setPrivate();
  func->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(func.getContext(), LLVM::Linkage::Internal));
}

} // namespace attn
