//===- Arguments.cpp - What a function's arguments are taken for ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument is what its uses make of it: a right operand of a product is a
// weight, what is added along the last dimension only is a bias, what is
// multiplied so is a gain. Anything else is data. An argument that is handed to
// a function or carried by a loop is what it is there.
//
//===----------------------------------------------------------------------===//

#include "Follower.h"
#include "attn/Analysis/ScoreProduct.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::moments {

/// Whether the branch of a fixup block ends with this product.
static bool endsFixupBranch(OpOperand &end) {
  Operation *user = end.getOwner();
  if (isa<YieldOp>(user)) {
    auto residual = dyn_cast<ResidualOp>(user->getParentOp());
    return residual && residual.getPolicy() == ResidualPolicy::Fixup &&
           user->getParentRegion() == &residual.getBranch();
  }
  // attn-expand-blocks leaves the policy at the sum.
  std::optional<ResidualBlock> block;
  if (user->hasAttr(kSumPolicyAttrName))
    block = matchResidualBlock(user);
  return block && block->policy == ResidualPolicy::Fixup &&
         block->branch == end.get();
}

namespace {
struct Role {
  ArgumentRole role;
  double second;
  const char *reason;
  /// Whatever else the argument is used for.
  bool isCertain = false;
};

constexpr Role kBias{ArgumentRole::Bias, 0.0, "biases and betas are 0"};
constexpr Role kGain{ArgumentRole::Gain, 1.0, "gammas and other factors are 1"};
constexpr Role kScale{ArgumentRole::Gain, 1.0,
                      "scales of scores that are arguments are 1; attn.moments "
                      "says otherwise"};
constexpr Role kAlpha{ArgumentRole::Bias, 0.0,
                      "alpha of a residual starts at 0"};
constexpr Role kTimeStep{ArgumentRole::Other, 1.0, "time steps are at 1"};

} // namespace

/// Whether these scores add a table that is looked up by the logarithm of the
/// distance.
static bool addsBuckets(AttentionOp op) {
  BackwardSliceOptions options;
  options.omitUsesFromAbove = false;
  options.inclusive = true;
  SetVector<Operation *> slice;
  for (Value param : op.getParams())
    (void)getBackwardSlice(param, &slice, options);
  bool hasTable = false, hasLogarithm = false;
  for (Operation *part : slice)
    part->walk([&](Operation *inner) {
      auto extract = dyn_cast<tensor::ExtractOp>(inner);
      hasTable |= extract && isa<BlockArgument>(extract.getTensor());
      hasLogarithm |= isa<math::LogOp>(inner);
    });
  return hasTable && hasLogarithm;
}

/// T5 has its scale in the weights of its queries: those of a function that
/// adds T5's relative bias anywhere.
static bool makesQueriesOfT5(OpOperand &end) {
  auto attention = dyn_cast<AttentionOp>(end.getOwner());
  if (!attention || end.getOperandNumber() != 0 ||
      attention.getScale().getFixed() != 1.0)
    return false;
  return hasInside(
      attention->getParentOfType<func::FuncOp>(), [](Operation *one) {
        auto op = dyn_cast<AttentionOp>(one);
        return op && op.getScale().getFixed() == 1.0 && addsBuckets(op);
      });
}

/// alpha and the time step of residual blocks that are spelled out.
static std::optional<Role> findRoleOfFactor(OpOperand &use) {
  std::optional<ResidualPolicy> policy = findFactorPolicy(use);
  if (!policy)
    return std::nullopt;
  return *policy == ResidualPolicy::Scheduled ? kTimeStep : kAlpha;
}

