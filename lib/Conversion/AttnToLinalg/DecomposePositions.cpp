//===- DecomposePositions.cpp - Rotary and sinusoidal positions as structured
// ops ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/ConvertFloat.h"
#include "attn/Dialect/Attn/IR/GenericBuilder.h"

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;
using namespace attn;

namespace {

/// Where the pairs of a row lie along the last dimension.
struct PairPlaces {
  int64_t count;
  int64_t second;
  int64_t stride;
};

/// What rope and sinusoidal positions share, over the dimensions of the output
/// with its last one counting pairs.
class PositionBuilder {
public:
  PositionBuilder(RewriterBase &rewriter, Operation *op, Value output,
                  unsigned rowDim, FloatType compute)
      : rewriter(rewriter), loc(op->getLoc()), output(output), rowDim(rowDim),
        rank(cast<ShapedType>(output.getType()).getRank()),
        generics(rewriter, loc, rank, compute) {}

  GenericBuilder &getGenerics() { return generics; }

  /// Tables of sines and cosines for [first dimension,] rows and pairs.
  template <typename OpTy>
  std::pair<MappedTensor, MappedTensor> createTables(OpTy op, int64_t pairs);

  /// The sines and cosines that are given, of every first or second element.
  std::pair<MappedTensor, MappedTensor> takeTables(RopeOp op, PairPlaces pairs,
                                                   int64_t first);

  /// The elements `first`, `first + stride`, ... of each row of `tensor`.
  MappedTensor createPart(Value tensor, int64_t first, int64_t count,
                          int64_t stride);
  Value insertPart(Value part, Value tensor, int64_t first, int64_t count,
                   int64_t stride);

private:
  Value emitPosition(OpBuilder &nested, unsigned rowLoop, ValueRange given,
                     bool hasOffset, bool hasPositions);
  SmallVector<OpFoldResult> getSizes(Value tensor, int64_t count);
  Value slice(Value tensor, int64_t first, int64_t count, int64_t stride);
  static std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
  getPlaces(OpBuilder &builder, unsigned rank, int64_t first, int64_t stride);

  RewriterBase &rewriter;
  Location loc;
  Value output;
  unsigned rowDim;
  unsigned rank;
  GenericBuilder generics;
};

} // namespace

SmallVector<OpFoldResult> PositionBuilder::getSizes(Value tensor,
                                                    int64_t count) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  sizes.back() = rewriter.getIndexAttr(count);
  return sizes;
}

std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
PositionBuilder::getPlaces(OpBuilder &builder, unsigned rank, int64_t first,
                           int64_t stride) {
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  offsets.back() = builder.getIndexAttr(first);
  strides.back() = builder.getIndexAttr(stride);
  return {offsets, strides};
}

Value PositionBuilder::slice(Value tensor, int64_t first, int64_t count,
                             int64_t stride) {
  unsigned rank = cast<ShapedType>(tensor.getType()).getRank();
  auto [offsets, strides] = getPlaces(rewriter, rank, first, stride);
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets,
                                        getSizes(tensor, count), strides);
}

MappedTensor PositionBuilder::createPart(Value tensor, int64_t first,
                                         int64_t count, int64_t stride) {
  return {slice(tensor, first, count, stride), generics.getIdentity()};
}

std::pair<MappedTensor, MappedTensor>
PositionBuilder::takeTables(RopeOp op, PairPlaces pairs, int64_t first) {
  SmallVector<unsigned> dims = {rowDim, rank - 1};
  if (op.hasPositionsByFirst())
    dims.insert(dims.begin(), 0);
  auto take = [&](Value table) -> MappedTensor {
    return {slice(table, first, pairs.count, pairs.stride),
            generics.getMap(dims)};
  };
  return {take(op.getSines()), take(op.getCosines())};
}

Value PositionBuilder::insertPart(Value part, Value tensor, int64_t first,
                                  int64_t count, int64_t stride) {
  auto [offsets, strides] = getPlaces(rewriter, rank, first, stride);
  return tensor::InsertSliceOp::create(rewriter, loc, part, tensor, offsets,
                                       getSizes(tensor, count), strides);
}

