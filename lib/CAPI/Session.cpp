//===- Session.cpp - Messages and errors of one call ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "attn/Compiler/Backend.h"
#include "attn/InitAll.h"

using namespace attn;
using namespace attn::capi;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerBackendTranslations(registry);
  return registry;
}

/// Hosts have threads of their own.
IRContext::IRContext()
    : mlir(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
  mlir.printOpOnDiagnostic(false);
}

void Session::use(std::shared_ptr<IRContext> used) {
  ir = std::move(used);
  messages.emplace(&ir->mlir,
                   [this](const CompilerMessage &message) { report(message); });
}

static attn_severity convert(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return ATTN_ERROR;
  case mlir::DiagnosticSeverity::Warning:
    return ATTN_WARNING;
  default:
    return ATTN_REMARK;
  }
}

/// `FILE:LINE:COLUMN: [ID] text`: hosts show the place.
static std::string format(const CompilerMessage &message) {
  if (message.line == 0 || message.column == 0)
    return message.format();
  CompilerMessage rest = message;
  rest.line = 0;
  return message.file + ":" + std::to_string(message.line) + ":" +
         std::to_string(message.column) + ": " + rest.format();
}

void Session::report(const CompilerMessage &message) {
  // One fault may be reported at each of a thousand ops.
  constexpr unsigned maxErrors = 20;
  bool isError = message.severity == mlir::DiagnosticSeverity::Error;
  if (isError && numErrors++ < maxErrors)
    errors += (errors.empty() ? "" : "\n") + format(message);
  if (!compiler.options.on_message)
    return;
  attn_message told = {};
  told.severity = convert(message.severity);
  told.id = message.id.c_str();
  told.text = message.text.c_str();
  told.file = message.file.c_str();
  told.line = message.line;
  told.column = message.column;
  compiler.options.on_message(compiler.options.user, &told);
}

void Session::beginPhase(const char *name) {
  if (compiler.options.on_progress)
    compiler.options.on_progress(compiler.options.user, name);
}

std::string Session::takeErrors() { return std::exchange(errors, {}); }

void Session::abandon() {
  if (ir)
    ir->isDamaged = true;
}