static std::optional<Role> findRoleOfParam(AttentionOp op, unsigned index) {
  auto within = [&](ParamRange range) {
    return index >= 3 + range.first && index < 3 + range.first + range.count;
  };
  if (within(op.getScaleParams()))
    return kScale;
  for (unsigned i = 0; i < op.getBiases().size(); ++i)
    if (within(op.getBiasParams(i)))
      return kBias;
  for (unsigned i = 0; i < op.getMasks().size(); ++i)
    if (within(op.getMaskParams(i)))
      return kBias;
  if (within(op.getNormalizerParams()))
    return kBias;
  for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key})
    for (auto [i, change] : llvm::enumerate(op.getRowChanges(rows))) {
      RowNormAttr norm = cast<RowChangeAttrInterface>(change).getNorm();
      ParamRange range = op.getRowChangeParams(rows, i);
      if (norm && within(range))
        return norm.getGamma() && index == 3 + range.first ? kGain : kBias;
    }
  return std::nullopt;
}

static std::optional<Role> findRoleOfParam(SoftmaxOp op, unsigned index) {
  unsigned first = op.getParams().getBeginOperandIndex();
  if (index < first || index >= first + op.getParams().size())
    return std::nullopt;
  return index - first < op.getScale().getParamSpecs().size() ? kScale : kBias;
}

namespace {
/// Reads the role of one argument off its uses.
class RoleFinder {
public:
  explicit RoleFinder(Follower &follower) : follower(follower) {}

  std::optional<Role> find(Value argument) { return findRole(argument, false); }

private:
  Role weight(Operation *product, double fanIn) {
    OpOperand *end = findEnd(product);
    if (end && endsFixupBranch(*end))
      return {ArgumentRole::Weight, 0.0,
              "the last weight of a fixup branch is 0", /*isCertain=*/true};
    if (end && makesQueriesOfT5(*end)) {
      auto attention = cast<AttentionOp>(end->getOwner());
      std::optional<unsigned> dim = attention.getInputMap(0).getResultPosition(
          getAffineDimExpr(attention.getHeadDimDim(), attention.getContext()));
      return {ArgumentRole::Weight, 1.0 / (fanIn * getSize(end->get(), *dim)),
              "weights of queries are T5's, of variance 1 / (m d), beside its "
              "relative bias and scores without a scale"};
    }
    return {ArgumentRole::Weight, 1.0 / fanIn,
            "right operands of products are weights of variance 1 / fan in"};
  }

  OpOperand *findEnd(Operation *product);
  Value getActual(Value value) {
    while (Value operand = actual.lookup(value))
      value = operand;
    return value;
  }
  double getSize(Value value, unsigned dim) {
    return follower.getSize(getActual(value), dim);
  }

  std::optional<Role> findRole(Value value, bool isNarrow);
  std::optional<Role> findRoleOfUse(OpOperand &use, bool isNarrow);
  std::optional<Role> findRoleInside(Operation *call, func::FuncOp callee,
                                     unsigned index, bool isNarrow);
  std::optional<Role> findRoleOfLinear(LinearOp op, OpOperand &use);
  std::optional<Role> findRoleOfStructured(linalg::LinalgOp op, OpOperand &use,
                                           bool isNarrow);

  Follower &follower;
  DenseSet<Value> seen;
  /// The calls and composite ops on the way to the use that is looked at.
  SmallVector<Operation *> calls;
  /// What a call puts for an argument of its callee.
  DenseMap<Value, Value> actual;
};
} // namespace

/// Whether what `op` computes from a product goes, element by element, where
/// the product does.
static bool isPassedOn(Operation *op) {
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
          ActivationOp>(op) ||
      op->hasTrait<OpTrait::Elementwise>())
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() == 0;
}

/// The use of a value that is read once; sizes do not count.
static OpOperand *getOnlyUse(Value value) {
  OpOperand *only = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    if (only)
      return nullptr;
    only = &use;
  }
  return only;
}

