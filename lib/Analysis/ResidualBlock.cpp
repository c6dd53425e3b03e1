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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <memory>

using namespace mlir;
using namespace attn;

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
  if (isa<NormOp>(op) || takesRoot(op))
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured &&
         llvm::any_of(*structured.getBlock(),
                      [&](Operation &one) { return takesRoot(&one); });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// a + b, or a + factor * b, or (a + b) / sqrt(2).
struct Sum {
  Value a, b;
  std::optional<ResidualPolicy> policy;
};

/// What a body of scalars adds.
class SumReader {
public:
  explicit SumReader(linalg::LinalgOp op) : op(op) {}

  std::optional<Sum> read() {
    Value root = strip(op.getBlock()->getTerminator()->getOperand(0));
    Sum sum;
    if (auto product = root.getDefiningOp<arith::MulFOp>()) {
      FloatAttr factor;
      if (!matchPattern(product.getRhs(), m_Constant(&factor)) ||
          std::fabs(factor.getValueAsDouble() - M_SQRT1_2) > 1e-3)
        return std::nullopt;
      sum.policy = ResidualPolicy::InvSqrt2;
      root = strip(product.getLhs());
    }
    auto add = root.getDefiningOp<arith::AddFOp>();
    if (!add)
      return std::nullopt;
    Value left = strip(add.getLhs()), right = strip(add.getRhs());
    sum.a = getTensor(left);
    sum.b = getTensor(right);
    if (sum.a && !sum.b)
      sum.b = getScaledTensor(right, sum.policy);
    else if (sum.b && !sum.a) {
      sum.a = sum.b;
      sum.b = getScaledTensor(left, sum.policy);
    }
    return sum.a && sum.b ? std::optional<Sum>(sum) : std::nullopt;
  }

private:
  static Value strip(Value value) {
    while (Operation *cast = value.getDefiningOp()) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(cast))
        break;
      value = cast->getOperand(0);
    }
    return value;
  }

  /// The tensor whose element at the same place `value` is.
  Value getTensor(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBlock() ||
        argument.getArgNumber() >= op.getNumDpsInputs())
      return {};
    OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
    if (!op.getMatchingIndexingMap(operand).isIdentity())
      return {};
    return operand->get();
  }

  /// Whether a factor is the same number everywhere.
  bool isNumber(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBlock())
      return !value.getDefiningOp() ||
             value.getDefiningOp()->getBlock() != op.getBlock();
    return argument.getArgNumber() < op.getNumDpsInputs() &&
           op.getMatchingIndexingMap(
                 op.getDpsInputOperand(argument.getArgNumber()))
                   .getNumResults() == 0;
  }

  static bool isOne(Value value) {
    FloatAttr number;
    return matchPattern(value, m_Constant(&number)) &&
           number.getValueAsDouble() == 1.0;
  }

  Value getScaledTensor(Value value, std::optional<ResidualPolicy> &policy) {
    auto product = value.getDefiningOp<arith::MulFOp>();
    if (!product || policy)
      return {};
    Value left = strip(product.getLhs()), right = strip(product.getRhs());
    if (!isNumber(right))
      std::swap(left, right);
    if (!isNumber(right))
      return {};
    // alpha_t is bounded by 1, a trained alpha is not.
    Operation *factor = right.getDefiningOp();
    bool isBounded =
        isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp, arith::SelectOp>(
            factor) &&
        llvm::any_of(factor->getOperands(), isOne);
    policy = isBounded ? ResidualPolicy::Scheduled : ResidualPolicy::ReZero;
    return getTensor(left);
  }

  linalg::LinalgOp op;
};
} // namespace

static std::optional<Sum> matchSum(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  if (auto add = dyn_cast<arith::AddFOp>(op))
    return Sum{add.getLhs(), add.getRhs(), std::nullopt};
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() > 0 ||
      structured.getNumDpsInits() != 1 ||
      !structured.getMatchingIndexingMap(structured.getDpsInitOperand(0))
           .isIdentity())
    return std::nullopt;
  std::optional<Sum> sum = SumReader(structured).read();
  if (!sum || sum->a.getType() != op->getResult(0).getType())
    return std::nullopt;
  return sum;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Whether all layers of the branch read a norm of x.
