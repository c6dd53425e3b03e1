//===- Arguments.cpp - What a function's arguments are taken for ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument is what its uses make of it: a right operand of a product is a
// weight, what is added along the last dimension only is a bias, what is
// multiplied so is a gain. Anything else is data.
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::moments {

namespace {
struct Role {
  ArgumentRole role;
  double second;
  const char *reason;
};
} // namespace

class ArgumentReader {
public:
  explicit ArgumentReader(Follower &follower) : follower(follower) {}

  void read(BlockArgument argument, Attribute stated) {
    ArgumentMoments record{argument.getArgNumber(), ArgumentRole::Other, {}};
    Type element = getElementTypeOrSelf(argument.getType());
    if (auto numbers = dyn_cast_or_null<DenseF64ArrayAttr>(stated)) {
      record.role = ArgumentRole::Stated;
      record.moments.mean = numbers[0];
      record.moments.secondMoment = numbers[1];
    } else if (element.isInteger(1)) {
      follower.engine.assume("arguments of truth values are true");
      follower.set(argument, follower.engine.graph.constant(1.0));
      return addRecord(record);
    } else if (!isa<FloatType>(element)) {
      if (llvm::any_of(argument.getUsers(),
                       [](Operation *user) { return isa<ResidualOp>(user); })) {
        follower.engine.assume("time steps are at 1");
        follower.set(argument, follower.engine.graph.constant(1.0));
      }
      return addRecord(record);
    } else {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      isNarrow = !type || llvm::count_if(type.getShape(), [](int64_t size) {
                            return size != 1;
                          }) <= 1;
      Role role = findRole(argument, 0)
                      .value_or(Role{ArgumentRole::Activation, -1.0, ""});
      record.role = role.role;
      record.moments.secondMoment = role.second;
      if (role.role == ArgumentRole::Activation) {
        record.moments.mean = follower.options.inputMean;
        record.moments.secondMoment = follower.options.inputSecondMoment;
      } else if (role.role == ArgumentRole::Gain) {
        record.moments.mean = 1.0;
      }
      if (*role.reason)
        follower.engine.assume(role.reason);
    }
    follower.set(argument, follower.drawTensor(
                               argument, record.moments.mean,
                               std::max(0.0, record.moments.getVariance())));
    addRecord(record);
  }

private:
  void addRecord(ArgumentMoments record) {
    if (auto type = dyn_cast<RankedTensorType>(
            follower.function.getArgument(record.index).getType()))
      record.moments.correlations.assign(type.getRank(), 0.0);
    follower.arguments.push_back(std::move(record));
  }

  static Role bias() {
    return {ArgumentRole::Bias, 0.0, "biases and betas are 0"};
  }
  static Role gain() {
    return {ArgumentRole::Gain, 1.0, "gammas and other factors are 1"};
  }
  static Role weight(double fanIn) {
    return {ArgumentRole::Weight, 1.0 / fanIn,
            "right operands of products are weights of variance 1 / fan in"};
  }

  /// The role of `value`, a function's argument in another shape.
  std::optional<Role> findRole(Value value, unsigned depth) {
    if (depth > 8)
      return std::nullopt;
    for (OpOperand &use : value.getUses())
      if (std::optional<Role> role = findRoleOfUse(use, depth))
        return role;
    return std::nullopt;
  }

  std::optional<Role> findRoleOfUse(OpOperand &use, unsigned depth) {
    Operation *op = use.getOwner();
    unsigned index = use.getOperandNumber();
    if (auto linear = dyn_cast<LinearOp>(op)) {
      if (index == 1) {
        if (linear.isNtk())
          return Role{ArgumentRole::Weight, 1.0,
                      "weights of an NTK parameterisation have variance 1"};
        return weight(follower.getSize(use.get(), linear.getWeightInDim()));
      }
      if (linear.getBias() && index == 2)
        return bias();
      return std::nullopt;
    }
    if (auto norm = dyn_cast<NormOp>(op)) {
      if (use.get() == norm.getGamma() || use.get() == norm.getVariance() ||
          use.get() == norm.getRunningVariance())
        return gain();
      if (use.get() == norm.getBeta() || use.get() == norm.getMean() ||
          use.get() == norm.getRunningMean())
        return bias();
      return std::nullopt;
    }
    if (auto residual = dyn_cast<ResidualOp>(op)) {
      if (use.get() == residual.getAlpha())
        return Role{ArgumentRole::Bias, 0.0, "alpha of a residual starts at 0"};
      return std::nullopt;
    }
    if (auto attention = dyn_cast<AttentionOp>(op))
      return findRoleOfParam(attention, index);
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
            tensor::ExtractSliceOp, arith::ExtFOp, arith::TruncFOp>(op))
      return findRole(op->getResult(0), depth + 1);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      return findRoleOfStructured(structured, use, depth);
    return std::nullopt;
  }

  std::optional<Role> findRoleOfParam(AttentionOp op, unsigned index) {
    auto within = [&](ParamRange range) {
      return index >= 3 + range.first && index < 3 + range.first + range.count;
    };
    if (within(op.getScaleParams()))
      return gain();
    for (unsigned i = 0; i < op.getBiases().size(); ++i)
      if (within(op.getBiasParams(i)))
        return bias();
    for (unsigned i = 0; i < op.getMasks().size(); ++i)
      if (within(op.getMaskParams(i)))
        return bias();
    if (within(op.getNormalizerParams()))
      return bias();
    for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key})
      for (auto [i, change] : llvm::enumerate(op.getRowChanges(rows))) {
        auto norm = dyn_cast<RowNormAttr>(change);
        ParamRange range = op.getRowChangeParams(rows, i);
        if (norm && within(range))
          return norm.getGamma() && index == 3 + range.first ? gain() : bias();
      }
    return std::nullopt;
  }

  std::optional<Role> findRoleOfStructured(linalg::LinalgOp op, OpOperand &use,
                                           unsigned depth) {
    auto type = dyn_cast<RankedTensorType>(use.get().getType());
    if (!type || !op.isDpsInput(&use) || op->getNumResults() != 1)
      return std::nullopt;
    AffineMap map = op.getMatchingIndexingMap(&use);
    // A matrix on the right of a product, shared by all of a batch.
    if (linalg::isaContractionOpInterface(op)) {
      if (use.getOperandNumber() != 1 || map.getNumResults() != 2)
        return std::nullopt;
      double fanIn = 1.0;
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr);
            dim && op.getIteratorTypesArray()[dim.getPosition()] ==
                       utils::IteratorType::reduction)
          fanIn *= follower.getSize(use.get(), i);
      return weight(fanIn);
    }
    if (op.getNumReductionLoops() > 0)
      return std::nullopt;
    BlockArgument inner = op.getMatchingBlockArgument(&use);
    for (Operation *user : inner.getUsers()) {
      // Copied, transposed or repeated.
      if (user->hasTrait<OpTrait::IsTerminator>())
        return findRole(op->getResult(0), depth + 1);
      if (!isNarrow || op.getNumLoops() < 2)
        continue;
      if (isa<arith::AddFOp, arith::SubFOp>(user))
        return bias();
      if (isa<arith::MulFOp>(user))
        return gain();
    }
    return std::nullopt;
  }

  Follower &follower;
  /// The argument has one dimension at most: biases and gains have.
  bool isNarrow = false;
};

void readArguments(func::FuncOp function, const MomentOptions &options,
                   Follower &follower) {
  ArgumentReader reader(follower);
  for (BlockArgument argument : function.getArguments())
    reader.read(argument,
                function.getArgAttr(argument.getArgNumber(), kMomentsAttrName));
}

} // namespace attn::moments
