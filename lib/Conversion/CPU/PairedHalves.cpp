//===- PairedHalves.cpp - bf16 rows, two numbers a word -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bf16 number is the upper half of an f32 number. So a word of memory with
// two of them is the one at the odd place but for its lower half, and, shifted,
// the one at the even place: one instruction for each of two vectors, where
// widening each by itself takes two, and the way back takes one in place of
// three. Vectors of both have twice the machine's width; what is done to their
// halves alternates, so that neither waits for itself.
//
//===----------------------------------------------------------------------===//

#include "PairedHalves.h"

#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attn {
namespace {

constexpr int64_t kUpper = 0xffff0000;

Value splat(OpBuilder &builder, Location loc, Type type, int64_t value) {
  auto attribute = DenseElementsAttr::get(
      cast<VectorType>(type), APInt(32, static_cast<uint64_t>(value)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

VectorType getWords(OpBuilder &builder, Value halves) {
  int64_t lanes = cast<VectorType>(halves.getType()).getNumElements();
  return VectorType::get(lanes / 2, builder.getI32Type());
}

/// Half of the lanes of a vector.
Value takeHalf(OpBuilder &builder, Location loc, Value wide, bool isSecond) {
  int64_t count = cast<VectorType>(wide.getType()).getNumElements() / 2;
  auto lanes = llvm::to_vector(
      llvm::seq<int64_t>(isSecond ? count : 0, isSecond ? 2 * count : count));
  return vector::ShuffleOp::create(builder, loc, wide, wide, lanes);
}

bool isRoundedOnce(Value yielded) {
  auto rounded = yielded.getDefiningOp<arith::TruncFOp>();
  return rounded && rounded.getIn().getType().isF32() && rounded->hasOneUse() &&
         rounded.getRoundingmode().value_or(
             arith::RoundingMode::to_nearest_even) ==
             arith::RoundingMode::to_nearest_even;
}

/// Whether an operand of one number for each lane can be taken as pairs.
bool isPairedOperand(linalg::GenericOp op, OpOperand &operand) {
  Value argument = op.getMatchingBlockArgument(&operand);
  if (!argument.getType().isBF16())
    return false;
  if (op.isDpsInit(&operand))
    return argument.use_empty();
  return llvm::all_of(argument.getUsers(), [](Operation *user) {
    return isa<arith::ExtFOp>(user) && user->getResult(0).getType().isF32();
  });
}

} // namespace

bool canPairHalves(linalg::GenericOp op, int64_t lanes) {
  unsigned last = op.getNumLoops() - 1;
  int64_t size = op.getStaticLoopRanges().back();
  if (!ShapedType::isDynamic(size) && size < lanes)
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(last) &&
        !isPairedOperand(op, operand))
      return false;
  auto isNarrow = [](Type type) {
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 32;
  };
  return llvm::all_of(op.getBody()->without_terminator(),
                      [&](Operation &inner) {
                        return !isa<linalg::IndexOp>(inner) &&
                               llvm::all_of(inner.getResultTypes(), isNarrow);
                      }) &&
         llvm::all_of(op.getBody()->getTerminator()->getOperands(),
                      isRoundedOnce);
}

Value unpackHalves(OpBuilder &builder, Location loc, Value halves) {
  VectorType words = getWords(builder, halves);
  VectorType floats = words.clone(builder.getF32Type());
  Value bits = vector::BitCastOp::create(builder, loc, words, halves);
  Value even =
      arith::ShLIOp::create(builder, loc, bits, splat(builder, loc, words, 16));
  Value odd = arith::AndIOp::create(builder, loc, bits,
                                    splat(builder, loc, words, kUpper));
  even = arith::BitcastOp::create(builder, loc, floats, even);
  odd = arith::BitcastOp::create(builder, loc, floats, odd);
  return vector::ShuffleOp::create(
      builder, loc, even, odd,
      llvm::to_vector(llvm::seq<int64_t>(0, 2 * words.getNumElements())));
}

Value packHalves(OpBuilder &builder, Location loc, Value wide) {
  Value rounded = emitRoundedToBF16(builder, loc, wide);
  VectorType words = getWords(builder, wide);
  Value even = arith::ShRUIOp::create(builder, loc,
                                      takeHalf(builder, loc, rounded, false),
                                      splat(builder, loc, words, 16));
  Value odd =
      arith::AndIOp::create(builder, loc, takeHalf(builder, loc, rounded, true),
                            splat(builder, loc, words, kUpper));
  return vector::BitCastOp::create(
      builder, loc,
      VectorType::get(2 * words.getNumElements(), builder.getBF16Type()),
      arith::OrIOp::create(builder, loc, even, odd));
}

} // namespace attn
