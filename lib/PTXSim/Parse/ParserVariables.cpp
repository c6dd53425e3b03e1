//===- ParserVariables.cpp - Variables, initialisers, parameters
//------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Parse/Parser.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace attn::ptx {

constexpr uint64_t maxVariableBytes = uint64_t(1) << 30;

/// [.align N] [.attribute(...)] [.ptr [.space]] [.v4] .type, in any order that
/// compilers write.
bool Parser::parseVariableType(ir::Variable &var, unsigned &vector) {
  vector = 1;
  var.type = ir::Type::None;
  uint64_t align = 0;
  bool pointer = false;
  while (token.kind == Token::Kind::Word && token.text.starts_with(".")) {
    StringRef name = token.text.drop_front();
    if (name == "align") {
      advance();
      uint64_t value = 0;
      if (!integer(value))
        return false;
      if (!isPowerOf2_64(value) || value > 4096)
        return error("an alignment is a power of two up to 4096");
      // .ptr .align speaks of what the pointer points to.
      align = pointer ? align : value;
      continue;
    }
    if (name == "attribute") {
      advance();
      while (!token.is(')') && token.kind != Token::Kind::End)
        advance();
      if (!expect(')'))
        return false;
      continue;
    }
    if (name == "v2" || name == "v4")
      vector = name == "v2" ? 2 : 4;
    else if (name == "ptr")
      pointer = true;
    else if (name == "surfref" || name == "samplerref" || name == "texref")
      var.type = ir::Type::TexRef;
    else if (ir::Type type = ir::parseType(name); type != ir::Type::None)
      var.type = type;
    else if (!pointer || (name != "global" && name != "const" &&
                          name != "shared" && name != "local"))
      return error("unknown type or property of a variable");
    advance();
  }
  if (var.type == ir::Type::None)
    return error("expected a type");
  uint64_t natural = std::max(1u, ir::bitWidth(var.type) / 8) * vector;
  var.align = align ? align : natural;
  return true;
}

bool Parser::parseDimensions(ir::Variable &var, uint64_t &count) {
  count = 1;
  while (accept('[')) {
    var.isArray = true;
    uint64_t size = 0;
    if (!token.is(']') && !integer(size))
      return false;
    if (!expect(']'))
      return false;
    count = SaturatingMultiply(count, size);
  }
  return true;
}

bool Parser::parseVariables(ir::Space space, bool isExtern,
                            std::vector<ir::Variable> &into, bool scoped) {
  ir::Variable prototype;
  unsigned vector = 1;
  prototype.space = space;
  prototype.isExtern = isExtern;
  if (!parseVariableType(prototype, vector))
    return false;
  do {
    ir::Variable var = prototype;
    var.line = token.line;
    uint64_t count = 1;
    if (!word(var.name, "a name") || !parseDimensions(var, count))
      return false;
    uint64_t element = std::max(1u, ir::bitWidth(var.type) / 8) * vector;
    var.bytes = SaturatingMultiply(count, element);
    if (var.bytes > maxVariableBytes)
      return error("variable '" + var.name + "' is too large");
    if (accept('=')) {
      bool unsized = var.isArray && count == 0;
      if (!parseInitialiser(var, 0))
        return false;
      if (unsized)
        var.bytes = var.init.size();
      if (var.init.size() > var.bytes)
        return error("initialiser of '" + var.name + "' is too long");
    }
    if (scoped) {
      StringRef name = var.name;
      // Functions and scopes may use a name again for another variable.
      if (module.variableIndex.contains(name) || !bodyNames.insert(name).second)
        var.name = own((name + "#" + Twine(bodyNames.size())).str());
      bodyNames.insert(var.name);
      scopes[scopeStack.back()].variables[name] = var.name;
    } else {
      module.variableIndex[var.name] = into.size();
    }
    into.push_back(std::move(var));
  } while (accept(','));
  return expect(';');
}

