//===- RaiseRope.cpp - Spelled-out rotary positions -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from elementwise ops behind parts of rows that were put together in
// another order.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISEROPEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

/// Follows integers from positions to floats.
class PositionCasts {
public:
  explicit PositionCasts(ArrayRef<Value> integers) : integers(integers) {}

  bool areExact(Value result, Value input);
  /// Whether a sum was what made them inexact.
  bool hasWrappingSum() const { return wraps; }

private:
  bool reaches(Value value);
  bool isNarrow(Value value);
  bool isExact(Operation *op);

  ArrayRef<Value> integers; // positions and offset
  llvm::DenseMap<Value, bool> reached, narrow;
  bool wraps = false;
};

bool PositionCasts::reaches(Value value) {
  if (llvm::is_contained(integers, value))
    return true;
  if (!getElementTypeOrSelf(value).isIntOrIndex() ||
      value.getDefiningOp<tensor::DimOp>())
    return false;
  auto [it, inserted] = reached.try_emplace(value, false);
  if (!inserted)
    return it->second;
  bool result = false;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (auto op = dyn_cast<linalg::LinalgOp>(arg.getOwner()->getParentOp()))
      result = reaches(op.getMatchingOpOperand(arg)->get());
  } else {
    result = llvm::any_of(value.getDefiningOp()->getOperands(),
                          [&](Value operand) { return reaches(operand); });
    value.getDefiningOp()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        result |= llvm::is_contained(integers, operand);
    });
  }
  return reached[value] = result;
}

/// Whether a float of less than f32 is `value`, or on the way to it.
bool PositionCasts::isNarrow(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  if (type && type.getWidth() < 32)
    return true;
  auto [it, inserted] = narrow.try_emplace(value, false);
  if (!inserted)
    return it->second;
  auto isAnyNarrow = [&](OperandRange operands) {
    return llvm::any_of(operands, [&](Value x) { return isNarrow(x); });
  };
  bool result = false;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (auto op = dyn_cast<linalg::LinalgOp>(arg.getOwner()->getParentOp()))
      result = isNarrow(op.getMatchingOpOperand(arg)->get());
  } else {
    Operation *op = value.getDefiningOp();
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      result =
          isNarrow(structured.getBlock()->getTerminator()->getOperand(number));
    } else {
      result = isAnyNarrow(op->getOperands());
      op->walk([&](Operation *inner) {
        result = result || isAnyNarrow(inner->getOperands());
      });
    }
  }
  return narrow[value] = result;
}

bool PositionCasts::isExact(Operation *op) {
  if (isa<math::SinOp, math::CosOp>(op) && isNarrow(op->getOperand(0)))
    return false;
  if (integers.empty() || isa<tensor::ExtractOp, linalg::YieldOp>(op) ||
      llvm::none_of(op->getOperands(),
                    [&](Value operand) { return reaches(operand); }))
    return true;
  auto getWidth = [](Value value) {
    Type type = getElementTypeOrSelf(value);
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  // attn.rope adds in 64 bits.
  if (auto sum = dyn_cast<arith::AddIOp>(op)) {
    wraps = getWidth(sum.getResult()) != 64 &&
            !bitEnumContainsAny(sum.getOverflowFlags(),
                                arith::IntegerOverflowFlags::nsw) &&
            mayWrap(sum);
    return !wraps;
  }
  return isa<arith::SIToFPOp, arith::ExtSIOp>(op) ||
         (isa<arith::IndexCastOp>(op) &&
          getWidth(op->getResult(0)) >= getWidth(op->getOperand(0)));
}

bool PositionCasts::areExact(Value result, Value input) {
  llvm::SetVector<Value> seen;
  seen.insert(result);
  for (unsigned i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (!op)
      continue;
    bool isGood = true;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand != input && isa<RankedTensorType>(operand.getType()))
          seen.insert(operand);
      if (inner != op)
        isGood = isGood && isExact(inner);
      else if (!isa<linalg::LinalgOp>(op) &&
               isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                   op->getDialect()))
        isGood = isGood && isExact(op);
    });
    if (!isGood)
      return false;
  }
  return true;
}

} // namespace

bool haveEqualSize(Value x, int64_t xDim, Value y, int64_t yDim) {
  int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(xDim);
  if (size != cast<RankedTensorType>(y.getType()).getDimSize(yDim))
    return false;
  if (!ShapedType::isDynamic(size))
    return true;
  Sizes sizes(x.getParentRegion()->getParentOfType<func::FuncOp>());
  return sizes.get(x, xDim) == sizes.get(y, yDim);
}

PositionFault findPositionFault(Value result, Value input,
                                ArrayRef<Value> integers) {
  PositionCasts casts(integers);
  if (casts.areExact(result, input))
    return PositionFault::None;
  return casts.hasWrappingSum() ? PositionFault::Sum : PositionFault::Cast;
}

namespace {

constexpr unsigned maxSources = 40;

/// JAX concatenates by a branch on the position.
bool isConcatenation(Operation *op) {
  return isa<tensor::ConcatOp>(op) ||
         (isElementwise(op) && hasInBody<scf::IfOp>(op));
}

/// The op that does more than round the elements it gives.
Operation *findRounded(Operation *op) {
  if (!isElementwise(op))
    return op;
  Value yielded = op->getRegion(0).front().getTerminator()->getOperand(0);
  auto rounding = yielded.getDefiningOp<arith::TruncFOp>();
  bool isRounded = rounding && isa<BlockArgument>(rounding.getIn());
  return isRounded ? op->getOperand(0).getDefiningOp() : op;
}

/// Whether a structured op reads one place of a dimension.
bool readsParts(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured &&
         llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
           auto type = dyn_cast<RankedTensorType>(operand.get().getType());
           AffineMap map = structured.getMatchingIndexingMap(&operand);
           return type &&
                  llvm::any_of(llvm::enumerate(map.getResults()),
                               [&](auto each) {
                                 return isa<AffineConstantExpr>(each.value()) &&
                                        type.getDimSize(each.index()) > 1;
                               });
         });
}

