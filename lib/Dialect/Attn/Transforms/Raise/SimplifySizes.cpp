//===- SimplifySizes.cpp - Sizes at run time as sizes of tensors ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/SimplifySizes.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_SIMPLIFYSIZESPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace raise {

void hoistSizesFromBodies(func::FuncOp func) {
  func.walk<WalkOrder::PreOrder>([](linalg::LinalgOp structured) {
    Region &region = structured->getRegion(0);
    auto isOutside = [&](Value value) {
      return !region.isAncestor(value.getParentRegion());
    };
    for (Operation &op :
         llvm::make_early_inc_range(region.front().without_terminator()))
      if (op.getNumRegions() == 0 && isPure(&op) && !isa<linalg::IndexOp>(op) &&
          llvm::all_of(op.getResultTypes(),
                       [](Type type) { return type.isIntOrIndex(); }) &&
          llvm::all_of(op.getOperands(), isOutside))
        op.moveBefore(structured);
    return WalkResult::skip();
  });
}

namespace {

/// i64 arithmetic wraps like that of indices, which have 64 bits here.
struct IndexArithmetic : RewritePattern {
  IndexArithmetic(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  static Value getIndex(Value number, PatternRewriter &rewriter) {
    if (auto cast = number.getDefiningOp<arith::IndexCastOp>();
        cast && cast.getIn().getType().isIndex())
      return cast.getIn();
    if (std::optional<int64_t> known = getConstantIntValue(number))
      return arith::ConstantIndexOp::create(rewriter, number.getLoc(), *known);
    return {};
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
             arith::RemSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::MinSIOp, arith::MaxSIOp, arith::CmpIOp>(op) ||
        !op->getOperand(0).getType().isInteger(64))
      return rewriter.notifyMatchFailure(op, "no arithmetic on i64");
    auto isCast = [](Value number) {
      auto cast = number.getDefiningOp<arith::IndexCastOp>();
      return cast && cast.getIn().getType().isIndex();
    };
    if (llvm::none_of(op->getOperands(), isCast) ||
        llvm::any_of(op->getOperands(), [&](Value number) {
          return !isCast(number) && !getConstantIntValue(number);
        }))
      return rewriter.notifyMatchFailure(op, "no numbers that were indices");
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.operands.push_back(getIndex(operand, rewriter));
    state.attributes = op->getAttrs();
    bool isCompare = isa<arith::CmpIOp>(op);
    state.types.push_back(isCompare ? op->getResult(0).getType()
                                    : rewriter.getIndexType());
    Value result = rewriter.create(state)->getResult(0);
    if (!isCompare)
      result = arith::IndexCastOp::create(rewriter, op->getLoc(),
                                          rewriter.getI64Type(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateIndexArithmeticPatterns(RewritePatternSet &patterns) {
  patterns.add<IndexArithmetic>(patterns.getContext());
}

bool foldSizes(func::FuncOp func) {
  Sizes sizes;
  IRRewriter rewriter(func.getContext());
  bool changed = false;
  auto replace = [&](Operation *op, auto create) {
    rewriter.setInsertionPoint(op);
    rewriter.replaceAllUsesWith(op->getResult(0), create());
    changed = true;
  };
  func.walk([&](Operation *op) {
    if (op->use_empty())
      return;
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      if (std::optional<bool> holds = sizes.compare(compare))
        replace(op, [&]() -> Value {
          return arith::ConstantOp::create(rewriter, op->getLoc(),
                                           rewriter.getBoolAttr(*holds));
        });
      return;
    }
    // A size of what is computed would keep that alive.
    auto ofTensor = dyn_cast<tensor::DimOp>(op);
    bool isComputed = ofTensor && ofTensor.getSource().getDefiningOp();
    if (!isComputed &&
        (!isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
              arith::SubIOp, affine::AffineApplyOp>(op) ||
         !op->getResult(0).getType().isIndex()))
      return;
    auto dim = sizes.getArgumentDim(sizes.get(op->getResult(0)));
    if (dim && dim->first.getOwner() == &func.getBody().front())
      replace(op, [&]() -> Value {
        return tensor::DimOp::create(rewriter, op->getLoc(), dim->first,
                                     dim->second);
      });
  });
  return changed;
}

} // namespace raise

namespace {

bool hasDynamicSizes(func::FuncOp func) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return func
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isDynamic) ||
                       llvm::any_of(op->getResultTypes(), isDynamic)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct SimplifySizesPass : impl::SimplifySizesPassBase<SimplifySizesPass> {
  using SimplifySizesPassBase::SimplifySizesPassBase;

  /// What upstream knows about the arithmetic.
  LogicalResult fold() {
    OpPassManager upstream(func::FuncOp::getOperationName());
    upstream.addPass(arith::createIntRangeOptimizationsPass());
    upstream.addPass(createCanonicalizerPass());
    upstream.addPass(createCSEPass());
    return runPipeline(upstream, getOperation());
  }

  /// Comparisons that are known let other sizes be known.
  LogicalResult simplifyArithmetic() {
    func::FuncOp func = getOperation();
    RewritePatternSet patterns(func.getContext());
    raise::populateIndexArithmeticPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    do
      if (failed(applyPatternsGreedily(func, frozen)) || failed(fold()))
        return failure();
    while (raise::foldSizes(func));
    return success();
  }

  LogicalResult simplify() {
    func::FuncOp func = getOperation();
    if (failed(fold()))
      return failure();
    raise::hoistSizesFromBodies(func);
    if (failed(simplifyArithmetic()))
      return failure();
    raise::makeReshapesGroups(func);
    raise::makeExtractsOperands(func);
    if (failed(fold()))
      return failure();
    raise::splitConcats(func);
    if (failed(raise::expandProducts(func)))
      return failure();
    raise::foldSizes(func);
    return fold();
  }

  void runOnOperation() override {
    if (!getOperation().isExternal() && hasDynamicSizes(getOperation()) &&
        failed(simplify()))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
