//===- StagedSums.cpp - Fragments of sums on their way out ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedSums.h"
#include "../Fragment/ThreadContraction.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// Some columns more than a fragment has, so that rows begin in different
/// banks.
static int64_t getStagedColumns(int64_t columns) { return columns + 8; }

int64_t attn::getStagedBytes(int64_t columns, Type compute) {
  return kFragmentSize * getStagedColumns(columns) *
         compute.getIntOrFloatBitWidth() / 8;
}

StagedSums::StagedSums(KernelBuilder &kernel, const DeviceProduct &product,
                       const ProductPlace &place, const FragmentLayout &layout,
                       const WarpPart &part)
    : kernel(kernel), place(place), layout(layout), part(part),
      end(kernel, product, place) {
  Value offset =
      kernel.mul(place.warp, getStagedBytes(part.columns, product.compute));
  staged = {kernel.offset(place.shared, offset), kFragmentSize,
            getStagedColumns(part.columns), product.compute};
}

/// A chunk of shared memory, or one number of it.
Value StagedSums::loadStaged(Value row, Value column, int64_t width) {
  int64_t inChunk = staged.getChunkElements();
  int64_t bytes = staged.getElementBytes();
  Value address = staged.emitAddress(kernel, row, kernel.div(column, inChunk));
  if (width < inChunk)
    address =
        kernel.offset(address, kernel.mul(kernel.rem(column, inChunk), bytes));
  return kernel.load(VectorType::get({width}, staged.element), address,
                     width * bytes);
}

/// Lanes side by side take pieces of `width` elements side by side.
void StagedSums::storeFragment(int64_t fragment, int64_t width) {
  int64_t inRow = part.columns / width;
  auto storePiece = [&](Value piece) {
    Value number = kernel.add(place.lane, kernel.mul(piece, kWarpLanes));
    Value stagedRow = kernel.div(number, inRow);
    Value stagedColumn = kernel.mul(kernel.rem(number, inRow), width);
    Value row = kernel.add(kernel.add(place.firstRow, part.row),
                           kernel.add(stagedRow, fragment * kFragmentSize));
    Value column =
        kernel.add(kernel.add(place.firstColumn, part.column), stagedColumn);
    Value exists = kernel.both(kernel.less(row, place.rows),
                               kernel.less(column, place.columns));
    kernel.emitIf(exists, [&] {
      end.store(row, column, loadStaged(stagedRow, stagedColumn, width));
    });
  };
  kernel.emitLoop(kernel.constant(0),
                  kernel.constant(kFragmentSize * inRow / kWarpLanes),
                  /*step=*/1, storePiece);
}

void StagedSums::emit(ValueRange sums) {
  LaneBuilder lanes(kernel.getBuilder(), kernel.getLoc(),
                    cast<FloatType>(staged.element), /*lanes=*/0,
                    {/*narrowInts=*/true});
  int64_t perThread = layout.getRowsPerThread();
  int64_t fragments = static_cast<int64_t>(sums.size()) / perThread;
  Value takesVectors = end.emitTakesVectors(staged.getChunkElements());
  for (int64_t fragment = 0; fragment < fragments; ++fragment) {
    if (fragment != 0)
      kernel.warpBarrier();
    for (int64_t i = 0; i < perThread; ++i)
      emitStorePairs(kernel, staged, layout.emitRow(lanes, place.lane, i),
                     place.lane, sums[fragment * perThread + i]);
    kernel.warpBarrier();
    auto storeElements = [&] { storeFragment(fragment, /*width=*/1); };
    if (takesVectors)
      kernel.emitIf(
          takesVectors,
          [&] { storeFragment(fragment, staged.getChunkElements()); },
          storeElements);
    else
      storeElements();
  }
}
