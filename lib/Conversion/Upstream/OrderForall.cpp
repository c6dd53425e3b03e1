//===- OrderForall.cpp - Parallel loops whose writes may meet -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderForall.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace {

/// How values of a body grow with an induction variable.
class Growth {
public:
  Growth(scf::ForallOp loop, Value variable) : loop(loop), variable(variable) {}

  /// The factor of the variable in a value that is linear in it and has nothing
  /// else that differs between threads.
  std::optional<int64_t> of(Value value);

private:
  std::optional<int64_t> ofExpr(AffineExpr expr, ValueRange operands,
                                unsigned dims);
  static std::optional<int64_t> add(std::optional<int64_t> a,
                                    std::optional<int64_t> b, int64_t sign) {
    int64_t sum;
    if (!a || !b || llvm::MulOverflow(*b, sign, sum) ||
        llvm::AddOverflow(*a, sum, sum))
      return std::nullopt;
    return sum;
  }
  static std::optional<int64_t> scale(std::optional<int64_t> a, int64_t by) {
    int64_t product;
    if (!a || llvm::MulOverflow(*a, by, product))
      return std::nullopt;
    return product;
  }

  scf::ForallOp loop;
  Value variable;
};

} // namespace

std::optional<int64_t> Growth::ofExpr(AffineExpr expr, ValueRange operands,
                                      unsigned dims) {
  if (isa<AffineConstantExpr>(expr))
    return 0;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return of(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return of(operands[dims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> left = ofExpr(binary.getLHS(), operands, dims),
                         right = ofExpr(binary.getRHS(), operands, dims);
  if (expr.getKind() == AffineExprKind::Add)
    return add(left, right, 1);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && factor)
    return scale(left, factor.getValue());
  return left == 0 && right == 0 ? left : std::nullopt;
}

std::optional<int64_t> Growth::of(Value value) {
  if (value == variable)
    return 1;
  if (!loop.getBody()->getParent()->isAncestor(value.getParentRegion()))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return ofExpr(apply.getAffineMap().getResult(0), apply.getMapOperands(),
                  apply.getAffineMap().getNumDims());
  if (isa<arith::AddIOp>(op))
    return add(of(op->getOperand(0)), of(op->getOperand(1)), 1);
  if (isa<arith::SubIOp>(op))
    return add(of(op->getOperand(0)), of(op->getOperand(1)), -1);
  if (isa<arith::MulIOp>(op)) {
    APInt factor;
    if (matchPattern(op->getOperand(1), m_ConstantInt(&factor)))
      return scale(of(op->getOperand(0)), factor.getSExtValue());
    if (matchPattern(op->getOperand(0), m_ConstantInt(&factor)))
      return scale(of(op->getOperand(1)), factor.getSExtValue());
  }
  return std::nullopt;
}

/// Whether threads that differ in a variable write apart, whatever their other
/// variables are.
static bool isSeparated(tensor::ParallelInsertSliceOp insert,
                        scf::ForallOp loop, unsigned number) {
  Growth growth(loop, loop.getInductionVars()[number]);
  int64_t step = std::max<int64_t>(
      getConstantIntValue(loop.getMixedStep()[number]).value_or(1), 1);
  for (auto [offset, size, stride] :
       llvm::zip_equal(insert.getMixedOffsets(), insert.getMixedSizes(),
                       insert.getMixedStrides())) {
    auto at = dyn_cast<Value>(offset);
    std::optional<int64_t> factor = at ? growth.of(at) : std::nullopt;
    std::optional<int64_t> along = getConstantIntValue(stride);
    if (!factor || *factor == 0 || !along || *along < 1)
      continue;
    auto count = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, {size}, /*stopCondition=*/nullptr,
        /*closedUB=*/true);
    int64_t extent, distance;
    if (succeeded(count) && !llvm::MulOverflow(*count - 1, *along, extent) &&
        !llvm::MulOverflow(std::abs(*factor), step, distance) &&
        distance > extent)
      return true;
  }
  return false;
}

bool attn::writesApart(scf::ForallOp loop) {
  llvm::SmallPtrSet<Value, 4> written;
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert || !written.insert(insert.getDest()).second)
      return false;
    for (unsigned number = 0, e = loop.getRank(); number != e; ++number)
      if (!isSeparated(insert, loop, number))
        return false;
  }
  return true;
}

void attn::orderThreads(IRRewriter &rewriter, scf::ForallOp loop) {
  Location loc = loop.getLoc();
  auto toValues = [&](ArrayRef<OpFoldResult> numbers) {
    return llvm::map_to_vector(numbers, [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, number);
    });
  };
  rewriter.setInsertionPoint(loop);
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, toValues(loop.getMixedLowerBound()),
      toValues(loop.getMixedUpperBound()), toValues(loop.getMixedStep()),
      loop.getOutputs(),
      [&](OpBuilder &builder, Location, ValueRange variables,
          ValueRange before) {
        IRMapping mapping;
        mapping.map(loop.getInductionVars(), variables);
        mapping.map(loop.getRegionIterArgs(), loop.getOutputs());
        for (Operation &op : loop.getBody()->without_terminator())
          builder.clone(op, mapping);
        auto translate = [&](ArrayRef<OpFoldResult> numbers) {
          return llvm::map_to_vector(numbers,
                                     [&](OpFoldResult number) -> OpFoldResult {
                                       if (auto value = dyn_cast<Value>(number))
                                         return mapping.lookupOrDefault(value);
                                       return number;
                                     });
        };
        SmallVector<Value> after(before);
        for (Operation &op : loop.getTerminator().getYieldingOps()) {
          auto insert = cast<tensor::ParallelInsertSliceOp>(op);
          Value &result =
              after[cast<BlockArgument>(insert.getDest()).getArgNumber() -
                    loop.getRank()];
          result = tensor::InsertSliceOp::create(
              builder, insert.getLoc(),
              mapping.lookupOrDefault(insert.getSource()), result,
              translate(insert.getMixedOffsets()),
              translate(insert.getMixedSizes()),
              translate(insert.getMixedStrides()));
        }
        return after;
      });
  rewriter.replaceOp(loop, nest.results);
}
