//===- RaiseReport.h - What raising made of a model -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layer by layer: what became which op, what is left and why, and the shares of
// each in flops, bytes and estimated time.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RAISED_RAISEREPORT_H
#define ATTN_RAISED_RAISEREPORT_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>
#include <vector>

namespace attn {

/// A remark of the table that a pass gave, by its id.
struct GivenRemark {
  mlir::Location loc;
  std::string id, text;
  /// In the order of the program or of the passes, whichever gave it.
};

/// The remark that a diagnostic is, if it is one of the table.
std::optional<GivenRemark> readRemark(mlir::Diagnostic &diagnostic);

/// How many ops of each structured kind functions have.
using OpCounts = std::map<std::string, std::map<std::string, int64_t>>;
OpCounts countStructuredOps(mlir::Operation *root);

/// The operations in the body of a linalg op, each once, or how it moves its
/// operand where there are none: `transpose`. Remarks, reports and profiles
/// call a loop by that.
std::string describeLoop(mlir::Operation *linalgOp);

enum class RaiseReportForm { Text, HTML, JSON };

struct RaiseReportInput {
  /// Before raising.
  OpCounts before;
  std::vector<GivenRemark> remarks;
  /// What a size is taken for that is not known.
  int64_t unknownSize = 512;
};

/// The report on a raised module. The same module gives the same bytes.
std::string writeRaiseReport(mlir::Operation *module,
                             const RaiseReportInput &input,
                             RaiseReportForm form);

} // namespace attn

#endif // ATTN_RAISED_RAISEREPORT_H
