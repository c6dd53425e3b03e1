//===- Tensor.cpp - Tensor copies and reductions (TMA) --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"
#include "PTXSim/Async/Destinations.h"
#include "PTXSim/Async/TensorBox.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace attn::ptx {

namespace {
struct Tensor {
  AddressOpnd map, shared, barrier;
  llvm::SmallVector<Opnd, 5> coordinates;
  Opnd ctaMask;
  bool load = false;
  std::string reduction; ///< "add", ...; empty for plain copies.
};

using Parts = std::shared_ptr<std::vector<BoxPart>>;
} // namespace

/// Reads the tensor map that `address` names; complains if there is none.
static bool readMap(Exec &x, const Inst &inst, uint64_t address,
                    DecodedTensorMap &result) {
  auto refuse = [&](const std::string &why) {
    x.fault(inst, FindingKind::BadDescriptor, why);
    return false;
  };
  std::string at = "0x" + llvm::utohexstr(address, true);
  if (address == 0)
    return refuse("The address of the tensor map is null.");
  if (address % 64 != 0)
    return refuse("The tensor map's address " + at +
                  " is not a multiple of 64.");
  TensorMapBits bits;
  const std::vector<uint8_t> &params = x.cluster.grid->params;
  uint64_t offset = address - kParamWindow;
  const uint8_t *from = nullptr;
  if (address >= kParamWindow && address < kParamWindow + kWindowBytes) {
    if (offset + bits.size() <= params.size())
      from = params.data() + offset;
  } else {
    from = memoryOf(x).bytes(MemSpace::Global, address, bits.size());
  }
  if (!from)
    return refuse("There are no 128 bytes of a tensor map at " + at + ".");
  std::memcpy(bits.data(), from, bits.size());
  if (auto map = decodeTensorMap(bits)) {
    result = *map;
    return true;
  }
  return refuse("The 128 bytes at " + at + " are not a tensor map.");
}

/// Joins parts that lie side by side into ranges. What lies outside of the
/// tensor is filled in shared memory, and nowhere else looked at: that a store
/// leaves it out, nobody can tell from reading it.
static void addRanges(std::vector<Operation::Range> &ranges, MemSpace space,
                      const std::vector<BoxPart> &parts, bool fills,
                      unsigned lane, uint64_t cta, uint8_t completion) {
  for (const BoxPart &p : parts) {
    if (!p.inside && !fills)
      continue;
    uint64_t address = space == MemSpace::Global
                           ? p.global
                           : (cta << 24 | (p.shared & 0xffffff));
    if (!ranges.empty()) {
      Operation::Range &last = ranges.back();
      if (last.space == space && last.completion == completion &&
          last.address + last.bytes == address) {
        last.bytes += p.bytes;
        continue;
      }
    }
    Operation::Range range;
    range.space = space;
    range.address = address;
    range.bytes = p.bytes;
    range.lane = uint8_t(lane);
    range.completion = completion;
    ranges.push_back(range);
  }
}

static uint8_t swizzleBytes(TensorMap::Swizzle swizzle) {
  switch (swizzle) {
  case TensorMap::Swizzle::None:
    return 0;
  case TensorMap::Swizzle::B32:
    return 32;
  case TensorMap::Swizzle::B64:
    return 64;
  case TensorMap::Swizzle::B128:
    break;
  }
  return 128;
}

static void addLoad(ClusterMemory &memory, Operation &op, Parts parts,
                    const TensorMap &map) {
  auto data = std::make_shared<std::vector<uint8_t>>();
  op.read = [&memory, parts, data, map] {
    for (const BoxPart &p : *parts) {
      size_t at = data->size();
      data->resize(at + p.bytes);
      if (p.inside)
        std::memcpy(&(*data)[at],
                    memory.bytes(MemSpace::Global, p.global, p.bytes), p.bytes);
      else
        fillOutside(map, llvm::MutableArrayRef(*data).slice(at, p.bytes));
    }
    return true;
  };
  op.write = [&memory, &op, parts, data, swizzle = swizzleBytes(map.swizzle)] {
    for (const Operation::Completion &c : op.completions) {
      size_t at = 0;
      for (const BoxPart &p : *parts) {
        uint64_t address =
            (c.barrier & ~uint64_t(0xffffff)) | (p.shared & 0xffffff);
        uint8_t *to = memory.bytes(MemSpace::Shared, address, p.bytes);
        if (!to)
          return memory.reportGone(*op.warp, llvm::countr_zero(op.lanes),
                                   op.line);
        std::memcpy(to, &(*data)[at], p.bytes);
        at += p.bytes;
      }
      for (const Operation::Range &r : op.writes)
        memory.noteSwizzle(r.address, r.bytes, swizzle, op.line);
    }
    return true;
  };
}

