//===- MiscOps.cpp - setmaxnreg, griddepcontrol, nanosleep, ...
//-------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

namespace {
Step nothing(Exec &, const Inst &) { return Step::Next; }

/// A sleeping thread lets others run, as one that polls does.
Step sleep(Exec &x, const Inst &) {
  x.notePoll();
  return Step::Next;
}

void decodeSleep(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (hasOperands(d, inst, 1)) {
    d.setOps(out, d.source(inst.operands[0], ir::Type::U32));
    out.handler = sleep;
  }
}

void decodeGridDependency(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (hasOperands(d, inst, 0) &&
      onlyModifiers(d, inst, {"launch_dependents", "wait"}))
    out.handler = nothing;
}

Step setMaxRegisters(Exec &x, const Inst &i) {
  return x.requireAligned(i) ? Step::Next : Step::Fault;
}

void decodeSetMaxRegisters(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 1) ||
      !onlyModifiers(d, inst, {"inc", "dec", "sync", "aligned"}))
    return;
  uint64_t count = d.immediate(inst.operands[0]);
  if (count < 24 || count > 256 || count % 8) {
    d.error("the number of registers must be a multiple of 8 from 24 to 256");
    return;
  }
  out.handler = setMaxRegisters;
}

void decodeNothing(Decoder &, const ir::Instruction &, Inst &out) {
  out.handler = nothing;
}
} // namespace

void registerMiscOps(OpTable &table) {
  table.add("nanosleep", decodeSleep);
  table.add("griddepcontrol", decodeGridDependency);
  table.add("setmaxnreg", decodeSetMaxRegisters);
  table.add("pmevent", decodeNothing);
}

} // namespace attn::ptx
