//===- Resolve.cpp - What the names in operands refer to
//--------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inline assembly repeats names in braces (CUTLASS has one LAB_WAIT a wait), so
// labels and variables are looked up from the scope that names them outwards.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Parse/Parser.h"

using namespace llvm;

namespace attn::ptx {

using Kind = ir::Operand::Kind;

StringRef Parser::own(std::string name) {
  module.ownedNames.push_back(std::make_unique<std::string>(std::move(name)));
  return *module.ownedNames.back();
}

bool Parser::resolveOperand(ir::Function &function, const ir::Instruction &inst,
                            ir::Operand &op) {
  for (ir::Operand &element : op.elements)
    if (!resolveOperand(function, inst, element))
      return false;
  if (op.kind != Kind::Symbol)
    return true;
  for (int s = int(op.reg); s >= 0; s = scopes[s].parent) {
    auto variable = scopes[s].variables.find(op.name);
    if (variable != scopes[s].variables.end()) {
      op.name = variable->second;
      op.reg = 0;
      return true;
    }
    auto label = scopes[s].labels.find(op.name);
    if (label != scopes[s].labels.end()) {
      op.kind = Kind::Label;
      op.bits = label->second;
      op.reg = 0;
      return true;
    }
  }
  op.reg = 0;
  for (const ir::LabelList &list : function.lists)
    if (list.name == op.name)
      return true;
  lateNames.push_back({op.name, op.line});
  return true;
}

bool Parser::resolveFunction(ir::Function &function) {
  for (ir::Instruction &inst : function.body)
    for (ir::Operand &op : inst.operands)
      if (!resolveOperand(function, inst, op))
        return false;
  for (ir::LabelList &list : function.lists)
    for (StringRef target : list.targets) {
      int s = list.scope;
      while (s >= 0 && !scopes[s].labels.count(target))
        s = scopes[s].parent;
      if (s < 0)
        return errorAt(function.line, "undefined label '" + target + "'");
      list.indices.push_back(scopes[s].labels[target]);
    }
  return true;
}

/// Names that no function scope knew must be variables or functions.
bool Parser::checkReferences() {
  for (auto &[name, line] : lateNames)
    if (!module.functionIndex.count(name) && !module.variableIndex.count(name))
      return errorAt(line, "undefined name '" + name + "'");
  return true;
}

} // namespace attn::ptx
