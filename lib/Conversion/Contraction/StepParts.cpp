//===- StepParts.cpp - Terms without lower bits, and their parts ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of bf16 are the upper halves of those of f32.
//
//===----------------------------------------------------------------------===//

#include "HalfParts.h"
#include "StepArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

constexpr int32_t kHalf = 16, kUpperHalf = ~int32_t(0xffff);

/// How many bits of f32 a narrow type does not have.
static int countLostBits(FloatType narrow) {
  return int(APFloat::semanticsPrecision(APFloat::IEEEsingle())) -
         int(APFloat::semanticsPrecision(narrow.getFloatSemantics()));
}

/// Half a unit more changes the exponent where it has to.
Value StepArithmetic::emitNearest(Value terms) {
  int32_t half = 1 << (countLostBits(tile.getNarrow()) - 1);
  return emitCut(fromBits(
      arith::AddIOp::create(builder, loc, toBits(terms), splat(half))));
}

Value StepArithmetic::emitCut(Value terms) {
  auto kept = int32_t(~uint32_t(0) << countLostBits(tile.getNarrow()));
  return fromBits(
      arith::AndIOp::create(builder, loc, toBits(terms), splat(kept)));
}

Value StepArithmetic::mergeCut(ArrayRef<Value> terms) {
  if (!tile.getNarrow().isBF16())
    return merge(terms);
  Value low =
      arith::ShRUIOp::create(builder, loc, toBits(terms[0]), splat(kHalf));
  return fromBits(arith::OrIOp::create(builder, loc, low, toBits(terms[1])));
}

SmallVector<Value> StepArithmetic::mergeCutParts(ArrayRef<Value> terms) {
  SmallVector<Value> rest(terms), parts;
  for (int64_t part = 0; part < tile.parts; ++part) {
    SmallVector<Value> cut;
    for (Value &term : rest) {
      cut.push_back(emitCut(term));
      term = arith::SubFOp::create(builder, loc, term, cut.back());
    }
    parts.push_back(mergeCut(cut));
  }
  return parts;
}

SmallVector<Value> StepArithmetic::mergeHalves(ArrayRef<Value> terms) {
  SmallVector<Value> firsts, seconds;
  for (Value term : terms) {
    firsts.push_back(emitCut(term));
    seconds.push_back(emitSecondHalf(builder, loc, term));
  }
  return {mergeCut(firsts), merge(seconds)};
}

SmallVector<Value> StepArithmetic::mergeParts(ArrayRef<Value> terms) {
  if (tile.areHalves)
    return mergeHalves(terms);
  if (tile.isCut(tile.parts - 1))
    return mergeCutParts(terms);
  SmallVector<Value> rest(terms), parts = {merge(terms)};
  while (int64_t(parts.size()) < tile.parts) {
    Value bits = toBits(parts.back());
    std::array<Value, 2> rounded = {
        arith::ShLIOp::create(builder, loc, bits, splat(kHalf)),
        arith::AndIOp::create(builder, loc, bits, splat(kUpperHalf))};
    for (auto [term, part] : llvm::zip_equal(rest, rounded))
      term = arith::SubFOp::create(builder, loc, term, fromBits(part));
    parts.push_back(merge(rest));
  }
  return parts;
}
