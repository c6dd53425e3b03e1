//===- ScannedCache.cpp - Stacked caches that a scan goes over ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lax.scan over layers has the caches of all layers as one tensor: turn i reads
// part i of it, and puts a new value of that part into another tensor, which
// begins as zeros. As the turns are all of them, the other tensor might as well
// begin as the first one, and turn i read its part there. Then nothing but what
// a layer replaces is new.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/CacheWrite.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// Tells how many nodes a counter's condition and its next value may take.
constexpr unsigned nodeBudget = 50;

class Scan {
public:
  explicit Scan(scf::WhileOp loop)
      : loop(loop), graph(loop.getContext()), pull(graph, nodeBudget) {}

  /// Whether the turns are 0, 1, and so on up to a number that is known.
  bool readCounter();
  /// Where carried tensor `i` is such another tensor, lets it begin as the
  /// tensor whose parts become its own.
  void raise(unsigned i);

private:
  Expr getElement(Value tensor) { return pull.pull(tensor, {}); }
  bool isTurn(OpFoldResult index);
  bool isPart(ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
              ArrayRef<OpFoldResult> strides, RankedTensorType type);
  bool isOnlyRead(tensor::ExtractSliceOp read);
  tensor::ExtractSliceOp findRead(tensor::InsertSliceOp write);
  Value getPlaced(tensor::InsertSliceOp write);

  scf::WhileOp loop;
  ExprGraph graph;
  PullThrough pull;
  unsigned counter = 0;
  int64_t turns = 0;
};

} // namespace

bool Scan::readCounter() {
  auto condition =
      loop.getConditionOp().getCondition().getDefiningOp<tensor::ExtractOp>();
  if (!condition || !condition.getIndices().empty() ||
      loop.getInits().size() != loop.getYieldedValues().size())
    return false;
  Expr less = getElement(condition.getTensor());
  if (!less->is(ExprKind::Compare) ||
      less->getComparison() != Comparison::Less ||
      !less->operands[0]->is(ExprKind::Load) ||
      !less->operands[1]->is(ExprKind::Constant))
    return false;
  auto compared = dyn_cast<BlockArgument>(less->operands[0]->tensor);
  if (!compared || compared.getOwner() != loop.getBeforeBody())
    return false;
  counter = compared.getArgNumber();
  turns = less->operands[1]->number;
  Expr first = getElement(loop.getInits()[counter]);
  Expr next = getElement(loop.getYieldedValues()[counter]);
  return loop.getConditionOp().getArgs()[counter] == compared &&
         first->is(ExprKind::Constant) && first->number == 0 &&
         next == graph.sum({getElement(loop.getAfterArguments()[counter]),
                            graph.constant(1)});
}

/// Indices are clamped to the tensor, in which turns are anyway.
bool Scan::isTurn(OpFoldResult index) {
  auto value = dyn_cast<Value>(index);
  while (Operation *op = value ? value.getDefiningOp() : nullptr) {
    if (auto least = dyn_cast<arith::MinSIOp>(op)) {
      std::optional<int64_t> bound = getConstantIntValue(least.getRhs());
      if (!bound || *bound < turns - 1)
        return false;
      value = least.getLhs();
    } else if (auto most = dyn_cast<arith::MaxSIOp>(op)) {
      std::optional<int64_t> bound = getConstantIntValue(most.getRhs());
      if (!bound || *bound > 0)
        return false;
      value = most.getLhs();
    } else if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
      value = cast.getIn();
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      return extract.getTensor() == loop.getAfterArguments()[counter] &&
             extract.getIndices().empty();
    } else {
      return false;
    }
  }
  return false;
}

/// Whether a slice is all of what the turn has of a tensor.
bool Scan::isPart(ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                  ArrayRef<OpFoldResult> strides, RankedTensorType type) {
  if (!type.hasStaticShape() || type.getRank() == 0 ||
      type.getDimSize(0) != turns || !isTurn(offsets[0]) ||
      !isOneInteger(sizes[0]) || !llvm::all_of(strides, isOneInteger))
    return false;
  return llvm::all_of(llvm::seq<int64_t>(1, type.getRank()), [&](int64_t d) {
    return isZeroInteger(offsets[d]) &&
           getConstantIntValue(sizes[d]) == type.getDimSize(d);
  });
}

