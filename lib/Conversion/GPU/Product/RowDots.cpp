//===- RowDots.cpp - A matrix product of few rows -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowDots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
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
    laneColumn =
        kernel.mul(place.warp, kernel.constant(shape.getLaneColumns()));
  else
    laneColumn = kernel.mul(kernel.rem(place.lane, shape.getLanesAcross()),
                            kernel.constant(shape.getLaneColumns()));
  column = kernel.add(place.firstColumn, laneColumn);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SmallVector<Value> RowDots::load(const GlobalRows &from, Value row, Value first,
                                 Value limit, bool terms) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t width = shape.getWidth();
  int64_t bytes = from.element.getIntOrFloatBitWidth() / 8;
  auto multiply = [&](Value index, Value stride) {
    return b.createOrFold<arith::MulIOp>(loc, kernel.toI64(index), stride);
  };
  Value start = kernel.offset(from.base, multiply(row, from.rowStride));
  if (aligned) {
    // A piece exists, or does not; one that does not is another one.
    Value last = kernel.sub(limit, kernel.constant(width));
    Value at = terms ? first : kernel.min(first, last);
    Value loaded =
        kernel.load(VectorType::get({width}, from.element),
                    kernel.offset(start, multiply(at, from.columnStride)),
                    std::min(width * bytes, kChunkBytes));
    return kernel.unpack(kernel.convertFloat(loaded, product.compute));
  }
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(product.compute));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i) {
    Value at = kernel.add(first, kernel.constant(i));
    Value inside = kernel.min(at, kernel.sub(limit, kernel.constant(1)));
    Value element = kernel.convertFloat(
        kernel.load(from.element,
                    kernel.offset(start, multiply(inside, from.columnStride)),
                    bytes),
        product.compute);
    elements.push_back(
        terms ? kernel.select(kernel.less(at, limit), element, zero) : element);
  }
  return elements;
}

SmallVector<Value> RowDots::emitPiece(Value term, ValueRange sums) {
  int64_t width = shape.getWidth();
  auto clamp = [&](Value index, Value size) {
    return kernel.min(index, kernel.sub(size, kernel.constant(1)));
  };
  Value zero = arith::ConstantOp::create(
      kernel.getBuilder(), kernel.getLoc(),
      kernel.getBuilder().getZeroAttr(product.compute));
  SmallVector<SmallVector<Value>> terms, next;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value row =
        clamp(kernel.add(place.firstRow, kernel.constant(i)), place.rows);
    terms.push_back(load(lhs, row, term, place.depth, /*terms=*/true));
    next.push_back(kernel.unpack(sum));
  }
  auto accumulate = [&](Value x, Value y, Value &sum) {
    sum = LLVM::FMAOp::create(kernel.getBuilder(), kernel.getLoc(), x, y, sum);
  };
  if (shape.areTermsNeighbours) {
    for (int64_t c = 0; c < shape.getLaneColumns(); ++c) {
      Value row = clamp(kernel.add(column, kernel.constant(c)), place.columns);
      SmallVector<Value> weights =
          load(rhs, row, term, place.depth, /*terms=*/true);
      for (auto [ofRow, sum] : llvm::zip_equal(terms, next))
        for (auto [x, y] : llvm::zip_equal(ofRow, weights))
          accumulate(x, y, sum[c]);
    }
  } else {
    for (int64_t t = 0; t < width; ++t) {
      Value at = kernel.add(term, kernel.constant(t));
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
  SmallVector<Value> packed;
  for (ArrayRef<Value> sum : next)
    packed.push_back(kernel.pack(sum));
  return packed;
}

SmallVector<Value> RowDots::emitLoop() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto type = VectorType::get({shape.getLaneColumns()}, product.compute);
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<Value> init(shape.schedule.getRows(), zeros);
  // Threads that share terms, and the number of this one among them.
  int64_t across = shape.getLanesAcross();
  int64_t sharing = kWarpLanes / across * shape.getSlices();
  Value number =
      kernel.div(shape.areTermsNeighbours ? place.lane : place.thread, across);
  int64_t width = shape.getWidth();
  auto loop =
      scf::ForOp::create(b, loc, kernel.mul(number, kernel.constant(width)),
                         place.depth, kernel.constant(sharing * width), init);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, loc, emitPiece(loop.getInductionVar(), loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
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

/// One lane of those that share a sum leaves the warp's part in shared memory.
void RowDots::storeParts(ValueRange sums) {
  OpBuilder &b = kernel.getBuilder();
  int64_t bytes = product.compute.getIntOrFloatBitWidth() / 8;
  ProductBlock block = shape.getBlock(product.compute);
  SmallVector<Value> parts;
  for (Value sum : sums)
    parts.push_back(addLanes(sum));
  Value isFirst =
      kernel.less(place.lane, kernel.constant(shape.getLanesAcross()));
  auto branch = scf::IfOp::create(b, kernel.getLoc(), isFirst,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value slice = shape.getSlices() == 1 ? kernel.constant(0) : place.warp;
  for (auto [row, part] : llvm::enumerate(parts)) {
    Value ofRow = kernel.add(kernel.mul(slice, kernel.constant(block.rows)),
                             kernel.constant(row));
    Value number = kernel.add(kernel.mul(ofRow, kernel.constant(block.columns)),
                              laneColumn);
    kernel.store(
        part,
        kernel.offset(place.shared, kernel.mul(number, kernel.constant(bytes))),
        bytes);
  }
}

/// The parts of one sum, in order.
Value RowDots::getSum(Value row, Value sumColumn) {
  OpBuilder &b = kernel.getBuilder();
  int64_t bytes = product.compute.getIntOrFloatBitWidth() / 8;
  ProductBlock block = shape.getBlock(product.compute);
  Value number =
      kernel.add(kernel.mul(row, kernel.constant(block.columns)), sumColumn);
  Value address =
      kernel.offset(place.shared, kernel.mul(number, kernel.constant(bytes)));
  Value sum;
  for (int64_t slice = 0; slice < shape.getSlices(); ++slice) {
    Value part = kernel.load(
        product.compute,
        kernel.offset(address, slice * block.rows * block.columns * bytes),
        bytes);
    sum = sum ? Value(arith::AddFOp::create(b, kernel.getLoc(), sum, part))
              : part;
  }
  return sum;
}

void RowDots::storeResults() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  ProductBlock block = shape.getBlock(product.compute);
  auto loop = scf::ForOp::create(b, loc, place.thread,
                                 kernel.constant(block.rows * block.columns),
                                 kernel.constant(block.threads));
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  Value inRow = kernel.rem(loop.getInductionVar(), block.columns);
  Value inColumn = kernel.div(loop.getInductionVar(), block.columns);
  Value row = kernel.add(place.firstRow, inColumn);
  Value at = kernel.add(place.firstColumn, inRow);
  Value exists =
      kernel.both(kernel.less(row, place.rows), kernel.less(at, place.columns));
  auto branch = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  end.store(row, at, kernel.pack({getSum(inColumn, inRow)}));
}

void RowDots::emit() {
  storeParts(emitLoop());
  kernel.barrier();
  storeResults();
}
