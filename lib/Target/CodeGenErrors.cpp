//===- CodeGenErrors.cpp - What LLVM complains of -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CodeGenErrors.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;

class CodeGenErrors::Handler : public llvm::DiagnosticHandler {
public:
  explicit Handler(std::shared_ptr<Found> found) : found(std::move(found)) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error)
      found->errors.push_back(std::move(text));
    else if (info.getSeverity() == llvm::DS_Warning)
      found->warnings.push_back(std::move(text));
    return true;
  }

private:
  std::shared_ptr<Found> found;
};

CodeGenErrors::CodeGenErrors(llvm::LLVMContext &context)
    : found(std::make_shared<Found>()) {
  context.setDiagnosticHandler(std::make_unique<Handler>(found));
}

llvm::Error CodeGenErrors::take(mlir::Location loc) {
  Found taken = std::exchange(*found, {});
  for (const std::string &warning : taken.warnings)
    mlir::emitWarning(loc, "LLVM: ") << warning;
  if (taken.errors.empty())
    return llvm::Error::success();
  return llvm::createStringError("LLVM: " + llvm::join(taken.errors, "; "));
}
