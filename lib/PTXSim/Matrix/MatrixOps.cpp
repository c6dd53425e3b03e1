//===- MatrixOps.cpp - All matrix instructions ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/MatrixOps.h"
#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

void registerMatrixOps(OpTable &table) {
  registerFragmentOps(table);
  registerMmaOps(table);
  registerWgmmaOps(table);
}

bool requireWholeWarp(Exec &x, const Inst &inst) {
  if (x.active == ~0u)
    return true;
  if (x.requireAligned(inst))
    x.warn(inst, FindingKind::DivergentAligned,
           "a matrix instruction needs all 32 threads of the warp; only " +
               std::to_string(popcount(x.active)) +
               " exist, the others have exited or were never started");
  return false;
}

bool requireTarget(Decoder &d, unsigned architecture) {
  StringRef target = d.module().target;
  unsigned found = 0;
  if (!target.consume_front("sm_") || target.consumeInteger(10, found) ||
      found >= architecture)
    return true;
  d.error("needs sm_" + Twine(architecture) + " or later, the module is for " +
          d.module().target);
  return false;
}

bool registersOf(Decoder &d, const ir::Operand &operand, unsigned count,
                 ir::Type type, bool isSource, SmallVectorImpl<Opnd> &out) {
  ArrayRef<ir::Operand> elements(operand);
  if (operand.is(ir::Operand::Kind::Vector))
    elements = operand.elements;
  if (elements.size() != count) {
    d.error("expected " + Twine(count) + " registers, found " +
            Twine(elements.size()));
    return false;
  }
  for (const ir::Operand &element : elements)
    out.push_back(isSource ? d.source(element, type)
                           : destinationOf(d, element, type));
  return true;
}

} // namespace attn::ptx
