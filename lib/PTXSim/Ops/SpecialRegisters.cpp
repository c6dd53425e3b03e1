//===- SpecialRegisters.cpp - %tid, %ctaid, %clock, ...
//---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Program.h"
#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

namespace {
using Uniform = uint64_t (*)(const Exec &x, unsigned axis);

uint32_t pick(const Dim3 &dim, unsigned axis) {
  return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z;
}

const Launch &launchOf(const Exec &x) { return *x.cluster.grid->launch; }

uint64_t clusterAxis(const Exec &x, unsigned axis) {
  return pick(launchOf(x).grid, axis) /
         pick(x.cluster.grid->clusterShape, axis);
}

uint64_t ctaInCluster(const Exec &x, unsigned axis) {
  return pick(x.cta.id, axis) % pick(x.cluster.grid->clusterShape, axis);
}

struct Entry {
  StringLiteral name;
  Uniform value;
};

/// Values that are the same for all lanes; the axis is 0 for scalars.
constexpr Entry vectors[] = {
    {"ntid", [](const Exec &x,
                unsigned a) { return uint64_t(pick(launchOf(x).block, a)); }},
    {"ctaid",
     [](const Exec &x, unsigned a) { return uint64_t(pick(x.cta.id, a)); }},
    {"nctaid", [](const Exec &x,
                  unsigned a) { return uint64_t(pick(launchOf(x).grid, a)); }},
    {"clusterid",
     [](const Exec &x, unsigned a) { return uint64_t(pick(x.cluster.id, a)); }},
    {"nclusterid", clusterAxis},
    {"cluster_ctaid", ctaInCluster},
    {"cluster_nctaid", [](const Exec &x, unsigned a) {
       return uint64_t(pick(x.cluster.grid->clusterShape, a));
     }}};

uint64_t clockValue(const Exec &x, unsigned) { return x.cluster.cycle * 4; }
uint64_t timerValue(const Exec &x, unsigned) { return x.cluster.cycle * 2; }

constexpr Entry scalars[] = {
    {"warpid", [](const Exec &x, unsigned) { return uint64_t(x.warp.index); }},
    {"nwarpid",
     [](const Exec &x, unsigned) { return uint64_t(x.cta.warps.size()); }},
    {"smid", [](const Exec &x, unsigned) { return x.cluster.index % 132; }},
    {"nsmid", [](const Exec &, unsigned) { return uint64_t(132); }},
    {"gridid", [](const Exec &, unsigned) { return uint64_t(1); }},
    {"clock", clockValue},
    {"clock_hi",
     [](const Exec &x, unsigned) { return x.cluster.cycle * 4 >> 32; }},
    {"globaltimer_lo", timerValue},
    {"globaltimer_hi",
     [](const Exec &x, unsigned) { return x.cluster.cycle * 2 >> 32; }},
    {"cluster_ctarank",
     [](const Exec &x, unsigned) { return uint64_t(x.cta.rank); }},
    {"cluster_nctarank",
     [](const Exec &x, unsigned) { return uint64_t(x.cluster.ctas.size()); }},
    {"total_smem_size",
     [](const Exec &x, unsigned) {
       return uint64_t(x.cluster.grid->sharedBytes);
     }},
    {"aggr_smem_size",
     [](const Exec &x, unsigned) {
       return uint64_t(x.cluster.grid->sharedBytes);
     }},
    {"dynamic_smem_size",
     [](const Exec &x, unsigned) { return launchOf(x).dynamicShared; }},
    {"reserved_smem_offset_begin",
     [](const Exec &, unsigned) { return uint64_t(0); }},
    {"reserved_smem_offset_end",
     [](const Exec &, unsigned) { return uint64_t(kSharedBase); }},
    {"reserved_smem_offset_cap",
     [](const Exec &, unsigned) { return uint64_t(kSharedBase); }}};

template <const Entry *table, unsigned n, unsigned axis>
Step readUniform(Exec &x, const Inst &i) {
  uint32_t value = uint32_t(table[n].value(x, axis));
  auto *d = x.dst<uint32_t>(i.ops[0]);
  x.forLanes([&](unsigned l) { d[l] = value; });
  return Step::Next;
}

template <Uniform value> Step readWide(Exec &x, const Inst &i) {
  uint64_t now = value(x, 0);
  auto *d = x.dst<uint64_t>(i.ops[0]);
  x.forLanes([&](unsigned l) { d[l] = now; });
  return Step::Next;
}

template <unsigned axis> Step readThread(Exec &x, const Inst &i) {
  const Dim3 &block = launchOf(x).block;
  auto *d = x.dst<uint32_t>(i.ops[0]);
  x.forLanes([&](unsigned l) {
    uint32_t thread = x.warp.index * kLanes + l;
    d[l] = axis == 0   ? thread % block.x
           : axis == 1 ? thread / block.x % block.y
                       : thread / block.x / block.y;
  });
  return Step::Next;
}

/// imm says which: 0 the lane, then its mask eq, le, lt, ge, gt.
Step readLane(Exec &x, const Inst &i) {
  auto *d = x.dst<uint32_t>(i.ops[0]);
  x.forLanes([&](unsigned l) {
    uint32_t bit = 1u << l;
    const uint32_t values[] = {l,       bit,        bit | (bit - 1),
                               bit - 1, ~(bit - 1), ~(bit | (bit - 1))};
    d[l] = values[i.imm];
  });
  return Step::Next;
}

/// Explicit clusters are those that the launch or the kernel asks for.
Step readExplicitCluster(Exec &x, const Inst &i) {
  const Grid &grid = *x.cluster.grid;
  bool isExplicit = grid.clusterShape.count() > 1 ||
                    grid.program->kernel->ir->explicitCluster ||
                    grid.program->kernel->ir->cluster[0];
  x.setPred(i.ops[0], isExplicit ? ~0u : 0);
  return Step::Next;
}

template <unsigned axis, unsigned... n>
Handler vectorHandler(unsigned which, std::integer_sequence<unsigned, n...>) {
  static constexpr Handler handlers[] = {readUniform<vectors, n, axis>...};
  return handlers[which];
}

template <unsigned... n>
Handler scalarHandler(unsigned which, std::integer_sequence<unsigned, n...>) {
  static constexpr Handler handlers[] = {readUniform<scalars, n, 0>...};
  return handlers[which];
}

using VectorIndices =
    std::make_integer_sequence<unsigned, unsigned(std::size(vectors))>;
using ScalarIndices =
    std::make_integer_sequence<unsigned, unsigned(std::size(scalars))>;
} // namespace