static void put(std::vector<uint8_t> &bytes, uint64_t offset, uint64_t value,
                unsigned size) {
  if (bytes.size() < offset + size)
    bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, &value, size);
}

/// One value: a number, a symbol with addend, generic(symbol) or mask(symbol).
bool Parser::parseInitialValue(ir::Variable &var, uint64_t offset) {
  unsigned size = std::max(1u, ir::bitWidth(var.type) / 8);
  bool negative = accept('-');
  uint64_t value = token.bits;
  auto relocation = [&](bool generic, unsigned shift, bool close) {
    ir::Variable::Relocation r{offset, "", 0, generic, size, shift};
    if (!word(r.symbol, "a symbol"))
      return false;
    lateNames.push_back({r.symbol, token.line});
    while (accept('+')) {
      uint64_t addend = 0;
      if (!integer(addend))
        return false;
      r.addend += int64_t(addend);
    }
    var.relocations.push_back(r);
    put(var.init, offset, 0, size);
    return !close || expect(')');
  };
  switch (token.kind) {
  case Token::Kind::Integer: {
    advance();
    if (accept('(')) { // 0xFF00(symbol): one byte of its address
      bool generic = acceptWord("generic");
      if (generic && !expect('('))
        return false;
      unsigned shift = value ? unsigned(llvm::countr_zero(value)) : 0;
      return relocation(generic, shift, true) && (!generic || expect(')'));
    }
    put(var.init, offset, negative ? 0 - value : value, std::min(size, 8u));
    if (size == 16)
      put(var.init, offset + 8, 0, 8);
    return true;
  }
  case Token::Kind::Float32:
  case Token::Kind::Float64: {
    bool single = token.kind == Token::Kind::Float32;
    double number = 0;
    if (single) {
      float narrow;
      uint32_t bits = uint32_t(value);
      std::memcpy(&narrow, &bits, 4);
      number = narrow;
    } else {
      std::memcpy(&number, &value, 8);
    }
    number = negative ? -number : number;
    if (size == 4) {
      float narrow = float(number);
      uint32_t bits;
      std::memcpy(&bits, &narrow, 4);
      put(var.init, offset, bits, 4);
    } else if (size == 8) {
      uint64_t bits;
      std::memcpy(&bits, &number, 8);
      put(var.init, offset, bits, 8);
    } else {
      return error("a float does not initialise a variable of this type");
    }
    advance();
    return true;
  }
  case Token::Kind::Word:
    if (acceptWord("generic"))
      return expect('(') && relocation(true, 0, true);
    return relocation(false, 0, false);
  default:
    return error("expected an initial value");
  }
}

bool Parser::parseInitialiser(ir::Variable &var, unsigned depth) {
  if (depth > 8)
    return error("initialiser nested too deeply");
  if (!accept('{'))
    return parseInitialValue(var, var.init.size());
  if (accept('}'))
    return true;
  do {
    if (!parseInitialiser(var, depth + 1))
      return false;
    if (var.init.size() > maxVariableBytes)
      return error("initialiser is too long");
  } while (accept(','));
  return expect('}');
}

/// .param .align 8 .b8 name[16], .reg .b32 %r1, .param .b32 _
bool Parser::parseParameter(ir::Variable &var) {
  if (acceptWord(".reg"))
    var.space = ir::Space::Reg;
  else if (acceptWord(".param"))
    var.space = ir::Space::Param;
  else
    return error("expected .param or .reg");
  unsigned vector = 1;
  uint64_t count = 1;
  var.line = token.line;
  if (!parseVariableType(var, vector) || !word(var.name, "a name") ||
      !parseDimensions(var, count))
    return false;
  uint64_t element = std::max(1u, ir::bitWidth(var.type) / 8) * vector;
  var.bytes = SaturatingMultiply(count, element);
  if (var.bytes > (1u << 20))
    return error("parameter '" + var.name + "' is too large");
  return true;
}

} // namespace attn::ptx
