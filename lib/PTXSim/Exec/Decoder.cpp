//===- Decoder.cpp - What decode functions may ask for
//----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/FunctionDecoder.h"

using namespace llvm;

namespace attn::ptx {

Opnd Decoder::source(const ir::Operand &op, ir::Type type) {
  return impl.operand(op, type, /*wide=*/false, /*isSource=*/true);
}

Opnd Decoder::destination(const ir::Operand &op, ir::Type type) {
  return impl.operand(op, type, /*wide=*/false, /*isSource=*/false);
}

Opnd Decoder::wideSource(const ir::Operand &op, ir::Type type) {
  return impl.operand(op, type, /*wide=*/true, /*isSource=*/true);
}

Opnd Decoder::wideDestination(const ir::Operand &op, ir::Type type) {
  return impl.operand(op, type, /*wide=*/true, /*isSource=*/false);
}

Opnd Decoder::predicate(const ir::Operand &op) {
  return impl.operand(op, ir::Type::Pred, /*wide=*/false, /*isSource=*/true);
}

AddressOpnd Decoder::address(const ir::Operand &op) { return impl.address(op); }

uint64_t Decoder::immediate(const ir::Operand &op) {
  if (!op.is(ir::Operand::Kind::Integer))
    impl.fail("expected an integer literal");
  return op.bits;
}

Opnd Decoder::temporary(RegClass cls) { return impl.temporary(cls); }

Opnd Decoder::constant(uint64_t value, RegClass cls) {
  return impl.shared.constant(value, cls);
}

void Decoder::setOps(Inst &out, ArrayRef<Opnd> ops) {
  if (ops.size() > 255) {
    impl.fail("too many operands");
    return;
  }
  auto &lists = impl.shared.program.operandLists;
  lists.emplace_back(ops.begin(), ops.end());
  out.ops = lists.back().data();
  out.numOps = uint8_t(ops.size());
}

bool Decoder::stackOffset(StringRef name, uint32_t &offset) const {
  auto it = impl.out.stackOffsets.find(name);
  if (it == impl.out.stackOffsets.end())
    return false;
  offset = it->second;
  return true;
}

const DecodedFunction *Decoder::callee(StringRef name) {
  const ir::Function *function = impl.shared.module.findFunction(name);
  if (!function || function->isKernel) {
    impl.fail("there is no function '" + name + "'");
    return nullptr;
  }
  return impl.shared.require(*function);
}

void Decoder::error(const Twine &message) { impl.fail(message); }

const ir::Module &Decoder::module() const { return impl.shared.module; }
const ir::Function &Decoder::function() const { return impl.ir; }
const ir::Instruction &Decoder::instruction() const { return *impl.inst; }

void Decoder::keep(std::shared_ptr<void> data) {
  impl.shared.program.extras.push_back(std::move(data));
}

} // namespace attn::ptx
