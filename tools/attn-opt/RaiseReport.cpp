//===- RaiseReport.cpp - The flag --attn-raise-report ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseReport.h"
#include "attn/Compiler/CommandLine.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Support/OutputFiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attn;
using namespace attn::opt;

constexpr llvm::StringLiteral kFlag = "--attn-raise-report";

static std::optional<RaiseReportForm> readForm(StringRef path) {
  if (path == "-")
    return RaiseReportForm::Text;
  if (path.ends_with(".html"))
    return RaiseReportForm::HTML;
  if (path.ends_with(".json"))
    return RaiseReportForm::JSON;
  return std::nullopt;
}

llvm::Expected<RaiseReport>
RaiseReport::create(std::string path, const MlirOptMainConfig &config) {
  auto refuse = [&](const Twine &why) {
    return llvm::createStringError(kFlag + "=" + path + ": " + why);
  };
  std::optional<RaiseReportForm> form = readForm(path);
  if (!form)
    return refuse("the name must end in .html or .json, or be - for text");
  if (!config.inputSplitMarker().empty())
    return refuse("a report is about one module, not with --split-input-file");
  if (config.shouldEmitRemarks())
    return refuse("remarks that --remarks-filter takes are not in a report");
  if (*form != RaiseReportForm::Text)
    if (llvm::Error error = checkWritable(kFlag, path))
      return error;
  return RaiseReport(std::move(path), *form);
}

namespace {

/// Calls a function for what a pipeline runs on, between its passes.
class VisitPass : public PassWrapper<VisitPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VisitPass)

  explicit VisitPass(std::function<void(Operation *)> visit)
      : visit(std::move(visit)) {}

  StringRef getName() const override { return "attn-raise-report"; }
  /// What parts of composite ops are made of.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<AttnDialect, arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, linalg::LinalgDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    visit(getOperation());
    markAllAnalysesPreserved();
  }

private:
  std::function<void(Operation *)> visit;
};

} // namespace

LogicalResult
RaiseReport::setUp(PassManager &manager,
                   function_ref<LogicalResult(PassManager &)> addPasses) {
  manager.addPass(std::make_unique<VisitPass>([this](Operation *module) {
    input.before = countStructuredOps(module);
    // Remarks are seen on their way to who prints them.
    handler = module->getContext()->getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) {
          if (std::optional<GivenRemark> remark = readRemark(diagnostic))
            input.remarks.push_back(std::move(*remark));
          return failure();
        });
  }));
  size_t before = manager.size();
  if (failed(addPasses(manager)))
    return failure();
  if (manager.size() == before)
    buildRaisePipeline(manager);
  manager.addPass(std::make_unique<VisitPass>([this](Operation *module) {
    module->getContext()->getDiagEngine().eraseHandler(handler);
    content = writeRaiseReport(module, input, form);
  }));
  return success();
}

llvm::Error RaiseReport::write() { return writeOutput(path, content); }
