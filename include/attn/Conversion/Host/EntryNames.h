//===- EntryNames.h - Names that make up an entry ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_HOST_ENTRYNAMES_H
#define ATTN_CONVERSION_HOST_ENTRYNAMES_H

#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LogicalResult.h"

namespace attn {

/// On a function: it becomes a C entry. The value is the number of its inputs;
/// the arguments are the context, the inputs, then the outputs.
constexpr llvm::StringLiteral kEntryAttr = "attn.entry";

/// On a tensor argument of a function, one number per dimension: dimensions of
/// the function's arguments with the same number have the same size.
constexpr llvm::StringLiteral kDimClassesAttr = "attn.dim_classes";

/// On a tensor argument of a function: the size of each dimension, where its
/// users force one, else -1. Static dimensions are included.
constexpr llvm::StringLiteral kDimSizesAttr = "attn.dim_sizes";

/// On a cf.assert: the attn_status that a kernel returns where it does not
/// hold, as i32. Without it that is ATTN_ERROR_ASSERTION.
constexpr llvm::StringLiteral kStatusAttr = "attn.status";

/// On a cf.assert (unit): it tells of another one, which failed in a kernel of
/// a GPU. What it compares itself is no number for a message.
constexpr llvm::StringLiteral kNotedAttr = "attn.noted";

/// On a cf.assert at the start of a function: it looks at the sizes of the
/// arguments only, and NAME__dims makes it, before the kernel runs.
constexpr llvm::StringLiteral kEntryCheckAttr = "attn.entry_check";

/// `NAME__dims` computes the sizes of the results of NAME from those of its
/// arguments; private.
std::string getDimsFunctionName(llvm::StringRef name);
/// `NAME__kernel` is what the C entry NAME calls; private.
std::string getKernelFunctionName(llvm::StringRef name);
/// `NAME__unit` is the kernel for arguments whose rows are contiguous; private.
std::string getUnitFunctionName(llvm::StringRef name);
/// `NAME__shapes` is the C form of `NAME__dims`.
std::string getShapesFunctionName(llvm::StringRef name);

/// `NAME_pack_I` makes the panels of argument I, an entry of its own.
std::string getPackingName(llvm::StringRef name, unsigned argument);

/// For each result of `func`, the number of the argument whose memory holds it
/// (see kInOutAttr), or nothing. Fails with a diagnostic when the attributes
/// contradict the function's type.
llvm::FailureOr<llvm::SmallVector<std::optional<unsigned>>>
getInOutArguments(mlir::func::FuncOp func);

/// True for functions that become C entries: public ones with a body.
bool isEntryCandidate(mlir::func::FuncOp func);

/// Gives `func` internal linkage in the object file.
void setInternalLinkage(mlir::func::FuncOp func);

} // namespace attn

#endif // ATTN_CONVERSION_HOST_ENTRYNAMES_H
