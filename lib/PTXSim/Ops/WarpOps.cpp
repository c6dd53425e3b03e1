//===- WarpOps.cpp - shfl, vote, match, redux, elect, activemask
//------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/OpHelpers.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace attn::ptx {

using Kind = ir::Operand::Kind;

namespace {
/// All .sync instructions begin with this: the lanes of the mask operand come
/// together. Next: go on; anything else is the handler's result.
Step gatherMembers(Exec &x, const Inst &i, Opnd mask, uint32_t &members) {
  const auto *masks = x.src<uint32_t>(mask);
  members = masks[x.firstLane()];
  bool same = true, inside = true;
  x.forLanes([&](unsigned l) {
    same &= masks[l] == members;
    inside &= members >> l & 1;
  });
  if (!same)
    return x.fault(i, FindingKind::Fault,
                   "the lanes of a warp name different member masks");
  if (!inside)
    return x.fault(i, FindingKind::Fault,
                   "a lane executes a .sync instruction whose member mask does "
                   "not contain it");
  return x.converge(i, members) ? Step::Next : Step::Retry;
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

enum ShuffleMode : uint8_t { Up, Down, Butterfly, Index };

/// ops: d, p, a, b, c, mask
template <ShuffleMode mode> Step shuffle(Exec &x, const Inst &i) {
  uint32_t members;
  if (Step step = gatherMembers(x, i, i.ops[5], members); step != Step::Next)
    return step;
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *b = x.src<uint32_t>(i.ops[3]), *c = x.src<uint32_t>(i.ops[4]);
  uint32_t a[kLanes];
  std::memcpy(a, x.src<uint32_t>(i.ops[2]), sizeof(a));
  uint32_t valid = 0;
  x.forLanes([&](unsigned l) {
    uint32_t amount = b[l] & 0x1f, clamp = c[l] & 0x1f;
    uint32_t segment = c[l] >> 8 & 0x1f;
    uint32_t last = (l & segment) | (clamp & ~segment);
    uint32_t first = l & segment;
    int32_t from = 0;
    bool inRange = false;
    switch (mode) {
    case Up:
      from = int32_t(l) - int32_t(amount);
      inRange = from >= int32_t(last);
      break;
    case Down:
      from = int32_t(l + amount);
      inRange = from <= int32_t(last);
      break;
    case Butterfly:
      from = int32_t(l ^ amount);
      inRange = from <= int32_t(last);
      break;
    case Index:
      from = int32_t(first | (amount & ~segment));
      inRange = from <= int32_t(last);
      break;
    }
    if (!inRange)
      from = int32_t(l);
    valid |= uint32_t(inRange) << l;
    d[l] = a[from & 31];
  });
  x.setPred(i.ops[1], valid);
  return Step::Next;
}

void decodeShuffle(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!inst.has("sync")) {
    d.error("shfl without .sync is not part of PTX any more");
    return;
  }
  if (!hasOperands(d, inst, 5) ||
      !onlyModifiers(d, inst, {"sync", "up", "down", "bfly", "idx"}))
    return;
  const auto &in = inst.operands;
  ir::Type b32 = ir::Type::B32;
  bool pair = in[0].is(Kind::Pair);
  d.setOps(out,
           {destinationOf(d, pair ? in[0].elements[0] : in[0], b32),
            pair ? d.destination(in[0].elements[1], ir::Type::Pred) : Opnd(),
            d.source(in[1], b32), d.source(in[2], b32), d.source(in[3], b32),
            d.source(in[4], b32)});
  out.handler = inst.has("up")     ? shuffle<Up>
                : inst.has("down") ? shuffle<Down>
                : inst.has("bfly") ? shuffle<Butterfly>
                : inst.has("idx")  ? shuffle<Index>
                                   : nullptr;
}

//===----------------------------------------------------------------------===//
// vote.sync, match.sync
//===----------------------------------------------------------------------===//

enum VoteMode : uint8_t { VoteAll, VoteAny, VoteUni, VoteBallot };

/// ops: d, p, mask
template <VoteMode mode> Step vote(Exec &x, const Inst &i) {
  uint32_t members;
  if (Step step = gatherMembers(x, i, i.ops[2], members); step != Step::Next)
    return step;
  uint32_t yes = x.pred(i.ops[1]) & x.active;
  if (mode == VoteBallot) {
    auto *d = x.dst<uint32_t>(i.ops[0]);
    x.forLanes([&](unsigned l) { d[l] = yes; });
    return Step::Next;
  }
  bool all = yes == x.active, none = yes == 0;
  bool result = mode == VoteAll ? all : mode == VoteAny ? !none : all || none;
  x.setPred(i.ops[0], result ? ~0u : 0);
  return Step::Next;
}

void decodeVote(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!inst.has("sync")) {
    d.error("vote without .sync is not part of PTX any more");
    return;
  }
  if (!hasOperands(d, inst, 3) ||
      !onlyModifiers(d, inst, {"sync", "all", "any", "uni", "ballot"}))
    return;
  bool ballot = inst.has("ballot");
  ir::Type type = ballot ? ir::Type::B32 : ir::Type::Pred;
  d.setOps(out, {destinationOf(d, inst.operands[0], type),
                 d.predicate(inst.operands[1]),
                 d.source(inst.operands[2], ir::Type::B32)});
  out.handler = ballot            ? vote<VoteBallot>
                : inst.has("all") ? vote<VoteAll>
                : inst.has("any") ? vote<VoteAny>
                : inst.has("uni") ? vote<VoteUni>
                                  : nullptr;
}

