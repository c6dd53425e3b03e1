//===- QuickFix.cpp - What mends a warning, as an edit --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuickFix.h"
#include "Names.h"
#include "attn/InitAll.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace attn;
using namespace attn::lsp;
using llvm::StringRef;
namespace json = llvm::json;

namespace {
/// A part of the text, and what is to stand there.
struct Edit {
  size_t begin, end;
  std::string replacement;
};
} // namespace

/// Behind the parenthesis that closes the one at `open`.
static size_t findClosed(StringRef text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      return i + 1;
  }
  return text.size();
}

/// Where `name(` begins in the text; npos if it does not.
static size_t findClause(StringRef text, StringRef name) {
  std::string start = (name + "(").str();
  for (size_t at = text.find(start); at != StringRef::npos;
       at = text.find(start, at + 1))
    if (at == 0 || !isNamePart(text[at - 1]))
      return at;
  return StringRef::npos;
}

/// The words and clauses of an op lie between its name and its operands.
static std::optional<Edit> findEdit(StringRef text, size_t offset,
                                    StringRef clause) {
  StringRef name = clause.take_while(isNamePart);
  StringRef arguments = clause.drop_front(name.size());
  bool isFlag = arguments.empty();
  if (name.empty() ||
      (!isFlag && (arguments.front() != '(' ||
                   findClosed(arguments, 0) != arguments.size())))
    return std::nullopt;
  size_t begin = offset + text.drop_front(offset).take_while(isNamePart).size();
  size_t end = std::min(text.find('%', begin), text.find("ins(", begin));
  if (end == StringRef::npos)
    return std::nullopt;
  if (isFlag)
    return Edit{end, end, (clause + " ").str()};
  size_t old = findClause(text.slice(begin, end), name);
  if (old == StringRef::npos)
    return Edit{begin, begin, (" " + clause).str()};
  return Edit{begin + old, findClosed(text, begin + old + name.size()),
              clause.str()};
}

static bool isReadable(StringRef text) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &) {});
  return bool(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
}

static json::Object makePosition(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  return json::Object{
      {"line", int64_t(before.count('\n'))},
      {"character", int64_t(before.size() - before.rfind('\n') - 1)}};
}

std::optional<json::Object>
attn::lsp::makeQuickFix(StringRef text, size_t offset, StringRef clause) {
  std::optional<Edit> edit = findEdit(text, offset, clause);
  if (!edit)
    return std::nullopt;
  std::string mended = (text.take_front(edit->begin) + edit->replacement +
                        text.drop_front(edit->end))
                           .str();
  if (!isReadable(mended))
    return std::nullopt;
  return json::Object{
      {"title", "Mend it by " + clause.str()},
      {"range", json::Object{{"start", makePosition(text, edit->begin)},
                             {"end", makePosition(text, edit->end)}}},
      {"newText", edit->replacement}};
}

json::Array attn::lsp::getQuickFixes(StringRef uri,
                                     const json::Array &diagnostics) {
  json::Array actions;
  for (const json::Value &each : diagnostics) {
    const json::Object *diagnostic = each.getAsObject();
    const json::Object *fix =
        diagnostic ? diagnostic->getObject("data") : nullptr;
    const json::Object *range = fix ? fix->getObject("range") : nullptr;
    std::optional<StringRef> title =
        fix ? fix->getString("title") : std::nullopt;
    std::optional<StringRef> newText =
        fix ? fix->getString("newText") : std::nullopt;
    if (!range || !title || !newText)
      continue;
    json::Object edit{{"range", json::Object(*range)},
                      {"newText", newText->str()}};
    json::Object changes;
    changes[uri.str()] = json::Array{std::move(edit)};
    actions.push_back(
        json::Object{{"title", title->str()},
                     {"kind", "quickfix"},
                     {"diagnostics", json::Array{each}},
                     {"edit", json::Object{{"changes", std::move(changes)}}}});
  }
  return actions;
}
