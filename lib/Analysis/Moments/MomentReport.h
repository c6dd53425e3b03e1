//===- MomentReport.h - Moments as text, JSON and HTML ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_MOMENTS_MOMENTREPORT_H
#define ATTN_LIB_ANALYSIS_MOMENTS_MOMENTREPORT_H

#include "attn/Analysis/MomentAnalysis.h"
#include "attn/Analysis/Report.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace attn {

/// What the reports say of one function, ready to be written.
class MomentReport {
public:
  explicit MomentReport(const MomentAnalysis &analysis);

  void writePage(ReportPage &page) const;
  void writeJson(llvm::json::OStream &json) const;

private:
  /// One value, in the order of the program.
  struct Line {
    std::string name, op, location;
    bool isFeature, overflows;
    ValueMoments moments;
  };
  struct Scores {
    std::string name, location;
    ScoreMoments moments;
  };

  std::string nameOf(mlir::Value value);
  void writeValues(llvm::json::OStream &json) const;
  void writeResiduals(llvm::json::OStream &json) const;
  void addValueChart(ReportPage &page) const;
  void addResidualChart(ReportPage &page) const;
  void addTables(ReportPage &page) const;

  const MomentAnalysis &analysis;
  std::string function;
  std::vector<Line> lines;
  std::vector<Scores> scores;
  std::vector<std::pair<std::string, std::string>> notFollowed;
  /// Of the function, and of those that it calls.
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<mlir::AsmState>> names;
  /// The first value of each name.
  llvm::StringMap<mlir::Value> taken;
};

/// Writes the reports of all functions.
llvm::LogicalResult writeMomentReports(mlir::Location loc,
                                       llvm::ArrayRef<MomentAnalysis> analyses,
                                       const ReportFiles &files);

} // namespace attn

#endif // ATTN_LIB_ANALYSIS_MOMENTS_MOMENTREPORT_H
