//===- ParserFunction.cpp - Functions and what stands in their bodies
//-------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Parse/Parser.h"

using namespace llvm;

namespace attn::ptx {

constexpr size_t maxRegisters = 1 << 20;

bool Parser::parseParameterList(std::vector<ir::Variable> &params) {
  if (!expect('('))
    return false;
  if (accept(')'))
    return true;
  do {
    params.emplace_back();
    if (!parseParameter(params.back()))
      return false;
  } while (accept(','));
  return expect(')');
}

/// The directives between a function's parameters and its body.
bool Parser::parseTuning(ir::Function &function) {
  while (token.kind == Token::Kind::Word) {
    StringRef name = token.text;
    advance();
    uint32_t *three = name == ".reqntid"             ? function.reqntid
                      : name == ".maxntid"           ? function.maxntid
                      : name == ".reqnctapercluster" ? function.cluster
                                                     : nullptr;
    uint64_t value = 0;
    if (three) {
      three[0] = three[1] = three[2] = 1;
      for (unsigned i = 0; i != 3; ++i) {
        if (!integer(value))
          return false;
        three[i] = uint32_t(value);
        if (i == 2 || !accept(','))
          break;
      }
    } else if (name == ".explicitcluster") {
      function.explicitCluster = true;
    } else if (name == ".maxnreg") {
      if (!integer(value))
        return false;
      function.maxnreg = uint32_t(value);
    } else if (name == ".minnctapersm" || name == ".maxnctapersm" ||
               name == ".maxclusterrank" || name == ".abi_preserve" ||
               name == ".abi_preserve_control") {
      if (!integer(value))
        return false;
    } else if (name == ".pragma") {
      if (!skipStatement())
        return false;
    } else if (name == ".unique") {
      return error("unknown property of a function");
    } else if (name != ".noreturn" && name != ".blocksareclusters") {
      return error("unknown property '" + name + "' of a function");
    }
  }
  return true;
}

bool Parser::parseFunction(bool isKernel, bool isExtern) {
  auto function = std::make_unique<ir::Function>();
  function->isKernel = isKernel;
  function->line = token.line;
  scopes.clear();
  scopes.emplace_back();
  scopeStack.assign(1, 0);
  if (token.isWord(".attribute"))
    while (!accept(')') && token.kind != Token::Kind::End)
      advance();
  if (token.is('(') && !parseParameterList(function->returns))
    return false;
  if (!word(function->name, "the name of the function"))
    return false;
  if (token.is('(') && !parseParameterList(function->params))
    return false;
  if (!parseTuning(*function))
    return false;
  for (std::vector<ir::Variable> *list :
       {&function->returns, &function->params})
    for (const ir::Variable &var : *list) {
      if (var.space == ir::Space::Reg) {
        scopes[0].registers[var.name] = uint32_t(function->registers.size());
        function->registers.push_back({var.name, var.type});
      } else {
        scopes[0].variables[var.name] = var.name;
      }
    }

  auto [it, isNew] =
      module.functionIndex.try_emplace(function->name, module.functions.size());
  function->isDeclaration = !token.is('{');
  if (!isNew && !function->isDeclaration &&
      !module.functions[it->second]->isDeclaration)
    return error("function '" + function->name + "' is defined twice");
  if (function->isDeclaration) {
    accept(';');
  } else if (!parseBody(*function)) {
    return false;
  }
  if (isNew)
    module.functions.push_back(std::move(function));
  else if (!function->isDeclaration)
    module.functions[it->second] = std::move(function);
  return true;
}

bool Parser::parseBody(ir::Function &function) {
  advance(); // {
  while (true) {
    if (failed)
      return false;
    if (token.kind == Token::Kind::End)
      return error("missing '}'");
    if (accept('{')) {
      scopes.emplace_back();
      scopes.back().parent = scopeStack.back();
      scopeStack.push_back(int(scopes.size()) - 1);
    } else if (accept('}')) {
      if (scopeStack.size() == 1)
        return resolveFunction(function);
      scopeStack.pop_back();
    } else if (!parseStatement(function)) {
      return false;
    }
  }
}

bool Parser::parseStatement(ir::Function &function) {
  if (accept(';'))
    return true;
  if (token.kind == Token::Kind::Word) {
    if (token.text.starts_with("."))
      return parseDirective(function);
    if (peek().is(':'))
      return parseLabel(function);
  }
  if (token.is('@') && peek().is('@')) {
    lexer.skipLine();
    advance();
    return true;
  }
  return parseInstruction(function);
}

bool Parser::parseLabel(ir::Function &function) {
  StringRef name = token.text;
  uint32_t line = token.line;
  advance();
  advance();
  if (token.isWord(".branchtargets") || token.isWord(".callprototype") ||
      token.isWord(".calltargets"))
    return parseLabelList(function, name);
  uint32_t index = uint32_t(function.body.size());
  if (!scopes[scopeStack.back()].labels.try_emplace(name, index).second)
    return errorAt(line, "label '" + name + "' is defined twice");
  function.labels.push_back({name, index});
  return true;
}

bool Parser::parseLabelList(ir::Function &function, StringRef name) {
  ir::LabelList list;
  list.name = name;
  list.isPrototype = !token.isWord(".branchtargets");
  advance();
  if (list.isPrototype) {
    function.lists.push_back(std::move(list));
    return skipStatement();
  }
  do {
    StringRef target;
    if (!word(target, "a label"))
      return false;
    list.targets.push_back(target);
  } while (accept(','));
  list.scope = scopeStack.back();
  function.lists.push_back(std::move(list));
  return expect(';');
}

bool Parser::parseRegisters(ir::Function &function) {
  ir::Variable type;
  unsigned vector = 1;
  if (!parseVariableType(type, vector))
    return false;
  if (vector != 1)
    return error("vector registers are not supported");
  do {
    StringRef name;
    if (!word(name, "the name of a register"))
      return false;
    Scope &scope = scopes[scopeStack.back()];
    if (accept('<')) {
      uint64_t count = 0;
      if (!integer(count) || !expect('>'))
        return false;
      if (count > maxRegisters)
        return error("too many registers");
      scope.ranges[name] = {count, type.type};
      continue;
    }
    scope.registers[name] = uint32_t(function.registers.size());
    function.registers.push_back({name, type.type});
  } while (accept(','));
  return expect(';');
}

bool Parser::parseDirective(ir::Function &function) {
  if (token.isWord(".loc") || token.isWord(".file")) {
    lexer.rewind(token);
    lexer.skipLine();
    advance();
    return true;
  }
  if (acceptWord(".reg"))
    return parseRegisters(function);
  if (token.isWord(".pragma"))
    return skipStatement();
  if (acceptWord(".section"))
    return error("a section inside a function is not supported");
  static constexpr std::pair<StringLiteral, ir::Space> spaces[] = {
      {".local", ir::Space::Local},
      {".shared", ir::Space::Shared},
      {".param", ir::Space::Param},
      {".global", ir::Space::Global},
      {".const", ir::Space::Const}};
  bool isExtern = acceptWord(".extern");
  for (auto &[name, space] : spaces)
    if (acceptWord(name))
      return parseVariables(space, isExtern, function.variables, true);
  return error("unknown directive");
}

} // namespace attn::ptx
