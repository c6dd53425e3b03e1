//===- RaiseReport.h - The flag --attn-raise-report -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_OPT_RAISEREPORT_H
#define ATTN_OPT_RAISEREPORT_H

#include "attn/Raised/RaiseReport.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/Error.h"

namespace attn::opt {

/// Reports on a module as it is behind the passes of a run.
class RaiseReport {
public:
  /// Fails where `path` is no place for a report, or other flags are against
  /// it.
  static llvm::Expected<RaiseReport>
  create(std::string path, const mlir::MlirOptMainConfig &config);

  bool isStandardOutput() const { return path == "-"; }
  /// Puts what listens around the passes that `addPasses` adds; if it adds
  /// none, around raising.
  mlir::LogicalResult
  setUp(mlir::PassManager &manager,
        llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)> addPasses);
  /// Writes the report once the passes have run.
  llvm::Error write();

private:
  RaiseReport(std::string path, RaiseReportForm form)
      : path(std::move(path)), form(form) {}

  std::string path;
  RaiseReportForm form;
  RaiseReportInput input;
  mlir::DiagnosticEngine::HandlerID handler = 0;
  std::string content;
};

} // namespace attn::opt

#endif // ATTN_OPT_RAISEREPORT_H
