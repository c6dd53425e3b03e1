//===- CompilationPage.h - A compilation as a page --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_COMPILATIONPAGE_H
#define ATTN_COMPILER_COMPILATIONPAGE_H

#include "attn/Compiler/Lowering.h"
#include "attn/Compiler/Messages.h"
#include "attn/Compiler/Phases.h"
#include "attn/Compiler/StepProfile.h"
#include "attn/Compiler/Verification.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// The module as text after each phase.
class PhaseTexts {
public:
  explicit PhaseTexts(bool isOn = true) : isOn(isOn) {}

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

/// What a page about a compilation tells. Parts that are empty are left out.
struct CompilationPage {
  std::string title;
  /// Paragraphs that the page begins with.
  std::vector<std::string> summary;
  std::vector<KernelInfo> kernels;
  std::vector<Comparison> comparisons;
  std::optional<StepProfile> profile;
  std::vector<CompilerMessage> remarks;
  /// What remarks call the text that stands at their side. Those of other files
  /// are a list.
  std::string file, source;
  std::vector<Phases::Time> times;
  PhaseTexts phases;
};

/// Writes it as HTML: schedules, times, the source with the remarks at its
/// lines, and the phases side by side.
void writeCompilationPage(const CompilationPage &page, llvm::raw_ostream &os);

} // namespace attn

#endif // ATTN_COMPILER_COMPILATIONPAGE_H
