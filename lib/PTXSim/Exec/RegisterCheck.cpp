//===- RegisterCheck.cpp - Registers that nothing has written -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/RegisterCheck.h"

#include "PTXSim/Exec/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace attn::ptx {

using Kind = RegisterAccesses::Kind;

bool RegisterAccesses::isPure(StringRef opcode) {
  return StringSwitch<bool>(opcode)
      .Cases({"add", "sub", "addc", "subc", "madc", "mul", "mad", "fma"}, true)
      .Cases({"mul24", "mad24", "div", "rem", "min", "max", "abs", "neg"}, true)
      .Cases({"sad", "dp4a", "dp2a", "vabsdiff4", "and", "or", "xor"}, true)
      .Cases({"not", "cnot", "lop3", "shl", "shr", "shf", "popc", "clz"}, true)
      .Cases({"bfind", "brev", "bfe", "bfi", "prmt", "fns", "bmsk"}, true)
      .Cases({"szext", "copysign", "setp", "set", "testp", "cvt", "cvta"}, true)
      .Cases({"slct", "isspacep", "mapa", "getctarank", "ex2", "lg2"}, true)
      .Cases({"rcp", "sqrt", "rsqrt", "sin", "cos", "tanh"}, true)
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Which registers to watch
//===----------------------------------------------------------------------===//

namespace {
using Edges = ArrayRef<SmallVector<uint32_t, 2>>;

/// Liveness at the entry, one register at a time: from each block that reads it
/// before writing it backwards, through blocks that do not write it.
class Liveness {
public:
  Liveness(size_t registers, ArrayRef<RegisterAccesses> accesses, Edges next)
      : accesses(accesses), exposed(registers), killing(registers) {
    findBlocks(next);
    for (uint32_t b = 0; b != starts.size(); ++b)
      scan(b, registers);
  }

  bool liveAtEntry(uint32_t reg) {
    if (exposed[reg].empty())
      return false;
    ++stamp;
    for (uint32_t b : killing[reg])
      killed[b] = stamp;
    SmallVector<uint32_t, 16> work;
    auto visit = [&](uint32_t block) {
      if (seen[block] == stamp)
        return;
      seen[block] = stamp;
      work.push_back(block);
    };
    for (uint32_t b : exposed[reg])
      visit(b);
    while (!work.empty()) {
      uint32_t block = work.pop_back_val();
      if (block == 0)
        return true;
      for (uint32_t p : before[block])
        if (killed[p] != stamp)
          visit(p);
    }
    return false;
  }

private:
  void findBlocks(Edges next) {
    size_t size = next.size();
    std::vector<bool> leads(size + 1);
    leads[0] = true;
    for (size_t i = 0; i != size; ++i) {
      bool falls = next[i].size() == 1 && next[i][0] == i + 1;
      if (falls)
        continue;
      leads[i + 1] = true;
      for (uint32_t n : next[i])
        leads[n] = true;
    }
    std::vector<uint32_t> blockOf(size);
    for (size_t i = 0; i != size; ++i) {
      if (leads[i])
        starts.push_back(uint32_t(i));
      blockOf[i] = uint32_t(starts.size() - 1);
    }
    before.resize(starts.size());
    seen.resize(starts.size());
    killed.resize(starts.size());
    for (size_t i = 0; i != size; ++i)
      if (i + 1 == size || leads[i + 1])
        for (uint32_t n : next[i])
          before[blockOf[n]].push_back(blockOf[i]);
  }

  void scan(uint32_t block, size_t registers) {
    if (defined.empty())
      defined.assign(registers, 0);
    size_t end =
        block + 1 == starts.size() ? accesses.size() : starts[block + 1];
    for (size_t i = starts[block]; i < end; ++i) {
      const RegisterAccesses &a = accesses[i];
      auto expose = [&](uint32_t reg) {
        if (reg != RegisterAccesses::kNoRegister && defined[reg] != block + 1 &&
            (exposed[reg].empty() || exposed[reg].back() != block))
          exposed[reg].push_back(block);
      };
      for_each(a.reads, expose);
      for_each(a.values, expose);
      expose(a.guard);
      if (a.guard != RegisterAccesses::kNoRegister)
        continue;
      for (uint32_t reg : a.writes)
        if (defined[reg] != block + 1) {
          defined[reg] = block + 1;
          killing[reg].push_back(block);
        }
    }
  }

  ArrayRef<RegisterAccesses> accesses;
  std::vector<uint32_t> starts; ///< First instruction of each block.
  std::vector<SmallVector<uint32_t, 2>> before;
  /// By register: the blocks that read it first, and those that write it.
  std::vector<SmallVector<uint32_t, 1>> exposed, killing;
  std::vector<uint32_t> defined; ///< By register: block + 1 that wrote it last.
  std::vector<uint32_t> seen, killed;
  uint32_t stamp = 0;
};
} // namespace

std::vector<bool> findWatchedRegisters(const std::vector<bool> &given,
                                       ArrayRef<RegisterAccesses> accesses,
                                       Edges next) {
  std::vector<bool> watched(given.size());
  bool any = false;
  Liveness liveness(given.size(), accesses, next);
  for (size_t reg = 0; reg != given.size(); ++reg)
    if (!given[reg] && liveness.liveAtEntry(uint32_t(reg)))
      watched[reg] = any = true;
  for (bool changed = any; changed;) {
    changed = false;
    for (const RegisterAccesses &a : accesses) {
      if (a.kind == Kind::Use || a.kind == Kind::Product ||
          none_of(a.values, [&](uint32_t reg) {
            return reg != RegisterAccesses::kNoRegister && watched[reg];
          }))
        continue;
      for (uint32_t reg : a.writes)
        if (!given[reg] && !watched[reg])
          watched[reg] = changed = true;
    }
  }
  return watched;
}

//===----------------------------------------------------------------------===//
// While the kernel runs
//===----------------------------------------------------------------------===//

static RegisterCheck::State &stateOf(Exec &x, const RegisterCheck::Watched &w) {
  return *reinterpret_cast<RegisterCheck::State *>(x.bank[BankRegister] +
                                                   w.state);
}

/// The lanes that have written the register.
static uint32_t written(Exec &x, const RegisterCheck::Watched &w) {
  return w.state ? stateOf(x, w).written : ~0u;
}

/// The state of a value that nothing has written knows where it came from.
static RegisterCheck::State origin(Exec &x, const RegisterCheck::Watched &w,
                                   uint32_t line) {
  RegisterCheck::State state = stateOf(x, w);
  if (!state.line)
    state = {0, line, w.reg};
  return state;
}

void RegisterCheck::use(Exec &x, uint32_t line, uint32_t lanes,
                        const Watched &w) const {
  uint32_t missing = lanes & ~written(x, w);
  if (!missing)
    return;
  State from = origin(x, w, line);
  const auto &function = *x.warp.paths->path().frame().function;
  std::string text = "Register " + function.ir->registers[from.reg].name.str() +
                     " is read, but nothing has written it";
  if (from.line != line)
    text += "; line " + std::to_string(line) + " uses what was made of it";
  x.cluster.diagnostics.report(FindingKind::Uninitialised, &x.warp,
                               unsigned(countr_zero(missing)), from.line,
                               text + ".", from.line != line ? line : 0);
}

void RegisterCheck::run(Exec &x, uint32_t line, uint32_t lanes) const {
  use(x, line, lanes, guard);
  for (const Watched &w : reads)
    use(x, line, x.active, w);
  uint32_t given = ~0u;
  switch (kind) {
  case Kind::Use:
    break;
  case Kind::Pure:
    for (const Watched &w : values)
      given &= written(x, w);
    break;
  case Kind::Copy:
    given = 0;
    for (const Watched &w : values)
      given |= written(x, w);
    break;
  case Kind::Select: {
    uint32_t first = x.pred(selector);
    given = (first & written(x, values[0])) | (~first & written(x, values[1]));
    given &= written(x, values[2]);
    break;
  }
  case Kind::Product:
    for (const Watched &w : values)
      use(x, line, x.active & x.pred(selector), w);
    break;
  }
  State from{};
  if (x.active & ~given)
    for (const Watched &w : values)
      if (!from.line && (x.active & ~written(x, w)))
        from = origin(x, w, line);
  for (const Watched &w : writes) {
    State &state = stateOf(x, w);
    state.written = (state.written & ~x.active) | (given & x.active);
    if (from.line) {
      state.line = from.line;
      state.reg = from.reg;
    }
  }
}

} // namespace attn::ptx
