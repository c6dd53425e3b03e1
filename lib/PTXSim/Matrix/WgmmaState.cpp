//===- WgmmaState.cpp - The protocol of wgmma -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/WgmmaState.h"

#include "PTXSim/Matrix/SharedMatrix.h"

#include <algorithm>

namespace attn::ptx {

static std::string number(uint64_t value) { return std::to_string(value); }

WgmmaState *wgmmaState(Exec &x, const Inst &inst) {
  auto &warps = x.cta.warps;
  uint32_t first = x.warp.index & ~3u;
  bool whole = first + 4 <= warps.size();
  for (uint32_t w = first; whole && w != first + 4; ++w)
    whole = warps[w]->existing == ~0u;
  if (!whole) {
    x.fault(inst, FindingKind::AsyncMisuse,
            "wgmma is executed by warpgroups of 128 threads; the block's "
            "threads from " +
                number(first * kLanes) + " on are fewer.");
    return nullptr;
  }
  if (x.active != ~0u) {
    if (x.requireAligned(inst))
      x.fault(inst, FindingKind::DivergentAligned,
              "wgmma is executed by all threads of a warpgroup, but threads "
              "of this warp have ended.");
    return nullptr;
  }
  if (!x.warp.wgmma) {
    auto group = std::make_shared<Warpgroup>();
    for (uint32_t w = first; w != first + 4; ++w) {
      warps[w]->wgmma = std::make_shared<WgmmaState>();
      warps[w]->wgmma->group = group;
      // It has ended without a single wgmma.
      if (warps[w]->alive == 0)
        group->ended[w - first] = ~0u;
    }
  }
  return x.warp.wgmma.get();
}

/// Another warp of the group did something else, or nothing any more.
static void reportApart(Exec &x, const Inst &inst, uint32_t otherLine,
                        const std::string &other) {
  x.cluster.diagnostics.report(
      FindingKind::DivergentAligned, &x.warp, 0, inst.line,
      "All four warps of a warpgroup must execute the same wgmma "
      "instructions, but another warp " +
          other + ".",
      otherLine);
}

bool wgmmaStep(Exec &x, const Inst &inst, WgmmaState &state,
               std::array<uint64_t, 3> values,
               std::shared_ptr<SharedMatrix> *b) {
  Warpgroup &group = *state.group;
  uint64_t now = group.next[x.warp.index % 4]++;
  for (unsigned w = 0; w != 4; ++w)
    if (group.ended[w] && group.next[w] <= now) {
      reportApart(x, inst, group.ended[w] == ~0u ? 0 : group.ended[w],
                  "ended before");
      return false;
    }
  size_t index = now - group.first;
  if (index == group.steps.size()) {
    group.steps.push_back({inst.line, values, nullptr});
    if (b)
      group.steps.back().b = std::make_shared<SharedMatrix>();
  } else if (const WgmmaStep &other = group.steps[index];
             other.line != inst.line) {
    reportApart(x, inst, other.line,
                "executes that of line " + number(other.line) + " instead");
    return false;
  } else if (other.values != values) {
    reportApart(x, inst, 0,
                "has another descriptor or scale-d at this instruction");
    return false;
  }
  if (b)
    *b = group.steps[index].b;
  uint64_t all = *std::min_element(group.next.begin(), group.next.end());
  for (; group.first < all; ++group.first)
    group.steps.pop_front();
  return true;
}

void wgmmaWarpEnds(Exec &x, const Inst &inst) {
  WgmmaState &state = *x.warp.wgmma;
  Warpgroup &group = *state.group;
  for (uint32_t line : state.groups)
    if (line) {
      x.cluster.diagnostics.report(
          FindingKind::AsyncMisuse, &x.warp, 0, line,
          "The warp ends without waiting for this product "
          "(wgmma.commit_group and wgmma.wait_group).",
          inst.line);
      break;
    }
  unsigned self = x.warp.index % 4;
  group.ended[self] = std::max(inst.line, 1u);
  size_t done = group.next[self] - group.first;
  if (done < group.steps.size()) {
    Inst missed = inst;
    missed.line = group.steps[done].line;
    reportApart(x, missed, inst.line, "has ended without this one");
  }
}

} // namespace attn::ptx
