//===- AddressSpaces.cpp - Accesses of any space, generic ones included
//-----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/AddressSpaces.h"
#include "PTXSim/Exec/Paths.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace attn::ptx {

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool isCacheHint(StringRef m) {
  if (m.starts_with("L1::") || m.starts_with("L2::"))
    return true;
  return StringSwitch<bool>(m)
      .Cases({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified"}, true)
      .Default(false);
}

static bool setSpace(StringRef m, ir::Space &space) {
  auto found =
      StringSwitch<ir::Space>(m)
          .Case("global", ir::Space::Global)
          .Cases({"shared", "shared::cta"}, ir::Space::Shared)
          .Case("shared::cluster", ir::Space::SharedCluster)
          .Case("local", ir::Space::Local)
          .Case("const", ir::Space::Const)
          .Cases({"param", "param::entry", "param::func"}, ir::Space::Param)
          .Default(ir::Space::Generic);
  if (found == ir::Space::Generic)
    return false;
  space = found;
  return true;
}

static bool setOrder(StringRef m, MemoryForm &form) {
  auto order = StringSwitch<int>(m)
                   .Case("weak", int(Order::Weak))
                   .Case("volatile", int(Order::Volatile))
                   .Cases({"relaxed", "mmio"}, int(Order::Relaxed))
                   .Case("acquire", int(Order::Acquire))
                   .Case("release", int(Order::Release))
                   .Case("acq_rel", int(Order::AcqRel))
                   .Default(-1);
  if (order >= 0) {
    form.order = Order(order);
    if (form.order == Order::Volatile)
      form.scope = Scope::Sys;
    return true;
  }
  auto scope = StringSwitch<int>(m)
                   .Case("cta", int(Scope::Cta))
                   .Case("cluster", int(Scope::Cluster))
                   .Case("gpu", int(Scope::Gpu))
                   .Case("sys", int(Scope::Sys))
                   .Default(-1);
  if (scope >= 0)
    form.scope = Scope(scope);
  return scope >= 0;
}

bool decodeMemoryForm(Decoder &d, const ir::Instruction &inst, MemoryForm &form,
                      std::initializer_list<StringRef> alsoAllowed) {
  for (StringRef m : inst.modifiers) {
    if (ir::parseType(m) != ir::Type::None || is_contained(alsoAllowed, m) ||
        isCacheHint(m) || setSpace(m, form.space) || setOrder(m, form))
      continue;
    d.error("unsupported modifier '." + m + "'");
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

namespace {
/// The lanes of an access by where their addresses lead.
struct Resolved {
  uint64_t address[kLanes];
  uint32_t global = 0, shared = 0, local = 0, param = 0;
};

void resolve(Exec &x, const MemoryForm &form, Resolved &r) {
  x.addresses(form.address, r.address);
  switch (form.space) {
  case ir::Space::Global:
  case ir::Space::Const:
    r.global = x.active;
    return;
  case ir::Space::Shared:
  case ir::Space::SharedCluster:
    r.shared = x.active;
    return;
  case ir::Space::Local:
    r.local = x.active;
    return;
  case ir::Space::Param:
    r.param = x.active;
    return;
  default:
    break;
  }
  x.forLanes([&](unsigned l) {
    uint64_t window = r.address[l] & ~(kWindowBytes - 1);
    uint32_t bit = 1u << l;
    if (window == kSharedWindow)
      r.shared |= bit;
    else if (window == kLocalWindow)
      r.local |= bit;
    else if (window == kParamWindow)
      r.param |= bit;
    else
      r.global |= bit;
    if (!(r.global & bit))
      r.address[l] -= window;
  });
}

template <typename F> void eachLane(uint32_t mask, F &&f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(countr_zero(mask)));
}

Access accessFor(Exec &x, const Inst &i, const MemoryForm &form,
                 const Resolved &r, MemSpace space) {
  uint32_t mask = space == MemSpace::Shared ? r.shared : r.global;
  return Access{x.warp,         i.line, mask,       r.address, form.bytes,
                form.alignment, space,  form.order, form.scope};
}

/// Another CTA's shared memory is out of reach of .shared::cta.
bool checkOwnShared(Exec &x, const Inst &i, const MemoryForm &form,
                    const Resolved &r) {
  if (form.space != ir::Space::Shared)
    return true;
  bool own = true;
  eachLane(r.shared,
           [&](unsigned l) { own &= r.address[l] >> 24 == x.cta.rank; });
  if (own)
    return true;
  x.fault(i, FindingKind::OutOfBounds,
          "an address of .shared::cta lies outside this CTA's shared memory");
  return false;
}

/// Local memory and parameters, private to a thread: `copy` gets the place.
template <typename F>
bool privateBytes(Exec &x, const Inst &i, const MemoryForm &form, Resolved &r,
                  bool isStore, F &&copy) {
  WarpPaths &paths = *x.warp.paths;
  const Frame &frame = paths.path().frame();
  std::vector<uint8_t> &params = x.cluster.grid->params;
  const char *problem = nullptr;
  FindingKind kind = FindingKind::OutOfBounds;
  eachLane(r.local | r.param, [&](unsigned l) {
    uint64_t at = r.address[l];
    // A function's parameter whose address is taken lies in local memory.
    bool stackParam = at >= kStackParams;
    bool onStack = (r.local >> l & 1) || stackParam;
    if (stackParam)
      at -= kStackParams;
    if (at % form.alignment) {
      problem = "misaligned access to local or parameter memory";
      kind = FindingKind::Misaligned;
    } else if (onStack && at + form.bytes > frame.stackTop) {
      problem = (r.param >> l & 1) ? "access outside the parameters"
                                   : "access outside the thread's local memory";
    } else if (!onStack && at + form.bytes > params.size()) {
      problem = "access outside the parameters";
    } else if (!onStack && isStore) {
      problem = "write to a kernel parameter";
      kind = FindingKind::ReadOnly;
    }
    if (!problem)
      copy(l, onStack ? paths.stackOf(l) + at : params.data() + at);
  });
  if (problem)
    x.fault(i, kind, problem);
  return !problem;
}
} // namespace

bool loadBytes(Exec &x, const Inst &i, const MemoryForm &form, uint8_t *data) {
  Resolved r;
  resolve(x, form, r);
  if (r.shared) {
    if (!checkOwnShared(x, i, form, r) ||
        !x.memory.load(accessFor(x, i, form, r, MemSpace::Shared), data))
      return false;
    if (x.cluster.profile)
      profileAccess(x, i.line, r.shared, r.address, form.bytes,
                    MemSpace::Shared);
  }
  if (r.global) {
    if (!x.memory.load(accessFor(x, i, form, r, MemSpace::Global), data))
      return false;
    if (x.cluster.profile)
      profileAccess(x, i.line, r.global, r.address, form.bytes,
                    MemSpace::Global);
  }
  if (r.local | r.param)
    return privateBytes(x, i, form, r, false, [&](unsigned l, uint8_t *cell) {
      std::memcpy(data + l * form.bytes, cell, form.bytes);
    });
  return true;
}

bool storeBytes(Exec &x, const Inst &i, const MemoryForm &form,
                const uint8_t *data) {
  Resolved r;
  resolve(x, form, r);
  if (r.shared) {
    if (!checkOwnShared(x, i, form, r) ||
        !x.memory.store(accessFor(x, i, form, r, MemSpace::Shared), data))
      return false;
    x.noteProgress();
    if (x.cluster.profile)
      profileAccess(x, i.line, r.shared, r.address, form.bytes,
                    MemSpace::Shared);
  }
  if (r.global) {
    if (!x.memory.store(accessFor(x, i, form, r, MemSpace::Global), data))
      return false;
    x.noteProgress();
    if (x.cluster.profile)
      profileAccess(x, i.line, r.global, r.address, form.bytes,
                    MemSpace::Global);
  }
  if (r.local | r.param)
    return privateBytes(x, i, form, r, true, [&](unsigned l, uint8_t *cell) {
      std::memcpy(cell, data + l * form.bytes, form.bytes);
    });
  return true;
}

bool updateBytes(Exec &x, const Inst &i, const MemoryForm &form,
                 UpdateCell update) {
  auto run = [&](const Resolved &r, MemSpace space) {
    return x.memory.atomic(accessFor(x, i, form, r, space),
                           [&](unsigned lane, uint8_t *cell) {
                             return update(lane, cell, space);
                           });
  };
  Resolved r;
  resolve(x, form, r);
  if (r.local | r.param) {
    x.fault(i, FindingKind::Fault, "an atomic operation on local memory");
    return false;
  }
  if (r.shared && (!checkOwnShared(x, i, form, r) || !run(r, MemSpace::Shared)))
    return false;
  return !r.global || run(r, MemSpace::Global);
}

} // namespace attn::ptx
