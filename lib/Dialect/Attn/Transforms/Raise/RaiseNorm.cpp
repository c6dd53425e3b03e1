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
#include "attn/Dialect/Attn/Transforms/Raise/ReadNorm.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISENORMPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

/// Bounds the work on one pair of tensors; a norm takes about fifty nodes.
constexpr unsigned nodeBudget = 2000;
/// How many tensors are looked at before and after a root.
constexpr unsigned maxSources = 24, maxUsers = 16, maxRoots = 8;

bool readsF64(Expr x) {
  return (x->is(ExprKind::Load) &&
          getElementTypeOrSelf(x->tensor.getType()).isF64()) ||
         llvm::any_of(x->operands, readsF64);
}

/// One root of a sum.
class Candidate {
public:
  Candidate(Value anchor, DenseSet<Value> &replaced)
      : anchor(anchor), replaced(replaced),
        sources(findSources(anchor, maxSources)) {
    // The tensor itself comes before its square.
    std::reverse(sources.begin(), sources.end());
  }

  /// Raises all norms that divide by the root, and returns how many.
  unsigned raise();

  Rejection why;

private:
  bool isNorm(Value result, Value input, bool needsType);
  bool hasWideMean(Value result, Value input);
  bool raiseAt(Value result);
  Value build(Value result, Value input);
  Value buildParam(OpBuilder &builder, Value result, Expr param);

  Value anchor;
  DenseSet<Value> &replaced; // dead parts of norms
  SmallVector<Value> sources;
  std::optional<ExprGraph> graph; // of the last pair
  NormReading norm;
};

bool Candidate::isNorm(Value result, Value input, bool needsType) {
  if (!hasBlockElements(result) || !hasBlockElements(input))
    return false;
  auto type = cast<RankedTensorType>(result.getType());
  if (needsType ? input.getType() != type
                : cast<RankedTensorType>(input.getType()).getShape() !=
                      type.getShape())
    return false;
  graph.emplace(anchor.getContext());
  PullThrough pull(*graph, nodeBudget);
  pull.stopAt(input);
  SmallVector<AffineExpr> indices = addIndices(*graph, result);
  if (!readNorm(*graph, pull.pull(result, indices), graph->load(input, indices),
                norm, why))
    return false;
  if (hasWideMean(result, input))
    return why.reject(6, "the mean is computed in f64, the norm's is in f32");
  for (Expr param : {norm.gamma, norm.beta})
    if (param && !param->is(ExprKind::Load) && !type.getElementType().isF64() &&
        readsF64(param))
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

/// Gamma or beta: the tensor that has it, or one that is computed.
Value Candidate::buildParam(OpBuilder &builder, Value result, Expr param) {
  if (!param)
    return {};
  auto type = cast<RankedTensorType>(result.getType());
  auto indices = llvm::map_to_vector(norm.variables, [&](unsigned variable) {
    return graph->getIndex(variable);
  });
  // Params of f32 go with narrower elements, and hold what f32 steps compute.
  Type element = type.getElementType();
  if (!element.isF64())
    element = builder.getF32Type();
  if (param->is(ExprKind::Load) &&
      ArrayRef(param->indices) == ArrayRef(indices) &&
      hasBlockElements(param->tensor) && isOperand(*graph, param))
    return param->tensor;
  auto sizes = llvm::map_to_vector(norm.axes, [&](int64_t dim) -> OpFoldResult {
    return builder.getIndexAttr(type.getDimSize(dim));
  });
  return emitTensor(builder, result.getLoc(), *graph, param, norm.variables,
                    sizes, element);
}

Value Candidate::build(Value result, Value input) {
  OpBuilder builder(result.getDefiningOp());
  Location loc = result.getLoc();
  MLIRContext *context = builder.getContext();
  auto type = cast<RankedTensorType>(result.getType());
  if (!type.getElementType().isF64())
    norm.eps = shortest(norm.eps);
  Value gamma = buildParam(builder, result, norm.gamma),
        beta = buildParam(builder, result, norm.beta);
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, input),
      type.getElementType());
  auto op = NormOp::create(
      builder, loc, TypeRange(type), input, /*residual=*/Value(),
      /*factor=*/Value(), gamma, beta,
      /*mean=*/Value(), /*variance=*/Value(), init, /*sum=*/Value(),
      /*running_mean=*/Value(), /*running_variance=*/Value(),
      NormKindAttr::get(context, norm.kind), /*centered=*/BoolAttr(),
      builder.getDenseI64ArrayAttr(norm.axes),
      /*affine_axes=*/DenseI64ArrayAttr(), builder.getF64FloatAttr(norm.eps),
      EpsModeAttr::get(context, norm.epsMode), /*momentum=*/FloatAttr(),
      /*unbiased=*/UnitAttr(), /*schedule=*/NormScheduleAttr());
  Remark(RemarkId::RaisedToNorm,
         {{"kind", stringifyNormKind(norm.kind).str()},
          {"affine", gamma && beta ? " with gamma and beta"
                     : gamma       ? " with gamma"
                     : beta        ? " with beta"
                                   : ""}})
      .emit(loc);
  return op->getResult(0);
}

/// Replaces what is farthest from `result` and still a norm.
bool Candidate::raiseAt(Value result) {
  if (llvm::none_of(sources, [&](Value input) {
        return isNorm(result, input, /*needsType=*/false);
      }))
    return false;
  SmallVector<Value> roots = findRoots(result, maxRoots);
  for (; !roots.empty(); roots.pop_back())
    for (Value input : sources)
      if (isNorm(roots.back(), input, /*needsType=*/true)) {
        roots.back().replaceAllUsesWith(build(roots.back(), input));
        replaced.insert_range(roots);
        return true;
      }
  return why.reject(7, "no tensor before the norm has the type of its result");
}

unsigned Candidate::raise() {
  unsigned raised = 0;
  for (Value user : findUsers(anchor, maxUsers))
    if (!user.use_empty() && !replaced.contains(user) && raiseAt(user))
      ++raised;
  return raised;
}

class RaiseNormPass : public impl::RaiseNormPassBase<RaiseNormPass> {
public:
  void runOnOperation() override {
    SmallVector<Value> anchors;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isElementwise(op) &&
          hasInBody<math::RsqrtOp, math::SqrtOp, math::PowFOp>(op))
        anchors.push_back(op->getResult(0));
    });
    DenseSet<Value> replaced;
    for (Value anchor : anchors) {
      Candidate candidate(anchor, replaced);
      if (candidate.raise() == 0 && candidate.why.progress >= 2)
        Remark(RemarkId::NormNotRaised, {{"reason", candidate.why.reason}})
            .emit(anchor.getLoc());
    }
    visitFromLast(getOperation(), [](Operation *) {});
  }
};

} // namespace
} // namespace attn::raise
