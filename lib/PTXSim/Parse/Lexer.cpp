//===- Lexer.cpp - Tokens of PTX text
//---------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Parse/Lexer.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <cstring>

namespace attn::ptx {

static bool isWordStart(char c) {
  return llvm::isAlpha(c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool isWordPart(char c) { return isWordStart(c) || llvm::isDigit(c); }

Token Lexer::make(Token::Kind kind, size_t begin) {
  return {kind, line, text.slice(begin, position), 0};
}

void Lexer::skipLine() {
  while (position < text.size() && text[position] != '\n')
    ++position;
}

void Lexer::skipSpace() {
  while (position < text.size()) {
    char c = text[position];
    llvm::StringRef rest = text.substr(position);
    if (c == '\n') {
      ++line;
      ++position;
    } else if (llvm::isSpace(c) || c == '\0') {
      ++position;
    } else if (rest.starts_with("//")) {
      skipLine();
    } else if (rest.starts_with("/*")) {
      size_t end = text.find("*/", position + 2);
      unterminatedComment = end == llvm::StringRef::npos;
      end = unterminatedComment ? text.size() : end + 2;
      // The line where a comment without end begins is the one to name.
      if (!unterminatedComment)
        line += uint32_t(text.slice(position, end).count('\n'));
      position = end;
    } else {
      return;
    }
  }
}

/// Decimal, hexadecimal, octal and binary integers; 0f and 0d hexadecimal
/// floats; decimal floats.
Token Lexer::number() {
  size_t begin = position;
  llvm::StringRef rest = text.substr(position);
  auto hexFloat = [&](size_t digits, Token::Kind kind) {
    position += 2;
    size_t first = position;
    while (position < text.size() && llvm::isHexDigit(text[position]))
      ++position;
    Token token = make(kind, begin);
    if (position - first != digits ||
        text.slice(first, position).getAsInteger(16, token.bits))
      token.kind = Token::Kind::Bad;
    return token;
  };
  if (rest.starts_with_insensitive("0f"))
    return hexFloat(8, Token::Kind::Float32);
  if (rest.starts_with_insensitive("0d"))
    return hexFloat(16, Token::Kind::Float64);

  bool hex = rest.starts_with_insensitive("0x");
  bool binary = rest.starts_with_insensitive("0b");
  position += hex || binary ? 2 : 0;
  size_t first = position;
  while (position < text.size() && (hex ? llvm::isHexDigit(text[position])
                                        : llvm::isDigit(text[position])))
    ++position;
  llvm::StringRef digits = text.slice(first, position);
  auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  bool exponent = (at(position) == 'e' || at(position) == 'E') &&
                  (llvm::isDigit(at(position + 1)) ||
                   ((at(position + 1) == '-' || at(position + 1) == '+') &&
                    llvm::isDigit(at(position + 2))));
  if (!hex && !binary && (at(position) == '.' || exponent)) {
    while (position < text.size() &&
           (llvm::isAlnum(text[position]) || text[position] == '.' ||
            ((text[position] == '-' || text[position] == '+') &&
             (text[position - 1] == 'e' || text[position - 1] == 'E'))))
      ++position;
    Token token = make(Token::Kind::Float64, begin);
    double value = 0;
    if (token.text.getAsDouble(value))
      token.kind = Token::Kind::Bad;
    std::memcpy(&token.bits, &value, sizeof(value));
    return token;
  }
  bool octal = !hex && !binary && digits.size() > 1 && digits[0] == '0';
  uint64_t value = 0;
  bool bad = digits.getAsInteger(hex ? 16 : binary ? 2 : octal ? 8 : 10, value);
  if (at(position) == 'U')
    ++position;
  bad |= isWordPart(at(position)) && at(position) != '.';
  Token token = make(bad ? Token::Kind::Bad : Token::Kind::Integer, begin);
  token.bits = value;
  return token;
}

Token Lexer::next() {
  skipSpace();
  size_t begin = position;
  if (position >= text.size())
    return make(unterminatedComment ? Token::Kind::Bad : Token::Kind::End,
                begin);
  char c = text[position];
  if (llvm::isDigit(c))
    return number();
  if (isWordStart(c)) {
    while (position < text.size()) {
      if (isWordPart(text[position]))
        ++position;
      else if (text.substr(position).starts_with("::") &&
               position + 2 < text.size() && isWordPart(text[position + 2]))
        position += 2;
      else
        break;
    }
    return make(Token::Kind::Word, begin);
  }
  ++position;
  if (c == '"') {
    while (position < text.size() && text[position] != '"' &&
           text[position] != '\n')
      position += text[position] == '\\' ? 2 : 1;
    if (position >= text.size() || text[position] != '"') {
      position = std::min(position, text.size());
      return make(Token::Kind::Bad, begin);
    }
    ++position;
    return make(Token::Kind::String, begin);
  }
  if (llvm::StringRef("{}[]()<>,;:=+-!|@*~&^/?").contains(c))
    return make(Token::Kind::Punct, begin);
  return make(Token::Kind::Bad, begin);
}

} // namespace attn::ptx