/// Whether the turn reads its part of a tensor from before the loop, which no
/// other op of the loop reads.
bool Scan::isOnlyRead(tensor::ExtractSliceOp read) {
  auto whole = dyn_cast<BlockArgument>(read.getSource());
  return whole && !loop->isAncestor(whole.getOwner()->getParentOp()) &&
         isPart(read.getMixedOffsets(), read.getMixedSizes(),
                read.getMixedStrides(), read.getSourceType()) &&
         llvm::all_of(whole.getUsers(), [&](Operation *user) {
           return user == read || !loop->isAncestor(user);
         });
}

/// The read of the part of which `write` has a new value.
tensor::ExtractSliceOp Scan::findRead(tensor::InsertSliceOp write) {
  Value source = write.getSource();
  while (Operation *op = source.getDefiningOp()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (auto read = dyn_cast<tensor::ExtractSliceOp>(op))
      return read.getSourceType() == write.getDestType() && isOnlyRead(read)
                 ? read
                 : tensor::ExtractSliceOp();
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      source = insert.getDest();
    else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      source = op->getOperand(0);
    else if (generic && generic.getNumDpsInputs() == 1)
      source = generic.getInputs()[0];
    else
      break;
  }
  return {};
}

/// What is written as a tensor that may lack dimensions of size 1, before it is
/// copied to one that has them.
Value Scan::getPlaced(tensor::InsertSliceOp write) {
  Value placed = write.getSource();
  Element element{placed, addIndices(graph, placed)};
  SmallVector<AffineExpr> own = element.indices;
  while (std::optional<Element> moved = pull.step(element))
    element = *moved;
  auto type = cast<RankedTensorType>(element.tensor.getType());
  if (!computeRankReductionMask(write.getSourceType().getShape(),
                                type.getShape()))
    return placed;
  auto isVariable = [](AffineExpr index) {
    return ExprGraph::asVariable(index).has_value();
  };
  auto before = llvm::make_filter_range(own, isVariable);
  auto after = llvm::make_filter_range(element.indices, isVariable);
  bool isSame =
      std::equal(before.begin(), before.end(), after.begin(), after.end());
  return isSame ? element.tensor : placed;
}

void Scan::raise(unsigned i) {
  BlockArgument carried = loop.getAfterArguments()[i];
  auto write =
      loop.getYieldedValues()[i].getDefiningOp<tensor::InsertSliceOp>();
  if (!write || write.getDest() != carried || !carried.hasOneUse() ||
      !write->hasOneUse() ||
      loop.getConditionOp().getArgs()[i] != loop.getBeforeArguments()[i] ||
      !loop.getBeforeArguments()[i].hasOneUse() ||
      !isPart(write.getMixedOffsets(), write.getMixedSizes(),
              write.getMixedStrides(), write.getDestType()))
    return;
  tensor::ExtractSliceOp read = findRead(write);
  if (!read)
    return;
  loop.getInitsMutable()[i].set(read.getSource());
  Value placed = getPlaced(write);
  // A slice that is read and written in one form is known to be one.
  OpBuilder builder(read);
  Operation *user = read->hasOneUse() ? *read->user_begin() : nullptr;
  bool isCollapsed = isa_and_present<tensor::CollapseShapeOp>(user) &&
                     user->getResult(0).getType() == placed.getType();
  Operation *old = isCollapsed ? user : read;
  Value part = tensor::ExtractSliceOp::create(
      builder, read.getLoc(),
      cast<RankedTensorType>(old->getResult(0).getType()), carried,
      read.getMixedOffsets(), read.getMixedSizes(), read.getMixedStrides());
  old->getResult(0).replaceAllUsesWith(part);
  builder.setInsertionPoint(write);
  Value next = tensor::InsertSliceOp::create(
      builder, write.getLoc(), placed, carried, read.getMixedOffsets(),
      read.getMixedSizes(), read.getMixedStrides());
  write.getResult().replaceAllUsesWith(next);
  write.erase();
  old->erase();
  if (isCollapsed)
    read.erase();
}

void raiseScannedCaches(Operation *func) {
  func->walk([](scf::WhileOp loop) {
    Scan scan(loop);
    if (!scan.readCounter())
      return;
    for (unsigned i = 0; i < loop.getInits().size(); ++i)
      scan.raise(i);
  });
}

} // namespace attn::raise