/// ops: d, p, a, mask
template <typename T, bool all> Step match(Exec &x, const Inst &i) {
  uint32_t members;
  if (Step step = gatherMembers(x, i, i.ops[3], members); step != Step::Next)
    return step;
  auto *d = x.dst<uint32_t>(i.ops[0]);
  T a[kLanes];
  std::memcpy(a, x.src<T>(i.ops[2]), sizeof(a));
  uint32_t same[kLanes] = {};
  bool equal = true;
  x.forLanes([&](unsigned l) {
    x.forLanes([&](unsigned k) { same[l] |= uint32_t(a[k] == a[l]) << k; });
    equal &= same[l] == x.active;
  });
  x.forLanes(
      [&](unsigned l) { d[l] = all ? (equal ? x.active : 0) : same[l]; });
  x.setPred(i.ops[1], equal ? ~0u : 0);
  return Step::Next;
}

void decodeMatch(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) ||
      !onlyModifiers(d, inst, {"sync", "all", "any"}))
    return;
  const auto &in = inst.operands;
  bool pair = in[0].is(Kind::Pair), all = inst.has("all");
  ir::Type type = inst.type();
  d.setOps(out,
           {destinationOf(d, pair ? in[0].elements[0] : in[0], ir::Type::B32),
            pair ? d.destination(in[0].elements[1], ir::Type::Pred) : Opnd(),
            d.source(in[1], type), d.source(in[2], ir::Type::B32)});
  if (type == ir::Type::B32)
    out.handler = all ? match<uint32_t, true> : match<uint32_t, false>;
  else if (type == ir::Type::B64)
    out.handler = all ? match<uint64_t, true> : match<uint64_t, false>;
}

//===----------------------------------------------------------------------===//
// redux.sync
//===----------------------------------------------------------------------===//

