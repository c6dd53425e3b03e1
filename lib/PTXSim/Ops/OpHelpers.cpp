//===- OpHelpers.cpp - What decode functions share
//--------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

static RegClass classFor(ir::Type type) {
  unsigned bits = ir::bitWidth(type);
  return type == ir::Type::Pred ? RegClass::Pred
         : bits <= 32           ? RegClass::R32
         : bits == 64           ? RegClass::R64
                                : RegClass::R128;
}

Opnd destinationOf(Decoder &d, const ir::Operand &op, ir::Type type) {
  if (op.is(ir::Operand::Kind::Sink))
    return d.temporary(classFor(type));
  return d.destination(op, type);
}

bool hasOperands(Decoder &d, const ir::Instruction &inst, size_t least,
                 size_t most) {
  if (inst.operands.size() >= least && inst.operands.size() <= most)
    return true;
  d.error("wrong number of operands");
  return false;
}

bool hasOperands(Decoder &d, const ir::Instruction &inst, size_t count) {
  return hasOperands(d, inst, count, count);
}

bool onlyModifiers(Decoder &d, const ir::Instruction &inst,
                   std::initializer_list<StringRef> allowed) {
  for (StringRef modifier : inst.modifiers) {
    if (ir::parseType(modifier) != ir::Type::None ||
        is_contained(allowed, modifier))
      continue;
    d.error("unsupported modifier '." + modifier + "'");
    return false;
  }
  return true;
}

void setOps(Decoder &d, const ir::Instruction &inst, Inst &out, ir::Type type) {
  SmallVector<Opnd, 4> ops{destinationOf(d, inst.operands[0], type)};
  for (const ir::Operand &op : ArrayRef(inst.operands).drop_front())
    ops.push_back(d.source(op, type));
  d.setOps(out, ops);
}

bool isFloatType(ir::Type type) {
  switch (type) {
  case ir::Type::F16:
  case ir::Type::F16x2:
  case ir::Type::BF16:
  case ir::Type::BF16x2:
  case ir::Type::TF32:
  case ir::Type::F32:
  case ir::Type::F32x2:
  case ir::Type::F64:
    return true;
  default:
    return false;
  }
}

bool isSignedType(ir::Type type) {
  return type == ir::Type::S8 || type == ir::Type::S16 ||
         type == ir::Type::S32 || type == ir::Type::S64;
}

Rounding roundingOf(const ir::Instruction &inst) {
  for (StringRef m : inst.modifiers) {
    if (m == "rz" || m == "rzi")
      return Rounding::Zero;
    if (m == "rm" || m == "rmi")
      return Rounding::Down;
    if (m == "rp" || m == "rpi")
      return Rounding::Up;
  }
  return Rounding::Nearest;
}

} // namespace attn::ptx
