//===- AVX512.cpp - Instructions without an op of their own ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AVX512.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

static Value emitInteger(OpBuilder &builder, Location loc, IntegerAttr number) {
  return LLVM::ConstantOp::create(builder, loc, number);
}

/// The masked intrinsic `name`, with the type's own ending, of all lanes in the
/// current rounding mode: the operands, the lanes that are kept, the mask and
/// the mode.
static Value emitMasked(OpBuilder &builder, Location loc, StringRef name,
                        ArrayRef<Value> operands) {
  constexpr int64_t currentDirection = 4;
  Value x = operands.front();
  bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
  SmallVector<Value> all(operands);
  all.push_back(x);
  all.push_back(emitInteger(builder, loc,
                            isDouble ? builder.getI8IntegerAttr(-1)
                                     : builder.getI16IntegerAttr(-1)));
  all.push_back(
      emitInteger(builder, loc, builder.getI32IntegerAttr(currentDirection)));
  auto fullName = builder.getStringAttr("llvm.x86.avx512.mask." + name +
                                        (isDouble ? ".pd.512" : ".ps.512"));
  return LLVM::CallIntrinsicOp::create(builder, loc, x.getType(), fullName, all)
      .getResult(0);
}

namespace attn::avx512 {

Value emitFraction(OpBuilder &builder, Location loc, Value x) {
  constexpr int32_t quietFloor = 9;
  return emitMasked(
      builder, loc, "reduce",
      {x, emitInteger(builder, loc, builder.getI32IntegerAttr(quietFloor))});
}

Value emitRest(OpBuilder &builder, Location loc, Value x, unsigned bits) {
  constexpr int32_t quietNearest = 8;
  auto mode = int32_t(bits << 4) | quietNearest;
  return emitMasked(
      builder, loc, "reduce",
      {x, emitInteger(builder, loc, builder.getI32IntegerAttr(mode))});
}

Value emitScale(OpBuilder &builder, Location loc, Value x, Value y) {
  return emitMasked(builder, loc, "scalef", {x, y});
}

Value emitMinusMagnitude(OpBuilder &builder, Location loc, Value x,
                         Value bound) {
  // The smaller magnitude, with the sign set.
  constexpr int32_t smallerMagnitude = 0b1110;
  return emitMasked(
      builder, loc, "range",
      {x, bound,
       emitInteger(builder, loc, builder.getI32IntegerAttr(smallerMagnitude))});
}

Value emitLookUp(OpBuilder &builder, Location loc, Value index, Value low,
                 Value high) {
  auto name = builder.getStringAttr("llvm.x86.avx512.vpermi2var.ps.512");
  return LLVM::CallIntrinsicOp::create(builder, loc, low.getType(), name,
                                       ValueRange{low, index, high})
      .getResult(0);
}

Value emitRoundedToBF16(OpBuilder &builder, Location loc, Value low,
                        Value high) {
  auto type =
      VectorType::get({2 * cast<VectorType>(low.getType()).getNumElements()},
                      builder.getBF16Type());
  auto name = builder.getStringAttr("llvm.x86.avx512bf16.cvtne2ps2bf16.512");
  return LLVM::CallIntrinsicOp::create(builder, loc, type, name,
                                       ValueRange{high, low})
      .getResult(0);
}

Value emitDotBF16(OpBuilder &builder, Location loc, Value sum, Value x,
                  Value y) {
  auto name = builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512");
  return LLVM::CallIntrinsicOp::create(builder, loc, sum.getType(), name,
                                       ValueRange{sum, x, y})
      .getResult(0);
}

} // namespace attn::avx512
