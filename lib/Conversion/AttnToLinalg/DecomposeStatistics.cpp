//===- DecomposeStatistics.cpp - Statistics as reductions -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/ConvertFloat.h"
#include "attn/Conversion/AttnToLinalg/ElementOps.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/GenericBuilder.h"
#include "attn/Dialect/Attn/IR/LaneBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
namespace {

/// Rows that are shorter would spend their time on their beginnings and ends.
constexpr int64_t kLongRow = 64;

using Dims = SmallVector<unsigned>;

/// Builds structured ops over some of the input's dimensions, which compute in
/// `type`.
class StatisticsEmitter {
public:
  StatisticsEmitter(OpBuilder &builder, StatisticsOp op, FloatType type)
      : builder(builder), loc(op.getLoc()), op(op), type(type),
        generics(builder, loc, op.getInputType().getRank(), type),
        input{op.getInput(), generics.getIdentity()} {
    for (unsigned dim = 0; dim < op.getInputType().getRank(); ++dim) {
      all.push_back(dim);
      (op.isReduced(dim) ? reduced : kept).push_back(dim);
    }
  }

  Value emitInfinityNorm();
  Value emitKurtosis();

private:
  /// The product of some sizes.
  Value count(ArrayRef<unsigned> dims);
  MappedTensor zeros(ArrayRef<unsigned> dims) {
    return generics.fill(generics.createEmpty(op.getInput(), dims, type), 0.0);
  }
  /// Whether the powers of each row may be summed around the row's own mean,
  /// while it is in the cache.
  bool goesByRows();
  /// The sums of (x - mu)^2 and (x - mu)^4 from those of the rows.
  SmallVector<MappedTensor> mergeRows(ArrayRef<unsigned> rows,
                                      const MappedTensor &sums,
                                      ArrayRef<MappedTensor> powers);
  Value finish(ArrayRef<MappedTensor> inputs, GenericBuilder::Body body) {
    MappedTensor output = {op.getOutput(), generics.getMap(kept)};
    return generics.create(kept, inputs, output, body).tensor;
  }

  OpBuilder &builder;
  Location loc;
  StatisticsOp op;
  FloatType type;
  GenericBuilder generics;
  MappedTensor input;
  Dims all, kept, reduced;
};

Value StatisticsEmitter::count(ArrayRef<unsigned> dims) {
  LaneBuilder lanes(builder, loc, type);
  Value product = lanes.constant(1.0);
  for (unsigned dim : dims) {
    Value size = tensor::DimOp::create(builder, loc, op.getInput(), dim);
    product = lanes.mul(product, lanes.toFloatLanes(size));
  }
  return product;
}

Value StatisticsEmitter::emitInfinityNorm() {
  MappedTensor largest = generics.create(
      {input}, zeros(kept), [&](LaneBuilder &lanes, ValueRange at) -> Value {
        return arith::MaximumFOp::create(lanes.getBuilder(), loc, at[1],
                                         lanes.abs(at[0]));
      });
  return finish(largest, [](LaneBuilder &, ValueRange at) { return at[0]; });
}

bool StatisticsEmitter::goesByRows() {
  unsigned last = all.back();
  if (reduced.size() < 2 || !op.isReduced(last))
    return false;
  int64_t size = op.getInputType().getDimSize(last);
  return ShapedType::isDynamic(size) || size >= kLongRow;
}

SmallVector<MappedTensor>
StatisticsEmitter::mergeRows(ArrayRef<unsigned> rows, const MappedTensor &sums,
                             ArrayRef<MappedTensor> powers) {
  MappedTensor total = generics.create(rows, {sums}, zeros(kept),
                                       [](LaneBuilder &lanes, ValueRange at) {
                                         return lanes.add(at[1], at[0]);
                                       });
  Value size = count(all.back()), whole = count(reduced);
  // With d the row's mean less mu, and its own sums S of powers:
  // S2 + n d^2 and S4 + 4 d S3 + 6 d^2 S2 + n d^4.
  SmallVector<MappedTensor> inputs = {sums, total};
  llvm::append_range(inputs, powers);
  return generics.create(
      rows, inputs, {zeros(kept), zeros(kept)},
      [&](LaneBuilder &lanes, ValueRange at) {
        Value d = lanes.sub(lanes.div(at[0], size), lanes.div(at[1], whole));
        Value d2 = lanes.mul(d, d), far = lanes.mul(size, d2);
        Value second = lanes.add(at[2], far);
        Value fourth = lanes.add(at[4], lanes.mul(d2, far));
        fourth = lanes.add(fourth,
                           lanes.mul(lanes.mul(lanes.constant(4.0), d), at[3]));
        fourth = lanes.add(
            fourth, lanes.mul(lanes.mul(lanes.constant(6.0), d2), at[2]));
        return SmallVector<Value>{lanes.add(at[5], second),
                                  lanes.add(at[6], fourth)};
      });
}

Value StatisticsEmitter::emitKurtosis() {
  bool byRows = goesByRows();
  ArrayRef<unsigned> rows =
      byRows ? ArrayRef(all).drop_back() : ArrayRef<unsigned>(kept);
  MappedTensor sums = generics.create({input}, zeros(rows),
                                      [&](LaneBuilder &lanes, ValueRange at) {
                                        return lanes.add(at[1], at[0]);
                                      });
  // The sums of the second and fourth powers of x - mean, and between rows of
  // different means of the third.
  Value size = byRows ? count(all.back()) : count(reduced);
  SmallVector<MappedTensor> inits(byRows ? 3 : 2, zeros(rows));
  SmallVector<MappedTensor> powers = generics.create(
      all, {input, sums}, inits, [&](LaneBuilder &lanes, ValueRange at) {
        Value d = lanes.sub(at[0], lanes.div(at[1], size));
        Value square = lanes.mul(d, d);
        SmallVector<Value> results = {square};
        if (byRows)
          results.push_back(lanes.mul(square, d));
        results.push_back(lanes.mul(square, square));
        for (auto [result, sum] : llvm::zip_equal(results, at.drop_front(2)))
          result = lanes.add(sum, result);
        return results;
      });
  if (byRows)
    powers = mergeRows(rows, sums, powers);
  Value whole = count(reduced);
  return finish(powers, [&](LaneBuilder &lanes, ValueRange at) {
    Value variance = lanes.div(at[0], whole);
    return lanes.div(lanes.div(at[1], whole), lanes.mul(variance, variance));
  });
}

} // namespace

LogicalResult decompose(RewriterBase &rewriter, StatisticsOp op) {
  rewriter.setInsertionPoint(op);
  // A maximum is exact, in f32 also that of narrower elements.
  bool isExact = op.getMeasure() != Measure::Kurtosis &&
                 !op.getInputType().getElementType().isF64();
  StatisticsEmitter emitter(rewriter, op,
                            isExact ? FloatType(rewriter.getF32Type())
                                    : rewriter.getF64Type());
  rewriter.replaceOp(op, op.getMeasure() == Measure::Kurtosis
                             ? emitter.emitKurtosis()
                             : emitter.emitInfinityNorm());
  return success();
}

} // namespace attn