struct SumOf {
  template <typename T> T operator()(T a, T b) const { return a + b; }
};
struct LeastOf {
  template <typename T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct MostOf {
  template <typename T> T operator()(T a, T b) const { return std::max(a, b); }
};
struct AllOf {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct AnyOf {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct OddOf {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};

template <typename T, typename F> Step reduce(Exec &x, const Inst &i) {
  uint32_t members;
  if (Step step = gatherMembers(x, i, i.ops[2], members); step != Step::Next)
    return step;
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *a = x.src<uint32_t>(i.ops[1]);
  T result = fromSlot<T>(a[x.firstLane()]);
  bool first = true;
  x.forLanes([&](unsigned l) {
    result = first ? result : F()(result, fromSlot<T>(a[l]));
    first = false;
  });
  x.forLanes([&](unsigned l) { d[l] = toSlot<T>(result); });
  return Step::Next;
}

/// redux.f32: flags bit 0 max, bit 1 abs, bit 2 NaN propagates.
Step reduceFloat(Exec &x, const Inst &i) {
  uint32_t members;
  if (Step step = gatherMembers(x, i, i.ops[2], members); step != Step::Next)
    return step;
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *a = x.src<uint32_t>(i.ops[1]);
  float result = std::nanf("");
  bool sawNaN = false;
  x.forLanes([&](unsigned l) {
    float value = fromSlot<float>(a[l]);
    value = i.flags & 2 ? std::fabs(value) : value;
    if (std::isnan(value))
      sawNaN = true;
    else if (std::isnan(result))
      result = value;
    else if (value == result)
      result = (i.flags & 1) != std::signbit(result) ? result : value;
    else
      result = i.flags & 1 ? std::max(result, value) : std::min(result, value);
  });
  uint32_t bits = bit_cast<uint32_t>(result);
  if (std::isnan(result) || (sawNaN && (i.flags & 4)))
    bits = 0x7fffffff;
  x.forLanes([&](unsigned l) { d[l] = bits; });
  return Step::Next;
}

void decodeRedux(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) ||
      !onlyModifiers(
          d, inst,
          {"sync", "add", "min", "max", "and", "or", "xor", "abs", "NaN"}))
    return;
  ir::Type type = inst.type();
  d.setOps(out, {destinationOf(d, inst.operands[0], type),
                 d.source(inst.operands[1], type),
                 d.source(inst.operands[2], ir::Type::B32)});
  bool isSigned = type == ir::Type::S32;
  if (type == ir::Type::F32) {
    out.flags = (inst.has("max") ? 1 : 0) | (inst.has("abs") ? 2 : 0) |
                (inst.has("NaN") ? 4 : 0);
    if (inst.has("max") || inst.has("min"))
      out.handler = reduceFloat;
    return;
  }
  if (inst.has("add"))
    out.handler = reduce<uint32_t, SumOf>;
  else if (inst.has("min"))
    out.handler =
        isSigned ? reduce<int32_t, LeastOf> : reduce<uint32_t, LeastOf>;
  else if (inst.has("max"))
    out.handler = isSigned ? reduce<int32_t, MostOf> : reduce<uint32_t, MostOf>;
  else if (inst.has("and"))
    out.handler = reduce<uint32_t, AllOf>;
  else if (inst.has("or"))
    out.handler = reduce<uint32_t, AnyOf>;
  else if (inst.has("xor"))
    out.handler = reduce<uint32_t, OddOf>;
}

//===----------------------------------------------------------------------===//
// elect.sync, activemask
//===----------------------------------------------------------------------===//

/// ops: d, p, mask
Step elect(Exec &x, const Inst &i) {
  uint32_t members;
  if (Step step = gatherMembers(x, i, i.ops[2], members); step != Step::Next)
    return step;
  unsigned leader = x.firstLane();
  if (i.ops[0]) {
    auto *d = x.dst<uint32_t>(i.ops[0]);
    x.forLanes([&](unsigned l) { d[l] = leader; });
  }
  x.setPred(i.ops[1], 1u << leader);
  return Step::Next;
}

void decodeElect(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 2) || !onlyModifiers(d, inst, {"sync"}))
    return;
  const auto &in = inst.operands;
  if (!in[0].is(Kind::Pair)) {
    d.error("expected d|p");
    return;
  }
  d.setOps(out, {d.destination(in[0].elements[0], ir::Type::B32),
                 d.destination(in[0].elements[1], ir::Type::Pred),
                 d.source(in[1], ir::Type::B32)});
  out.handler = elect;
}

Step activeMask(Exec &x, const Inst &i) {
  auto *d = x.dst<uint32_t>(i.ops[0]);
  uint32_t lanes = x.active;
  x.forLanes([&](unsigned l) { d[l] = lanes; });
  return Step::Next;
}

void decodeActiveMask(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 1))
    return;
  d.setOps(out, destinationOf(d, inst.operands[0], ir::Type::B32));
  out.handler = activeMask;
}
} // namespace

void registerWarpOps(OpTable &table) {
  table.add("shfl", decodeShuffle);
  table.add("vote", decodeVote);
  table.add("match", decodeMatch);
  table.add("redux", decodeRedux);
  table.add("elect", decodeElect);
  table.add("activemask", decodeActiveMask);
}

} // namespace attn::ptx