static bool isPreNorm(ResidualBlock &block, const BranchSlice &slice) {
  NormTracker tracker(block.input, &slice);
  for (Operation &op : *block.op->getBlock())
    if (!tracker.visit(&op))
      return false;
  block.norm = tracker.norm;
  return tracker.firstRead != nullptr;
}

/// Whether all that reads the sum reads a norm of it.
static bool isPostNorm(ResidualBlock &block) {
  NormTracker tracker(block.result);
  for (Operation *op = block.op->getNextNode(); op; op = op->getNextNode())
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

static std::optional<ResidualBlock> readResidual(ResidualOp op) {
  ResidualBlock block;
  block.op = op;
  block.policy = op.getPolicy();
  block.input = op.getInput();
  block.branch = op.getBranch().front().getTerminator()->getOperand(0);
  block.result = op.getResult();
  op.getNorm().walk([&](NormOp norm) { block.norm = norm; });
  return block;
}

std::optional<ResidualBlock> attn::matchResidualBlock(Operation *op) {
  if (auto residual = dyn_cast<ResidualOp>(op))
    return readResidual(residual);
  std::optional<Sum> sum = matchSum(op);
  if (!sum || sum->a == sum->b)
    return std::nullopt;
  ResidualBlock block;
  block.op = op;
  block.policy = sum->policy;
  block.input = sum->a;
  block.branch = sum->b;
  block.result = op->getResult(0);
  auto slice = std::make_unique<BranchSlice>();
  if (!slice->collect(block.input, block.branch, op->getBlock())) {
    // Without a factor either side may be the stream.
    bool isScaled = block.policy == ResidualPolicy::ReZero ||
                    block.policy == ResidualPolicy::Scheduled;
    std::swap(block.input, block.branch);
    slice = std::make_unique<BranchSlice>();
    if (isScaled || !slice->collect(block.input, block.branch, op->getBlock()))
      return std::nullopt;
  }
  // x + c x^3 and the like are functions of an element.
  if (llvm::none_of(slice->getOps(), [](Operation *one) {
        return isLayer(one) || isa<ActivationOp, RopeOp>(one);
      }))
    return std::nullopt;
  // What attn-expand-blocks made of a block that does not look like one.
  if (auto policy = op->getAttrOfType<StringAttr>(kSumPolicyAttrName))
    block.policy = symbolizeResidualPolicy(policy.getValue());
  if (block.policy)
    return block;
  if (isPreNorm(block, *slice))
    block.policy = ResidualPolicy::Pre;
  else if (isPostNorm(block))
    block.policy = ResidualPolicy::Post;
  return block;
}

std::optional<ResidualPolicy> attn::findFactorPolicy(OpOperand &use) {
  constexpr unsigned kMostOps = 16;
  SmallVector<OpOperand *> open{&use};
  for (unsigned i = 0; i < kMostOps && !open.empty(); ++i) {
    OpOperand *next = open.pop_back_val();
    Operation *op = next->getOwner();
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    // The tensors that are added are no factors.
    auto type = dyn_cast<ShapedType>(next->get().getType());
    if (structured && type && type.getRank() > 0)
      continue;
    if (auto parent = dyn_cast<linalg::LinalgOp>(op->getParentOp());
        parent && isa<arith::MulFOp>(op))
      structured = parent;
    if (structured) {
      std::optional<ResidualBlock> block = matchResidualBlock(structured);
      if (block && (block->policy == ResidualPolicy::ReZero ||
                    block->policy == ResidualPolicy::Scheduled))
        return block->policy;
      continue;
    }
    if (op->getNumResults() == 1 &&
        (isa<tensor::ExtractOp>(op) ||
         isa<arith::ArithDialect>(op->getDialect())) &&
        !isa<ShapedType>(op->getResult(0).getType()))
      for (OpOperand &reader : op->getResult(0).getUses())
        open.push_back(&reader);
  }
  return std::nullopt;
}
