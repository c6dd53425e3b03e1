//===- EntryNames.cpp - Names shared by the passes that make entries ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Remarks/InputError.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attn {

std::string getDimsFunctionName(StringRef name) {
  return (name + "__dims").str();
}
std::string getKernelFunctionName(StringRef name) {
  return (name + "__kernel").str();
}
std::string getUnitFunctionName(StringRef name) {
  return (name + "__unit").str();
}
std::string getShapesFunctionName(StringRef name) {
  return (name + "__shapes").str();
}
std::string getPackingName(StringRef name, unsigned argument) {
  return (name + "_pack_" + Twine(argument)).str();
}

FailureOr<SmallVector<std::optional<unsigned>>>
getInOutArguments(func::FuncOp func) {
  SmallVector<std::optional<unsigned>> arguments(func.getNumResults());
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    Attribute given = func.getArgAttr(i, kInOutAttr);
    if (!given)
      continue;
    auto number = dyn_cast<IntegerAttr>(given);
    if (!number || number.getInt() < 0 ||
        number.getInt() >= func.getNumResults())
      return emitInputError(func)
             << "argument #" << i << ": " << kInOutAttr
             << " must be the number of a result, found " << given;
    unsigned result = number.getInt();
    Type type = func.getArgumentTypes()[i];
    if (!isa<RankedTensorType>(type) || type != func.getResultTypes()[result])
      return emitInputError(func)
             << "argument #" << i << " of type " << type
             << " cannot be updated to result #" << result << " of type "
             << func.getResultTypes()[result];
    if (arguments[result])
      return emitInputError(func)
             << "result #" << result << " is the new value of two arguments, #"
             << *arguments[result] << " and #" << i;
    arguments[result] = i;
  }
  return arguments;
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
