//===- RowDots.cpp - A matrix product of few rows -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowDots.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

std::optional<DotsShape> DotsShape::get(const DeviceProduct &product,
                                        GPUDotsAttr schedule) {
  DotsShape shape = {schedule, product.product.rhsTransposed};
  int64_t across = shape.getLanesAcross();
  if (schedule.getColumns() % shape.getLaneColumns() != 0 ||
      !llvm::isPowerOf2_64(across) || across > kWarpLanes)
    return std::nullopt;
  return shape;
}

ProductBlock DotsShape::getBlock(FloatType compute) const {
  int64_t columns = schedule.getColumns() *
                    (areTermsNeighbours ? schedule.getBlockWarps() : 1);
  return {schedule.getRows(), columns, kWarpLanes * schedule.getBlockWarps(),
          getSlices() * schedule.getRows() * columns *
              compute.getIntOrFloatBitWidth() / 8};
}

RowDots::RowDots(KernelBuilder &kernel, const DeviceProduct &product,
                 const DotsShape &shape, const ProductPlace &place,
                 bool aligned)
    : kernel(kernel), product(product), shape(shape), place(place),
      aligned(aligned), lhs(product.lhs.emitRows(kernel, place.batch, 0)),
      rhs(product.rhs.emitRows(kernel, place.batch, 0)),
      end(kernel, product, place) {
  if (shape.areTermsNeighbours)
    laneColumn = kernel.mul(place.warp, shape.getLaneColumns());
  else
    laneColumn = kernel.mul(kernel.rem(place.lane, shape.getLanesAcross()),
                            shape.getLaneColumns());
  column = kernel.add(place.firstColumn, laneColumn);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SmallVector<Value> RowDots::load(const GlobalRows &from, Value row, Value first,
                                 Value limit, bool terms) {
  int64_t width = shape.getWidth();
  int64_t bytes = from.element.getIntOrFloatBitWidth() / 8;
  Value start = from.emitRow(kernel, row);
  auto loadAt = [&](Type type, Value at, int64_t alignment) {
    Value loaded =
        kernel.load(type, from.emitElement(kernel, start, at), alignment);
    return kernel.convertFloat(loaded, product.compute);
  };
  if (aligned) {
    // A piece exists, or does not; one that does not is another one.
    Value last = kernel.sub(limit, width);
    return kernel.unpack(loadAt(VectorType::get({width}, from.element),
                                terms ? first : kernel.min(first, last),
                                std::min(width * bytes, kChunkBytes)));
  }
  Value zero = kernel.zero(product.compute);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i) {
    Value at = kernel.add(first, i);
    Value inside = kernel.min(at, kernel.sub(limit, 1));
    Value element = loadAt(from.element, inside, bytes);
    elements.push_back(
        terms ? kernel.select(kernel.less(at, limit), element, zero) : element);
  }
  return elements;
}

SmallVector<Value> RowDots::emitPiece(Value term, ValueRange sums) {
  int64_t width = shape.getWidth();
  auto clamp = [&](Value index, Value size) {
    return kernel.min(index, kernel.sub(size, 1));
  };
  Value zero = kernel.zero(product.compute);
  SmallVector<SmallVector<Value>> terms, next;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value row = clamp(kernel.add(place.firstRow, i), place.rows);
    terms.push_back(load(lhs, row, term, place.depth, /*terms=*/true));
    next.push_back(kernel.unpack(sum));
  }
  auto accumulate = [&](Value x, Value y, Value &sum) {
    sum = LLVM::FMAOp::create(kernel.getBuilder(), kernel.getLoc(), x, y, sum);
  };
  if (shape.areTermsNeighbours) {
    for (int64_t c = 0; c < shape.getLaneColumns(); ++c) {
      Value row = clamp(kernel.add(column, c), place.columns);
      SmallVector<Value> weights =
          load(rhs, row, term, place.depth, /*terms=*/true);
      for (auto [ofRow, sum] : llvm::zip_equal(terms, next))
        for (auto [x, y] : llvm::zip_equal(ofRow, weights))
          accumulate(x, y, sum[c]);
    }
  } else {
    for (int64_t t = 0; t < width; ++t) {
      Value at = kernel.add(term, t);
      Value row = aligned ? at : clamp(at, place.depth);
      SmallVector<Value> weights =
          load(rhs, row, column, place.columns, /*terms=*/false);
      // One that does not exist would be 0 times what need not be finite.
      for (Value &weight : weights)
        weight =
            aligned ? weight
                    : kernel.select(kernel.less(at, place.depth), weight, zero);
      for (auto [ofRow, sum] : llvm::zip_equal(terms, next))
        for (auto [y, element] : llvm::zip_equal(weights, sum))
          accumulate(ofRow[t], y, element);
    }
  }
  return kernel.packEach(next);
}

