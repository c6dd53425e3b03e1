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
#include "mlir/IR/SymbolTable.h"

#include <cmath>

using namespace mlir;
using namespace attn;

constexpr int64_t kCacheLine = 64;
/// f64 rounds angles below this by less than 2^-29.
constexpr double kNearAngle = 0x1p24;

SmallVector<double> AngleRows::getFrequencies() const {
  SmallVector<double> numbers(getWidth(), 0.0);
  for (int64_t t = 0; t < pairs; ++t)
    numbers[t] = std::pow(base, -static_cast<double>(t) / double(pairs));
  return numbers;
}

/// A constant in memory; equal ones are one.
static Value createConstant(OpBuilder &builder, Location loc, Operation *user,
                            ArrayRef<double> numbers) {
  auto module = user->getParentOfType<ModuleOp>();
  int64_t count = static_cast<int64_t>(numbers.size());
  auto values = DenseElementsAttr::get(
      RankedTensorType::get({count}, builder.getF64Type()), numbers);
  auto type = MemRefType::get({count}, builder.getF64Type());
  memref::GlobalOp found;
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getConstant() && global.getInitialValueAttr() == values &&
        global.getAlignment() == kCacheLine)
      found = global;
  if (!found) {
    SymbolTable symbols(module);
    OpBuilder detached(builder.getContext());
    found = memref::GlobalOp::create(
        detached, loc, "attn_frequencies", builder.getStringAttr("private"),
        type, values, /*constant=*/true, builder.getI64IntegerAttr(kCacheLine));
    // Which makes its name one of its own.
    symbols.insert(found, module.getBody()->begin());
  }
  return memref::GetGlobalOp::create(builder, loc, type, found.getSymName());
}

/// An element of an operand that holds integers of any width, or is one.
static Value emitInteger(OpBuilder &builder, Location loc, Value operand,
                         ArrayRef<Value> position) {
  Value value = operand;
  if (isa<MemRefType>(operand.getType()))
    value = memref::LoadOp::create(builder, loc, operand, position);
  Type i64 = builder.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < 64)
    return arith::ExtSIOp::create(builder, loc, i64, value);
  if (width > 64)
    return arith::TruncIOp::create(builder, loc, i64, value);
  return value;
}

static int64_t getRank(Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  return type ? type.getRank() : 0;
}

Value AngleRows::emitPosition(OpBuilder &builder, Value first, Value row) {
  SmallVector<Value> at = {row};
  if (positions && getRank(positions) == 2)
    at.insert(at.begin(), first);
  Value position = emitInteger(builder, loc, positions ? positions : row, at);
  if (!offset)
    return position;
  SmallVector<Value> batch;
  if (getRank(offset) == 1)
    batch.push_back(first);
  return arith::AddIOp::create(builder, loc, position,
                               emitInteger(builder, loc, offset, batch));
}

Value AngleRows::emitAngles(OpBuilder &builder, Value position, Value pair) {
  LaneBuilder wide(builder, loc, builder.getF64Type(), lanes);
  Value frequency = vector::LoadOp::create(
      builder, loc, cast<VectorType>(wide.getFloatType()), frequencies, pair);
  // Rounded in this order, which is that of the reference.
  LaneBuilder scalar(builder, loc, builder.getF64Type());
  Value scaled = scalar.constant(scale);
  if (position)
    scaled = scalar.mul(scalar.toFloatLanes(position), scaled);
  return wide.mul(wide.toFloatLanes(scaled), frequency);
}

void AngleRows::emitPairs(OpBuilder &builder,
                          llvm::function_ref<void(OpBuilder &, Value)> body) {
  emitLoop(builder, loc, createIndex(builder, loc, 0),
           createIndex(builder, loc, getWidth()), lanes, body);
}

void AngleRows::begin(OpBuilder &builder) {
  frequencies = createConstant(builder, loc, op, getFrequencies());
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
    Value position = emitPosition(inRow, first, row);
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
    for (auto [which, value] : llvm::enumerate(ArrayRef{sine, cosine}))
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
  double largest = 0.0;
  for (double frequency : getFrequencies())
    largest = std::max(largest, std::abs(scale * frequency));
  return static_cast<int64_t>(
      std::min(kNearAngle / std::max(largest, 0x1p-30), 0x1p60));
}

void AngleRows::emit(OpBuilder &builder, Value first, Value low, Value high,
                     Visit visit, VisitRow finish) {
  if (!maySteps())
    return emitEach(builder, first, low, high, visit, finish);
  Value position = emitPosition(builder, first, low);
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
