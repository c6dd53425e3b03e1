//===- ResolveSizes.cpp - Sizes by the sizes of what they come from -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Checks/Checks.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace attn {
namespace {

/// The tensor of whose sizes those of an elementwise op on tensors are.
Value getElementwiseSource(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return {};
  auto operand = llvm::find_if(op->getOperands(), [](Value value) {
    return isa<RankedTensorType>(value.getType());
  });
  return operand == op->operand_end() ? Value() : *operand;
}

/// The value whose dimension `dim`, which changes with it, `value` has by its
/// definition; null where it is not that of a tensor.
Value getSizeSource(Value value, int64_t &dim) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return style.getTiedOpOperand(cast<OpResult>(value))->get();
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return cast.getSource();
  if (Value source = getElementwiseSource(op))
    return source;
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insert.getDest();
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  // That a dimension exists is not verified.
  if (!empty || dim < 0 || dim >= empty.getType().getRank())
    return {};
  auto size = dyn_cast<Value>(empty.getMixedSizes()[dim]);
  auto source = size ? size.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  std::optional<int64_t> position =
      source ? source.getConstantIndex() : std::nullopt;
  if (!position)
    return {};
  dim = *position;
  return source.getSource();
}

/// Whether each iteration yields a tensor of the size that it was given, or
/// that the first one was given.
bool keepsSize(scf::ForOp loop, unsigned number, int64_t dim) {
  Value value = loop.getYieldedValues()[number];
  int64_t at = dim;
  while (value && value != loop.getRegionIterArg(number) &&
         value != loop.getInitArgs()[number])
    value = getSizeSource(value, at);
  return value && at == dim;
}

/// A tensor that a loop carries has the sizes that it started with, inside of
/// the loop and behind it, if the loop keeps them.
struct DimOfCarriedTensor : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Value source = op.getSource();
    scf::ForOp loop = source.getDefiningOp<scf::ForOp>();
    unsigned number = 0;
    if (loop) {
      number = cast<OpResult>(source).getResultNumber();
    } else if (auto argument = dyn_cast<BlockArgument>(source)) {
      loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument.getArgNumber() < loop.getNumInductionVars())
        return rewriter.notifyMatchFailure(op, "no loop carries the tensor");
      number = argument.getArgNumber() - loop.getNumInductionVars();
    }
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!loop || !dim || !keepsSize(loop, number, *dim))
      return rewriter.notifyMatchFailure(op, "no loop that keeps the size");
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, loop.getInitArgs()[number],
                                               *dim);
    return success();
  }
};

/// The tensors in front of `op` that have a size of `value` by what defines it.
SmallVector<std::pair<Value, int64_t>>
getSizeSources(Operation *op, Value value, int64_t dim) {
  SmallVector<std::pair<Value, int64_t>> sources;
  for (; value; value = getSizeSource(value, dim))
    if (!op->isAncestor(value.getParentRegion()->getParentOp()))
      sources.push_back({value, dim});
  return sources;
}

/// Both ways of a branch may give tensors that have their size of the same one.
struct DimOfBranches : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto branch = op.getSource().getDefiningOp<scf::IfOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!branch || !dim)
      return rewriter.notifyMatchFailure(op, "not of a branch");
    unsigned number = cast<OpResult>(op.getSource()).getResultNumber();
    auto sources =
        getSizeSources(branch, branch.thenYield().getOperand(number), *dim);
    auto others =
        getSizeSources(branch, branch.elseYield().getOperand(number), *dim);
    const auto *common = llvm::find_if(sources, [&](const auto &each) {
      return llvm::is_contained(others, each);
    });
    if (common == sources.end())
      return rewriter.notifyMatchFailure(op, "the ways have other sizes");
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, common->first,
                                               common->second);
    return success();
  }
};

struct DimOfElementwise : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Operation *producer = op.getSource().getDefiningOp();
    Value source = producer ? getElementwiseSource(producer) : Value();
    if (!source)
      return rewriter.notifyMatchFailure(op, "not of an elementwise op");
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, source, op.getIndex());
    return success();
  }
};

} // namespace

void populateResolveSizesPatterns(RewritePatternSet &patterns) {
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, patterns.getContext());
  patterns.add<DimOfCarriedTensor, DimOfBranches, DimOfElementwise>(
      patterns.getContext());
}

} // namespace attn