/// The use that a product ends in, behind views and functions of its elements;
/// null where it is read twice.
OpOperand *RoleFinder::findEnd(Operation *product) {
  size_t depth = calls.size();
  OpOperand *use = product->getNumResults() == 1
                       ? getOnlyUse(product->getResult(0))
                       : nullptr;
  while (use) {
    Operation *user = use->getOwner();
    Value next;
    if (isa<func::ReturnOp>(user) && depth > 0)
      next = calls[--depth]->getResult(use->getOperandNumber());
    else if (isPassedOn(user) && user->getNumResults() == 1 &&
             !user->hasAttr(kSumPolicyAttrName))
      next = user->getResult(0);
    if (!next)
      return use;
    use = getOnlyUse(next);
  }
  return nullptr;
}

/// Biases and gains have one dimension at most.
static bool hasOneDim(Value value) { return countWideDims(value) <= 1; }

/// The role of `value`, a function's argument in another shape; `isNarrow` if
/// it had one dimension in one of its shapes.
std::optional<Role> RoleFinder::findRole(Value value, bool isNarrow) {
  if (!seen.insert(value).second)
    return std::nullopt;
  isNarrow |= hasOneDim(value);
  std::optional<Role> role;
  for (OpOperand &use : value.getUses()) {
    std::optional<Role> here = findRoleOfUse(use, isNarrow);
    if (here && here->isCertain)
      return here;
    if (!role)
      role = here;
  }
  return role;
}

std::optional<Role> RoleFinder::findRoleOfUse(OpOperand &use, bool isNarrow) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (auto linear = dyn_cast<LinearOp>(op))
    return findRoleOfLinear(linear, use);
  if (auto norm = dyn_cast<NormOp>(op)) {
    if (use.get() == norm.getGamma() || use.get() == norm.getVariance() ||
        use.get() == norm.getRunningVariance())
      return kGain;
    if (use.get() == norm.getBeta() || use.get() == norm.getMean() ||
        use.get() == norm.getRunningMean())
      return kBias;
    return std::nullopt;
  }
  if (auto residual = dyn_cast<ResidualOp>(op)) {
    if (use.get() == residual.getAlpha())
      return kAlpha;
    if (use.get() == residual.getTime())
      return kTimeStep;
    return std::nullopt;
  }
  if (auto attention = dyn_cast<AttentionOp>(op))
    return findRoleOfParam(attention, index);
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return findRoleOfParam(softmax, index);
  if (auto call = dyn_cast<func::CallOp>(op))
    return findRoleInside(
        op,
        dyn_cast_or_null<func::FuncOp>(
            SymbolTable::lookupNearestSymbolFrom(op, call.getCalleeAttr())),
        index, isNarrow);
  if (CompositeBody::isComposite(op)) {
    auto getSizes = [&](Value operand) {
      return follower.getSizes(getActual(operand));
    };
    return findRoleInside(op, follower.getComposite(op, getSizes).getFunction(),
                          index, isNarrow);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    BlockArgument argument = loop.getTiedLoopRegionIterArg(&use);
    return argument ? findRole(argument, isNarrow) : std::nullopt;
  }
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
          tensor::ExtractSliceOp, arith::ExtFOp, arith::TruncFOp>(op))
    return findRole(op->getResult(0), isNarrow);
  // The alpha of a sum is no gain, though it is multiplied by.
  if (std::optional<Role> role = findRoleOfFactor(use))
    return role;
  // What has one dimension was repeated before ops of whole tensors read it.
  if (isNarrow && !hasOneDim(use.get())) {
    if (isa<arith::AddFOp, arith::SubFOp>(op))
      return kBias;
    if (isa<arith::MulFOp>(op))
      return kGain;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured ? findRoleOfStructured(structured, use, isNarrow)
                    : std::nullopt;
}

std::optional<Role> RoleFinder::findRoleInside(Operation *call,
                                               func::FuncOp callee,
                                               unsigned index, bool isNarrow) {
  if (!callee || callee.isExternal())
    return std::nullopt;
  BlockArgument argument = callee.getArgument(index);
  if (!seen.contains(argument))
    actual[argument] = call->getOperand(index);
  calls.push_back(call);
  std::optional<Role> role = findRole(argument, isNarrow);
  calls.pop_back();
  return role;
}

