//===- ElementDemands.cpp - Elements by index, divisors, steps ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These ops stand beside whole tensors as well as in the bodies of structured
// ops, where an assertion costs something for each element. An index that the
// loops of the body bound is therefore checked once, in front of the op.
//
//===----------------------------------------------------------------------===//

#include "AffineRange.h"
#include "DemandBuilder.h"
#include "attn/Dialect/Attn/IR/IndexingMaps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn {
namespace {

/// The demands of ops in the body of one structured op; its loops have run in
/// any case once an element exists.
class ElementDemands {
public:
  ElementDemands(DemandBuilder &demands, linalg::LinalgOp structured)
      : demands(demands), structured(structured) {}

  void add(Operation *op);

private:
  void addIndices(Operation *op, Value tensor, ValueRange indices);
  void addIndex(Operation *op, Value tensor, int64_t dim, Value index);
  void addDivision(Operation *op, bool isSigned);
  /// Of loops: each step moves on, and the last one does not wrap.
  void addSteps(Operation *op, ArrayRef<OpFoldResult> steps,
                ArrayRef<OpFoldResult> ends);
  void addDivisors(Operation *op, AffineMap map);
  /// The range of an index that takes both ends of it in each run of the
  /// structured op; nothing where that is not known.
  std::optional<IndexRange> getRange(Value index);
  SmallVector<OpFoldResult> getExtents();

  DemandBuilder &demands;
  /// Null for an op that stands beside whole tensors.
  linalg::LinalgOp structured;
};

SmallVector<OpFoldResult> ElementDemands::getExtents() {
  SmallVector<OpFoldResult> extents;
  for (Range range :
       structured.createLoopRanges(demands.getBuilder(), structured.getLoc()))
    extents.push_back(range.size);
  return extents;
}

std::optional<IndexRange> ElementDemands::getRange(Value index) {
  OpBuilder &builder = demands.getBuilder();
  Location loc = demands.getLoc();
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    OpFoldResult value = builder.getIndexAttr(constant.getSExtValue());
    return IndexRange{value, value};
  }
  if (!structured->isAncestor(index.getParentRegion()->getParentOp())) {
    if (!index.getType().isIndex())
      return std::nullopt;
    return IndexRange{index, index};
  }
  Operation *op = index.getDefiningOp();
  if (auto position = dyn_cast_or_null<linalg::IndexOp>(op))
    return getRangeBelow(builder, loc, getExtents()[position.getDim()]);
  // Indices fit into 64 bits, and not always into fewer.
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
    if (cast.getType().isIndex() || cast.getType().isInteger(64))
      return getRange(cast.getIn());
  // The ends of a sum are those of its terms where the terms do not vary
  // together: one of them is fixed.
  bool isWide = index.getType().isIndex() || index.getType().isInteger(64);
  if (isWide && isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<IndexRange> a = getRange(op->getOperand(0)),
                              b = getRange(op->getOperand(1));
    if (!a || !b || b->low != b->high)
      return std::nullopt;
    auto combine = isa<arith::AddIOp>(op) ? attn::addIndices : subtractIndices;
    return IndexRange{combine(builder, loc, a->low, b->low),
                      combine(builder, loc, a->high, b->high)};
  }
  return std::nullopt;
}

void ElementDemands::addIndex(Operation *op, Value tensor, int64_t dim,
                              Value index) {
  // Not each element need be looked at where a condition decides.
  bool isSure = structured && op->getBlock() == structured.getBlock();
  if (isSure) {
    demands.setOp(op, structured);
    if (std::optional<IndexRange> range = getRange(index)) {
      Value isEmpty = demands.isAnyZero(getExtents());
      Quantity size = demands.getSize(tensor, dim);
      std::string name = "the index into " + size.name;
      demands.demandAtLeast({range->low, name}, demands.getConstant(0),
                            isEmpty);
      demands.demandBelow({range->high, name}, size, isEmpty);
      return;
    }
  }
  // The size does not change from element to element.
  demands.setOp(op, structured ? structured.getOperation() : op);
  Quantity size = demands.getSize(tensor, dim);
  size.value = demands.materialise(size.value);
  demands.setOp(op);
  demands.setStatus(ATTN_ERROR_ASSERTION);
  demands.demandBelow({index, "the index into " + size.name}, size);
}

void ElementDemands::addIndices(Operation *op, Value tensor,
                                ValueRange indices) {
  for (auto [dim, index] : llvm::enumerate(indices))
    addIndex(op, tensor, dim, index);
}

