//===- Work.h - Floating-point operations and bytes of a kernel -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_WORK_H
#define ATTN_ANALYSIS_WORK_H

#include "attn/Analysis/SizeEvaluator.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <cstdint>
#include <optional>

namespace attn {

/// The keys of N that a band leaves visible at a position: from the first up to
/// the second.
std::pair<int64_t, int64_t> getVisibleKeys(const KeyBand &band,
                                           int64_t position, int64_t keys);

/// Row-key pairs that masks leave visible, for M rows and N keys, by the band
/// of keys around each position.
int64_t countVisiblePairs(int64_t rows, int64_t keys, int64_t firstPosition,
                          llvm::function_ref<KeyBand(int64_t)> getBand);

/// The operands that have iteration dimensions, and how: those that are read,
/// and the output.
std::pair<llvm::SmallVector<mlir::Value>, llvm::SmallVector<mlir::AffineMap>>
getShapedOperands(AttentionOp op);

/// Multiplications and additions of one attention: 2 (d + dv) for each pair
/// that masks leave visible by the row's position. Nothing if a size is
/// unknown.
std::optional<double> countFlops(AttentionOp op, SizeEvaluator &sizes);

/// Bytes of the operands and results of one attention, each counted once.
/// Nothing if a size is unknown.
std::optional<double> countBytes(AttentionOp op, SizeEvaluator &sizes);

/// Multiplications and additions of the contractions in `function`: attention
/// (2 (d + dv) for each pair that causal and window masks leave visible; other
/// masks depend on data and are not subtracted), linear layers and linalg
/// contractions.
/// Nothing if there are none or a size is unknown.
std::optional<double> countFlops(mlir::FunctionOpInterface function,
                                 SizeEvaluator &sizes);

/// The number of elements of a tensor, nothing if a size is unknown.
std::optional<double> countElements(mlir::Value tensor, SizeEvaluator &sizes);

/// The number of points of a structured op's iteration space.
std::optional<double> countIterations(mlir::linalg::LinalgOp op,
                                      SizeEvaluator &sizes);

/// What one op costs. A count is missing where a size is unknown.
struct OpWork {
  mlir::Operation *op = nullptr;
  std::optional<double> parameters = 0.0, flops = 0.0, bytes = 0.0;
};

/// A function's ops in the order of the program; ops in regions stand for
/// themselves, once, whatever loops do.
struct FunctionWork {
  llvm::SmallVector<OpWork> ops;
  OpWork total;
  /// Ops on tensors that the counts leave out.
  llvm::SmallVector<mlir::Operation *> notCounted;
  /// Whether a size that is not known was taken for one that is.
  bool hasGuessed = false;
};

/// Parameters, operations and bytes of each op of `function`, a composite op as
/// the sum of its parts; the description of attn-analyze-work says what counts.
/// Sizes that are not known are `unknownSize`, if there is one.
FunctionWork computeWork(mlir::FunctionOpInterface function,
                         std::optional<int64_t> unknownSize);

/// The total of `function` and of all that it calls, each call as often as it
/// is made and each weight once. Nothing without calls; that of a function by
/// itself counts as none.
std::optional<OpWork> computeWorkOfCalls(mlir::func::FuncOp function,
                                         mlir::SymbolTable &functions,
                                         std::optional<int64_t> unknownSize);

/// Lets ops say what they cost, by WorkOpInterface.
void registerWorkOpInterfaceExternalModels(mlir::DialectRegistry &registry);

} // namespace attn

#include "attn/Analysis/WorkOpInterface.h.inc"

#endif // ATTN_ANALYSIS_WORK_H