SmallVector<Value> RowDots::emitLoop() {
  auto type = VectorType::get({shape.getLaneColumns()}, product.compute);
  Values init(shape.schedule.getRows(), kernel.zero(type));
  // Threads that share terms, and the number of this one among them.
  int64_t across = shape.getLanesAcross();
  int64_t sharing = kWarpLanes / across * shape.getSlices();
  Value number =
      kernel.div(shape.areTermsNeighbours ? place.lane : place.thread, across);
  int64_t width = shape.getWidth();
  return kernel.emitLoop(
      kernel.mul(number, width), place.depth, sharing * width, init,
      [&](Value term, ValueRange sums) { return emitPiece(term, sums); });
}

Value RowDots::addLanes(Value sums) {
  SmallVector<Value> elements = kernel.unpack(sums);
  for (Value &element : elements)
    for (int64_t mask = kWarpLanes / 2; mask >= shape.getLanesAcross();
         mask /= 2)
      element =
          arith::AddFOp::create(kernel.getBuilder(), kernel.getLoc(), element,
                                kernel.shuffleXor(element, mask));
  return kernel.pack(elements);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Where the block has a part of the sum at `row` and `sumColumn` of its tile.
Value RowDots::getAddress(Value row, Value sumColumn) {
  Value number = kernel.add(
      kernel.mul(row, shape.getBlock(product.compute).columns), sumColumn);
  return kernel.offset(
      place.shared,
      kernel.mul(number, product.compute.getIntOrFloatBitWidth() / 8));
}

/// One lane of those that share a sum leaves the warp's part in shared memory.
void RowDots::storeParts(ValueRange sums) {
  int64_t rows = shape.getBlock(product.compute).rows;
  SmallVector<Value> parts;
  for (Value sum : sums)
    parts.push_back(addLanes(sum));
  Value isFirst = kernel.less(place.lane, shape.getLanesAcross());
  kernel.emitIf(isFirst, [&] {
    Value slice = shape.getSlices() == 1 ? kernel.constant(0) : place.warp;
    for (auto [row, part] : llvm::enumerate(parts))
      kernel.store(
          part,
          getAddress(kernel.add(kernel.mul(slice, rows), row), laneColumn),
          product.compute.getIntOrFloatBitWidth() / 8);
  });
}

/// The parts of one sum, in order.
Value RowDots::getSum(Value row, Value sumColumn) {
  int64_t bytes = product.compute.getIntOrFloatBitWidth() / 8;
  ProductBlock block = shape.getBlock(product.compute);
  Value address = getAddress(row, sumColumn), sum;
  for (int64_t slice = 0; slice < shape.getSlices(); ++slice) {
    Value part = kernel.load(
        product.compute,
        kernel.offset(address, slice * block.rows * block.columns * bytes),
        bytes);
    sum = sum ? Value(arith::AddFOp::create(kernel.getBuilder(),
                                            kernel.getLoc(), sum, part))
              : part;
  }
  return sum;
}

void RowDots::storeResults() {
  ProductBlock block = shape.getBlock(product.compute);
  kernel.emitLoop(place.thread, kernel.constant(block.rows * block.columns),
                  block.threads, [&](Value number) {
                    Value inRow = kernel.rem(number, block.columns);
                    Value inColumn = kernel.div(number, block.columns);
                    Value row = kernel.add(place.firstRow, inColumn);
                    Value at = kernel.add(place.firstColumn, inRow);
                    Value exists = kernel.both(kernel.less(row, place.rows),
                                               kernel.less(at, place.columns));
                    kernel.emitIf(exists, [&] {
                      end.store(row, at,
                                kernel.pack({getSum(inColumn, inRow)}));
                    });
                  });
}

void RowDots::emit() {
  storeParts(emitLoop());
  kernel.barrier();
  storeResults();
}