/// Processors trap on a division by 0, and on the smallest number by -1.
void ElementDemands::addDivision(Operation *op, bool isSigned) {
  Value divisor = op->getOperand(1);
  Type type = divisor.getType();
  if (isa<ShapedType>(type))
    return;
  APInt constant;
  bool isKnown = matchPattern(divisor, m_ConstantInt(&constant));
  if (isKnown && !constant.isZero() && (!isSigned || !constant.isAllOnes()))
    return;
  demands.setOp(op);
  demands.setStatus(ATTN_ERROR_ASSERTION);
  OpBuilder &builder = demands.getBuilder();
  Location loc = op->getLoc();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto compare = [&](arith::CmpIPredicate predicate, Value value,
                     const APInt &with) -> Value {
    Value number = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, with));
    return arith::CmpIOp::create(builder, loc, predicate, value, number);
  };
  demands.demand(compare(arith::CmpIPredicate::ne, divisor, APInt(width, 0)),
                 "the divisor must not be 0");
  if (!isSigned || (isKnown && !constant.isAllOnes()))
    return;
  Value isOther =
      compare(arith::CmpIPredicate::ne, divisor, APInt::getAllOnes(width));
  Value isLarger = compare(arith::CmpIPredicate::ne, op->getOperand(0),
                           APInt::getSignedMinValue(width));
  demands.demand(arith::OrIOp::create(builder, loc, isOther, isLarger),
                 "the quotient of the smallest number and -1 does not exist");
}

/// A loop that does not move on never ends, nor does one whose counter wraps.
void ElementDemands::addSteps(Operation *op, ArrayRef<OpFoldResult> steps,
                              ArrayRef<OpFoldResult> ends) {
  demands.setOp(op);
  demands.setStatus(ATTN_ERROR_ASSERTION);
  OpBuilder &builder = demands.getBuilder();
  Location loc = op->getLoc();
  for (auto [step, end] : llvm::zip_equal(steps, ends)) {
    if (isConstantIntValue(step, 1))
      continue;
    Value by = demands.materialise(step), last = demands.materialise(end);
    Type type = by.getType();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(type, value));
    };
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    demands.demandAtLeast({by, "the step"}, {number(1), "1"});
    // What is left above the end takes the last step.
    Value most = arith::SubIOp::create(
        builder, loc, number(llvm::maxIntN(width)),
        arith::SubIOp::create(builder, loc, by, number(1)));
    demands.demandAtLeast({most, "the largest number less a step"},
                          {last, "the end"});
  }
}

/// Of what is divided by numbers that are not known before.
void ElementDemands::addDivisors(Operation *op, AffineMap map) {
  demands.setOp(op);
  demands.setStatus(ATTN_ERROR_ASSERTION);
  for (AffineExpr divisor : getDivisors(map)) {
    if (isa<AffineConstantExpr>(divisor))
      continue;
    OpFoldResult value = affine::makeComposedFoldedAffineApply(
        demands.getBuilder(), op->getLoc(),
        AffineMap::get(map.getNumDims(), map.getNumSymbols(), divisor),
        getAsOpFoldResult(op->getOperands()));
    demands.demandAtLeast({value, "the divisor"}, demands.getConstant(1));
  }
}

void ElementDemands::add(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractOp extract) {
        addIndices(op, extract.getTensor(), extract.getIndices());
      })
      .Case([&](tensor::InsertOp insert) {
        addIndices(op, insert.getDest(), insert.getIndices());
      })
      .Case<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp>(
          [&](auto) { addDivision(op, /*isSigned=*/true); })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(
          [&](auto) { addDivision(op, /*isSigned=*/false); })
      .Case([&](scf::ForOp loop) {
        addSteps(op, OpFoldResult(loop.getStep()),
                 OpFoldResult(loop.getUpperBound()));
      })
      .Case([&](scf::ParallelOp loop) {
        addSteps(op, getAsOpFoldResult(loop.getStep()),
                 getAsOpFoldResult(loop.getUpperBound()));
      })
      .Case([&](scf::ForallOp loop) {
        addSteps(op, loop.getMixedStep(), loop.getMixedUpperBound());
      })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [&](auto affine) { addDivisors(op, affine.getAffineMap()); });
}

} // namespace

void addElementDemands(Operation *op, DemandBuilder &demands) {
  auto structured = op->getParentOfType<linalg::LinalgOp>();
  ElementDemands(demands, structured).add(op);
}

} // namespace attn
