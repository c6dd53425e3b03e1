//===- Warnings.cpp - Ids and texts of warnings ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Remarks/FillText.h"

using namespace mlir;
using namespace attn;

namespace {
struct Entry {
  WarningId id;
  StringRef label, text;
};
} // namespace

static const Entry kTable[] = {
#define ATTN_WARNING(Name, Number, Text, Explanation)                          \
  {WarningId::Name, "attn-w" #Number, Text},
#include "attn/Analysis/LintWarnings.def"
};

static const Entry &lookUp(WarningId id) {
  return *llvm::find_if(kTable,
                        [id](const Entry &entry) { return entry.id == id; });
}

StringRef attn::getLabel(WarningId id) { return lookUp(id).label; }

std::optional<WarningId> attn::parseWarningId(StringRef label) {
  for (const Entry &entry : kTable)
    if (entry.label == label)
      return entry.id;
  return std::nullopt;
}

std::string LintWarning::getText() const {
  return (op->getName().getStringRef() + ": ").str() +
         fillText(lookUp(id).text, arguments);
}

bool lint_checks::readsAsInput(Operation *reader, Value value) {
  auto linear = dyn_cast<LinearOp>(reader);
  return !linear || value == findSource(linear.getInput(), [&](Operation *op) {
                      return isView(op) && op->getResult(0) != value;
                    });
}

/// The functions that nobody calls, and one of each ring of calls.
static SmallVector<func::FuncOp> findRoots(ModuleOp module) {
  DenseSet<StringAttr> called;
  module.walk([&](func::CallOp call) {
    called.insert(call.getCalleeAttr().getAttr());
  });
  SmallVector<func::FuncOp> roots, others;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      (called.contains(function.getSymNameAttr()) ? others : roots)
          .push_back(function);
  roots.append(others);
  return roots;
}

std::vector<LintWarning> attn::lint(ModuleOp module,
                                    const LintOptions &options) {
  std::vector<std::unique_ptr<lint_checks::FlatFunction>> functions;
  lint_checks::Findings findings;
  lint_checks::TracedModule traced(module);
  DenseSet<Operation *> seen;
  for (func::FuncOp root : findRoots(traced.get())) {
    if (seen.contains(root))
      continue;
    functions.push_back(
        std::make_unique<lint_checks::FlatFunction>(traced, root));
    lint_checks::FlatFunction &flat = *functions.back();
    seen.insert(root);
    seen.insert_range(flat.getInlined());
    MomentAnalysis moments(flat.get(), options.moments);
    lint_checks::Context context{flat, moments, options, findings};
    lint_checks::checkWeights(context);
    lint_checks::checkScores(context);
    lint_checks::runTrials(context);
    lint_checks::checkActivations(context);
    lint_checks::checkResiduals(context);
  }
  return findings.take(functions);
}
