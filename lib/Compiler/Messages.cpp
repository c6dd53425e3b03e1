//===- Messages.cpp - Diagnostics and remarks for a host ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Messages.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attn;

std::string CompilerMessage::format() const {
  if (line == 0)
    return text;
  return file + ":" + std::to_string(line) + ": " + text;
}

/// The id that stands in brackets before a text, `[attn-r001] text`.
static std::string readId(StringRef text) {
  if (!text.consume_front("[attn-"))
    return "";
  return ("attn-" + text.take_until([](char c) { return c == ']'; })).str();
}

static CompilerMessage convert(Diagnostic &diagnostic) {
  CompilerMessage message;
  message.severity = diagnostic.getSeverity();
  auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (where && where.getLine()) {
    message.file = where.getFilename().str();
    message.line = where.getLine();
  }
  message.text = diagnostic.str();
  message.id = readId(message.text);
  return message;
}

MessageScope::MessageScope(MLIRContext *context, MessageHandler handler)
    : scope(context, [handler = std::move(handler)](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Note)
          handler(convert(diagnostic));
      }) {}

MessageHandler
attn::makeToolMessageHandler(std::string tool,
                             std::function<void(std::string)> remark) {
  return [tool = std::move(tool),
          remark = std::move(remark)](const CompilerMessage &message) {
    if (message.severity == DiagnosticSeverity::Remark)
      return remark(message.format());
    bool isError = message.severity == DiagnosticSeverity::Error;
    llvm::errs() << tool << (isError ? ": error: " : ": warning: ")
                 << message.format() << "\n";
  };
}