/// Whether `value` is a sum or a difference behind rows in another order, or a
/// row of which parts were turned.
bool mayBeRope(Value value, ArrayRef<Value> sources) {
  Operation *op = findRounded(value.getDefiningOp());
  if (!op)
    return false;
  // What joins no elements of rows comes after what has joined them.
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  bool isJoint =
      isConcatenation(op) ||
      (collapse && collapse.getReassociationIndices().back().size() > 1);
  if (!isJoint &&
      !(isElementwise(op) && hasInBody<arith::AddFOp, arith::SubFOp>(op)))
    return false;
  auto has = [&](auto predicate) {
    return predicate(op) || llvm::any_of(sources, [&](Value source) {
             Operation *def = source.getDefiningOp();
             return def && predicate(def);
           });
  };
  // Parts of complex numbers are extracted, or slices by their maps.
  auto takesParts = [](Operation *def) {
    return isa<tensor::ExtractSliceOp>(def) ||
           hasInBody<tensor::ExtractOp>(def) || readsParts(def);
  };
  return has(takesParts) &&
         has([](Operation *def) { return hasInBody<arith::MulFOp>(def); }) &&
         (isJoint ? has([](Operation *def) {
           return hasInBody<arith::SubFOp, arith::NegFOp>(def);
         })
                  : has(isConcatenation));
}

/// Rows that are viewed as heads and these as complex numbers get a name
/// between, which the input of a rotation needs: the two views were made one.
void splitComplexViews(Operation *root) {
  SmallVector<tensor::ExpandShapeOp> views;
  root->walk([&](tensor::ExpandShapeOp view) {
    if (view.getResultType().getShape().back() == 2 &&
        view.getReassociationIndices().back().size() > 2)
      views.push_back(view);
  });
  for (tensor::ExpandShapeOp view : views) {
    SmallVector<int64_t> shape(view.getResultType().getShape());
    SmallVector<OpFoldResult> sizes = view.getMixedOutputShape();
    if (ShapedType::isDynamic(shape.end()[-2]))
      continue;
    auto heads = view.getReassociationIndices();
    heads.back().pop_back();
    SmallVector<ReassociationIndices> pairs;
    for (int64_t dim = 0, rank = shape.size() - 1; dim < rank; ++dim)
      pairs.push_back({dim});
    pairs.back().push_back(shape.size() - 1);
    shape.pop_back();
    sizes.pop_back();
    shape.back() *= 2;
    OpBuilder builder(view);
    sizes.back() = builder.getIndexAttr(shape.back());
    Value rows = tensor::ExpandShapeOp::create(
        builder, view.getLoc(), view.getResultType().clone(shape),
        view.getSrc(), heads, sizes);
    view.replaceAllUsesWith(tensor::ExpandShapeOp::create(
                                builder, view.getLoc(), view.getResultType(),
                                rows, pairs, view.getMixedOutputShape())
                                .getResult());
    view.erase();
  }
}

class RaiseRopePass : public impl::RaiseRopePassBase<RaiseRopePass> {
public:
  void runOnOperation() override {
    splitComplexViews(getOperation());
    visitFromLast(getOperation(), [&](Operation *op) {
      if (op->getNumResults() == 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()) &&
          !partsOfOthers.contains(op->getResult(0)))
        raise(op->getResult(0));
    });
  }

private:
  void raise(Value result);
  void replace(Value result, Value input, const RopeReading &rope,
               StringRef whyTables);

  llvm::DenseSet<Value> partsOfOthers; // of what is nearly a rotation
};

void RaiseRopePass::replace(Value result, Value input, const RopeReading &rope,
                            StringRef whyTables) {
  std::string text = stringifyPairLayout(rope.pairs).str();
  if (rope.cosines)
    text += (" with its cosines and sines as tables: " + whyTables).str();
  Remark(RemarkId::RaisedToRope, {{"pairs", text}}).emit(result.getLoc());
  replaceByRope(result, input, rope);
  result.getDefiningOp()->erase();
}

void RaiseRopePass::raise(Value result) {
  SmallVector<Value> sources = findSources(result, maxSources);
  if (!hasBlockElements(result) || !mayBeRope(result, sources))
    return;
  Rejection why, whyNoTables;
  auto raiseBy = [&](bool (*read)(Value, Value, RopeReading &, Rejection &),
                     Rejection &rejection, bool fromNeighbours) {
    for (Value input : llvm::reverse(sources)) {
      RopeReading rope;
      rope.fromNeighbours = fromNeighbours;
      if (input.getType() == result.getType() &&
          read(result, input, rope, rejection)) {
        replace(result, input, rope, why.reason);
        return true;
      }
    }
    return false;
  };
  if (raiseBy(readRope, why, false) ||
      raiseBy(readRopeTables, whyNoTables, false))
    return;
  // DeepSeek's: neighbours become halves on the way.
  Rejection ignored;
  if (isConcatenation(result.getDefiningOp()) &&
      (raiseBy(readRope, ignored, true) ||
       raiseBy(readRopeTables, ignored, true)))
    return;
  if (whyNoTables.progress >= 2)
    why = whyNoTables;
  // What is rounded may be one in its own type.
  if (why.progress < 2 ||
      findRounded(result.getDefiningOp()) != result.getDefiningOp())
    return;
  explain(result.getDefiningOp(),
          Remark(RemarkId::RopeNotRaised, {{"reason", why.reason}}));
  partsOfOthers.insert_range(sources);
}

} // namespace
} // namespace attn::raise
