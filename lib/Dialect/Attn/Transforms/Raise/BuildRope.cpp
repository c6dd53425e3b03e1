//===- BuildRope.cpp - attn.rope from a full reading ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace attn::raise {
namespace {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// What of the tensor the table is, with all its dimensions.
Value takeElements(OpBuilder &builder, Location loc, const RopeTable &table,
                   int64_t count) {
  auto type = cast<RankedTensorType>(table.tensor.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (auto [dim, along] : llvm::enumerate(table.along)) {
    bool hasElements = dim == table.elementDim;
    offsets.push_back(builder.getIndexAttr(table.offsets[dim]));
    strides.push_back(builder.getIndexAttr(hasElements ? table.stride : 1));
    sizes.push_back(
        along >= 0
            ? tensor::getMixedSize(builder, loc, table.tensor, dim)
            : OpFoldResult(builder.getIndexAttr(hasElements ? count : 1)));
  }
  bool isWhole = true;
  for (auto [dim, along] : llvm::enumerate(table.along))
    isWhole &= along >= 0 ||
               type.getDimSize(dim) == (dim == table.elementDim ? count : 1);
  if (isWhole)
    return table.tensor;
  return tensor::ExtractSliceOp::create(builder, loc, table.tensor, offsets,
                                        sizes, strides);
}

/// `value` without the dimensions that are read at one place. Where rows lie
/// along none, it has one row.
Value dropPlaces(OpBuilder &builder, Value value, const RopeTable &table) {
  bool hasRows =
      llvm::any_of(table.along, [](int64_t along) { return along >= 0; });
  SmallVector<ReassociationIndices> groups;
  bool isFull = true; // the last group has the dimension that it keeps
  for (auto [dim, along] : llvm::enumerate(table.along)) {
    bool hasElements = dim == table.elementDim;
    bool isKept = along >= 0 || hasElements;
    if (groups.empty() || (isKept && isFull) || (hasElements && !hasRows)) {
      groups.emplace_back();
      isFull = false;
    }
    groups.back().push_back(static_cast<int64_t>(dim));
    isFull = isFull || isKept;
  }
  Location loc = value.getLoc();
  if (groups.size() != table.along.size())
    value = tensor::CollapseShapeOp::create(builder, loc, value, groups);
  if (groups.size() > 1)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  return tensor::ExpandShapeOp::create(
      builder, loc, type.clone({1, type.getDimSize(0)}), value,
      ArrayRef<ReassociationIndices>{{0, 1}});
}

/// Each number twice, beside itself.
Value repeat(OpBuilder &builder, Value value) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  sizes.push_back(builder.getIndexAttr(2));
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  Value twice = linalg::BroadcastOp::create(builder, loc, value, init,
                                            ArrayRef<int64_t>{rank})
                    ->getResult(0);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim : llvm::seq(rank))
    groups.push_back({dim});
  groups.back().push_back(rank);
  return tensor::CollapseShapeOp::create(builder, loc, twice, groups);
}

/// The table as attn.rope takes it.
Value buildTable(OpBuilder &builder, Location loc, const RopeTable &table,
                 int64_t rotated) {
  bool isEach = table.spread == TableSpread::Each;
  Value value =
      takeElements(builder, loc, table, isEach ? rotated : rotated / 2);
  value = dropPlaces(builder, value, table);
  int64_t last = cast<RankedTensorType>(value.getType()).getRank() - 1;
  if (table.spread == TableSpread::Halves)
    return tensor::ConcatOp::create(builder, loc, last,
                                    ValueRange{value, value});
  return isEach ? value : repeat(builder, value);
}

/// The sines of minus the angles.
Value negate(OpBuilder &builder, Value sines) {
  Location loc = sines.getLoc();
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, sines),
      getElementTypeOrSelf(sines));
  return linalg::NegFOp::create(builder, loc, sines, init)->getResult(0);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// `value` without dimensions of size 1.
Value dropDims(OpBuilder &builder, Value value, unsigned rank) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() <= rank)
    return value;
  SmallVector<ReassociationIndices> groups;
  if (rank == 1)
    groups = {llvm::to_vector<2>(llvm::seq<int64_t>(type.getRank()))};
  return tensor::CollapseShapeOp::create(builder, value.getLoc(), value,
                                         groups);
}

Value buildOffset(OpBuilder &builder, Location loc, const RopeReading &rope) {
  if (rope.start)
    return arith::ConstantIndexOp::create(builder, loc, rope.start);
  auto type =
      rope.offset ? dyn_cast<RankedTensorType>(rope.offset.getType()) : nullptr;
  bool isOne = type && type.hasStaticShape() && type.getNumElements() == 1;
  return isOne ? dropDims(builder, rope.offset, 0) : rope.offset;
}

