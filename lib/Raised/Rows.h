//===- Rows.h - The ops of a raised function, with their shares -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RAISED_ROWS_H
#define ATTN_LIB_RAISED_ROWS_H

#include "Frames.h"
#include "attn/Analysis/Work.h"
#include "attn/Target/TargetDescription.h"
#include <vector>

namespace attn {

/// One op that does work.
struct RaisedRow {
  mlir::Operation *op = nullptr;
  std::string what; // attributes, or what a left-over loop computes
  std::string type;
  Frames frames;
  bool isLeft = false; // not an attn op
  std::optional<double> flops, bytes, cycles;
};

/// What rows cost together; what is not known counts as nothing.
struct RaisedCost {
  double flops = 0, bytes = 0, cycles = 0;

  RaisedCost() = default;
  explicit RaisedCost(llvm::ArrayRef<RaisedRow> rows) {
    for (const RaisedRow &row : rows)
      add(row);
  }
  void add(const RaisedRow &row) {
    flops += row.flops.value_or(0);
    bytes += row.bytes.value_or(0);
    cycles += row.cycles.value_or(0);
  }
};

/// Those of a function in the order of the program.
struct RaisedRows {
  std::vector<RaisedRow> rows;
  RaisedCost cost;
  /// Whether a size that is not known was taken for one that is.
  bool hasGuessed = false;
};

/// Counts whatever is not known for `unknownSize`.
RaisedRows collectRows(mlir::FunctionOpInterface function, int64_t unknownSize,
                       const TargetDescription &target);

/// What the module is compiled for, or a usual machine: not the one that this
/// runs on, so that the same module has the same shares.
TargetDescription getReportTarget(mlir::Operation *op);

/// A part of a whole in percent, with one digit behind the point.
std::string formatShare(std::optional<double> part, double whole);

bool isProduct(mlir::Operation *op);
/// Whether an exponential, or a root, is in the op.
bool hasExponential(mlir::Operation *op);
bool hasRoot(mlir::Operation *op);

} // namespace attn

#endif // ATTN_LIB_RAISED_ROWS_H
