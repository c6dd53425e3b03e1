//===- Diagnostics.cpp - Findings and how they read
//-------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Exec.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace attn::ptx {

Finding *Diagnostics::report(FindingKind kind, const Warp *warp, unsigned lane,
                             uint32_t line, std::string message,
                             uint32_t otherLine, bool isNote) {
  std::vector<Finding> &findings = isNote ? notes : this->findings;
  for (Finding &finding : findings)
    if (finding.kind == kind && finding.line == line &&
        finding.otherLine == otherLine) {
      ++finding.count;
      return &finding;
    }
  if (message.empty() || findings.size() >= limit)
    return nullptr;
  Finding finding;
  finding.kind = kind;
  finding.line = line;
  finding.otherLine = otherLine;
  finding.message = std::move(message);
  if (warp) {
    finding.cta = warp->cta->id;
    finding.warp = warp->index;
    finding.lane = lane;
  }
  findings.push_back(std::move(finding));
  return &findings.back();
}

void Warp::markRegisters(ArrayRef<Opnd> ops, bool write, uint32_t line) {
  for (const Opnd &op : ops) {
    RegisterUse &use = registerUse(op.offset);
    ++(write ? use.writes : use.reads);
    use.line = line;
  }
  anyInFlight += uint32_t(ops.size());
}

void Warp::unmarkRegisters(ArrayRef<Opnd> ops, bool write) {
  for (const Opnd &op : ops)
    --(write ? registerUse(op.offset).writes : registerUse(op.offset).reads);
  anyInFlight -= uint32_t(ops.size());
}

StringRef toString(FindingKind kind) {
  switch (kind) {
  case FindingKind::Race:
    return "race";
  case FindingKind::MissingProxyFence:
    return "missing-proxy-fence";
  case FindingKind::InFlight:
    return "in-flight";
  case FindingKind::Uninitialised:
    return "uninitialised";
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::ReadOnly:
    return "read-only";
  case FindingKind::DivergentAligned:
    return "divergent-aligned";
  case FindingKind::BarrierMisuse:
    return "barrier-misuse";
  case FindingKind::AsyncMisuse:
    return "async-misuse";
  case FindingKind::BadDescriptor:
    return "bad-descriptor";
  case FindingKind::RegisterMisuse:
    return "register-misuse";
  case FindingKind::Trap:
    return "trap";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::Timeout:
    return "timeout";
  case FindingKind::Unsupported:
    return "unsupported";
  case FindingKind::Fault:
    return "fault";
  }
  return "?";
}

static void printFindings(raw_ostream &os, ArrayRef<Finding> findings,
                          StringRef label) {
  for (const Finding &f : findings) {
    os << label << toString(f.kind) << ": ";
    if (f.line)
      os << "line " << f.line << ": ";
    os << f.message << " [CTA (" << f.cta.x << "," << f.cta.y << "," << f.cta.z
       << ") warp " << f.warp << " lane " << f.lane;
    if (f.count > 1)
      os << ", " << f.count << " times";
    os << "]\n";
    for (const BarrierState &state : f.barriers)
      os << "  " << state.name << ": " << state.state << "\n";
  }
}

void Report::print(raw_ostream &os) const {
  printFindings(os, findings, "");
  printFindings(os, notes, "note: ");
  os << warpInstructions << " warp instructions, " << laneInstructions
     << " lane instructions, " << findings.size() << " findings\n";
  for (auto &[name, count] : opcodes)
    os << "  " << name << ": " << count << "\n";
}

} // namespace attn::ptx