/// The row's position as a float: index, or the element of `positions`, plus
/// the element of `offset`.
Value PositionBuilder::emitPosition(OpBuilder &nested, unsigned rowLoop,
                                    ValueRange given, bool hasOffset,
                                    bool hasPositions) {
  Type i64 = nested.getI64Type();
  auto toInteger = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(nested, loc, i64, value);
    unsigned width = value.getType().getIntOrFloatBitWidth();
    if (width < 64)
      return arith::ExtSIOp::create(nested, loc, i64, value);
    return width > 64
               ? arith::TruncIOp::create(nested, loc, i64, value).getResult()
               : value;
  };
  Value position =
      hasPositions ? given[hasOffset ? 1 : 0]
                   : linalg::IndexOp::create(nested, loc, rowLoop).getResult();
  position = toInteger(position);
  if (hasOffset)
    position =
        arith::AddIOp::create(nested, loc, position, toInteger(given[0]));
  return arith::SIToFPOp::create(nested, loc, nested.getF64Type(), position);
}

/// The angle of each pair at position 1.
static Value createFrequencies(OpBuilder &builder, Location loc, double base,
                               int64_t pairs) {
  SmallVector<double> numbers;
  for (int64_t t = 0; t < pairs; ++t)
    numbers.push_back(std::pow(base, -double(t) / double(pairs)));
  auto type = RankedTensorType::get({pairs}, builder.getF64Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
}

template <typename OpTy>
std::pair<MappedTensor, MappedTensor>
PositionBuilder::createTables(OpTy op, int64_t pairs) {
  double scale = op.getPositionScale().convertToDouble();
  Value frequencies =
      createFrequencies(rewriter, loc, op.getBase().convertToDouble(), pairs);

  SmallVector<MappedTensor> inputs;
  SmallVector<AffineMap> maps = op.getShapedMaps();
  // The offset comes first: both may be the same tensor, read differently.
  auto getMap = [&](Value value) {
    AffineMap found = generics.getMap({});
    for (auto [operand, map] : llvm::zip_equal(op->getOperands(), maps))
      if (operand == value && map) {
        found = map;
        if (value == op.getOffset() && inputs.empty())
          break;
      }
    return found;
  };
  bool perFirst = false;
  for (Value value : {op.getOffset(), op.getPositions()}) {
    if (!value)
      continue;
    inputs.push_back({value, getMap(value)});
    perFirst |= rowDim != 0 && inputs.back().map.isFunctionOfDim(0);
  }
  inputs.push_back({frequencies, generics.getMap({rank - 1})});
  SmallVector<unsigned> dims = {rowDim, rank - 1};
  if (perFirst)
    dims.insert(dims.begin(), 0);
  // Loops over dimensions that the table lacks would be reductions of size 1;
  // the table is built over its own dimensions instead.
  FloatType compute = generics.getComputeType();
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim : dims)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, output, dim));
  sizes.back() = rewriter.getIndexAttr(pairs);
  // Both share the argument's reduction, so they are results of one op.
  SmallVector<MappedTensor> tables;
  for (int i = 0; i < 2; ++i)
    tables.push_back({tensor::EmptyOp::create(rewriter, loc, sizes, compute),
                      generics.getMap(dims)});
  unsigned rowLoop = dims.size() - 2;
  auto body = [&](LaneBuilder &lanes, ValueRange at) {
    OpBuilder &nested = lanes.getBuilder();
    Value position = emitPosition(nested, rowLoop, at, bool(op.getOffset()),
                                  bool(op.getPositions()));
    // Rounded in this order, which is that of the reference.
    Value angle = lanes.mul(lanes.mul(position, lanes.constant(scale)),
                            at[inputs.size() - 1]);
    SineAndCosine both =
        emitSineAndCosine(nested, loc, angle, /*isFused=*/false);
    return SmallVector<Value>{both.sine, both.cosine};
  };
  GenericBuilder angles(rewriter, loc, rank, rewriter.getF64Type());
  tables = angles.create(dims, inputs, tables, body);
  return {tables[0], tables[1]};
}

