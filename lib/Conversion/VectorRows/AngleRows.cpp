//===- AngleRows.cpp - Sines and cosines by position ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The angles of the next position are those of this one and one step more, so
// their sines and cosines are four products away. In f64 such steps lose less
// than 2^-51 each. A block begins with sines and cosines of its first position,
// and so a thousand steps are far more accurate than f32 can hold. Where
// positions are given one by one, or results are f64, each is computed by
// itself; so they are where angles are so large that f64 rounds them visibly,
// which steps do not.
//
//===----------------------------------------------------------------------===//

#include "AngleRows.h"

#include "../Lanes/LaneMemory.h"
#include "../Shared/ConvertFloat.h"

#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <array>

using namespace mlir;
using namespace attn;

constexpr int64_t kCacheLine = 64;
/// f64 rounds angles below this by less than 2^-29.
constexpr double kNearAngle = 0x1p24;

Value AngleRows::emitAngles(OpBuilder &builder, Value position, Value pair) {
  LaneBuilder wide(builder, loc, builder.getF64Type(), lanes);
  Value frequency = vector::LoadOp::create(
      builder, loc, cast<VectorType>(wide.getFloatType()), frequencies, pair);
  // Rounded in this order, which is that of the reference.
  return wide.mul(wide.toFloatLanes(angles.emitScaled(builder, position)),
                  frequency);
}

void AngleRows::emitPairs(OpBuilder &builder,
                          llvm::function_ref<void(OpBuilder &, Value)> body) {
  emitLoop(builder, loc, createIndex(builder, loc, 0),
           createIndex(builder, loc, getWidth()), lanes, body);
}

void AngleRows::begin(OpBuilder &builder) {
  frequencies = angles.emitFrequencies(builder, getWidth());
  if (!maySteps())
    return;
  auto type = MemRefType::get({2, getWidth()}, builder.getF64Type());
  for (Value *memory : {&state, &step})
    *memory = memref::AllocOp::create(builder, loc, type,
                                      builder.getI64IntegerAttr(kCacheLine));
}

void AngleRows::end(OpBuilder &builder) {
  for (Value memory : {state, step})
    if (memory)
      memref::DeallocOp::create(builder, loc, memory);
}

/// Every row by itself.
void AngleRows::emitEach(OpBuilder &builder, Value first, Value low, Value high,
                         Visit visit, VisitRow finish) {
  auto narrow = VectorType::get({lanes}, type);
  emitLoop(builder, loc, low, high, 1, [&](OpBuilder &inRow, Value row) {
    Value position = angles.emitPosition(inRow, first, row);
    emitPairs(inRow, [&](OpBuilder &b, Value pair) {
      SineAndCosine both = emitSineAndCosine(
          b, loc, emitAngles(b, position, pair), /*isFused=*/true);
      visit(b, row, pair, convertFloat(b, loc, both.sine, narrow),
            convertFloat(b, loc, both.cosine, narrow));
    });
    finish(inRow, row);
  });
}

/// One step of each pair for each row.
void AngleRows::emitSteps(OpBuilder &builder, Value position, Value low,
                          Value high, Visit visit, VisitRow finish) {
  auto narrow = VectorType::get({lanes}, type);
  auto wide = VectorType::get({lanes}, builder.getF64Type());
  auto load = [&](OpBuilder &b, Value memory, int64_t which, Value pair) {
    return vector::LoadOp::create(b, loc, wide, memory,
                                  ValueRange{createIndex(b, loc, which), pair});
  };
  auto store = [&](OpBuilder &b, Value memory, Value pair, Value sine,
                   Value cosine) {
    for (auto [which, value] : llvm::enumerate(std::array{sine, cosine}))
      vector::StoreOp::create(b, loc, value, memory,
                              ValueRange{createIndex(b, loc, which), pair});
  };
  emitPairs(builder, [&](OpBuilder &b, Value pair) {
    SineAndCosine one =
        emitSineAndCosine(b, loc, emitAngles(b, {}, pair), /*isFused=*/true);
    store(b, step, pair, one.sine, one.cosine);
    SineAndCosine start = emitSineAndCosine(
        b, loc, emitAngles(b, position, pair), /*isFused=*/true);
    store(b, state, pair, start.sine, start.cosine);
  });
  emitLoop(builder, loc, low, high, 1, [&](OpBuilder &inRow, Value row) {
    emitPairs(inRow, [&](OpBuilder &b, Value pair) {
      LaneBuilder in(b, loc, b.getF64Type(), lanes);
      Value sine = load(b, state, 0, pair), cosine = load(b, state, 1, pair);
      Value stepSine = load(b, step, 0, pair),
            stepCosine = load(b, step, 1, pair);
      store(b, state, pair, in.fma(sine, stepCosine, in.mul(cosine, stepSine)),
            in.fma(cosine, stepCosine, in.neg(in.mul(sine, stepSine))));
      visit(b, row, pair, convertFloat(b, loc, sine, narrow),
            convertFloat(b, loc, cosine, narrow));
    });
    finish(inRow, row);
  });
}

/// All positions of a smaller magnitude have angles below kNearAngle.
int64_t AngleRows::getNearPositions() const {
  return static_cast<int64_t>(std::min(
      kNearAngle / std::max(angles.getLargestStep(), 0x1p-30), 0x1p60));
}

void AngleRows::emit(OpBuilder &builder, Value first, Value low, Value high,
                     Visit visit, VisitRow finish) {
  if (!maySteps())
    return emitEach(builder, first, low, high, visit, finish);
  Value position = angles.emitPosition(builder, first, low);
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  int64_t near = getNearPositions();
  Value isNear = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult,
      arith::AddIOp::create(builder, loc, position, integer(near)),
      integer(2 * near));
  // A step costs two rows to begin with.
  Value isLong =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                            arith::SubIOp::create(builder, loc, high, low),
                            createIndex(builder, loc, 2));
  scf::IfOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, isNear, isLong),
      [&](OpBuilder &b, Location) {
        emitSteps(b, position, low, high, visit, finish);
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &b, Location) {
        emitEach(b, first, low, high, visit, finish);
        scf::YieldOp::create(b, loc);
      });
}
