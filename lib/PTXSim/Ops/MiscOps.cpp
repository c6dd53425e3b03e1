//===- MiscOps.cpp - setmaxnreg, griddepcontrol, nanosleep, ...
//-------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Barriers.h"
#include "PTXSim/Exec/Program.h"
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

/// Registers that each thread begins with: what the kernel says, or as many as
/// its largest block leaves for a thread. 0: it says nothing of either.
uint32_t firstRegisters(const ir::Function &kernel) {
  if (kernel.maxnreg)
    return kernel.maxnreg;
  for (const uint32_t *size : {kernel.reqntid, kernel.maxntid})
    if (size[0]) {
      uint64_t threads =
          uint64_t(size[0]) * std::max(size[1], 1u) * std::max(size[2], 1u);
      return uint32_t(std::min<uint64_t>(65536 / threads / 8 * 8, 256));
    }
  return 0;
}

/// imm: the number of registers; flags: 1 is inc. Registers come from those
/// that the warps of the CTA began with: others must give them back first. The
/// PTX ISA does not say that a warp which ends does.
Step setMaxRegisters(Exec &x, const Inst &i) {
  if (!x.requireAligned(i))
    return Step::Fault;
  const ir::Function &kernel = *x.cluster.grid->program->kernel->ir;
  uint32_t first = firstRegisters(kernel), wanted = uint32_t(i.imm);
  std::vector<uint32_t> &limits = x.cta.barriers->registerLimits;
  limits.resize(x.cta.warps.size());
  uint32_t &own = limits[x.warp.index];
  bool more = i.flags & 1;
  // Without .maxnreg the compiler may have chosen fewer than `first`.
  uint32_t now = own ? own : kernel.maxnreg;
  if (now && (more ? wanted < now : wanted > now))
    x.warn(i, FindingKind::RegisterMisuse,
           "setmaxnreg" + std::string(more ? ".inc" : ".dec") + " to " +
               std::to_string(wanted) + " registers of a warp that has " +
               std::to_string(now));
  if (more && first) {
    uint64_t total = wanted;
    for (const auto &warp : x.cta.warps)
      if (warp.get() != &x.warp)
        total += limits[warp->index] ? limits[warp->index] : first;
    if (total > uint64_t(first) * limits.size())
      return Step::Retry;
  }
  own = wanted;
  x.noteProgress();
  return Step::Next;
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
  out.imm = count;
  out.flags = inst.has("inc");
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