/// Whether nothing is to be written. There are no slices of such a tensor.
static bool isEmpty(Value tensor) {
  return llvm::is_contained(cast<ShapedType>(tensor.getType()).getShape(), 0);
}

static FloatType getTableType(Type type) {
  if (getElementTypeOrSelf(type).isF64())
    return Float64Type::get(type.getContext());
  return Float32Type::get(type.getContext());
}

static PairPlaces getPairs(PairLayout layout, int64_t elements) {
  if (layout == PairLayout::Interleaved)
    return {elements / 2, 1, 2};
  return {elements / 2, elements / 2, 1};
}

LogicalResult attn::decompose(RewriterBase &rewriter, RopeOp op) {
  if (!isa<RankedTensorType>(op.getOutput().getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value result = op.getOutput();
  if (isEmpty(result)) {
    rewriter.replaceOp(op, result);
    return success();
  }
  PositionBuilder positions(rewriter, op, result, op.getRowDimension(),
                            getTableType(result.getType()));
  GenericBuilder &generics = positions.getGenerics();
  int64_t rotated = op.getNumRotated();
  int64_t all = cast<ShapedType>(result.getType()).getShape().back();
  PairPlaces pairs = getPairs(op.getPairs(), rotated);
  if (pairs.count != 0) {
    std::pair<MappedTensor, MappedTensor> tables;
    if (!op.hasTables())
      tables = positions.createTables(op, pairs.count);
    auto partOf = [&](Value tensor, int64_t first) {
      return positions.createPart(tensor, first, pairs.count, pairs.stride);
    };
    MappedTensor a = partOf(op.getInput(), 0);
    MappedTensor b = partOf(op.getInput(), pairs.second);
    auto turn = [&](bool second, LaneBuilder &lanes, ValueRange at) {
      Value same = lanes.mul(at[second ? 1 : 0], at[3]);
      Value other = lanes.mul(at[second ? 0 : 1], at[2]);
      return second ? lanes.add(same, other) : lanes.sub(same, other);
    };
    for (bool second : {false, true}) {
      int64_t first = second ? pairs.second : 0;
      if (op.hasTables())
        tables = positions.takeTables(op, pairs, first);
      MappedTensor part = generics.create(
          {a, b, tables.first, tables.second}, partOf(result, first),
          [&](LaneBuilder &lanes, ValueRange at) {
            return turn(second, lanes, at);
          });
      result = positions.insertPart(part.tensor, result, first, pairs.count,
                                    pairs.stride);
    }
  }
  if (rotated < all) {
    auto partOf = [&](Value tensor) {
      return positions.createPart(tensor, rotated, all - rotated, 1);
    };
    MappedTensor rest =
        generics.create({partOf(op.getInput())}, partOf(result),
                        [](LaneBuilder &, ValueRange at) { return at[0]; });
    result =
        positions.insertPart(rest.tensor, result, rotated, all - rotated, 1);
  }
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult attn::decompose(RewriterBase &rewriter,
                              SinusoidalPositionsOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getOutput().getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value result = op.getOutput();
  if (isEmpty(result)) {
    rewriter.replaceOp(op, result);
    return success();
  }
  unsigned rank = type.getRank();
  PositionBuilder positions(rewriter, op, result, rank - 2, getTableType(type));
  PairPlaces pairs = getPairs(op.getPairs(), type.getShape().back());
  if (pairs.count != 0) {
    auto [sines, cosines] = positions.createTables(op, pairs.count);
    for (bool second : {false, true}) {
      int64_t first = second ? pairs.second : 0;
      MappedTensor part = positions.getGenerics().create(
          {second ? cosines : sines},
          positions.createPart(result, first, pairs.count, pairs.stride),
          [](LaneBuilder &, ValueRange at) { return at[0]; });
      result = positions.insertPart(part.tensor, result, first, pairs.count,
                                    pairs.stride);
    }
  }
  rewriter.replaceOp(op, result);
  return success();
}
