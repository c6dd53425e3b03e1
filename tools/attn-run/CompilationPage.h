//===- CompilationPage.h - A compilation as a page --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_COMPILATIONPAGE_H
#define ATTN_RUN_COMPILATIONPAGE_H

#include "Options.h"
#include "Report.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn::run {

/// The module as text after each phase, for --report.
class PhaseTexts {
public:
  explicit PhaseTexts(bool isOn) : isOn(isOn) {}

  void add(llvm::StringRef phase, mlir::ModuleOp module);
  llvm::ArrayRef<std::pair<std::string, std::string>> get() const {
    return texts;
  }
  /// Time spent here, which is not compile time.
  double getSeconds() const { return seconds; }

private:
  bool isOn;
  double seconds = 0;
  std::vector<std::pair<std::string, std::string>> texts;
};

/// Writes options.report, complete or not at all: schedules, times, the source
/// with the remarks at its lines, and the phases side by side.
llvm::Error writePage(const Report &report, const PhaseTexts &phases,
                      const Options &options);

} // namespace attn::run

#endif // ATTN_RUN_COMPILATIONPAGE_H
