//===- StepArithmetic.cpp - What one step of a tile computes --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepArithmetic.h"

#include "../Lanes/LaneMemory.h"
#include "../Lanes/PackPairs.h"
#include "../Math/AVX512.h"
#include "../Shared/ConvertFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

Value StepArithmetic::splat(int32_t bits) {
  auto type = VectorType::get({tile.lanes}, builder.getI32Type());
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getI32IntegerAttr(bits)));
}

Value StepArithmetic::toBits(Value terms) {
  auto type = VectorType::get({tile.lanes}, builder.getI32Type());
  return vector::BitCastOp::create(builder, loc, type, terms);
}

Value StepArithmetic::fromBits(Value bits) {
  return vector::BitCastOp::create(builder, loc, tile.getVectorType(), bits);
}

Value StepArithmetic::merge(ArrayRef<Value> terms) {
  if (tile.instruction == Instruction::FMA)
    return terms.front();
  Value rounded = roundNeighbours(terms[0], terms[1]);
  auto halves = VectorType::get({2 * tile.lanes}, builder.getI16Type());
  rounded = vector::BitCastOp::create(builder, loc, halves, rounded);
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < tile.lanes; ++lane)
    llvm::append_values(mask, lane, tile.lanes + lane);
  Value pairs = vector::ShuffleOp::create(builder, loc, rounded, rounded, mask);
  return vector::BitCastOp::create(builder, loc, tile.getVectorType(), pairs);
}

Value StepArithmetic::round(Value terms) {
  return convertFloat(
      builder, loc, terms,
      cast<VectorType>(terms.getType()).clone(tile.getNarrow()));
}

Value StepArithmetic::roundNeighbours(Value first, Value second) {
  Value rounded;
  if (tile.getNarrow().isBF16()) {
    rounded = avx512::emitRoundedToBF16(builder, loc, first, second);
  } else {
    SmallVector<int64_t> both =
        llvm::to_vector(llvm::seq<int64_t>(0, 2 * tile.lanes));
    rounded = vector::ShuffleOp::create(builder, loc, round(first),
                                        round(second), both);
  }
  return vector::BitCastOp::create(builder, loc, tile.getVectorType(), rounded);
}

Value StepArithmetic::interleave(Value first, Value second, int64_t half) {
  return emitInterleaved(builder, loc, first, second, half, tile.element);
}

/// Two vectors of columns fill a register with the terms of a row.
SmallVector<Value> StepArithmetic::loadRows(Value memref, Value row,
                                            Value column, int64_t count,
                                            int64_t taken) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  auto load = [&](int64_t term, int64_t first, int64_t vectors) -> Value {
    auto type = VectorType::get({vectors * tile.lanes}, stored);
    if (term >= taken)
      return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    return vector::LoadOp::create(
        builder, loc, type, memref,
        ValueRange{addIndex(builder, loc, row, term),
                   addIndex(builder, loc, column, first * tile.lanes)});
  };
  SmallVector<Value> results;
  while (tile.getTerms() == 2 && count - int64_t(results.size()) >= 2) {
    int64_t first = results.size();
    Value even = load(0, first, 2), odd = load(1, first, 2);
    for (int64_t half = 0; half < 2; ++half)
      results.push_back(interleave(even, odd, half));
  }
  for (int64_t c = results.size(); c < count; ++c) {
    SmallVector<Value> terms;
    for (int64_t term = 0; term < taken; ++term)
      terms.push_back(load(term, c, 1));
    results.push_back(join(terms));
  }
  return results;
}

/// Terms of f16 are rounded as their step was, which is found to be the same:
/// taking that apart again would take longer.
Value StepArithmetic::addRounded(ValueRange terms, Value merged, Value sum) {
  if (tile.instruction == Instruction::FMA)
    return arith::AddFOp::create(builder, loc, merged, sum);
  if (!tile.getNarrow().isBF16()) {
    for (Value term : terms)
      sum = arith::AddFOp::create(
          builder, loc, sum,
          convertFloat(builder, loc, round(term), tile.getVectorType()));
    return sum;
  }
  constexpr int64_t twoOnes = 0x3f803f80;
  return multiplyAdd(fromBits(splat(twoOnes)), merged, sum);
}