Handler specialRegister(StringRef name, RegClass &cls, uint64_t &imm) {
  name.consume_front("%");
  if (name == "is_explicit_cluster") {
    cls = RegClass::Pred;
    return readExplicitCluster;
  }
  if (name == "clock64" || name == "globaltimer" ||
      name == "current_graph_exec") {
    cls = RegClass::R64;
    return name == "clock64" ? readWide<clockValue> : readWide<timerValue>;
  }
  static constexpr StringLiteral lanes[] = {"laneid",      "lanemask_eq",
                                            "lanemask_le", "lanemask_lt",
                                            "lanemask_ge", "lanemask_gt"};
  for (unsigned k = 0; k != std::size(lanes); ++k)
    if (name == lanes[k]) {
      imm = k;
      return readLane;
    }
  for (unsigned k = 0; k != std::size(scalars); ++k)
    if (name == scalars[k].name)
      return scalarHandler(k, ScalarIndices());
  auto [vector, axisName] = name.split('.');
  unsigned axis = axisName == "x" ? 0 : axisName == "y" ? 1 : 2;
  if (vector == "tid")
    return axis == 0   ? readThread<0>
           : axis == 1 ? readThread<1>
                       : readThread<2>;
  for (unsigned k = 0; k != std::size(vectors); ++k)
    if (vector == vectors[k].name)
      return axis == 0   ? vectorHandler<0>(k, VectorIndices())
             : axis == 1 ? vectorHandler<1>(k, VectorIndices())
                         : vectorHandler<2>(k, VectorIndices());
  return nullptr;
}

} // namespace attn::ptx
