//===- LaneSums.cpp - Sums and maxima across lanes ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// Adds two vectors, both shuffled: what `low` picks plus what `high` picks out
/// of the lanes of a and then b.
static Value addShuffled(OpBuilder &builder, Location loc, Value a, Value b,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  Value x = vector::ShuffleOp::create(builder, loc, a, b, low);
  Value y = vector::ShuffleOp::create(builder, loc, a, b, high);
  return arith::AddFOp::create(builder, loc, x, y);
}

/// Inside each group of `group` lanes: runs of `unit` lanes of a and b in turn,
/// the first half of each group plus the second half.
static Value addInGroups(OpBuilder &builder, Location loc, Value a, Value b,
                         int64_t lanes, int64_t group, int64_t unit) {
  SmallVector<int64_t> low, high;
  for (int64_t first = 0; first < lanes; first += group)
    for (int64_t run = 0; run < group / 2; run += unit)
      for (int64_t source : {int64_t(0), lanes})
        for (int64_t i = 0; i < unit; ++i) {
          low.push_back(source + first + run + i);
          high.push_back(low.back() + group / 2);
        }
  return addShuffled(builder, loc, a, b, low, high);
}

/// Whole groups of a and then b: the even ones plus the odd ones.
static Value addGroups(OpBuilder &builder, Location loc, Value a, Value b,
                       int64_t lanes, int64_t group) {
  SmallVector<int64_t> even, odd;
  for (int64_t first = 0; first < 2 * lanes; first += 2 * group)
    for (int64_t i = 0; i < group; ++i) {
      even.push_back(first + i);
      odd.push_back(first + group + i);
    }
  return addShuffled(builder, loc, a, b, even, odd);
}

Value attn::emitLaneSums(OpBuilder &builder, Location loc,
                         ArrayRef<Value> vectors, int64_t held) {
  auto type = cast<VectorType>(vectors[0].getType());
  int64_t lanes = type.getNumElements();
  // x86 shuffles inside 128 bits and between them are different instructions.
  int64_t group = std::min<int64_t>(lanes, 128 / type.getElementTypeBitWidth());
  SmallVector<Value> level(vectors);
  for (int64_t unit = held; level.size() > 1; unit *= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(
          unit < group
              ? addInGroups(builder, loc, level[i], level[i + 1], lanes, group,
                            unit)
              : addGroups(builder, loc, level[i], level[i + 1], lanes, group));
    level = std::move(next);
  }
  return level[0];
}

Value attn::emitTree(SmallVector<Value> values,
                     llvm::function_ref<Value(Value, Value)> combine) {
  while (values.size() > 1) {
    size_t half = (values.size() + 1) / 2;
    for (size_t i = 0; half + i < values.size(); ++i)
      values[i] = combine(values[i], values[half + i]);
    values.truncate(half);
  }
  return values.front();
}

Value attn::emitAllLanes(OpBuilder &builder, Location loc, Value vector,
                         llvm::function_ref<Value(Value, Value)> combine) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> swapped;
    for (int64_t lane = 0; lane < lanes; ++lane)
      swapped.push_back(lane ^ distance);
    Value other =
        vector::ShuffleOp::create(builder, loc, vector, vector, swapped);
    vector = combine(vector, other);
  }
  return vector;
}

Value attn::emitReduced(OpBuilder &builder, Location loc,
                        SmallVector<Value> vectors,
                        llvm::function_ref<Value(Value, Value)> combine) {
  Value all = emitAllLanes(builder, loc, emitTree(std::move(vectors), combine),
                           combine);
  return vector::ExtractOp::create(builder, loc, all, 0);
}
