//===- Lexer.h - Tokens of PTX text
//-----------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A word keeps its dots and double colons ("ld.shared::cta.b32", "%tid.x"):
// PTX never needs them apart before the parser knows what the word is.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_PARSE_LEXER_H
#define ATTN_LIB_PTXSIM_PARSE_LEXER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace attn::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Word,
    Integer,
    Float32,
    Float64,
    String,
    Punct,
    Bad
  };
  Kind kind = Kind::End;
  uint32_t line = 1;
  llvm::StringRef text;
  uint64_t bits = 0; ///< Value of a number.

  bool is(char c) const {
    return kind == Kind::Punct && text.size() == 1 && text[0] == c;
  }
  bool isWord(llvm::StringRef word) const {
    return kind == Kind::Word && text == word;
  }
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text(text) {}
  Token next();
  /// Drops the rest of the line that `token` ends in (.loc, @@DWARF).
  void skipLine();
  /// Continues right after `token`, forgetting any look-ahead.
  void rewind(const Token &token) {
    position = size_t(token.text.end() - text.begin());
    line = token.line;
  }

private:
  void skipSpace();
  Token number();
  Token make(Token::Kind kind, size_t begin);

  llvm::StringRef text;
  size_t position = 0;
  uint32_t line = 1;
  bool unterminatedComment = false;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_PARSE_LEXER_H
