//===- OrderThreads.cpp - Parallel loops whose writes may meet ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Remarks/Remarks.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace attn {
#define GEN_PASS_DEF_ORDERTHREADSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

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
  auto lower = getConstantIntValue(loop.getMixedLowerBound()[number]),
       upper = getConstantIntValue(loop.getMixedUpperBound()[number]);
  int64_t step = std::max<int64_t>(
      getConstantIntValue(loop.getMixedStep()[number]).value_or(1), 1);
  int64_t range;
  if (lower && upper && !llvm::SubOverflow(*upper, *lower, range) &&
      range <= step)
    return true;
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

/// The write of each result, if there is exactly one.
static std::optional<SmallVector<tensor::ParallelInsertSliceOp>>
findWrites(scf::ForallOp loop) {
  SmallVector<tensor::ParallelInsertSliceOp> writes(loop.getOutputs().size());
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert)
      return std::nullopt;
    auto &write = writes[cast<BlockArgument>(insert.getDest()).getArgNumber() -
                         loop.getRank()];
    if (write)
      return std::nullopt;
    write = insert;
  }
  if (llvm::is_contained(writes, nullptr))
    return std::nullopt;
  return writes;
}

/// Whether the body writes memory.
static bool hasEffects(scf::ForallOp loop) {
  return loop
      .walk([](Operation *op) {
        return isa<cf::AssertOp, tensor::ParallelInsertSliceOp>(op) ||
                       op->hasTrait<OpTrait::IsTerminator>() ||
                       op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                       isMemoryEffectFree(op) ||
                       hasSingleEffect<MemoryEffects::Read>(op)
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Whether no two threads write the same place: each result has one write, and
/// for each induction variable a dimension whose offset is that variable times
/// at least the extent of the slice, plus what all threads share.
static bool writesApart(scf::ForallOp loop,
                        ArrayRef<tensor::ParallelInsertSliceOp> writes) {
  return llvm::all_of(writes, [&](tensor::ParallelInsertSliceOp write) {
    return llvm::all_of(
        llvm::seq<unsigned>(0, loop.getRank()),
        [&](unsigned number) { return isSeparated(write, loop, number); });
  });
}

/// A result that is read holds what was there before the loop. Where that is
/// the thread's own place, it is still there; anything else is read from the
/// tensor before.
static void readBefore(scf::ForallOp loop,
                       ArrayRef<tensor::ParallelInsertSliceOp> writes) {
  for (auto [result, before, write] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getOutputs(), writes)) {
    tensor::ParallelInsertSliceOp own = write;
    result.replaceUsesWithIf(before, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (user == own && use.get() == own.getDest() &&
          use.getOperandNumber() == own.getDestMutable().getOperandNumber())
        return false;
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      return !slice || slice.getMixedOffsets() != own.getMixedOffsets() ||
             slice.getMixedSizes() != own.getMixedSizes() ||
             slice.getMixedStrides() != own.getMixedStrides();
    });
  }
}

/// Makes it a nest of scf.for, in whose order the last write stays. What the
/// body reads of a result is what was there before the loop.
static void orderThreads(IRRewriter &rewriter, scf::ForallOp loop) {
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

namespace {

struct OrderThreadsPass : attn::impl::OrderThreadsPassBase<OrderThreadsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : loops) {
      auto writes = findWrites(loop);
      if (!writes || hasEffects(loop) || !writesApart(loop, *writes)) {
        attn::Remark(attn::RemarkId::OrderedThreads).emit(loop.getLoc());
        orderThreads(rewriter, loop);
        continue;
      }
      readBefore(loop, *writes);
      // Upstream makes one thread straight code whose results are in the order
      // of the writes.
      for (tensor::ParallelInsertSliceOp write : *writes)
        write->moveBefore(write->getBlock(), write->getBlock()->end());
    }
  }
};

} // namespace
