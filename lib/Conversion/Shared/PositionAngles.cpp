//===- PositionAngles.cpp - The angles of positions -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PositionAngles.h"

#include "attn/Dialect/Attn/IR/LaneBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

#include <cmath>

using namespace mlir;
using namespace attn;

constexpr int64_t kCacheLine = 64;

SmallVector<double> PositionAngles::getFrequencies() const {
  SmallVector<double> numbers;
  for (int64_t t = 0; t < pairs; ++t)
    numbers.push_back(std::pow(base, -static_cast<double>(t) / double(pairs)));
  return numbers;
}

double PositionAngles::getLargestStep() const {
  double largest = 0.0;
  for (double frequency : getFrequencies())
    largest = std::max(largest, std::abs(scale * frequency));
  return largest;
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

Value PositionAngles::emitFrequencies(OpBuilder &builder, int64_t width) const {
  SmallVector<double> numbers = getFrequencies();
  numbers.resize(std::max(width, pairs), 0.0);
  return createConstant(builder, loc, op, numbers);
}

Value PositionAngles::emitPosition(OpBuilder &builder, Value first,
                                   Value row) const {
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

Value PositionAngles::emitScaled(OpBuilder &builder, Value position) const {
  LaneBuilder scalar(builder, loc, builder.getF64Type());
  Value scaled = scalar.constant(scale);
  if (position)
    scaled = scalar.mul(scalar.toFloatLanes(position), scaled);
  return scaled;
}
