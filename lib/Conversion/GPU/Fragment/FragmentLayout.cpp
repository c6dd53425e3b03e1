//===- FragmentLayout.cpp - Which lane holds which element of a matrix ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentLayout.h"
#include "KernelBuilder.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

std::optional<FragmentLayout>
FragmentLayout::get(FragmentRole role, MatrixShape shape, Type element) {
  bool isHalf = isa<Float16Type, BFloat16Type>(element);
  bool isAccumulator = role == FragmentRole::Accumulator;
  bool isGroup = shape.m == 64;
  bool hasColumns = isGroup ? shape.n % 8 == 0 && shape.n >= 8 && shape.n <= 256
                            : shape.n == 8;
  if ((!isGroup && shape.m != 16) || !hasColumns || shape.k != 16 ||
      (!isHalf && (isGroup || !isAccumulator)))
    return std::nullopt;
  // Groups of four lanes have a row, or a column of the rhs. The lowest bits of
  // elements are those within one register.
  SmallVector<Place> alongRows = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  Place alongColumns[] = {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}};
  // Each warp has 16 rows.
  if (isGroup)
    alongRows.append({{16, 0}, {32, 0}});
  switch (role) {
  case FragmentRole::Accumulator:
    return FragmentLayout(shape.m, 8, alongRows, {{0, 1}, {8, 0}});
  case FragmentRole::Lhs:
    return FragmentLayout(shape.m, 16, alongRows, {{0, 1}, {8, 0}, {0, 8}});
  case FragmentRole::Rhs:
    // That of four warps lies in shared memory.
    if (isGroup)
      return std::nullopt;
    return FragmentLayout(16, 8, alongColumns, {{1, 0}, {8, 0}});
  }
  llvm_unreachable("all roles are handled");
}

/// Adds up what the bits of `number` stand for.
static FragmentLayout::Place sum(ArrayRef<FragmentLayout::Place> bits,
                                 int64_t number) {
  FragmentLayout::Place place;
  for (auto [i, bit] : llvm::enumerate(bits))
    if ((number >> i) & 1) {
      place.row += bit.row;
      place.column += bit.column;
    }
  return place;
}

FragmentLayout::Place FragmentLayout::getPlace(int64_t lane,
                                               int64_t element) const {
  Place ofLane = sum(laneBits, lane), ofElement = sum(elementBits, element);
  return {ofLane.row + ofElement.row, ofLane.column + ofElement.column};
}

int64_t FragmentLayout::getRowsPerThread() const {
  return int64_t(1) << llvm::count_if(
             elementBits, [](const Place &bit) { return bit.row != 0; });
}

SmallVector<int64_t> FragmentLayout::getElementsOfRow(int64_t row) const {
  SmallVector<int64_t> offsets, elements;
  for (int64_t i = 0; i < getNumElements(); ++i)
    if (sum(elementBits, i).column == 0)
      offsets.push_back(sum(elementBits, i).row);
  llvm::sort(offsets);
  for (int64_t i = 0; i < getNumElements(); ++i)
    if (sum(elementBits, i).row == offsets[row])
      elements.push_back(i);
  llvm::sort(elements, [&](int64_t a, int64_t b) {
    return sum(elementBits, a).column < sum(elementBits, b).column;
  });
  return elements;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The sum of what the bits of `lane` stand for; runs of bits that double are
/// taken together.
static Value emitLane(LaneBuilder &lanes, Value lane,
                      ArrayRef<int64_t> weights) {
  KernelBuilder kernel(lanes.getBuilder(), lanes.getLoc());
  Value result;
  for (size_t first = 0; first < weights.size();) {
    size_t last = first + 1;
    while (last < weights.size() && weights[first] != 0 &&
           weights[last] == 2 * weights[last - 1])
      ++last;
    if (weights[first] != 0) {
      int64_t mask = (int64_t(1) << (last - first)) - 1;
      Value part = kernel.mul(
          kernel.bitAnd(kernel.shiftRight(lane, first), mask), weights[first]);
      result = result ? kernel.add(result, part) : part;
    }
    first = last;
  }
  return result ? result : kernel.constant(0);
}

Value FragmentLayout::emitRow(LaneBuilder &rowLanes, Value lane,
                              int64_t row) const {
  SmallVector<int64_t> weights;
  for (const Place &bit : laneBits)
    weights.push_back(bit.row);
  Value first = rowLanes.toIntLanes(emitLane(rowLanes, lane, weights));
  int64_t offset = sum(elementBits, getElementsOfRow(row).front()).row;
  return rowLanes.add(first, rowLanes.integer(offset));
}

Value FragmentLayout::emitColumns(LaneBuilder &elements, Value lane) const {
  OpBuilder &b = elements.getBuilder();
  SmallVector<int64_t> weights;
  for (const Place &bit : laneBits)
    weights.push_back(bit.column);
  Value first = elements.toIntLanes(emitLane(elements, lane, weights));
  SmallVector<int64_t> ofRow = getElementsOfRow(0);
  int64_t count = ofRow.size();
  SmallVector<int32_t> offsets;
  for (int64_t i = 0; i < elements.getLanes(); ++i)
    offsets.push_back(i / count * columns +
                      sum(elementBits, ofRow[i % count]).column);
  Value constant = arith::ConstantOp::create(
      b, elements.getLoc(),
      DenseElementsAttr::get(cast<VectorType>(elements.getIntType()),
                             ArrayRef(offsets)));
  return elements.add(first, constant);
}

//===----------------------------------------------------------------------===//
// Reuse
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>>
FragmentLayout::getReuse(const FragmentLayout &accumulator,
                         const FragmentLayout &lhs) {
  if (accumulator.rows != lhs.rows ||
      accumulator.getNumLanes() != lhs.getNumLanes() ||
      lhs.columns % accumulator.columns != 0)
    return std::nullopt;
  int64_t count = accumulator.getNumElements();
  int64_t all = lhs.columns / accumulator.columns * count;
  auto holds = [&](int64_t from, int64_t to) {
    return llvm::all_of(
        llvm::seq(accumulator.getNumLanes()), [&](int64_t lane) {
          Place place = accumulator.getPlace(lane, from % count);
          place.column += from / count * accumulator.columns;
          return place == lhs.getPlace(lane, to);
        });
  };
  SmallVector<int64_t> reuse;
  for (int64_t to = 0; to < lhs.getNumElements(); ++to) {
    auto from = llvm::find_if(llvm::seq<int64_t>(0, all),
                              [&](int64_t i) { return holds(i, to); });
    if (from == llvm::seq<int64_t>(0, all).end())
      return std::nullopt;
    reuse.push_back(*from);
  }
  return reuse;
}
