//===- Philox.cpp - Random bits from a counter ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox 4x32-10 of J. K. Salmon and others, "Parallel random numbers: as easy
// as 1, 2, 3" (2011): ten rounds of two 32 x 32 -> 64 bit products. Words are
// kept in i64, so that a product is one multiplication.
//
//===----------------------------------------------------------------------===//

#include "InitDraws.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>

using namespace mlir;

namespace attn {
namespace {

struct WordEmitter {
  OpBuilder &builder;
  Location loc;

  Value constant(uint64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value low(Value x) {
    return arith::AndIOp::create(builder, loc, x, constant(0xFFFFFFFF));
  }
  Value high(Value x) {
    return arith::ShRUIOp::create(builder, loc, x, constant(32));
  }
  Value mul(Value x, uint64_t factor) {
    return arith::MulIOp::create(builder, loc, x, constant(factor));
  }
  Value xorWords(Value a, Value b) {
    return arith::XOrIOp::create(builder, loc, a, b);
  }
  /// a + b modulo 2^32.
  Value addWords(Value a, uint64_t b) {
    return low(arith::AddIOp::create(builder, loc, a, constant(b)));
  }
};

} // namespace

Value emitUniform(OpBuilder &builder, Location loc, Value seed,
                  Value position) {
  WordEmitter e{builder, loc};
  Value zero = e.constant(0);
  std::array<Value, 4> x = {e.low(position), e.high(position), zero, zero};
  std::array<Value, 2> key = {e.low(seed), e.high(seed)};
  for (unsigned round = 0; round < 10; ++round) {
    if (round > 0)
      key = {e.addWords(key[0], 0x9E3779B9), e.addWords(key[1], 0xBB67AE85)};
    Value first = e.mul(x[0], 0xD2511F53), second = e.mul(x[2], 0xCD9E8D57);
    x = {e.xorWords(e.xorWords(e.high(second), x[1]), key[0]), e.low(second),
         e.xorWords(e.xorWords(e.high(first), x[3]), key[1]), e.low(first)};
  }
  // k = (word 1, word 0) / 2^12 is below 2^52: k + 1/2 is exact in f64.
  Value bits = arith::OrIOp::create(
      builder, loc, arith::ShLIOp::create(builder, loc, x[1], e.constant(32)),
      x[0]);
  bits = arith::ShRUIOp::create(builder, loc, bits, e.constant(12));
  Value k = arith::SIToFPOp::create(builder, loc, builder.getF64Type(), bits);
  auto real = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(value));
  };
  k = arith::AddFOp::create(builder, loc, k, real(0.5));
  return arith::MulFOp::create(builder, loc, k, real(0x1p-52));
}

} // namespace attn
