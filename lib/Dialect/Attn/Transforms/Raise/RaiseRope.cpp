//===- RaiseRope.cpp - Spelled-out rotary positions -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from elementwise ops behind parts of rows that were put together in
// another order.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISEROPEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

constexpr unsigned maxSources = 40;

Value build(Value result, Value input, const RopeReading &rope) {
  OpBuilder builder(result.getDefiningOp());
  Location loc = result.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, input),
      type.getElementType());
  IntegerAttr rotated, rowDim;
  if (rope.rotated != type.getShape().back())
    rotated = builder.getI64IntegerAttr(rope.rotated);
  if (rope.rowDim != type.getRank() - 2)
    rowDim = builder.getI64IntegerAttr(rope.rowDim);
  Value positions = rope.positions;
  if (positions)
    if (auto given = cast<RankedTensorType>(positions.getType());
        given.getRank() == 2 && given.getDimSize(0) == 1)
      positions = tensor::CollapseShapeOp::create(
          builder, loc, positions, ArrayRef<ReassociationIndices>({{0, 1}}));
  return RopeOp::create(
             builder, loc, type, input, /*offset=*/Value(), positions, init,
             PairLayoutAttr::get(builder.getContext(), rope.pairs),
             builder.getF64FloatAttr(rope.base),
             builder.getF64FloatAttr(rope.positionScale), rotated, rowDim)
      .getResult();
}

/// JAX concatenates by a branch on the position.
bool isConcatenation(Operation *op) {
  return isa<tensor::ConcatOp>(op) ||
         (isElementwise(op) && hasInBody<scf::IfOp>(op));
}

/// Whether `value` is a sum behind rows in another order, or a row of which
/// parts were turned.
bool mayBeRope(Value value, ArrayRef<Value> sources) {
  Operation *op = value.getDefiningOp();
  bool isJoint = isConcatenation(op) || isa<tensor::CollapseShapeOp>(op);
  if (!isJoint && !(isElementwise(op) && hasInBody<arith::AddFOp>(op)))
    return false;
  auto has = [&](auto predicate) {
    return predicate(op) || llvm::any_of(sources, [&](Value source) {
             Operation *def = source.getDefiningOp();
             return def && predicate(def);
           });
  };
  return has([](Operation *def) { return isa<tensor::ExtractSliceOp>(def); }) &&
         has([](Operation *def) { return hasInBody<arith::MulFOp>(def); }) &&
         (isJoint ? has([](Operation *def) {
           return hasInBody<arith::SubFOp, arith::NegFOp>(def);
         })
                  : has(isConcatenation));
}

class RaiseRopePass : public impl::RaiseRopePassBase<RaiseRopePass> {
public:
  void runOnOperation() override {
    visitFromLast(getOperation(), [&](Operation *op) {
      if (op->getNumResults() == 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()) &&
          !partsOfOthers.contains(op->getResult(0)))
        raise(op->getResult(0));
    });
  }

private:
  void raise(Value result);

  llvm::DenseSet<Value> partsOfOthers; // of what is nearly a rotation
};

void RaiseRopePass::raise(Value result) {
  SmallVector<Value> sources = findSources(result, maxSources);
  if (!hasBlockElements(result) || !mayBeRope(result, sources))
    return;
  Rejection why;
  for (Value input : llvm::reverse(sources)) {
    RopeReading rope;
    if (input.getType() != result.getType() ||
        !readRope(result, input, rope, why))
      continue;
    Remark(RemarkId::RaisedToRope,
           {{"pairs", stringifyPairLayout(rope.pairs).str()}})
        .emit(result.getLoc());
    result.replaceAllUsesWith(build(result, input, rope));
    result.getDefiningOp()->erase();
    return;
  }
  if (why.progress < 2)
    return;
  Remark(RemarkId::RopeNotRaised, {{"reason", why.reason}})
      .emit(result.getLoc());
  partsOfOthers.insert_range(sources);
}

} // namespace
} // namespace attn::raise
