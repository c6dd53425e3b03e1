//===- LowerScan.cpp - A loop along the dimension -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TMTensorLowerings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn::tm_tensor;

/// The elements at one position: the region's value of those before and of the
/// input's. There is nothing before the first one.
static Value createStep(ImplicitLocOpBuilder &builder, ScanOp op, Value before,
                        Value elements, Value isFirst) {
  AffineMap map = builder.getMultiDimIdentityMap(
      cast<RankedTensorType>(before.getType()).getRank());
  SmallVector<AffineMap> maps(2, map);
  SmallVector<utils::IteratorType> loops(map.getNumDims(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, before.getType(), elements, before, maps, loops,
             [&](OpBuilder &nested, Location loc, ValueRange numbers) {
               Value sum = inlineRegion(nested, op, {numbers[1], numbers[0]});
               Value first = numbers[op.getInclusive() ? 0 : 1];
               Value chosen =
                   arith::SelectOp::create(nested, loc, isFirst, first, sum);
               linalg::YieldOp::create(nested, loc, chosen);
             })
      .getResult(0);
}

SmallVector<Value> attn::tm_tensor::lowerScan(ImplicitLocOpBuilder &builder,
                                              ScanOp op) {
  Value input = op.getInputs()[0];
  int64_t dim = op.getDimension();
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value size = tensor::DimOp::create(builder, input, dim);
  auto loop = scf::ForOp::create(builder, zero, size, one, op.getOutputs());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  Value isFirst =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, position, zero);
  Value source = position;
  if (!op.getInclusive()) {
    Value before = arith::SubIOp::create(builder, position, one);
    source = arith::MaxSIOp::create(builder, before, zero);
  }
  Value elements = createPart(builder, input, dim, source);
  Value step =
      createStep(builder, op, loop.getRegionIterArgs()[1], elements, isFirst);
  Value written =
      insertPart(builder, step, loop.getRegionIterArgs()[0], dim, position);
  scf::YieldOp::create(builder, ValueRange{written, step});
  return loop.getResults();
}
