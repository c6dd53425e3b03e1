//===- InputText.cpp - What can be told before parsing --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/InputFile.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace attn;
using llvm::createStringError;
using llvm::StringRef;

namespace {

/// Goes over a text by tokens that are coarser than the parser's: a word, a
/// string, a bracket or another character. Comments and spaces are left out.
class TokenScanner {
public:
  explicit TokenScanner(StringRef text) : text(text) {}

  /// The next token; empty at the end.
  StringRef next();
  /// Of the last token.
  unsigned line = 1;
  bool isFirstOnLine = true;

private:
  void skipSpace();
  size_t findEnd() const;

  StringRef text;
  size_t at = 0;
};

} // namespace

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWord(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

void TokenScanner::skipSpace() {
  for (; at < text.size(); ++at) {
    if (text.substr(at).starts_with("//"))
      at = std::min(text.find('\n', at), text.size());
    if (at == text.size())
      return;
    if (text[at] == '\n') {
      ++line;
      isFirstOnLine = true;
    } else if (!llvm::isSpace(text[at])) {
      return;
    }
  }
}

/// Where the token that begins at `at` ends.
size_t TokenScanner::findEnd() const {
  size_t end = at + 1;
  char first = text[at];
  if (first == '"') {
    // A string that is not closed ends with its line, and the parser says so.
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    bool isClosed = end < text.size() && text[end] == '"';
    return std::min(end + isClosed, text.size());
  }
  if (isWordStart(first) || llvm::StringRef("%@^!#").contains(first)) {
    while (end < text.size() && isWord(text[end]))
      ++end;
    return end;
  }
  StringRef pair = text.substr(at, 2);
  if (pair == "->" || pair == "<=" || pair == ">=")
    return end + 1;
  return end;
}

StringRef TokenScanner::next() {
  isFirstOnLine = at == 0;
  skipSpace();
  if (at == text.size())
    return StringRef();
  size_t begin = at;
  at = findEnd();
  return text.slice(begin, at);
}

static llvm::Error failAt(llvm::MemoryBufferRef buffer, unsigned line,
                          const llvm::Twine &message) {
  return createStringError(buffer.getBufferIdentifier() + ":" +
                           llvm::Twine(line) + ": " + message);
}

llvm::Error attn::checkNesting(llvm::MemoryBufferRef buffer) {
  if (mlir::isBytecode(buffer))
    return llvm::Error::success();
  // What is less than something is no bracket either, so brackets close what is
  // theirs and nothing else.
  constexpr StringRef opening = "([{<", closing = ")]}>";
  llvm::SmallVector<char> open;
  // In affine expressions each minus is a level of its own.
  unsigned signs = 0;
  TokenScanner scanner(buffer.getBuffer());
  while (true) {
    StringRef token = scanner.next();
    if (token.empty())
      return llvm::Error::success();
    signs = token == "-" ? signs + 1 : 0;
    if (signs > kMaxNesting)
      return failAt(buffer, scanner.line,
                    "more than " + llvm::Twine(kMaxNesting) +
                        " signs follow one another");
    if (token.size() > 1)
      continue;
    size_t kind = closing.find(token[0]);
    if (kind != StringRef::npos) {
      while (opening[kind] != '<' && !open.empty() && open.back() == '<')
        open.pop_back();
      if (!open.empty() && open.back() == opening[kind])
        open.pop_back();
    } else if (opening.contains(token[0])) {
      open.push_back(token[0]);
      if (open.size() > kMaxNesting)
        return failAt(buffer, scanner.line,
                      "brackets are nested more than " +
                          llvm::Twine(kMaxNesting) + " deep");
    }
  }
}

/// How to get linalg on tensors of a dialect; empty for other dialects.
static StringRef getExportAdvice(StringRef dialect) {
  constexpr StringRef torch = "torch_mlir.fx.export_and_import(model, *inputs, "
                              "output_type=\"linalg-on-tensors\")";
  constexpr StringRef stablehlo = "stablehlo-opt --chlo-legalize-to-stablehlo "
                                  "--stablehlo-legalize-to-linalg";
  if (dialect == "torch" || dialect == "torch_c")
    return torch;
  if (dialect == "tm_tensor")
    return "torch_mlir.fx.export_and_import(model, *inputs, "
           "output_type=\"linalg-on-tensors\") with a decomposition_table that "
           "has the op this one came from";
  if (dialect == "stablehlo" || dialect == "chlo" || dialect == "vhlo" ||
      dialect == "mhlo")
    return stablehlo;
  if (dialect == "tosa")
    return "mlir-opt --tosa-to-linalg-pipeline";
  if (dialect == "onnx")
    return "torch-mlir-import-onnx, then torch-mlir-opt "
           "--torch-onnx-to-torch-backend-pipeline "
           "--torch-backend-to-linalg-on-tensors-backend-pipeline";
  return "";
}

llvm::Error
attn::checkFrameworkDialects(llvm::MemoryBufferRef buffer,
                             llvm::function_ref<bool(StringRef)> isKnown) {
  if (mlir::isBytecode(buffer))
    return llvm::Error::success();
  TokenScanner scanner(buffer.getBuffer());
  StringRef before;
  StringRef token = scanner.next();
  while (!token.empty()) {
    unsigned line = scanner.line;
    bool beginsStatement = scanner.isFirstOnLine || before == "=";
    StringRef after = scanner.next();
    StringRef name = token.trim('"');
    StringRef dialect = name.split('.').first;
    // Names of attributes, which may have any dialect, come before these
    // tokens.
    bool isAttribute = after == "=" || after == "," || after == "}";
    // The one op of a dialect that is read in part.
    bool isRead = isKnown(dialect) && name != "tm_tensor.attention";
    if (beginsStatement && !isAttribute && name.contains('.') &&
        !getExportAdvice(dialect).empty() && !isRead)
      return failAt(buffer, line,
                    "'" + name + "' is an op of the dialect " + dialect +
                        ", which has to become linalg on tensors first: " +
                        getExportAdvice(dialect));
    before = token;
    token = after;
  }
  return llvm::Error::success();
}
