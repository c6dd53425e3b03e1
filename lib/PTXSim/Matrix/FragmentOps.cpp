//===- FragmentOps.cpp - ldmatrix, stmatrix, movmatrix --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of 8 x 8 elements of 16 bits. Lane 8 m + r names the address of row
// r of matrix m, 16 bytes; four lanes hold a row in their registers, or a
// column with .trans.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/MatrixOps.h"
#include "PTXSim/Ops/AddressSpaces.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attn::ptx {

namespace {
constexpr unsigned kRows = 8, kRowBytes = 16;

struct MatrixMove {
  AddressOpnd address;
  bool generic = false;
  unsigned count = 1; ///< Matrices.
  bool transposed = false;

  uint32_t lanes() const { return count == 4 ? ~0u : (1u << 8 * count) - 1; }
};

/// A row in memory is checked as an access of one of the lanes that hold its
/// elements, not of the lane that knows the address: ordering its own earlier
/// stores does not help a lane that gets another's. One row goes to each lane.
unsigned holderOf(unsigned matrix, unsigned row, bool transposed) {
  return transposed ? 4 * (2 * matrix + row % 2) + row / 2 : 4 * row + matrix;
}

/// Shared addresses of the rows. False: a finding was reported.
bool rowAddresses(Exec &x, const Inst &i, const MatrixMove &form,
                  uint64_t (&rows)[kLanes]) {
  x.addresses(form.address, rows);
  uint64_t first = (uint64_t(x.cta.rank) << 24) + kSharedBase;
  uint64_t bytes = x.cluster.grid->sharedBytes;
  for (unsigned l = 0; l != form.count * kRows; ++l) {
    uint64_t base = form.generic ? kSharedWindow : 0;
    uint64_t at = rows[l] - base;
    bool inside = rows[l] >= base && at >= first && bytes >= kRowBytes &&
                  at - first <= bytes - kRowBytes;
    if (inside && at % kRowBytes == 0) {
      rows[l] = at;
      continue;
    }
    std::string what = "row " + utostr(l % kRows) + " of matrix " +
                       utostr(l / kRows) + ", which lane " + utostr(l) +
                       " puts at 0x" + utohexstr(rows[l], true) + ", ";
    x.cluster.diagnostics.report(
        inside ? FindingKind::Misaligned : FindingKind::OutOfBounds, &x.warp, l,
        i.line,
        inside ? what + "is not at a multiple of 16 bytes"
               : what + "lies outside the CTA's shared memory of " +
                     utostr(bytes) + " bytes, which begins at 0x" +
                     utohexstr(base + first, true));
    return false;
  }
  return true;
}

/// The same addresses by the lane that each row's access is put down to.
Access accessFor(Exec &x, const Inst &i, const MatrixMove &form,
                 const uint64_t (&rows)[kLanes], uint64_t (&byHolder)[kLanes]) {
  uint32_t mask = 0;
  for (unsigned l = 0; l != form.count * kRows; ++l) {
    unsigned holder = holderOf(l / kRows, l % kRows, form.transposed);
    byHolder[holder] = rows[l];
    mask |= 1u << holder;
  }
  return Access{x.warp,    i.line,          mask, byHolder, kRowBytes,
                kRowBytes, MemSpace::Shared};
}

void profile(Exec &x, const Inst &i, const MatrixMove &form,
             const uint64_t (&rows)[kLanes]) {
  if (x.cluster.profile)
    profileAccess(x, i.line, form.lanes(), rows, kRowBytes, MemSpace::Shared);
}

/// One matrix between its rows in memory and the lanes' registers.
using Matrix = uint16_t[kRows][kRows];

void toLanes(const Matrix &matrix, bool transposed, uint32_t *registers) {
  for (unsigned l = 0; l != kLanes; ++l) {
    unsigned group = l / 4, pair = l % 4 * 2;
    uint32_t low = transposed ? matrix[pair][group] : matrix[group][pair];
    uint32_t high =
        transposed ? matrix[pair + 1][group] : matrix[group][pair + 1];
    registers[l] = low | high << 16;
  }
}

void fromLanes(const uint32_t *registers, bool transposed, Matrix &matrix) {
  for (unsigned l = 0; l != kLanes; ++l) {
    unsigned group = l / 4, pair = l % 4 * 2;
    (transposed ? matrix[pair][group] : matrix[group][pair]) =
        uint16_t(registers[l]);
    (transposed ? matrix[pair + 1][group] : matrix[group][pair + 1]) =
        uint16_t(registers[l] >> 16);
  }
}

/// ops: the registers, the address
Step loadMatrix(Exec &x, const Inst &i) {
  const auto &form = *static_cast<const MatrixMove *>(i.extra);
  uint64_t rows[kLanes], byHolder[kLanes] = {};
  if (!requireWholeWarp(x, i) || !rowAddresses(x, i, form, rows))
    return Step::Fault;
  alignas(64) uint8_t data[kLanes * kRowBytes];
  if (!x.memory.load(accessFor(x, i, form, rows, byHolder), data))
    return Step::Fault;
  profile(x, i, form, rows);
  for (unsigned m = 0; m != form.count; ++m) {
    Matrix matrix;
    for (unsigned r = 0; r != kRows; ++r)
      std::memcpy(matrix[r], data + kRowBytes * holderOf(m, r, form.transposed),
                  kRowBytes);
    toLanes(matrix, form.transposed, x.dst<uint32_t>(i.ops[m]));
  }
  return Step::Next;
}

/// ops: the address, the registers
Step storeMatrix(Exec &x, const Inst &i) {
  const auto &form = *static_cast<const MatrixMove *>(i.extra);
  uint64_t rows[kLanes], byHolder[kLanes] = {};
  if (!requireWholeWarp(x, i) || !rowAddresses(x, i, form, rows))
    return Step::Fault;
  alignas(64) uint8_t data[kLanes * kRowBytes];
  for (unsigned m = 0; m != form.count; ++m) {
    Matrix matrix;
    fromLanes(x.src<uint32_t>(i.ops[1 + m]), form.transposed, matrix);
    for (unsigned r = 0; r != kRows; ++r)
      std::memcpy(data + kRowBytes * holderOf(m, r, form.transposed), matrix[r],
                  kRowBytes);
  }
  if (!x.memory.store(accessFor(x, i, form, rows, byHolder), data))
    return Step::Fault;
  x.noteProgress();
  profile(x, i, form, rows);
  return Step::Next;
}

/// ops: d, a
Step moveMatrix(Exec &x, const Inst &i) {
  if (!requireWholeWarp(x, i))
    return Step::Fault;
  Matrix matrix;
  fromLanes(x.src<uint32_t>(i.ops[1]), /*transposed=*/false, matrix);
  toLanes(matrix, /*transposed=*/true, x.dst<uint32_t>(i.ops[0]));
  return Step::Next;
}

bool isWarpWide(Decoder &d, const ir::Instruction &inst) {
  if (inst.has("sync") && inst.has("aligned"))
    return true;
  d.error("needs .sync.aligned");
  return false;
}

/// ldmatrix and stmatrix differ in the order of their operands only.
void decodeMatrixMove(Decoder &d, const ir::Instruction &inst, Inst &out) {
  bool isLoad = inst.opcode == "ldmatrix";
  if (!hasOperands(d, inst, 2) || !isWarpWide(d, inst) ||
      !onlyModifiers(d, inst,
                     {"sync", "aligned", "m8n8", "x1", "x2", "x4", "trans",
                      "shared", "shared::cta"}) ||
      !requireTarget(d, isLoad ? 75 : 90))
    return;
  auto *form = d.extra<MatrixMove>(out);
  form->count = inst.has("x4") ? 4 : inst.has("x2") ? 2 : 1;
  form->transposed = inst.has("trans");
  form->generic = !inst.has("shared") && !inst.has("shared::cta");
  form->address = d.address(inst.operands[isLoad ? 1 : 0]);
  SmallVector<Opnd, 5> ops;
  if (!isLoad)
    ops.push_back(form->address.base);
  if (!registersOf(d, inst.operands[isLoad ? 0 : 1], form->count, ir::Type::B32,
                   /*isSource=*/!isLoad, ops))
    return;
  if (isLoad)
    ops.push_back(form->address.base);
  d.setOps(out, ops);
  bool hasCount = inst.has("x1") || inst.has("x2") || inst.has("x4");
  if (inst.has("m8n8") && hasCount && inst.type() == ir::Type::B16)
    out.handler = isLoad ? loadMatrix : storeMatrix;
}

void decodeMoveMatrix(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 2) || !isWarpWide(d, inst) ||
      !onlyModifiers(d, inst, {"sync", "aligned", "m8n8", "trans"}) ||
      !requireTarget(d, 75))
    return;
  d.setOps(out, {destinationOf(d, inst.operands[0], ir::Type::B32),
                 d.source(inst.operands[1], ir::Type::B32)});
  if (inst.has("m8n8") && inst.has("trans") && inst.type() == ir::Type::B16)
    out.handler = moveMatrix;
}
} // namespace

void registerFragmentOps(OpTable &table) {
  table.add("ldmatrix", decodeMatrixMove);
  table.add("stmatrix", decodeMatrixMove);
  table.add("movmatrix", decodeMoveMatrix);
}

} // namespace attn::ptx