Value createRope(OpBuilder &builder, Location loc, Value input,
                 const RopeReading &rope) {
  auto type = cast<RankedTensorType>(input.getType());
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, input),
      type.getElementType());
  IntegerAttr rotated, rowDim;
  if (rope.rotated != type.getShape().back())
    rotated = builder.getI64IntegerAttr(rope.rotated);
  if (rope.rowDim != type.getRank() - 2)
    rowDim = builder.getI64IntegerAttr(rope.rowDim);
  Value positions = rope.positions;
  if (positions &&
      cast<RankedTensorType>(positions.getType()).getDimSize(0) == 1)
    positions = dropDims(builder, positions, 1);
  Value cosines, sines;
  if (rope.cosines) {
    cosines = buildTable(builder, loc, *rope.cosines, rope.rotated);
    sines = buildTable(builder, loc, *rope.sines, rope.rotated);
    if (rope.turnsBack)
      sines = negate(builder, sines);
  }
  return RopeOp::create(builder, loc, type, input,
                        buildOffset(builder, loc, rope), positions, cosines,
                        sines, init,
                        PairLayoutAttr::get(builder.getContext(), rope.pairs),
                        builder.getF64FloatAttr(rope.base),
                        builder.getF64FloatAttr(rope.positionScale), rotated,
                        rowDim, /*schedule=*/PositionScheduleAttr())
      .getResult();
}

/// The transpose that gives `input`, if rows may turn before it: elements stay
/// last, and so does the first dimension where positions or tables have it.
linalg::TransposeOp findTranspose(Value input) {
  auto transpose = input.getDefiningOp<linalg::TransposeOp>();
  if (!transpose)
    return {};
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  bool keeps = permutation.front() == 0 &&
               permutation.back() + 1 == int64_t(permutation.size());
  return keeps ? transpose : linalg::TransposeOp();
}

/// Attentions read the transposed rows where they lie.
void foldTranspose(linalg::TransposeOp transpose) {
  Value result = transpose->getResult(0);
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
    auto attention = dyn_cast<AttentionOp>(use.getOwner());
    unsigned operand = use.getOperandNumber();
    if (!attention || operand > 2)
      continue;
    SmallVector<AffineMap> maps =
        cast<AttentionOpInterface>(attention.getOperation()).getMaps();
    SmallVector<AffineExpr> results(permutation.size());
    for (auto [expr, dim] :
         llvm::zip_equal(maps[operand].getResults(), permutation))
      results[dim] = expr;
    maps[operand] = AffineMap::get(maps[operand].getNumDims(), 0, results,
                                   use.get().getContext());
    attention.setIndexingMapsAttr(
        Builder(attention).getAffineMapArrayAttr(maps));
    use.set(transpose.getInput());
  }
  if (result.use_empty())
    transpose.erase();
}

} // namespace

/// The first elements of all pairs, then the second ones: [.., 2t + k] becomes
/// [.., k d/2 + t].
static Value splitNeighbours(OpBuilder &builder, Location loc, Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t last = type.getRank() - 1, half = type.getDimSize(last) / 2;
  SmallVector<int64_t> shape(type.getShape()), order;
  shape.back() = half;
  shape.push_back(2);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim : llvm::seq(last + 1)) {
    groups.push_back({dim});
    order.push_back(dim);
  }
  groups.back().push_back(last + 1);
  order.insert(order.end() - 1, last + 1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, input);
  sizes.back() = builder.getIndexAttr(half);
  sizes.push_back(builder.getIndexAttr(2));
  Value pairs = tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                              input, groups, sizes);
  std::swap(sizes.back(), sizes[last]);
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  Value halves = linalg::TransposeOp::create(builder, loc, pairs, init, order)
                     ->getResult(0);
  return tensor::CollapseShapeOp::create(builder, loc, type, halves, groups);
}

void replaceByRope(Value result, Value input, const RopeReading &rope) {
  OpBuilder builder(result.getDefiningOp());
  Location loc = result.getLoc();
  if (rope.fromNeighbours)
    input = splitNeighbours(builder, loc, input);
  linalg::TransposeOp transpose = findTranspose(input);
  if (!transpose) {
    result.replaceAllUsesWith(createRope(builder, loc, input, rope));
    return;
  }
  RopeReading before = rope;
  before.rowDim = transpose.getPermutation()[rope.rowDim];
  Value turned = createRope(builder, loc, transpose.getInput(), before);
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, input),
      getElementTypeOrSelf(input));
  auto after = linalg::TransposeOp::create(builder, loc, turned, init,
                                           transpose.getPermutation());
  result.replaceAllUsesWith(after->getResult(0));
  foldTranspose(after);
}

} // namespace attn::raise
