//===- ProductKernel.cpp - A tile of a matrix product ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductKernel.h"
#include "../Fragment/ThreadContraction.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

/// Columns of a row of results for each that a lane has of them.
static constexpr int64_t kColumnsPerLane = 4;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The type in which elements are multiplied: their own where a matrix
/// instruction takes it, else that of the sums.
static FloatType getFactorType(const DeviceProduct &product) {
  Type lhs = product.lhs.getElement(), rhs = product.rhs.getElement();
  bool isHalf = lhs == rhs && (lhs.isF16() || lhs.isBF16());
  return isHalf && product.compute.isF32() ? cast<FloatType>(lhs)
                                           : product.compute;
}

ProductShape::ProductShape(const DeviceProduct &product,
                           GPUProductAttr schedule)
    : schedule(schedule), element(getFactorType(product)),
      compute(product.compute) {
  auto getOperand = [&](bool rowsAreTerms, int64_t across) -> OperandShape {
    if (rowsAreTerms)
      return {true, schedule.getDepth(), across};
    return {false, across, schedule.getDepth()};
  };
  lhs = getOperand(product.lhs.hasUnitRows() && !product.lhs.hasUnitColumns(),
                   schedule.getRows());
  rhs = getOperand(!product.product.rhsTransposed, schedule.getColumns());
}