static void addStore(ClusterMemory &memory, Operation &op, Parts parts,
                     ReduceFn reduce, unsigned size) {
  auto data = std::make_shared<std::vector<uint8_t>>();
  op.read = [&memory, parts, data] {
    for (const BoxPart &p : *parts) {
      size_t at = data->size();
      data->resize(at + p.bytes, 0xff);
      if (uint8_t *from = memory.bytes(MemSpace::Shared, p.shared, p.bytes))
        std::memcpy(&(*data)[at], from, p.bytes);
    }
    return true;
  };
  op.write = [&memory, parts, data, reduce, size] {
    size_t at = 0;
    for (const BoxPart &p : *parts) {
      const uint8_t *from = &(*data)[at];
      at += p.bytes;
      if (!p.inside)
        continue;
      uint8_t *to = memory.bytes(MemSpace::Global, p.global, p.bytes);
      if (!reduce) {
        std::memcpy(to, from, p.bytes);
        continue;
      }
      for (uint32_t i = 0; i != p.bytes; i += size)
        memory.reduceElement(MemSpace::Global, p.global + i, to + i, from + i,
                             reduce);
    }
    return true;
  };
}

static ReduceFn tensorReduction(const TensorMap &map, llvm::StringRef name) {
  switch (map.type) {
  case TensorMap::Type::U32:
    return findReduction(name, ReduceType::U32);
  case TensorMap::Type::I32:
    return findReduction(name, ReduceType::S32);
  case TensorMap::Type::U64:
    return findReduction(name, ReduceType::U64);
  case TensorMap::Type::I64:
    return findReduction(name, ReduceType::S64);
  case TensorMap::Type::F16:
    return findReduction(name, ReduceType::F16);
  case TensorMap::Type::BF16:
    return findReduction(name, ReduceType::BF16);
  case TensorMap::Type::F32:
  case TensorMap::Type::F32FTZ:
    return findReduction(name, ReduceType::F32);
  case TensorMap::Type::F64:
    return findReduction(name, ReduceType::F64);
  default:
    return nullptr;
  }
}

/// What the map and the operands of one lane must agree on.
static std::string checkUse(const Tensor &t, const DecodedTensorMap &map,
                            uint64_t shared) {
  if (map.map.rank != t.coordinates.size())
    return "The instruction has " + llvm::utostr(t.coordinates.size()) +
           " coordinates, the tensor map has rank " +
           llvm::utostr(map.map.rank) + ".";
  if (map.map.interleave != TensorMap::Interleave::None)
    return "Interleaved tensor maps are not supported.";
  if (shared % 128 != 0)
    return "The shared address 0x" + llvm::utohexstr(shared, true) +
           " of a tensor copy is not a multiple of 128.";
  if (!t.reduction.empty() && !tensorReduction(map.map, t.reduction))
    return "The tensor's element type has no reduction '" + t.reduction + "'.";
  return "";
}

static bool runLane(Exec &x, const Inst &inst, const Tensor &t, unsigned lane,
                    uint64_t mapAddress, uint64_t shared, uint64_t barrier) {
  DecodedTensorMap map;
  if (!readMap(x, inst, mapAddress, map))
    return false;
  if (std::string problem = checkUse(t, map, shared); !problem.empty()) {
    x.fault(inst, FindingKind::BadDescriptor, problem);
    return false;
  }
  llvm::SmallVector<int32_t, 5> coordinates;
  for (Opnd c : t.coordinates)
    coordinates.push_back(int32_t(x.lane(c, lane)));
  auto parts = std::make_shared<std::vector<BoxPart>>(
      boxParts(map, coordinates, uint32_t(shared)));
  auto op = std::make_unique<Operation>(x.warp);
  op->lanes = 1u << lane;
  op->line = inst.line;
  op->group = t.load ? GroupKind::None : GroupKind::Bulk;
  if (t.load) {
    addRanges(op->reads, MemSpace::Global, *parts, /*fills=*/false, lane, 0, 0);
    uint64_t mask = t.ctaMask ? x.lane(t.ctaMask, lane) & 0xffff : 0;
    bool good = forEachDestination(
        x, inst, shared, barrier, mask, bool(t.ctaMask),
        [&](uint64_t to, uint64_t at) {
          addRanges(op->writes, MemSpace::Shared, *parts, /*fills=*/true, lane,
                    to >> 24, uint8_t(op->completions.size()));
          // The barrier lies in the CTA that receives the data.
          op->completions.push_back({at, boxBytes(map.map)});
        });
    if (!good || !checkCompletions(x, inst, *op))
      return false;
    addLoad(memoryOf(x), *op, parts, map.map);
  } else {
    addRanges(op->reads, MemSpace::Shared, *parts, /*fills=*/false, lane,
              shared >> 24, 0);
    addRanges(op->writes, MemSpace::Global, *parts, /*fills=*/false, lane, 0,
              0);
    op->reduces = !t.reduction.empty();
    addStore(memoryOf(x), *op, parts, tensorReduction(map.map, t.reduction),
             elementBytes(map.map.type));
  }
  return engineOf(x).issue(std::move(op));
}

