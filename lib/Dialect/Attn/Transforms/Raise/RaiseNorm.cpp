//===- RaiseNorm.cpp - Spelled-out norms become attn.norm -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from roots of sums, and looks for a tensor before and a tensor after
// each such that the one is a norm of the other.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/RaiseGroupNorm.h"
#include "attn/Dialect/Attn/Transforms/Raise/ReadNorm.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISENORMPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

bool readsF64(Expr x) {
  return (x->is(ExprKind::Load) &&
          getElementTypeOrSelf(x->tensor.getType()).isF64()) ||
         llvm::any_of(x->operands, readsF64);
}

/// One root of a sum.
class Candidate : public PairCandidate {
public:
  Candidate(Value anchor, DenseSet<Value> &replaced)
      : PairCandidate(anchor, replaced) {}

private:
  bool read(Expr y, Expr x, Value result, Value input) override;
  Value build(OpBuilder &builder, Value result, Value input) override;
  Value buildOfGroups(OpBuilder &builder, Value result, Value input,
                      Value gamma, Value beta);
  DenseI64ArrayAttr getStatedAffineAxes(Builder &builder) const;
  bool hasWideMean(Value result, Value input);

  Expr x = nullptr;
  NormReading norm;
};

bool Candidate::read(Expr y, Expr load, Value result, Value input) {
  x = load;
  if (!readNorm(*graph, y, x, norm, why))
    return false;
  if (hasWideMean(result, input))
    return why.reject(6, "the mean is computed in f64, the norm's is in f32");
  for (Expr param : {norm.gamma, norm.beta})
    if (param && !param->is(ExprKind::Load) &&
        !getElementTypeOrSelf(result).isF64() && readsF64(param))
      return why.reject(6, "gamma or beta is computed in f64");
  return true;
}

/// Whether what is subtracted above the root is a mean in f64, `input` is not
/// and so neither is the norm's. Under the root f64 gains nothing: PyTorch
/// takes variances in f64, but not the means above.
bool Candidate::hasWideMean(Value result, Value input) {
  if (getElementTypeOrSelf(input.getType()).isF64())
    return false;
  SetVector<Value> inside;
  inside.insert(result);
  for (unsigned i = 0; i < inside.size(); ++i) {
    Operation *op = inside[i].getDefiningOp();
    if (inside[i] == input || !op)
      continue;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (structured && structured.getNumReductionLoops() > 0 &&
        getElementTypeOrSelf(inside[i].getType()).isF64()) {
      PullThrough pull(*graph, graph->size() + nodeBudget);
      pull.stopAt(input);
      Expr sum = pull.pull(inside[i], addIndices(*graph, inside[i]));
      while (sum->is(ExprKind::Reduce))
        sum = sum->operands[0];
      if (sum->is(ExprKind::Load) && sum->tensor == input)
        return true;
      continue;
    }
    for (Value operand : op->getOperands())
      if (isa<TensorType>(operand.getType()))
        inside.insert(operand);
  }
  return false;
}

Value Candidate::build(OpBuilder &builder, Value result, Value input) {
  Location loc = result.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  // Params of f32 go with narrower elements, and hold what f32 steps compute.
  Type element = type.getElementType();
  if (!element.isF64()) {
    norm.eps = shortest(norm.eps);
    element = builder.getF32Type();
  }
  auto param = [&](Expr e) {
    return e ? buildParam(builder, loc, *graph, e, x,
                          norm.channelDim ? ArrayRef(*norm.channelDim)
                                          : ArrayRef(norm.affineAxes),
                          element)
             : Value();
  };
  Value gamma = param(norm.gamma), beta = param(norm.beta);
  if (norm.channelDim)
    return buildOfGroups(builder, result, input, gamma, beta);
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, input),
      type.getElementType());
  auto op = NormOp::create(builder, loc, input, gamma, beta, init, norm.kind,
                           norm.axes, norm.eps, norm.epsMode);
  if (norm.variance) {
    op.getMeanMutable().assign(param(norm.mean));
    op.getVarianceMutable().assign(param(norm.variance));
  }
  if (DenseI64ArrayAttr stated = getStatedAffineAxes(builder))
    op.setAffineAxesAttr(stated);
  remarkRaised(op);
  return op->getResult(0);
}

/// None where the kind says them.
DenseI64ArrayAttr Candidate::getStatedAffineAxes(Builder &builder) const {
  bool hasParams = norm.gamma || norm.beta;
  return hasParams && norm.affineAxes != norm.axes
             ? builder.getDenseI64ArrayAttr(norm.affineAxes)
             : DenseI64ArrayAttr();
}

/// Flax's form: statistics of a reshaped tensor, spread over the channels.
Value Candidate::buildOfGroups(OpBuilder &builder, Value result, Value input,
                               Value gamma, Value beta) {
  auto type = cast<RankedTensorType>(result.getType());
  int64_t dim = *norm.channelDim;
  int64_t channels =
      graph->getExtent(*ExprGraph::asVariable(norm.indices[dim + 1]));
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= channels;
  shape.insert(shape.begin() + dim + 1, channels);
  GroupNorm group;
  group.input = tensor::ExpandShapeOp::create(
      builder, result.getLoc(), type.clone(shape), input,
      getSplitReassociation(type.getRank(), dim));
  group.gamma = gamma;
  group.beta = beta;
  group.dim = dim;
  group.axes = norm.axes;
  group.isCentred = norm.isCentred;
  group.eps = builder.getF64FloatAttr(norm.eps);
  group.epsMode = EpsModeAttr::get(builder.getContext(), norm.epsMode);
  return buildGroupNorm(builder, result.getLoc(), type, group);
}

class RaiseNormPass : public impl::RaiseNormPassBase<RaiseNormPass> {
public:
  void runOnOperation() override {
    auto hasRoot = [](Operation *op) {
      return isElementwise(op) &&
             hasInBody<math::RsqrtOp, math::SqrtOp, math::PowFOp>(op);
    };
    raisePairs<Candidate>(getOperation(), hasRoot, RemarkId::NormNotRaised);
    raiseGroupNorms(getOperation());
  }
};

} // namespace
} // namespace attn::raise
