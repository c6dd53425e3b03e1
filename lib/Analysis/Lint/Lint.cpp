//===- Lint.cpp - Warns of what computed moments say ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Lint.h"
#include "attn/Analysis/Entropy.h"
#include "attn/Analysis/Passes.h"
#include "attn/Analysis/Report.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_LINTPASS
#include "attn/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// A warning as it is reported.
struct Reported {
  std::string id, op, function, location, text, mend, refusal;
  std::vector<std::pair<StringRef, std::string>> numbers;
  bool isFixed;
};

struct LintPass : attn::impl::LintPassBase<LintPass> {
  using Base::Base;

  void runOnOperation() override {
    LintOptions lintOptions;
    if (failed(readOptions(lintOptions)))
      return signalPassFailure();
    reported.clear();
    lintModule(lintOptions);
    auto write = [&](llvm::json::OStream &out) { writeJson(out); };
    if (!json.empty() && failed(writeReports(getOperation().getLoc(),
                                             {/*text=*/"", json, /*html=*/""},
                                             {"", /*page=*/nullptr, write})))
      signalPassFailure();
  }

private:
  LogicalResult fail(const Twine &what) {
    return emitError(getOperation().getLoc(), "attn-lint: " + what);
  }

  LogicalResult readOptions(LintOptions &lintOptions) {
    ignored.clear();
    for (const std::string &label : ignore) {
      std::optional<WarningId> id = parseWarningId(label);
      if (!id)
        return fail("there is no warning '" + label + "'");
      ignored.push_back(*id);
    }
    if (unknownSize < 1)
      return fail("unknown-size must be positive");
    if (entropyTo != 0 && (entropyFrom < 1 || entropyTo <= entropyFrom))
      return fail("lengths need 1 <= entropy-from < entropy-to");
    lintOptions.moments.unknownSize = unknownSize;
    lintOptions.entropyFrom = entropyFrom;
    lintOptions.entropyTo = entropyTo;
    StringRef name = entropyAlternative;
    if (name.empty())
      return success();
    lintOptions.entropyAlternative = parseScalePolicy(&getContext(), name);
    if (!lintOptions.entropyAlternative)
      return fail("'" + name + "' is not a scale policy");
    return success();
  }

  /// Weights are mended first: what they spoil is not worth a word then. A fix
  /// may bring out what another fault hid, so the module is looked at until
  /// nothing is left to fix.
  void lintModule(const LintOptions &lintOptions) {
    DenseSet<std::tuple<unsigned, Operation *, Operation *>> seen;
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      std::vector<LintWarning> warnings = lint(getOperation(), lintOptions);
      llvm::erase_if(warnings, [&](const LintWarning &warning) {
        return llvm::is_contained(ignored, warning.id);
      });
      auto isOfWeights = [](const LintWarning &warning) {
        return warning.fix && (warning.id == WarningId::NtkWithScaledInit ||
                               warning.id == WarningId::StandardWithUnitInit);
      };
      if (fix && llvm::any_of(warnings, isOfWeights))
        llvm::erase_if(warnings, [&](const LintWarning &warning) {
          return !isOfWeights(warning);
        });
      IRRewriter rewriter(&getContext());
      bool hasChanged = false;
      for (LintWarning &warning : warnings) {
        std::tuple key{unsigned(warning.id), warning.op, warning.part};
        if (!seen.insert(key).second)
          continue;
        report(warning, fix && warning.fix);
        if (!fix || !warning.fix)
          continue;
        warning.fix(rewriter);
        hasChanged = true;
      }
      if (!hasChanged)
        return;
    }
  }

  void report(const LintWarning &warning, bool isFixed) {
    std::string text = warning.getText();
    // Without a mend nothing is known to be wrong.
    InFlightDiagnostic diagnostic = getContext().getDiagEngine().emit(
        warning.op->getLoc(), warning.mend.empty()
                                  ? DiagnosticSeverity::Remark
                                  : DiagnosticSeverity::Warning);
    diagnostic << '[' << getLabel(warning.id) << "] " << text;
    if (!warning.refusal.empty())
      diagnostic.attachNote()
          << "not mended by " << warning.mend << ": " << warning.refusal;
    else if (!warning.mend.empty())
      diagnostic.attachNote()
          << (isFixed ? StringRef("mended by ") : StringRef(kMendNote))
          << warning.mend;
    reported.push_back(
        {getLabel(warning.id).str(), warning.op->getName().getStringRef().str(),
         getFunctionName(warning.op), describeLocation(warning.op->getLoc()),
         text, warning.mend, warning.refusal, warning.arguments, isFixed});
  }

  void writeJson(llvm::json::OStream &out) {
    out.object([&] {
      writeObjects(out, "warnings", reported, [&](const Reported &one) {
        out.attribute("id", one.id);
        out.attribute("op", one.op);
        out.attribute("function", one.function);
        out.attribute("location", one.location);
        out.attribute("text", one.text);
        out.attribute("mend", one.mend);
        if (!one.refusal.empty())
          out.attribute("not_mended", one.refusal);
        out.attribute("fixed", one.isFixed);
        out.attributeObject("values", [&] {
          for (const auto &[name, value] : one.numbers) {
            double number = 0.0;
            if (StringRef(value).getAsDouble(number))
              out.attribute(name, value);
            else
              out.attribute(name, number);
          }
        });
      });
    });
  }

  SmallVector<WarningId> ignored;
  std::vector<Reported> reported;
};

} // namespace