static Step runTensor(Exec &x, const Inst &inst) {
  const auto &t = *static_cast<const Tensor *>(inst.extra);
  uint64_t map[kLanes], shared[kLanes], barrier[kLanes] = {};
  x.addresses(t.map, map);
  x.addresses(t.shared, shared);
  if (t.load)
    x.addresses(t.barrier, barrier);
  for (uint32_t mask = x.active; mask; mask &= mask - 1) {
    unsigned l = llvm::countr_zero(mask);
    if (!runLane(x, inst, t, l, map[l], shared[l], barrier[l]))
      return Step::Fault;
  }
  return Step::Next;
}

static Step runNothing(Exec &, const Inst &) { return Step::Next; }

/// [map, {c0, c1, ...}]
static bool decodeMap(Decoder &d, const ir::Operand &op, Tensor &t) {
  if (!op.is(ir::Operand::Kind::Address) || op.elements.size() != 2 ||
      !op.elements[1].is(ir::Operand::Kind::Vector))
    return false;
  ir::Operand address = op;
  address.elements.resize(1);
  t.map = d.address(address);
  for (const ir::Operand &c : op.elements[1].elements)
    t.coordinates.push_back(d.source(c, ir::Type::B32));
  return true;
}

static bool decodeOperands(Decoder &d, const ir::Instruction &inst, Tensor &t) {
  size_t hint = inst.has("L2::cache_hint");
  bool multicast = inst.has("multicast::cluster");
  const std::vector<ir::Operand> &ops = inst.operands;
  if (!t.load) {
    if (ops.size() != 2 + hint || !decodeMap(d, ops[0], t))
      return false;
    t.shared = d.address(ops[1]);
    return inst.has("bulk_group");
  }
  if (ops.size() != 3 + multicast + hint || !decodeMap(d, ops[1], t) ||
      !inst.has("mbarrier::complete_tx::bytes"))
    return false;
  t.shared = d.address(ops[0]);
  t.barrier = d.address(ops[2]);
  if (multicast)
    t.ctaMask = d.source(ops[3], ir::Type::B16);
  return true;
}

void decodeTensor(Decoder &d, const ir::Instruction &inst, Inst &out) {
  for (llvm::StringRef mode : {"im2col", "tile::gather4", "tile::scatter4"})
    if (hasPrefix(inst, mode))
      return d.error("tensor copies in mode '" + mode + "' are not supported");
  if (inst.has("cta_group::1") || inst.has("cta_group::2"))
    return d.error("tensor copies with .cta_group are not supported");
  if (inst.has("prefetch")) {
    out.handler = runNothing;
    return;
  }
  auto &t = *d.extra<Tensor>(out);
  for (llvm::StringRef m : inst.modifiers)
    if (m == "global" || m.starts_with("shared::")) {
      t.load = m != "global";
      break;
    }
  if (inst.has("reduce"))
    for (llvm::StringRef m :
         {"add", "min", "max", "inc", "dec", "and", "or", "xor"})
      if (inst.has(m))
        t.reduction = m.str();
  if (inst.has("reduce") != !t.reduction.empty() || !decodeOperands(d, inst, t))
    return;
  std::string dimension = llvm::utostr(t.coordinates.size()) + "d";
  if (!inst.has(dimension))
    return d.error("the number of coordinates does not match the dimension");
  llvm::SmallVector<Opnd, 10> all{t.map.base, t.shared.base, t.barrier.base,
                                  t.ctaMask};
  all.append(t.coordinates.begin(), t.coordinates.end());
  d.setOps(out, all);
  out.handler = runTensor;
}

} // namespace attn::ptx
