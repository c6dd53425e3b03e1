//===- ReferenceRun.h - The reference on arrays -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_REFERENCERUN_H
#define ATTN_COMPILER_REFERENCERUN_H

#include "attn/Reference/Tensor.h"
#include "attn/Support/HostArray.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// The array as a value of type `type`, or of tensors of it.
reference::Tensor toTensor(const HostArray &array, mlir::Type type);

/// The same for arguments of a function.
std::vector<reference::Tensor> toTensors(llvm::ArrayRef<HostArray> arrays,
                                         mlir::TypeRange types);

/// Runs a function in the reference. What it refuses is in the error's text.
llvm::Expected<std::vector<reference::Tensor>>
runReference(mlir::func::FuncOp entry,
             llvm::ArrayRef<reference::Tensor> arguments,
             reference::Rounding rounding);

} // namespace attn

#endif // ATTN_COMPILER_REFERENCERUN_H
