//===- DecomposeStatistics.cpp - Statistics as reductions -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/ConvertFloat.h"
#include "attn/Conversion/AttnToLinalg/ElementOps.h"
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

/// A tensor and those of the input's dimensions that it has.
struct Operand {
  Value tensor;
  SmallVector<int64_t> dims;
};

/// Builds structured ops over some of the input's dimensions.
class StatisticsEmitter {
public:
  StatisticsEmitter(OpBuilder &builder, StatisticsOp op)
      : builder(builder), loc(op.getLoc()), op(op) {
    for (int64_t dim = 0; dim < op.getInputType().getRank(); ++dim) {
      all.push_back(dim);
      (op.isReduced(dim) ? reduced : kept).push_back(dim);
    }
    input = {op.getInput(), all};
  }

  Value emitInfinityNorm();
  Value emitKurtosis();

private:
  using Body = function_ref<SmallVector<Value>(LaneBuilder &, ValueRange)>;
  /// A structured op with a loop for each of the dimensions. The body computes
  /// in f64; its arguments are the elements of inputs and outputs.
  SmallVector<Operand> nest(ArrayRef<int64_t> loops, ArrayRef<Operand> inputs,
                            ArrayRef<Operand> outputs, Body body);
  /// The product of some sizes.
  Value count(ArrayRef<int64_t> dims);
  Operand zeros(ArrayRef<int64_t> dims, Type element);
  /// Whether the powers of each row may be summed around the row's own mean,
  /// while it is in the cache.
  bool goesByRows();
  /// The sums of (x - mu)^2 and (x - mu)^4 from those of the rows.
  SmallVector<Operand> mergeRows(const Operand &sums, ArrayRef<Operand> powers);
  Value finish(ArrayRef<Operand> inputs, Body body) {
    return nest(kept, inputs, {{op.getOutput(), kept}}, body)[0].tensor;
  }

  OpBuilder &builder;
  Location loc;
  StatisticsOp op;
  Operand input;
  SmallVector<int64_t> all, kept, reduced;
};

SmallVector<Operand> StatisticsEmitter::nest(ArrayRef<int64_t> loops,
                                             ArrayRef<Operand> inputs,
                                             ArrayRef<Operand> outputs,
                                             Body body) {
  SmallVector<AffineMap> maps;
  auto mapOf = [&](const Operand &operand) {
    SmallVector<unsigned> targets;
    for (int64_t dim : operand.dims)
      targets.push_back(llvm::find(loops, dim) - loops.begin());
    return AffineMap::getMultiDimMapWithTargets(loops.size(), targets,
                                                builder.getContext());
  };
  SmallVector<Value> from, to;
  for (const Operand &operand : inputs) {
    maps.push_back(mapOf(operand));
    from.push_back(operand.tensor);
  }
  for (const Operand &operand : outputs) {
    maps.push_back(mapOf(operand));
    to.push_back(operand.tensor);
  }
  SmallVector<utils::IteratorType> iterators;
  for (int64_t dim : loops)
    iterators.push_back(llvm::is_contained(outputs[0].dims, dim)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(ValueRange(to)), from, to, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        LaneBuilder lanes(nested, loc, nested.getF64Type());
        SmallVector<Value> results = body(lanes, arguments);
        for (auto [result, output] : llvm::zip_equal(results, to))
          result = convertFloat(nested, loc, result,
                                getElementTypeOrSelf(output.getType()));
        linalg::YieldOp::create(nested, loc, results);
      });
  SmallVector<Operand> results;
  for (auto [result, output] : llvm::zip_equal(generic.getResults(), outputs))
    results.push_back({result, output.dims});
  return results;
}

Value StatisticsEmitter::count(ArrayRef<int64_t> dims) {
  LaneBuilder lanes(builder, loc, builder.getF64Type());
  Value product = lanes.constant(1.0);
  for (int64_t dim : dims) {
    Value size = tensor::DimOp::create(builder, loc, op.getInput(), dim);
    product = lanes.mul(product, lanes.toFloatLanes(size));
  }
  return product;
}