/// Vectors of terms are of the accumulators' type, whatever their bits are: one
/// type of scratch holds them and what they were made from.
Value StepArithmetic::spread(Value element) {
  if (tile.instruction == Instruction::FMA) {
    if (element.getType() != tile.element)
      element = arith::ExtFOp::create(builder, loc, tile.element, element);
    return vector::BroadcastOp::create(builder, loc, tile.getVectorType(),
                                       element);
  }
  Type type = element.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  // The last term of an odd number of them.
  if (bits < tile.element.getIntOrFloatBitWidth()) {
    element = arith::BitcastOp::create(builder, loc,
                                       builder.getIntegerType(bits), element);
    element =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), element);
  }
  if (element.getType() != tile.element)
    element = arith::BitcastOp::create(builder, loc, tile.element, element);
  return vector::BroadcastOp::create(builder, loc, tile.getVectorType(),
                                     element);
}

Value StepArithmetic::join(ValueRange terms) {
  if (tile.instruction == Instruction::FMA)
    return convertFloat(builder, loc, terms.front(), tile.getVectorType());
  auto type = VectorType::get({tile.lanes}, builder.getI32Type());
  Value bits;
  for (auto [i, term] : llvm::enumerate(terms)) {
    Type narrow = cast<VectorType>(term.getType()).clone(builder.getI16Type());
    Value more = vector::BitCastOp::create(builder, loc, narrow, term);
    more = arith::ExtUIOp::create(builder, loc, type, more);
    if (i == 0) {
      bits = more;
      continue;
    }
    Value places = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI32IntegerAttr(16 * i)));
    more = arith::ShLIOp::create(builder, loc, more, places);
    bits = arith::OrIOp::create(builder, loc, bits, more);
  }
  return vector::BitCastOp::create(builder, loc, tile.getVectorType(), bits);
}

/// The two terms of each lane of a step of f16.
std::array<Value, 2> StepArithmetic::widen(Value step) {
  auto narrow = VectorType::get({tile.lanes}, builder.getI16Type());
  Value bits = toBits(step);
  constexpr int32_t half = 16;
  std::array<Value, 2> terms;
  for (auto [i, term] : llvm::enumerate(terms)) {
    term = arith::ShRUIOp::create(builder, loc, bits, splat(half * int32_t(i)));
    term = arith::TruncIOp::create(builder, loc, narrow, term);
    term = vector::BitCastOp::create(builder, loc,
                                     narrow.clone(tile.getNarrow()), term);
    term = convertFloat(builder, loc, term, tile.getVectorType());
  }
  return terms;
}

/// No instruction multiplies pairs of f16 outside of the tile unit.
Value StepArithmetic::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (tile.instruction == Instruction::FMA)
    return vector::FMAOp::create(builder, loc, lhs, rhs, sum);
  if (!tile.getNarrow().isBF16()) {
    for (auto [x, y] : llvm::zip_equal(widen(lhs), widen(rhs)))
      sum = vector::FMAOp::create(builder, loc, x, y, sum);
    return sum;
  }
  auto terms =
      VectorType::get({tile.lanes * tile.getTerms()}, builder.getBF16Type());
  auto asTerms = [&](Value vector) -> Value {
    return vector::BitCastOp::create(builder, loc, terms, vector);
  };
  return avx512::emitDotBF16(builder, loc, sum, asTerms(lhs), asTerms(rhs));
}

/// A step of several terms leaves some of them out on the other side: its sum
/// is that of all.
Value StepArithmetic::multiplyAddNonZero(Value lhs, Value rhs, Value sum) {
  if (tile.instruction == Instruction::FMA) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(tile.getVectorType()));
    Value some = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                       rhs, zero);
    return arith::SelectOp::create(builder, loc, some,
                                   multiplyAdd(lhs, rhs, sum), sum);
  }
  auto halves =
      VectorType::get({tile.lanes * tile.getTerms()}, builder.getI16Type());
  auto toBits = [&](Value vector) -> Value {
    return vector::BitCastOp::create(builder, loc, halves, vector);
  };
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(halves));
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     toBits(rhs), zero);
  Value kept = arith::SelectOp::create(builder, loc, some, toBits(lhs), zero);
  kept = vector::BitCastOp::create(builder, loc, tile.getVectorType(), kept);
  return multiplyAdd(kept, rhs, sum);
}