std::optional<Role> RoleFinder::findRoleOfLinear(LinearOp op, OpOperand &use) {
  if (use.getOperandNumber() == 1) {
    Role role = weight(op, getSize(use.get(), op.getWeightInDim()));
    if (op.isNtk() && !role.isCertain)
      return Role{ArgumentRole::Weight, 1.0,
                  "weights of an NTK parameterisation have variance 1"};
    return role;
  }
  if (op.getBias() && use.getOperandNumber() == 2)
    return kBias;
  return std::nullopt;
}

std::optional<Role> RoleFinder::findRoleOfStructured(linalg::LinalgOp op,
                                                     OpOperand &use,
                                                     bool isNarrow) {
  auto type = dyn_cast<RankedTensorType>(use.get().getType());
  if (!type || !op.isDpsInput(&use) || op->getNumResults() != 1)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&use);
  // A matrix on the right of a product, shared by all of a batch, or a filter.
  bool isFilter = linalg::isaConvolutionOpInterface(op);
  if (isFilter || linalg::isaContractionOpInterface(op)) {
    if (use.getOperandNumber() != 1 || (!isFilter && map.getNumResults() != 2))
      return std::nullopt;
    double fanIn = 1.0;
    for (unsigned i : getReducedDims(op, &use))
      fanIn *= getSize(use.get(), i);
    return weight(op, fanIn);
  }
  if (op.getNumReductionLoops() > 0)
    return std::nullopt;
  BlockArgument inner = op.getMatchingBlockArgument(&use);
  for (Operation *user : inner.getUsers()) {
    // Copied, transposed or repeated.
    if (user->hasTrait<OpTrait::IsTerminator>())
      return findRole(op->getResult(0), isNarrow);
    if (!isNarrow || op.getNumLoops() < 2)
      continue;
    if (isa<arith::AddFOp, arith::SubFOp>(user))
      return kBias;
    if (isa<arith::MulFOp>(user))
      return kGain;
  }
  return std::nullopt;
}

/// What an argument of floats is by its uses.
static void readUses(BlockArgument argument, Follower &follower,
                     ArgumentMoments &record) {
  std::optional<Role> role = RoleFinder(follower).find(argument);
  if (!role) {
    record.role = ArgumentRole::Activation;
    record.moments.mean = follower.options.inputMean;
    record.moments.secondMoment = follower.options.inputSecondMoment;
    return;
  }
  record.role = role->role;
  record.moments.secondMoment = role->second;
  if (role->role == ArgumentRole::Gain)
    record.moments.mean = 1.0;
  follower.engine.assume(role->reason);
}

void Follower::readArgument(BlockArgument argument) {
  ArgumentMoments record{argument.getArgNumber(), ArgumentRole::Other, {}};
  Type element = getElementTypeOrSelf(argument.getType());
  if (auto stated = function.getArgAttrOfType<DenseF64ArrayAttr>(
          record.index, kMomentsAttrName)) {
    record.role = ArgumentRole::Stated;
    record.moments.mean = stated[0];
    record.moments.secondMoment = stated[1];
  } else if (isa<FloatType>(element)) {
    readUses(argument, *this, record);
  } else if (element.isInteger(1)) {
    engine.assume("arguments of truth values are true");
    set(argument, engine.graph.constant(1.0));
  } else if (std::optional<Role> role = RoleFinder(*this).find(argument);
             role && role->role == ArgumentRole::Other) {
    engine.assume(role->reason);
    set(argument, engine.graph.constant(role->second));
  }
  if (isa<FloatType>(element) || record.role == ArgumentRole::Stated)
    set(argument, drawTensor(argument, record.moments.mean,
                             atLeastZero(record.moments.getVariance())));
  if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
    record.moments.correlations.assign(type.getRank(), 0.0);
  arguments.push_back(std::move(record));
}

} // namespace attn::moments
