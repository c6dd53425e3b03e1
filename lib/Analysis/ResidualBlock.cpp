//===- ResidualBlock.cpp - x + F(x), however it is spelled ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of two tensors of one shape is a residual block if one of them, the
// branch, is computed from the other by layers. A pre block is one whose layers
// read the stream through a norm only, a post block one whose sum is read
// through a norm only. A norm is attn.norm, or ops between which a root is
// taken. A call of a function is what the function does.
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/ResidualBlock.h"
#include "Branch.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"
#include "attn/Dialect/Attn/Transforms/TensorSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <memory>

using namespace mlir;
using namespace attn;

bool attn::hasInside(Operation *op, function_ref<bool(Operation *)> is) {
  return op
      ->walk([&](Operation *one) {
        return is(one) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool attn::isLayer(Operation *op) {
  if (isa<LinearOp, AttentionOp, MultiHeadAttentionOp, FeedForwardOp>(op))
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && linalg::isaContractionOpInterface(structured);
}

bool attn::isNormLike(Operation *op) {
  auto takesRoot = [](Operation *one) {
    return isa<math::RsqrtOp, math::SqrtOp, math::PowFOp>(one);
  };
  return isa<NormOp>(op) || takesRoot(op) ||
         (isa<linalg::LinalgOp>(op) && hasInside(op, takesRoot));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

// A factor that is a constant is a part of the branch; one that is not is the
// alpha of a policy.

namespace {
/// resultFactor * (inputFactor * a + factors * b).
struct ResidualSum {
  Value a, b;
  std::optional<ResidualPolicy> policy;
  bool isScaled = false;
  double inputFactor = 1.0, resultFactor = 1.0;
  /// The factors of b, where all of them are constants.
  std::optional<double> branchFactor;
};

/// A tensor times numbers, the same ones for each element.
struct Scaling {
  Value tensor;
  /// The product of those that are constants.
  double constant = 1.0;
  bool hasFactor = false;
  /// rezero or scheduled, if one of them is no constant.
  std::optional<ResidualPolicy> policy;
};
} // namespace

/// Whether a number is sqrt(1/2), up to what bf16 makes of it.
static bool isSqrtHalf(double number) {
  return std::fabs(number - M_SQRT1_2) < 1e-3;
}

/// alpha_t is bounded by 1, a trained alpha is not.
static bool isBounded(Value factor) {
  Operation *op = skipFloatCasts(factor).getDefiningOp();
  return isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp, arith::SelectOp>(
             op) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return getConstantNumber(operand) == 1.0;
         });
}

static Scaling readFactors(const ScaledTensor &product) {
  Scaling scaling;
  scaling.tensor = product.tensor;
  for (Value factor : product.factors) {
    if (auto constant = getConstantNumber(skipFloatCasts(factor)))
      scaling.constant *= *constant;
    else
      scaling.policy = !scaling.policy && isBounded(factor)
                           ? ResidualPolicy::Scheduled
                           : ResidualPolicy::ReZero;
    scaling.hasFactor = true;
  }
  return scaling;
}

/// The sum of two tensors that `op` computes, and nothing else.
static std::optional<ResidualSum> matchResidualSum(Operation *op) {
  std::optional<TensorSum> found = matchTensorSum(op);
  if (!found || !found->a.tensor || !found->b.tensor)
    return std::nullopt;
  ResidualSum sum;
  for (Value factor : found->factors) {
    std::optional<double> constant =
        factor ? getConstantNumber(skipFloatCasts(factor)) : std::nullopt;
    if (!constant)
      return std::nullopt;
    sum.resultFactor *= *constant;
  }
  if (isSqrtHalf(sum.resultFactor))
    sum.policy = ResidualPolicy::InvSqrt2;
  Scaling left = readFactors(found->a), right = readFactors(found->b);
  if (left.policy || (left.hasFactor && !right.hasFactor))
    std::swap(left, right);
  // The stream may have a constant factor, no other one.
  if (left.policy || left.tensor.getType() != op->getResult(0).getType())
    return std::nullopt;
  sum.a = left.tensor;
  sum.b = right.tensor;
  sum.inputFactor = left.constant;
  sum.isScaled = right.hasFactor;
  if (!right.policy)
    sum.branchFactor = right.constant;
  if (!sum.policy)
    sum.policy = right.policy;
  return sum;
}

/// The product of a tensor and numbers that `op` computes, and nothing else.
static std::optional<Scaling> matchScaling(Operation *op) {
  std::optional<ScaledTensor> product = matchScaledTensor(op);
  return product ? std::optional<Scaling>(readFactors(*product)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Whether all layers of the branch read a norm of x.
static bool isPreNorm(ResidualBlock &block, const BranchSlice &slice) {
  NormTracker tracker(block.input, &slice);
  Operation *input = block.input.getDefiningOp();
  Block &ops = *block.op->getBlock();
  auto first = input && input->getBlock() == &ops
                   ? std::next(Block::iterator(input))
                   : ops.begin();
  for (Operation &op : llvm::make_range(first, Block::iterator(block.op)))
    if (!tracker.visit(&op))
      return false;
  block.norm = tracker.norm;
  return tracker.firstRead != nullptr;
}

/// Whether all that reads the sum reads a norm of it.
static bool isPostNorm(ResidualBlock &block) {
  NormTracker tracker(block.result);
  for (Operation *op = block.op->getNextNode(); op && !tracker.isDone();
       op = op->getNextNode())
    if (!tracker.visit(op))
      return false;
  if (!tracker.firstRead)
    return false;
  block.norm = tracker.norm;
  // Of a norm in a function that is called, what it returns goes on.
  bool isHere = tracker.norm &&
                tracker.norm->getBlock() == tracker.firstRead.getParentBlock();
  block.result = isHere ? tracker.norm->getResult(0) : tracker.firstRead;
  // Layers may read rows in another shape.
  while (Operation *view = block.result.getDefiningOp()) {
    if (block.result.getType() == block.input.getType() ||
        !isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
             linalg::TransposeOp>(view))
      break;
    block.result = view->getOperand(0);
  }
  return block.result.getType() == block.input.getType();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// A constant factor behind the sum may be an op of its own.
static void readResultFactor(ResidualBlock &block) {
  Operation *reader = nullptr;
  for (Operation *user : block.result.getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    if (reader)
      return;
    reader = user;
  }
  std::optional<Scaling> scaling = matchScaling(reader);
  if (!scaling || scaling->policy || scaling->tensor != block.result ||
      reader->getBlock() != block.op->getBlock())
    return;
  block.resultFactor *= scaling->constant;
  if (isSqrtHalf(block.resultFactor))
    block.policy = ResidualPolicy::InvSqrt2;
  block.result = reader->getResult(0);
}

/// So may the factor of the branch; constants are a part of it.
static void readFactor(ResidualBlock &block) {
  Value branch = block.branch;
  while (branch != block.input) {
    Operation *op = branch.getDefiningOp();
    std::optional<Scaling> scaling = matchScaling(op);
    if (scaling && scaling->policy) {
      block.policy = scaling->policy;
      block.branch = scaling->tensor;
      block.isScaled = true;
      return;
    }
    if (!scaling && !isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op))
      return;
    branch = scaling ? scaling->tensor : op->getOperand(0);
  }
}

static std::optional<ResidualBlock> readResidual(ResidualOp op) {
  ResidualBlock block;
  block.op = op;
  block.policy = op.getPolicy();
  block.input = op.getInput();
  block.branch = op.getBranch().front().getTerminator()->getOperand(0);
  block.result = op.getResult();
  if (block.policy == ResidualPolicy::InvSqrt2)
    block.resultFactor = M_SQRT1_2;
  op.getNorm().walk([&](NormOp norm) { block.norm = norm; });
  return block;
}

/// Finds out which side of the sum is the stream: the branch depends on it.
/// Sets input and branch; null if neither is.
static std::unique_ptr<BranchSlice> findSides(const ResidualSum &sum,
                                              ResidualBlock &block) {
  auto attempt = [&](Value input, double factor, Value branch, bool isScaled) {
    block.input = input;
    block.inputFactor = factor;
    block.branch = branch;
    block.isScaled = isScaled;
    auto slice = std::make_unique<BranchSlice>();
    return slice->collect(input, branch, block.op->getBlock())
               ? std::move(slice)
               : nullptr;
  };
  if (auto slice = attempt(sum.a, sum.inputFactor, sum.b, sum.isScaled))
    return slice;
  // A factor that is no constant is that of a branch.
  bool canSwap = sum.branchFactor.has_value();
  double swapped = sum.branchFactor.value_or(1.0);
  if (canSwap)
    if (auto slice = attempt(sum.b, swapped, sum.a, sum.inputFactor != 1.0))
      return slice;
  // The factor of the stream may be an op of its own.
  for (bool isSwapped : {false, true}) {
    if (isSwapped && !canSwap)
      break;
    std::optional<Scaling> scaling =
        matchScaling((isSwapped ? sum.b : sum.a).getDefiningOp());
    if (!scaling || scaling->policy)
      continue;
    double factor = (isSwapped ? swapped : sum.inputFactor) * scaling->constant;
    if (auto slice = attempt(scaling->tensor, factor, isSwapped ? sum.a : sum.b,
                             isSwapped ? sum.inputFactor != 1.0 : sum.isScaled))
      return slice;
  }
  return nullptr;
}

std::optional<ResidualBlock> attn::matchResidualBlock(Operation *op) {
  if (auto residual = dyn_cast<ResidualOp>(op))
    return readResidual(residual);
  std::optional<ResidualSum> sum = matchResidualSum(op);
  if (!sum || sum->a == sum->b)
    return std::nullopt;
  ResidualBlock block;
  block.op = op;
  block.policy = sum->policy;
  block.resultFactor = sum->resultFactor;
  block.result = op->getResult(0);
  std::unique_ptr<BranchSlice> slice = findSides(*sum, block);
  if (!slice)
    return std::nullopt;
  // x + c x^3 and the like are functions of an element.
  if (llvm::none_of(slice->getOps(), [](Operation *one) {
        return isLayer(one) || isa<ActivationOp, RopeOp>(one);
      }))
    return std::nullopt;
  // What attn-expand-blocks made of a block that does not look like one.
  if (auto policy = op->getAttrOfType<StringAttr>(kSumPolicyAttrName))
    block.policy = symbolizeResidualPolicy(policy.getValue());
  if (!block.policy)
    readResultFactor(block);
  if (!block.policy)
    readFactor(block);
  if (block.policy)
    return block;
  if (isPreNorm(block, *slice))
    block.policy = ResidualPolicy::Pre;
  else if (isPostNorm(block))
    block.policy = ResidualPolicy::Post;
  return block;
}

/// Ops that are looked at for the sum that a factor is of.
constexpr unsigned kMostOps = 16;

/// The policy of the sum that `op`, which has a factor for an operand, makes,
/// or that reads, behind other factors, what `op` makes.
static std::optional<ResidualPolicy> findPolicyOfSum(Operation *op) {
  SmallVector<Operation *> open{op};
  for (unsigned i = 0; i < kMostOps && i < open.size(); ++i) {
    Operation *next = open[i];
    std::optional<ResidualBlock> block = matchResidualBlock(next);
    if (block && (block->policy == ResidualPolicy::ReZero ||
                  block->policy == ResidualPolicy::Scheduled))
      return block->policy;
    if (matchScaling(next) || isa<arith::ExtFOp, arith::TruncFOp>(next))
      llvm::append_range(open, next->getResult(0).getUsers());
  }
  return std::nullopt;
}

std::optional<ResidualPolicy> attn::findFactorPolicy(OpOperand &use) {
  SmallVector<OpOperand *> open{&use};
  for (unsigned i = 0; i < kMostOps && !open.empty(); ++i) {
    OpOperand *next = open.pop_back_val();
    Operation *op = next->getOwner();
    Operation *structured = dyn_cast<linalg::LinalgOp>(op);
    // The tensors that are added are no factors, but for repeated numbers.
    auto type = dyn_cast<ShapedType>(next->get().getType());
    bool isTensor = type && type.getRank() > 0;
    if (isTensor && !getRepeatedNumber(next->get()))
      continue;
    if (auto parent = dyn_cast<linalg::LinalgOp>(op->getParentOp());
        parent && isa<arith::MulFOp>(op))
      structured = parent;
    bool isRepeat = op->getNumResults() == 1 &&
                    getRepeatedNumber(op->getResult(0)) == next->get();
    if (!isRepeat && (structured || isTensor)) {
      if (std::optional<ResidualPolicy> policy =
              findPolicyOfSum(structured ? structured : op))
        return policy;
      continue;
    }
    if (op->getNumResults() == 1 &&
        (isRepeat || isa<tensor::ExtractOp>(op) ||
         (isa<arith::ArithDialect>(op->getDialect()) &&
          !isa<ShapedType>(op->getResult(0).getType()))))
      for (OpOperand &reader : op->getResult(0).getUses())
        open.push_back(&reader);
  }
  return std::nullopt;
}
