//===- ReadCacheWrite.cpp - A selected row as an insertion ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/CacheWrite.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// Tells how many nodes the condition of a selection may take.
constexpr unsigned nodeBudget = 200;
/// A position's constant term: sums of it and an integer of 32 bits that wrap
/// are outside of every tensor, as they are without wrapping.
constexpr double largestStep = 1 << 20;

/// result[i] = row[i without dim] where i[dim] is the position, else old[i].
class SelectedRow {
public:
  explicit SelectedRow(linalg::LinalgOp op)
      : op(op), graph(op.getContext()), pull(graph, nodeBudget),
        type(cast<RankedTensorType>(op->getResult(0).getType())),
        indices(addIndices(graph, op->getResult(0))) {}

  bool read();
  Value build();

private:
  bool readPosition(Expr condition);
  bool isPosition(Expr x) const;
  Value emitPosition(ImplicitLocOpBuilder &builder, Expr x, Value sequence);
  Value createRows(ImplicitLocOpBuilder &builder);
  Value insert(ImplicitLocOpBuilder &builder, Value rows, Value into,
               Value sequence);

  linalg::LinalgOp op;
  ExprGraph graph;
  PullThrough pull;
  RankedTensorType type;
  SmallVector<AffineExpr> indices;
  Expr row = nullptr, position = nullptr;
  Value old;
  unsigned dim = 0;
  /// The dimension whose indices have a position each.
  std::optional<unsigned> sequenceDim;
};

} // namespace

/// Conditions are read deeply, and numbers as far as they are only moved.
bool SelectedRow::read() {
  if (!isa<FloatType>(type.getElementType()) || !onlyMovesFloats(op))
    return false;
  auto pullOperand = [&](OpOperand &, Element element) {
    if (getElementTypeOrSelf(element.tensor).isInteger())
      return pull.pull(element.tensor, element.indices);
    while (std::optional<Element> moved = pull.step(element))
      element = *moved;
    return graph.load(element.tensor, element.indices);
  };
  Expr element = pull.expand(op->getResult(0), indices, pullOperand);
  if (!element || !element->is(ExprKind::Select))
    return false;
  Expr condition = element->operands[0];
  Expr chosen = element->operands[1], other = element->operands[2];
  if (condition->is(ExprKind::Not)) {
    condition = condition->operands[0];
    std::swap(chosen, other);
  }
  if (!chosen->is(ExprKind::Load) || !other->is(ExprKind::Load) ||
      ArrayRef(other->indices) != ArrayRef(indices) ||
      !isa<BlockArgument>(other->tensor) || other->tensor.getType() != type ||
      getElementTypeOrSelf(chosen->tensor) != type.getElementType())
    return false;
  row = chosen;
  old = other->tensor;
  return readPosition(condition);
}

/// The only dimensions that a position varies with is that of sequences.
bool SelectedRow::readPosition(Expr condition) {
  if (!condition->is(ExprKind::Compare) ||
      condition->getComparison() != Comparison::Equal)
    return false;
  Expr index = condition->operands[0];
  position = condition->operands[1];
  if (!index->is(ExprKind::Index))
    std::swap(index, position);
  if (!index->is(ExprKind::Index) || !isPosition(position))
    return false;
  auto found = llvm::find(indices, index->index);
  if (found == indices.end() || !type.hasStaticShape())
    return false;
  dim = found - indices.begin();
  for (auto [d, other] : llvm::enumerate(indices)) {
    std::optional<unsigned> variable = ExprGraph::asVariable(other);
    if (!variable || !position->dependsOn(*variable))
      continue;
    if (d == dim || sequenceDim)
      return false;
    sequenceDim = d;
  }
  return !row->dependsOn(*ExprGraph::asVariable(indices[dim]));
}

bool SelectedRow::isPosition(Expr x) const {
  if (x->is(ExprKind::Load)) {
    // Each index is a number or that of a sequence.
    auto isPlain = [](AffineExpr index) {
      return isa<AffineConstantExpr>(index) || ExprGraph::asVariable(index);
    };
    Type element = getElementTypeOrSelf(x->tensor);
    return (element.isSignlessInteger(32) || element.isSignlessInteger(64) ||
            element.isIndex()) &&
           llvm::all_of(x->indices, isPlain);
  }
  return x->is(ExprKind::Sum) && x->operands.size() == 2 &&
         llvm::any_of(x->operands,
                      [](Expr term) {
                        return term->is(ExprKind::Constant) &&
                               std::abs(term->number) <= largestStep &&
                               term->number == std::trunc(term->number);
                      }) &&
         llvm::any_of(x->operands, [&](Expr term) {
           return term->is(ExprKind::Load) && isPosition(term);
         });
}

