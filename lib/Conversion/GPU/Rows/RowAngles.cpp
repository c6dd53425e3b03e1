//===- RowAngles.cpp - Sines and cosines of positions on a GPU ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAngles.h"
#include "../../Shared/ConvertFloat.h"
#include "../Fragment/KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

void RowAngles::begin(OpBuilder &b, const RowItem &item) {
  known.clear();
  frequencies = angles.emitFrequencies(b, /*width=*/1);
  Value first = item.outer.empty() ? Value() : item.outer.front();
  scaled = angles.emitScaled(b, angles.emitPosition(b, first, item.begin));
}

PairTurns RowAngles::get(const RowPiece &piece, const RowPlace &, Value,
                         bool hasElements) {
  // All rows of an item have the same pieces.
  auto [entry, isNew] = known.try_emplace(machine.getPiece());
  if (isNew)
    entry->second = compute(piece, hasElements);
  return {entry->second, entry->second};
}

SineAndCosine RowAngles::compute(const RowPiece &piece, bool hasElements) {
  LaneBuilder &lanes = piece.lanes;
  OpBuilder &b = lanes.getBuilder();
  int64_t count = std::max<int64_t>(lanes.getLanes(), 1);
  Value pair = piece.position[0];
  if (hasElements) {
    count /= 2;
    pair = arith::ShRUIOp::create(b, loc, pair, lanes.index(1));
  }
  // A piece past the end takes the first ones: what it has is not used.
  if (piece.mask)
    pair = arith::SelectOp::create(b, loc, piece.mask, pair, lanes.index(0));
  SmallVector<Value> sines, cosines;
  LaneBuilder wide(b, loc, b.getF64Type());
  for (int64_t i = 0; i < count; ++i) {
    Value at = b.createOrFold<arith::AddIOp>(loc, pair, lanes.index(i));
    Value frequency = memref::LoadOp::create(b, loc, frequencies, at);
    SineAndCosine both = emitSineAndCosine(b, loc, wide.mul(scaled, frequency),
                                           /*isFused=*/true);
    Value sine = convertFloat(b, loc, both.sine, type);
    Value cosine = convertFloat(b, loc, both.cosine, type);
    if (hasElements) {
      sines.push_back(LaneBuilder(b, loc, type).neg(sine));
      cosines.push_back(cosine);
    }
    sines.push_back(sine);
    cosines.push_back(cosine);
  }
  if (!lanes.isVector())
    return {sines[0], cosines[0]};
  KernelBuilder kernel(b, loc);
  return {kernel.pack(sines), kernel.pack(cosines)};
}
