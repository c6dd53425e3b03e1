//===- Parser.cpp - Tokens and module level
//---------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Parse/Parser.h"

using namespace llvm;

namespace attn::ptx {

Parser::Parser(StringRef source) : lexer("") {
  module.text = std::make_unique<std::string>(source.str());
  text = *module.text;
  lexer = Lexer(text);
}

/// Loops that skip tokens end at the end of the text only, so a comment that
/// runs into it must not look like a token.
void Parser::advance() {
  token = lexer.next();
  if (token.kind != Token::Kind::Bad || !token.text.empty())
    return;
  token.kind = Token::Kind::End;
  errorAt(token.line, "a comment has no end");
}

Token Parser::peek() {
  Lexer copy = lexer;
  return copy.next();
}

bool Parser::errorAt(uint32_t line, const Twine &what) {
  if (!failed)
    message = ("line " + Twine(line) + ": " + what).str();
  failed = true;
  return false;
}

bool Parser::error(const Twine &what) {
  if (token.kind == Token::Kind::End)
    return errorAt(token.line, what + ", at the end of the text");
  return errorAt(token.line, what + ", at '" + token.text.substr(0, 60) + "'");
}

bool Parser::accept(char c) {
  if (!token.is(c))
    return false;
  advance();
  return true;
}

bool Parser::acceptWord(StringRef what) {
  if (!token.isWord(what))
    return false;
  advance();
  return true;
}

bool Parser::expect(char c) {
  return accept(c) || error(Twine("expected '") + Twine(c) + "'");
}

bool Parser::word(StringRef &out, StringRef what) {
  if (token.kind != Token::Kind::Word)
    return error("expected " + what);
  out = token.text;
  advance();
  return true;
}

bool Parser::integer(uint64_t &out) {
  bool negative = accept('-');
  if (token.kind != Token::Kind::Integer)
    return error("expected an integer");
  out = negative ? 0 - token.bits : token.bits;
  advance();
  return true;
}

/// Skips a block in braces; the current token is its `{`.
bool Parser::skipBraces() {
  unsigned depth = 0;
  do {
    depth += token.is('{');
    depth -= token.is('}');
    if (token.kind == Token::Kind::End)
      return error("missing '}'");
    advance();
  } while (depth);
  return true;
}

bool Parser::skipStatement() {
  while (!token.is(';')) {
    if (token.kind == Token::Kind::End)
      return error("missing ';'");
    advance();
  }
  advance();
  return true;
}

/// .version, .target and .address_size.
bool Parser::parseHeader() {
  if (acceptWord(".version")) {
    // The lexer sees 8.7 as a float, so its text is what counts.
    auto [major, minor] = token.text.split('.');
    if (major.getAsInteger(10, module.versionMajor) ||
        minor.getAsInteger(10, module.versionMinor))
      return error("expected a version such as 8.0");
    if (module.versionMajor < 6 || module.versionMajor > 9)
      return error("PTX versions 6.0 to 9.x are understood");
    advance();
    return true;
  }
  if (acceptWord(".target")) {
    StringRef name;
    if (!word(name, "a target"))
      return false;
    module.target = name.str();
    while (accept(','))
      if (!word(name, "a target option"))
        return false;
    return true;
  }
  advance(); // .address_size
  uint64_t size = 0;
  if (!integer(size))
    return false;
  if (size != 64)
    return error("only 64-bit addresses are supported");
  return true;
}

static bool isLinkage(StringRef word) {
  return word == ".visible" || word == ".extern" || word == ".weak" ||
         word == ".common";
}

bool Parser::parseTopLevel() {
  if (token.isWord(".version") || token.isWord(".target") ||
      token.isWord(".address_size"))
    return parseHeader();
  if (token.isWord(".file") || token.isWord(".loc")) {
    lexer.rewind(token);
    lexer.skipLine();
    advance();
    return true;
  }
  if (token.is('@') && peek().is('@')) { // @@DWARF
    lexer.skipLine();
    advance();
    return true;
  }
  if (acceptWord(".section")) {
    while (!token.is('{') && token.kind == Token::Kind::Word)
      advance();
    return token.is('{') ? skipBraces() : error("expected '{'");
  }
  if (token.isWord(".pragma") || token.isWord(".alias"))
    return skipStatement();
  if (accept(';'))
    return true;

  bool isExtern = false;
  while (token.kind == Token::Kind::Word && isLinkage(token.text)) {
    isExtern |= token.text == ".extern";
    advance();
  }
  if (acceptWord(".entry"))
    return parseFunction(true, isExtern);
  if (acceptWord(".func"))
    return parseFunction(false, isExtern);
  static constexpr std::pair<StringLiteral, ir::Space> spaces[] = {
      {".global", ir::Space::Global},
      {".shared", ir::Space::Shared},
      {".const", ir::Space::Const},
      {".local", ir::Space::Local},
      {".tex", ir::Space::Global}};
  for (auto &[name, space] : spaces)
    if (acceptWord(name))
      return parseVariables(space, isExtern, module.variables, false);
  return error("expected a directive");
}

Expected<ir::Module> Parser::run() {
  advance();
  while (!failed && token.kind != Token::Kind::End)
    parseTopLevel();
  if (!failed && module.versionMajor == 0)
    errorAt(1, "this is no PTX text: there is no .version");
  if (!failed)
    checkReferences();
  if (failed)
    return createStringError(message);
  return std::move(module);
}

} // namespace attn::ptx
