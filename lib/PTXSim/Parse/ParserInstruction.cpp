//===- ParserInstruction.cpp - Instructions and their operands
//--------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Parse/Parser.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attn::ptx {

using Kind = ir::Operand::Kind;

/// Registers of a range come into being when they are first named, so that
/// what a compiler declares and never uses costs nothing.
bool Parser::findRegister(ir::Function &function, StringRef name,
                          uint32_t &index) {
  StringRef prefix = name.rtrim("0123456789");
  StringRef digits = name.drop_front(prefix.size());
  // "%r1<5>" declares %r10 to %r14: any split of the digits may be meant.
  for (int s = scopeStack.back(); s >= 0; s = scopes[s].parent) {
    Scope &scope = scopes[s];
    auto it = scope.registers.find(name);
    if (it != scope.registers.end()) {
      index = it->second;
      return true;
    }
    for (size_t used = 0; used < digits.size() && !scope.ranges.empty();
         ++used) {
      auto range = scope.ranges.find(name.drop_back(digits.size() - used));
      uint64_t number = 0;
      StringRef rest = digits.drop_front(used);
      if (range == scope.ranges.end() || rest.getAsInteger(10, number) ||
          (rest.size() > 1 && rest[0] == '0') || number >= range->second.count)
        continue;
      index = uint32_t(function.registers.size());
      function.registers.push_back({name, range->second.type});
      scope.registers[name] = index;
      return true;
    }
  }
  return false;
}

/// Numbers, registers, symbols.
bool Parser::parseSimpleOperand(ir::Function &function, ir::Operand &out) {
  out.line = token.line;
  out.negated = accept('!');
  bool negative = !out.negated && accept('-');
  bool complement = !out.negated && !negative && accept('~');
  switch (token.kind) {
  case Token::Kind::Integer:
    out.kind = Kind::Integer;
    out.bits = negative     ? 0 - token.bits
               : complement ? ~token.bits
                            : token.bits;
    advance();
    return true;
  case Token::Kind::Float32:
    out.kind = Kind::Float32;
    out.bits = token.bits ^ (negative ? 0x80000000u : 0);
    advance();
    return true;
  case Token::Kind::Float64:
    out.kind = Kind::Float64;
    out.bits = token.bits ^ (negative ? uint64_t(1) << 63 : 0);
    advance();
    return true;
  case Token::Kind::Word:
    break;
  default:
    return error("expected an operand");
  }
  if (negative || complement)
    return error("expected a number");
  StringRef name = token.text;
  if (name == "_") {
    out.kind = Kind::Sink;
  } else if (name == "WARP_SZ") {
    out.kind = Kind::Integer;
    out.bits = 32;
  } else if (findRegister(function, name, out.reg)) {
    out.kind = Kind::Register;
    out.name = name;
  } else if (ir::isSpecialRegister(name)) {
    out.kind = Kind::Special;
    out.name = name;
  } else if (name.starts_with("%")) {
    return error("undeclared register");
  } else {
    out.kind = Kind::Symbol;
    out.name = name;
    out.reg = uint32_t(scopeStack.back()); // for Resolve.cpp
  }
  advance();
  return true;
}

/// After '[': base + offset, or [map, {coordinates}] and the like.
bool Parser::parseAddress(ir::Function &function, ir::Operand &out,
                          unsigned depth) {
  out.kind = Kind::Address;
  out.line = token.line;
  do {
    out.elements.emplace_back();
    if (!parseOperand(function, out.elements.back(), depth + 1))
      return false;
    while (token.is('+') || token.is('-')) {
      bool minus = token.is('-');
      advance();
      uint64_t offset = 0;
      if (!integer(offset))
        return false;
      out.bits += minus ? 0 - offset : offset;
    }
  } while (accept(','));
  return expect(']');
}

bool Parser::parseList(ir::Function &function, ir::Operand &out, char close,
                       unsigned depth) {
  out.kind = Kind::Vector;
  out.line = token.line;
  if (accept(close))
    return true;
  do {
    out.elements.emplace_back();
    if (!parseOperand(function, out.elements.back(), depth + 1))
      return false;
  } while (accept(','));
  return expect(close);
}

bool Parser::parseOperand(ir::Function &function, ir::Operand &out,
                          unsigned depth) {
  if (depth > 4)
    return error("operand nested too deeply");
  if (accept('{'))
    return parseList(function, out, '}', depth);
  if (accept('('))
    return parseList(function, out, ')', depth);
  if (accept('['))
    return parseAddress(function, out, depth);
  if (!parseSimpleOperand(function, out))
    return false;
  if (token.is('+') && out.kind == Kind::Symbol) { // mov.u64 %rd, symbol+8
    ir::Operand sum;
    sum.kind = Kind::Symbol;
    sum = out;
    while (accept('+')) {
      uint64_t offset = 0;
      if (!integer(offset))
        return false;
      sum.bits += offset;
    }
    out = std::move(sum);
    return true;
  }
  if (accept('|')) {
    ir::Operand first = std::move(out), second;
    if (!parseSimpleOperand(function, second))
      return false;
    out = ir::Operand();
    out.kind = Kind::Pair;
    out.line = first.line;
    out.elements.push_back(std::move(first));
    out.elements.push_back(std::move(second));
  }
  return true;
}

bool Parser::parseInstruction(ir::Function &function) {
  ir::Instruction inst;
  inst.line = token.line;
  if (accept('@')) {
    inst.guardNegated = accept('!');
    uint32_t guard = 0;
    if (token.kind != Token::Kind::Word ||
        !findRegister(function, token.text, guard))
      return error("expected a predicate register");
    if (function.registers[guard].type != ir::Type::Pred)
      return error("a guard must be a predicate");
    inst.guard = int32_t(guard);
    advance();
  }
  if (token.kind != Token::Kind::Word || !isAlpha(token.text[0]))
    return error("expected an instruction");
  inst.line = token.line;
  SmallVector<StringRef, 8> parts;
  token.text.split(parts, '.');
  inst.opcode = parts[0];
  for (StringRef part : ArrayRef(parts).drop_front()) {
    if (part.empty())
      return error("empty modifier");
    inst.modifiers.push_back(part);
  }
  advance();
  if (!token.is(';')) {
    do {
      inst.operands.emplace_back();
      if (!parseOperand(function, inst.operands.back(), 0))
        return false;
    } while (accept(','));
  }
  if (!token.is(';'))
    return error("expected ';' or ','");
  advance();
  function.body.push_back(std::move(inst));
  return true;
}

} // namespace attn::ptx
