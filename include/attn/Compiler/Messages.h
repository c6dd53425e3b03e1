//===- Messages.h - Diagnostics and remarks for a host ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_MESSAGES_H
#define ATTN_COMPILER_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include <functional>
#include <string>

namespace attn {

struct CompilerMessage {
  mlir::DiagnosticSeverity severity = mlir::DiagnosticSeverity::Remark;
  /// As the module's locations name it; empty when not known.
  std::string file;
  unsigned line = 0, column = 0;
  /// `attn-r001` and the like for the remarks of the table, else empty.
  std::string id;
  std::string text;

  /// `FILE:LINE: [ID] text`, without what is not known.
  std::string format() const;
};

/// `passed`, `missed` or `analysis`, as the table of remarks has it; empty for
/// what is no id of the table.
llvm::StringRef getRemarkKindName(llvm::StringRef id);

/// Without the notes.
CompilerMessage makeMessage(mlir::Diagnostic &diagnostic);

using MessageHandler = std::function<void(const CompilerMessage &)>;

/// Hands what MLIR reports to a handler, as long as it lives. Notes belong to
/// other messages and are left out.
class MessageScope {
public:
  MessageScope(mlir::MLIRContext *context, MessageHandler handler);

private:
  mlir::ScopedDiagnosticHandler scope;
};

/// Prints warnings and errors in the name of `tool` and hands remarks to
/// `remark`.
MessageHandler makeToolMessageHandler(std::string tool, MessageHandler remark);

} // namespace attn

#endif // ATTN_COMPILER_MESSAGES_H