Operand StatisticsEmitter::zeros(ArrayRef<int64_t> dims, Type element) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : dims)
    sizes.push_back(tensor::getMixedSize(builder, loc, op.getInput(), dim));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getFloatAttr(element, 0.0));
  return {linalg::FillOp::create(builder, loc, zero, empty).getResult(0),
          SmallVector<int64_t>(dims)};
}

Value StatisticsEmitter::emitInfinityNorm() {
  // A maximum is exact, in f32 also that of narrower elements.
  Type element = op.getInputType().getElementType();
  Type wide = element.isF64() ? element : builder.getF32Type();
  SmallVector<Operand> largest = nest(
      all, input, zeros(kept, wide), [&](LaneBuilder &lanes, ValueRange at) {
        Value x = convertFloat(lanes.getBuilder(), loc, at[0], wide);
        return SmallVector<Value>{arith::MaximumFOp::create(
            lanes.getBuilder(), loc, at[1], lanes.abs(x))};
      });
  return finish(largest, [](LaneBuilder &, ValueRange at) {
    return SmallVector<Value>{at[0]};
  });
}

bool StatisticsEmitter::goesByRows() {
  int64_t last = all.size() - 1;
  if (reduced.size() < 2 || !op.isReduced(last))
    return false;
  int64_t size = op.getInputType().getDimSize(last);
  return ShapedType::isDynamic(size) || size >= kLongRow;
}

SmallVector<Operand> StatisticsEmitter::mergeRows(const Operand &sums,
                                                  ArrayRef<Operand> powers) {
  Type f64 = builder.getF64Type();
  ArrayRef<int64_t> rows = sums.dims;
  Operand total =
      nest(rows, sums, zeros(kept, f64), [](LaneBuilder &lanes, ValueRange at) {
        return SmallVector<Value>{lanes.add(at[1], at[0])};
      })[0];
  Value size = count(all.back()), whole = count(reduced);
  // With d the row's mean less mu, and its own sums S of powers:
  // S2 + n d^2 and S4 + 4 d S3 + 6 d^2 S2 + n d^4.
  SmallVector<Operand> inputs = {sums, total};
  llvm::append_range(inputs, powers);
  return nest(
      rows, inputs, {zeros(kept, f64), zeros(kept, f64)},
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
  Type f64 = builder.getF64Type();
  bool byRows = goesByRows();
  ArrayRef<int64_t> rows =
      byRows ? ArrayRef(all).drop_back() : ArrayRef<int64_t>(kept);
  Operand sums = nest(
      all, input, zeros(rows, f64), [&](LaneBuilder &lanes, ValueRange at) {
        return SmallVector<Value>{lanes.add(at[1], lanes.toFloatLanes(at[0]))};
      })[0];
  // The sums of the second and fourth powers of x - mean, and between rows of
  // different means of the third.
  Value size = byRows ? count(all.back()) : count(reduced);
  SmallVector<Operand> inits(byRows ? 3 : 2, zeros(rows, f64));
  SmallVector<Operand> powers =
      nest(all, {input, sums}, inits, [&](LaneBuilder &lanes, ValueRange at) {
        Value d = lanes.sub(lanes.toFloatLanes(at[0]), lanes.div(at[1], size));
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
    powers = mergeRows(sums, powers);
  Value whole = count(reduced);
  return finish(powers, [&](LaneBuilder &lanes, ValueRange at) {
    Value variance = lanes.div(at[0], whole);
    return SmallVector<Value>{
        lanes.div(lanes.div(at[1], whole), lanes.mul(variance, variance))};
  });
}

} // namespace

LogicalResult decomposeStatistics(RewriterBase &rewriter, StatisticsOp op) {
  rewriter.setInsertionPoint(op);
  StatisticsEmitter emitter(rewriter, op);
  rewriter.replaceOp(op, op.getMeasure() == Measure::Kurtosis
                             ? emitter.emitKurtosis()
                             : emitter.emitInfinityNorm());
  return success();
}

} // namespace attn
