//===- attn-opt.cpp - Runs passes on a file -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseReport.h"
#include "attn/Compiler/CommandLine.h"
#include "attn/Compiler/Errors.h"
#include "attn/Compiler/InputFile.h"
#include "attn/Compiler/Lowering.h"
#include "attn/InitAll.h"
#include "attn/Support/CrashGuard.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace attn;

static llvm::cl::Option *findFlag(llvm::StringRef name) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
  assert(option && "there is no such flag");
  return option;
}

/// Gives one of mlir-opt's flags another default.
static void setFlagDefault(llvm::StringRef name, bool value) {
  static_cast<llvm::cl::opt<bool> *>(findFlag(name))->setInitialValue(value);
}

static void changeFlags() {
  // A plugin would bring an MLIR of its own: this one exports no symbols.
  findFlag("load-dialect-plugin")->removeArgument();
  findFlag("load-pass-plugin")->removeArgument();
  // The op in generic form, 1 to 2 KB after each error, hides the error.
  setFlagDefault("mlir-print-op-on-diagnostic", false);
  // Deeply nested ops fit on the stack of the main thread only.
  setFlagDefault("mlir-disable-threading", true);
}

static llvm::Error checkInput(llvm::MemoryBufferRef input,
                              const mlir::DialectRegistry &registry,
                              const mlir::MlirOptMainConfig &config) {
  if (llvm::Error error = checkNesting(input))
    return error;
  // Tests of messages want those of the parser.
  if (config.shouldAllowUnregisteredDialects() ||
      config.shouldVerifyDiagnostics())
    return llvm::Error::success();
  return checkFrameworkDialects(input, [&](llvm::StringRef dialect) {
    return llvm::is_contained(registry.getDialectNames(), dialect);
  });
}

int main(int argc, char **argv) {
  CrashGuard guard("attn-opt", argc, argv);
  removeForeignFlags();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  setVersionPrinter();
  llvm::cl::opt<std::string> reportPath{
      "attn-raise-report",
      llvm::cl::desc("Report what raising made of a model, layer by layer: "
                     "FILE.html, FILE.json, or - for text. Without passes, "
                     "attn-raise-pipeline runs"),
      llvm::cl::value_desc("file")};
  std::string help = mlir::registerCLIOptions(
      "attn-mlir: attention, from IR to kernels\n", registry);
  changeFlags();
  auto [input, output] = mlir::parseCLIOptions(argc, argv, help);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));

  setCrashPhase("read");
  if (input == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(reading from the terminal, up to ctrl-d)\n";
  auto buffer = readInputFile(input);
  if (!buffer)
    return reportFailure("attn-opt", buffer.takeError());
  llvm::MemoryBufferRef contents = **buffer;
  setCrashInput(std::move(*buffer));
  if (llvm::Error error = checkInput(contents, registry, config))
    return reportFailure("attn-opt", std::move(error));
  std::optional<opt::RaiseReport> report;
  if (reportPath.getNumOccurrences() != 0) {
    auto created = opt::RaiseReport::create(reportPath, config);
    if (!created)
      return reportFailure("attn-opt", created.takeError());
    report = std::move(*created);
  }
  std::string message;
  auto file = mlir::openOutputFile(output, &message);
  if (!file)
    return reportFailure("attn-opt", llvm::createStringError(message));
  // Without a report nothing of the module is written either, and text is not
  // mixed with it.
  std::string held;
  llvm::raw_string_ostream holding(held);
  setCrashPhase("parse");
  mlir::MlirOptMainConfig inner = config;
  config.setPassPipelineSetupFn([&](mlir::PassManager &manager) {
    nameCrashPasses(manager);
    auto addPasses = [&](mlir::PassManager &passes) {
      return inner.setupPassPipeline(passes);
    };
    return report ? report->setUp(manager, addPasses) : addPasses(manager);
  });
  if (mlir::failed(mlir::MlirOptMain(
          report ? static_cast<llvm::raw_ostream &>(holding) : file->os(),
          llvm::MemoryBuffer::getMemBuffer(contents), registry, config)))
    return 1;
  if (report) {
    if (llvm::Error error = report->write())
      return reportFailure("attn-opt", std::move(error));
    if (!report->isStandardOutput() || output != "-")
      file->os() << held;
  }
  file->keep();
  return 0;
}
