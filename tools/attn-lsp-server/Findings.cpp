//===- Findings.cpp - What passes say of a document -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "Names.h"
#include "QuickFix.h"
#include "attn/Analysis/Lint.h"
#include "attn/Analysis/Passes.h"
#include "attn/Compiler/InputFile.h"
#include "attn/Compiler/Messages.h"
#include "attn/InitAll.h"
#include "attn/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace attn;

namespace json = llvm::json;

/// The protocol's numbers.
static int getSeverity(DiagnosticSeverity severity) {
  constexpr int warning = 2, hint = 4;
  return severity == DiagnosticSeverity::Remark ? hint : warning;
}

/// The text from a location on.
static StringRef getRest(StringRef text, const FileLineColLoc &where) {
  for (unsigned i = 1; i < where.getLine(); ++i)
    text = text.split('\n').second;
  size_t begin = where.getColumn() ? where.getColumn() - 1 : 0;
  return text.drop_front(std::min(begin, text.size()));
}

/// What is underlined: the op's name, which its location points to.
static json::Object getRange(StringRef text, const FileLineColLoc &where) {
  unsigned line = where.getLine() ? where.getLine() - 1 : 0;
  unsigned begin = where.getColumn() ? where.getColumn() - 1 : 0;
  StringRef name = getRest(text, where).take_while(lsp::isNamePart);
  auto position = [&](unsigned character) {
    return json::Object{{"line", line}, {"character", character}};
  };
  return json::Object{{"start", position(begin)},
                      {"end", position(begin + unsigned(name.size()))}};
}

/// What mends a warning of attn-lint, as its note says; empty if none does.
static std::string getMend(Diagnostic &diagnostic) {
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    StringRef mend = text;
    if (mend.consume_front(kMendNote))
      return mend.str();
  }
  return "";
}

json::Array attn::lsp::findInDocument(StringRef text) {
  json::Array findings;
  if (llvm::Error error = checkNesting({text, "document"})) {
    llvm::consumeError(std::move(error));
    return findings;
  }
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  bool isParsing = true;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    // What is wrong with the text is said by the server itself.
    if (isParsing || !where)
      return;
    CompilerMessage message = makeMessage(diagnostic);
    json::Object finding{{"range", getRange(text, where)},
                         {"severity", getSeverity(message.severity)},
                         {"source", "attn"},
                         {"message", json::fixUTF8(message.text)}};
    if (!message.id.empty())
      finding["code"] = message.id;
    size_t offset = text.size() - getRest(text, where).size();
    std::string mend = getMend(diagnostic);
    if (auto fix =
            mend.empty() ? std::nullopt : makeQuickFix(text, offset, mend))
      finding["data"] = std::move(*fix);
    findings.push_back(std::move(finding));
  });
  auto module = parseSourceString<ModuleOp>(text, &context, "document");
  if (!module)
    return findings;
  isParsing = false;
  PassManager manager(&context);
  buildRaisePipeline(manager);
  manager.addPass(createLintPass());
  buildPlanPipeline(manager, PlanOptions());
  // A pass that fails has said why.
  (void)manager.run(*module);
  return findings;
}
