//===- Messages.cpp - Diagnostics and remarks for a host ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Messages.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attn;

std::string CompilerMessage::format() const {
  std::string where = line == 0 ? "" : file + ":" + std::to_string(line) + ": ";
  return where + (id.empty() ? "" : "[" + id + "] ") + text;
}

/// Takes `[attn-r001] text` apart.
static void splitId(CompilerMessage &message) {
  auto [id, text] = StringRef(message.text).split("] ");
  if (!id.consume_front("[") || !id.starts_with("attn-"))
    return;
  message.id = id.str();
  message.text = text.str();
}

llvm::StringRef attn::getRemarkKindName(llvm::StringRef id) {
  // By what the table calls the kinds.
  constexpr llvm::StringLiteral Passed = "passed", Missed = "missed",
                                Analysis = "analysis";
  return llvm::StringSwitch<llvm::StringRef>(id)
#define ATTN_REMARK(Name, Number, Kind, Text, Explanation)                     \
  .Case("attn-r" #Number, Kind)
#include "attn/Remarks/Remarks.def"
      .Default("");
}

CompilerMessage attn::makeMessage(Diagnostic &diagnostic) {
  CompilerMessage message;
  message.severity = diagnostic.getSeverity();
  auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (where && where.getLine()) {
    message.file = where.getFilename().str();
    message.line = where.getLine();
    message.column = where.getColumn();
  }
  message.text = diagnostic.str();
  splitId(message);
  return message;
}

MessageScope::MessageScope(MLIRContext *context, MessageHandler handler)
    : scope(context, [handler = std::move(handler)](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Note)
          handler(makeMessage(diagnostic));
      }) {}

MessageHandler attn::makeToolMessageHandler(std::string tool,
                                            MessageHandler remark) {
  return [tool = std::move(tool),
          remark = std::move(remark)](const CompilerMessage &message) {
    if (message.severity == DiagnosticSeverity::Remark)
      return remark(message);
    bool isError = message.severity == DiagnosticSeverity::Error;
    llvm::errs() << tool << (isError ? ": error: " : ": warning: ")
                 << message.format() << "\n";
  };
}
