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

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

// The PTX ISA's matrix descriptor: addresses and distances in units of 16
// bytes, and the layout, as two halves of 32 bits.
static constexpr unsigned kUnitBits = 4, kAddressBits = 14, kLeadingShift = 16;
static constexpr unsigned kStrideShift = 0, kLayoutShift = 30;
static constexpr int64_t kSwizzle128 = 1;

/// Along terms panels are told apart by steps, and the leading distance has no
/// meaning; across terms it is that of panels.
static int64_t getLeadingBits(const PanelTile &tile, bool rowsAreTerms) {
  int64_t leading = rowsAreTerms ? tile.getPanelBytes() >> kUnitBits : 1;
  return leading << kLeadingShift;
}

/// The half without addresses, which is the same for all matrices.
static constexpr int64_t kHighHalf =
    (PanelTile::kAlignment >> kUnitBits) << kStrideShift | kSwizzle128
                                                               << kLayoutShift;

/// Both halves, of which LLVM shall not see the parts: what is added to the
/// whole is not kept across a loop.
static Value joinHalves(KernelBuilder &kernel, Value low) {
  OpBuilder &b = kernel.getBuilder();
  Value high = kernel.constant(kHighHalf);
  return LLVM::InlineAsmOp::create(
             b, kernel.getLoc(), b.getI64Type(), ValueRange{low, high},
             "mov.b64 $0, {$1, $2};", "=l,r,n", /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

PanelOperand::PanelOperand(KernelBuilder &kernel, const PanelTile &tile,
                           bool rowsAreTerms, Value firstRow,
                           const TileStage &stage)
    : tile(tile), rowsAreTerms(rowsAreTerms) {
  Value address = LLVM::PtrToIntOp::create(kernel.getBuilder(), kernel.getLoc(),
                                           kernel.getI32(), tile.base);
  if (firstRow)
    address = kernel.add(
        address, kernel.mul(firstRow, kernel.constant(PanelTile::kRowBytes)));
  Value low = kernel.bitAnd(kernel.shiftRight(address, kUnitBits),
                            (1 << kAddressBits) - 1);
  low = kernel.add(low, kernel.constant(getLeadingBits(tile, rowsAreTerms)));
  // Shared memory ends before the field of addresses does, so that nothing is
  // carried.
  if (stage.number)
    low =
        kernel.add(low, kernel.mul(stage.number,
                                   kernel.constant(stage.bytes >> kUnitBits)));
  descriptor = stage.isUniform ? joinHalves(kernel, low) : low;
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
  // Registers of threads are added up in two steps of 32 bits, and nothing is
  // carried from the low one.
  if (descriptor.getType() == kernel.getI32())
    return joinHalves(
        kernel, kernel.add(descriptor, kernel.constant(bytes >> kUnitBits)));
  return kernel.getBuilder().createOrFold<arith::AddIOp>(
      kernel.getLoc(), descriptor, kernel.constant64(bytes >> kUnitBits));
}
