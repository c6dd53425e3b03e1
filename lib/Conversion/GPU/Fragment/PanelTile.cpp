//===- PanelTile.cpp - Matrices that four warps multiply ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Terms of an instruction.
static constexpr int64_t kStepTerms = 16;

int64_t PanelTile::getPanelColumns() const {
  return kRowBytes / (element.getIntOrFloatBitWidth() / 8);
}

int64_t PanelTile::getPanels() const {
  return llvm::divideCeil(columns, getPanelColumns());
}

SharedTile PanelTile::getPanel(KernelBuilder &kernel, int64_t panel) const {
  return {kernel.offset(base, panel * getPanelBytes()), rows, getPanelColumns(),
          element};
}

PanelTile PanelTile::shifted(KernelBuilder &kernel, Value bytes) const {
  PanelTile result = *this;
  result.base = kernel.offset(base, bytes);
  return result;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

// The PTX ISA's matrix descriptor: addresses and distances in units of 16
// bytes, and the layout.
static constexpr unsigned kUnitBits = 4, kAddressBits = 14;
static constexpr unsigned kLeadingShift = 16, kStrideShift = 32,
                          kLayoutShift = 62;
static constexpr uint64_t kSwizzle128 = 1;

/// Everything but the address. Along terms panels are told apart by steps, and
/// the leading distance has no meaning; across terms it is that of panels.
static uint64_t getLayoutBits(const PanelTile &tile, bool rowsAreTerms) {
  uint64_t leading =
      rowsAreTerms ? tile.getPanelBytes() >> kUnitBits : uint64_t(1);
  uint64_t stride = PanelTile::kAlignment >> kUnitBits;
  return leading << kLeadingShift | stride << kStrideShift |
         kSwizzle128 << kLayoutShift;
}

PanelOperand::PanelOperand(KernelBuilder &kernel, const PanelTile &tile,
                           bool rowsAreTerms, Value firstRow)
    : tile(tile), rowsAreTerms(rowsAreTerms) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value address = LLVM::PtrToIntOp::create(b, loc, kernel.getI32(), tile.base);
  if (firstRow)
    address = kernel.add(
        address, kernel.mul(firstRow, kernel.constant(PanelTile::kRowBytes)));
  Value start = kernel.bitAnd(kernel.shiftRight(address, kUnitBits),
                              (1 << kAddressBits) - 1);
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), start);
  descriptor =
      b.createOrFold<arith::OrIOp>(loc, wide,
                                   kernel.constant64(static_cast<int64_t>(
                                       getLayoutBits(tile, rowsAreTerms))));
}

/// Adds to the address. Shared memory ends before the field of addresses does,
/// so that nothing is carried.
static Value addBytes(KernelBuilder &kernel, Value descriptor, Value bytes) {
  OpBuilder &b = kernel.getBuilder();
  return b.createOrFold<arith::AddIOp>(kernel.getLoc(), descriptor, bytes);
}

PanelOperand PanelOperand::shifted(KernelBuilder &kernel, Value bytes) const {
  PanelOperand result = *this;
  Value units = arith::ExtUIOp::create(kernel.getBuilder(), kernel.getLoc(),
                                       kernel.getBuilder().getI64Type(),
                                       kernel.shiftRight(bytes, kUnitBits));
  result.tile = tile.shifted(kernel, bytes);
  result.descriptor = addBytes(kernel, descriptor, units);
  return result;
}

Value PanelOperand::getStep(KernelBuilder &kernel, int64_t step) const {
  int64_t first = step * kStepTerms, bytes;
  if (rowsAreTerms) {
    bytes = first * PanelTile::kRowBytes;
  } else {
    int64_t inPanel = first % tile.getPanelColumns();
    bytes = first / tile.getPanelColumns() * tile.getPanelBytes() +
            inPanel * tile.element.getIntOrFloatBitWidth() / 8;
  }
  if (bytes == 0)
    return descriptor;
  return addBytes(kernel, descriptor, kernel.constant64(bytes >> kUnitBits));
}