Value SelectedRow::emitPosition(ImplicitLocOpBuilder &builder, Expr x,
                                Value sequence) {
  if (x->is(ExprKind::Constant))
    return arith::ConstantIndexOp::create(builder, x->number);
  if (x->is(ExprKind::Sum))
    return arith::AddIOp::create(
        builder, emitPosition(builder, x->operands[0], sequence),
        emitPosition(builder, x->operands[1], sequence));
  Value number = x->tensor;
  if (isa<RankedTensorType>(number.getType())) {
    SmallVector<Value> at;
    for (AffineExpr index : x->indices) {
      auto fixed = dyn_cast<AffineConstantExpr>(index);
      at.push_back(
          fixed ? arith::ConstantIndexOp::create(builder, fixed.getValue())
                : sequence);
    }
    number = tensor::ExtractOp::create(builder, number, at);
  }
  if (number.getType().isIndex())
    return number;
  return arith::IndexCastOp::create(builder, builder.getIndexType(), number);
}

/// The row of each sequence, by the dimensions that are longer than 1.
Value SelectedRow::createRows(ImplicitLocOpBuilder &builder) {
  SmallVector<int64_t> shape;
  DenseMap<AffineExpr, AffineExpr> places;
  for (auto [d, index] : llvm::enumerate(indices)) {
    if (d == dim || !ExprGraph::asVariable(index))
      continue;
    places[index] = builder.getAffineDimExpr(shape.size());
    shape.push_back(type.getDimSize(d));
  }
  auto from = llvm::map_to_vector(
      row->indices, [&](AffineExpr index) { return index.replace(places); });
  Value init = tensor::EmptyOp::create(builder, shape, type.getElementType());
  SmallVector<AffineMap> maps = {
      AffineMap::get(shape.size(), 0, from, builder.getContext()),
      builder.getMultiDimIdentityMap(shape.size())};
  SmallVector<utils::IteratorType> loops(shape.size(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, init.getType(), row->tensor, init, maps, loops,
             [](OpBuilder &body, Location loc, ValueRange elements) {
               linalg::YieldOp::create(body, loc, elements[0]);
             })
      .getResult(0);
}

/// Writes the row, or, where its position is outside of the tensor, what the
/// nearest place holds.
Value SelectedRow::insert(ImplicitLocOpBuilder &builder, Value rows, Value into,
                          Value sequence) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(type.getRank(), zero),
      ones(type.getRank(), one), sizes = ones;
  SmallVector<OpFoldResult> partOffsets, partSizes;
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (d == dim || size == 1)
      continue;
    bool isOne = sequenceDim == d;
    sizes[d] = isOne ? one : builder.getIndexAttr(size);
    partSizes.push_back(sizes[d]);
    partOffsets.push_back(isOne ? OpFoldResult(sequence) : zero);
    offsets[d] = partOffsets.back();
    if (!isOne)
      shape.push_back(size);
  }
  auto part = RankedTensorType::get(shape, type.getElementType());
  Value added = rows;
  if (sequence)
    added = tensor::ExtractSliceOp::create(
        builder, part, rows, partOffsets, partSizes,
        SmallVector<OpFoldResult>(partSizes.size(), one));
  Value at = emitPosition(builder, position, sequence);
  Value first = arith::ConstantIndexOp::create(builder, 0);
  Value last =
      arith::ConstantIndexOp::create(builder, type.getDimSize(dim) - 1);
  Value inside = arith::MinSIOp::create(
      builder, arith::MaxSIOp::create(builder, at, first), last);
  Value isInside =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, at, inside);
  offsets[dim] = inside;
  Value present =
      tensor::ExtractSliceOp::create(builder, part, into, offsets, sizes, ones);
  AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> loops(shape.size(),
                                         utils::IteratorType::parallel);
  auto written = linalg::GenericOp::create(
      builder, part, added, present, ArrayRef<AffineMap>{identity, identity},
      loops, [&](OpBuilder &body, Location loc, ValueRange elements) {
        Value kept = arith::SelectOp::create(body, loc, isInside, elements[0],
                                             elements[1]);
        linalg::YieldOp::create(body, loc, kept);
      });
  return tensor::InsertSliceOp::create(builder, written.getResult(0), into,
                                       offsets, sizes, ones);
}

Value SelectedRow::build() {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value rows = createRows(builder);
  if (!sequenceDim)
    return insert(builder, rows, old, Value());
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value count =
      arith::ConstantIndexOp::create(builder, type.getDimSize(*sequenceDim));
  auto loop = scf::ForOp::create(
      builder, zero, count, one, old,
      [&](OpBuilder &nested, Location loc, Value sequence, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value next = insert(inner, rows, state[0], sequence);
        scf::YieldOp::create(inner, next);
      });
  return loop.getResult(0);
}

Value insertSelectedRow(linalg::LinalgOp op) {
  SelectedRow selected(op);
  return selected.read() ? selected.build() : Value();
}

} // namespace attn::raise