ProductBlock ProductShape::getBlock() const {
  return {schedule.getRows(), schedule.getColumns(), kWarpLanes * getWarps(),
          std::max(schedule.getStages() * getStageBytes(),
                   getWarps() * getStagedBytes(getWarpColumns(), compute))};
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether `size` is known to be whole tiles.
static bool isMultiple(Value size, int64_t tile) {
  std::optional<int64_t> known = getConstantIntValue(size);
  return known && *known % tile == 0;
}

ProductKernel::ProductKernel(KernelBuilder &kernel,
                             const DeviceProduct &product,
                             const ProductShape &shape,
                             const ProductPlace &place, bool aligned)
    : kernel(kernel), product(product), shape(shape), place(place),
      layout(*FragmentLayout::get(FragmentRole::Accumulator, {16, 8, 16},
                                  shape.element)),
      warpRow(
          kernel.mul(kernel.div(place.warp, shape.schedule.getColumnWarps()),
                     shape.getWarpRows())),
      warpColumn(
          kernel.mul(kernel.rem(place.warp, shape.schedule.getColumnWarps()),
                     shape.getWarpColumns())),
      lhs(createOperand(product.lhs, shape.lhs, 0, place.firstRow,
                        isMultiple(product.rows, shape.schedule.getRows())
                            ? Value()
                            : place.rows,
                        aligned)),
      rhs(createOperand(product.rhs, shape.rhs, shape.getLhsBytes(),
                        place.firstColumn,
                        isMultiple(product.columns, shape.schedule.getColumns())
                            ? Value()
                            : place.columns,
                        aligned)),
      store(kernel, product, place, layout,
            {warpRow, warpColumn, shape.getWarpColumns()}) {}

ProductKernel::Operand ProductKernel::createOperand(const DeviceMatrix &matrix,
                                                    const OperandShape &of,
                                                    int64_t offset, Value first,
                                                    Value limit, bool aligned) {
  SharedTile tile = {kernel.offset(place.shared, offset), of.tileRows,
                     of.tileColumns, shape.element};
  // A left operand has terms along its columns, a right one along its rows,
  // unless it is transposed.
  bool isLhs = &matrix == &product.lhs;
  bool transposed = isLhs && of.rowsAreTerms;
  GlobalRows source =
      matrix.emitRows(kernel, place.batch, of.tileColumns, transposed);
  TileCopy copy(source, tile, place.thread, shape.getWarps() * kWarpLanes,
                aligned);
  return {of, tile, copy, first, limit};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TileWindow ProductKernel::getWindow(const Operand &operand, Value term,
                                    Value termEnd, Value shift) {
  if (operand.shape.rowsAreTerms)
    return {term, termEnd, operand.first, operand.limit, shift};
  return {operand.first, operand.limit, term, termEnd, shift};
}

void ProductKernel::emitCopies(Value term, Value termEnd, Value shift) {
  for (const Operand *operand : {&lhs, &rhs})
    operand->copy.emit(kernel, getWindow(*operand, term, termEnd, shift));
}

void ProductKernel::startStep(Value step, Value shift) {
  int64_t terms = shape.schedule.getDepth();
  Value term = kernel.mul(step, terms);
  auto copyWhole = [&] { emitCopies(term, Value(), shift); };
  Value exists = kernel.less(term, place.depth);
  if (isMultiple(product.depth, terms)) {
    kernel.emitIf(exists, copyWhole);
  } else {
    Value last = kernel.add(term, terms - 1);
    kernel.emitIf(kernel.less(last, place.depth), copyWhole, [&] {
      kernel.emitIf(exists, [&] { emitCopies(term, place.depth, shift); });
    });
  }
  emitCopyCommit(kernel);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<Value> ProductKernel::emitProducts(Value shift, ValueRange sums) {
  if (shape.usesMatrices()) {
    WarpContraction contraction(shape.element, rhs.shape.rowsAreTerms);
    auto createShifted = [&](FragmentRole role, const Operand &of,
                             Value first) {
      return createLoader(kernel, role, of.tile, place.lane,
                          of.shape.rowsAreTerms, first)
          .shifted(kernel, shift);
    };
    MatrixLoader lhsLoader = createShifted(FragmentRole::Lhs, lhs, warpRow);
    MatrixLoader rhsLoader = createShifted(FragmentRole::Rhs, rhs, warpColumn);
    return contraction.emit(
        kernel,
        [&](int64_t fragment, int64_t step) {
          return loadLhs(kernel, lhsLoader, fragment * kFragmentSize, step,
                         lhs.shape.rowsAreTerms);
        },
        shape.schedule.getDepth() / contraction.getShape().k, rhsLoader, sums,
        /*fresh=*/false);
  }
  LaneBuilder lanes(kernel.getBuilder(), kernel.getLoc(), shape.compute,
                    /*lanes=*/0, {/*narrowInts=*/true});
  SmallVector<Value> rows;
  for (int64_t fragment = 0; fragment < shape.getNumFragments(); ++fragment)
    for (int64_t i = 0; i < layout.getRowsPerThread(); ++i)
      rows.push_back(kernel.add(kernel.add(warpRow, fragment * kFragmentSize),
                                layout.emitRow(lanes, place.lane, i)));
  ThreadOperand a = {lhs.tile, lhs.shape.rowsAreTerms};
  ThreadOperand b = {rhs.tile, rhs.shape.rowsAreTerms};
  a.tile.base = kernel.offset(a.tile.base, shift);
  b.tile.base = kernel.offset(b.tile.base, shift);
  return emitThreadProducts(kernel, a, rows, b, place.lane, sums, warpColumn);
}

SmallVector<Value> ProductKernel::emitLoop() {
  int64_t stages = shape.schedule.getStages(), ahead = stages - 1;
  int64_t bytes = shape.getStageBytes();
  auto type = VectorType::get({shape.getWarpColumns() / kColumnsPerLane},
                              shape.compute);
  Values init(shape.getNumFragments() * layout.getRowsPerThread(),
              kernel.zero(type));
  size_t numSums = init.size();
  for (int64_t step = 0; step < ahead; ++step)
    startStep(kernel.constant(step), kernel.constant(step * bytes));
  // Stages are used in turn: what is multiplied next, and what is free.
  init.push_back(kernel.constant(0));
  init.push_back(kernel.constant(ahead * bytes));
  Value steps = kernel.ceilDiv(place.depth, shape.schedule.getDepth());
  auto multiply = [&](Value step, ValueRange carried) {
    Value full = carried[numSums], free = carried[numSums + 1];
    // This step's operands are there, and nobody uses those before any more.
    if (ahead > 0)
      emitCopyWait(kernel, ahead - 1);
    kernel.barrier();
    startStep(kernel.add(step, ahead), free);
    if (ahead == 0) {
      emitCopyWait(kernel, 0);
      kernel.barrier();
    }
    Values next = emitProducts(full, carried.take_front(numSums));
    Value after = kernel.add(full, bytes);
    Value isLast = kernel.equal(after, stages * bytes);
    next.push_back(kernel.select(isLast, kernel.constant(0), after));
    next.push_back(full);
    return next;
  };
  Values sums =
      kernel.emitLoop(kernel.constant(0), steps, /*step=*/1, init, multiply);
  sums.truncate(numSums);
  return sums;
}

void ProductKernel::emit() {
  SmallVector<Value> sums = emitLoop();
  // All copies are over, and nobody uses the operands any more.
  emitCopyWait(kernel, 0);
  kernel.barrier();
  store.emit(sums);
}
