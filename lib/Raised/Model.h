//===- Model.h - Everything that the report on raising says -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RAISED_MODEL_H
#define ATTN_LIB_RAISED_MODEL_H

#include "Chains.h"
#include "Layers.h"
#include "llvm/Support/JSON.h"

namespace attn {

class ReportPage;

/// A function that does work.
struct RaisedFunction {
  llvm::ArrayRef<RaisedRow> getRows(const RaisedLayer &layer) const {
    return llvm::ArrayRef(rows.rows).slice(layer.begin,
                                           layer.end - layer.begin);
  }

  std::string name;
  RaisedRows rows;
  RaisedLayers layers;
  std::vector<RowReasons> reasons;
  /// Structured ops that there were, by name, and attn ops that there are.
  std::map<std::string, int64_t> before, raised;
  /// Of what is left.
  int64_t left = 0;
  RaisedCost leftCost;
};

struct RaisedModel {
  RaisedModel(mlir::Operation *module, const RaiseReportInput &input);

  TargetDescription target;
  const RaiseReportInput &input;
  std::vector<RaisedFunction> functions;
};

void writePage(ReportPage &page, const RaisedModel &model);
void writeJson(llvm::json::OStream &json, const RaisedModel &model);

} // namespace attn

#endif // ATTN_LIB_RAISED_MODEL_H
