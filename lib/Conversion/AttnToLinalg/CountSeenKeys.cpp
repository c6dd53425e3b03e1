//===- CountSeenKeys.cpp - n = seen, counted ahead of the attention -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scale comes before the first score, so what a row sees is counted in a
// pass of its own, over the masks alone: once for all heads that share them. No
// kernel knows of it; to them n is a position that is given.
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "attn/Conversion/Passes.h"
#include "attn/Remarks/Remarks.h"

#include "IterationBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {
#define GEN_PASS_DEF_COUNTSEENKEYSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

static bool usesPositions(Attribute mask) {
  return cast<PolicyAttrInterface>(mask).usesPositions();
}

/// Another source of n that is the same number, where no key has to be looked
/// at.
static std::optional<LengthKind> findKnownLength(AttentionOp op) {
  auto isRange = [](Attribute mask) {
    return cast<MaskAttrInterface>(mask).isRange();
  };
  if (!llvm::all_of(op.getMasks(), isRange))
    return std::nullopt;
  // Without positions a range is the batch's keys.
  return llvm::any_of(op.getMasks(), usesPositions) ? LengthKind::Visible
                                                    : LengthKind::Keys;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

namespace {
/// The params of the masks that are tensors, as inputs of a structured op.
struct MaskParams {
  SmallVector<MappedTensor> inputs;
  /// The input that each of these params is.
  llvm::SmallDenseMap<unsigned, unsigned> numbers;
};
} // namespace

static MaskParams collectParams(AttentionOpInterface op) {
  MaskParams params;
  for (unsigned mask = 0, e = op.getMasks().size(); mask < e; ++mask) {
    ParamRange range = op.getMaskParams(mask);
    for (unsigned i = range.first; i < range.first + range.count; ++i)
      if (isa<RankedTensorType>(op.getParams()[i].getType())) {
        params.numbers[i] = params.inputs.size();
        params.inputs.push_back({op.getParams()[i], op.getParamMap(i)});
      }
  }
  return params;
}

/// The dimensions that what a row sees depends on.
static SmallVector<unsigned> getCountedDims(AttentionOpInterface op,
                                            const MaskParams &params) {
  bool byPosition = llvm::any_of(op.getMasks(), usesPositions);
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim <= op.getRowDim(); ++dim) {
    auto varies = [&](const MappedTensor &input) {
      return input.map.isFunctionOfDim(dim);
    };
    if ((byPosition && dim == op.getRowDim()) ||
        llvm::any_of(params.inputs, varies))
      dims.push_back(dim);
  }
  return dims;
}

/// The number of keys that each row sees, less 1.
static MappedTensor createCounts(IterationBuilder &iterations) {
  AttentionOpInterface op = iterations.getOp();
  unsigned m = op.getRowDim(), n = op.getKeyDim();
  OpBuilder &builder = iterations.getBuilder();
  MaskParams params = collectParams(op);
  SmallVector<unsigned> dims = getCountedDims(op, params);
  MappedTensor init =
      iterations.createFilled(dims, builder.getI32IntegerAttr(-1));
  // Keys are looped over also where no mask is stored by key.
  SmallVector<MappedTensor> inputs = params.inputs;
  inputs.push_back(iterations.createEmpty({n}, builder.getI1Type()));
  unsigned countAt = inputs.size();
  dims.push_back(n);
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    auto load = [&](unsigned index, const ScoreIndices &) {
      auto number = params.numbers.find(index);
      return toLanes(lanes, getParamElement(op, index),
                     number == params.numbers.end() ? op.getParams()[index]
                                                    : at[number->second]);
    };
    SmallVector<Value> sizes;
    for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
      sizes.push_back(iterations.getProblemSize(dim));
    ScoreEmitter emitter(lanes, op, sizes, load);
    Value visible =
        emitter.emitVisible(emitter.prepareRow(at.getBatch(), at.getIndex(m)),
                            emitter.prepareColumn(at.getIndex(n)));
    OpBuilder &b = lanes.getBuilder();
    Value one =
        arith::ExtUIOp::create(b, lanes.getLoc(), b.getI32Type(), visible);
    return {arith::AddIOp::create(b, lanes.getLoc(), at[countAt], one)};
  };
  return iterations.create(dims, inputs, init, body)[0];
}

void attn::countSeenKeys(RewriterBase &rewriter, AttentionOp op) {
  LengthAttr length = op.getScale().getLength();
  if (!length || length.getKind() != LengthKind::Seen ||
      !isa<RankedTensorType>(op.getQuery().getType()))
    return;
  if (std::optional<LengthKind> known = findKnownLength(op))
    return rewriter.modifyOpInPlace(
        op, [&] { op.setScaleAttr(withLength(op.getScale(), *known)); });
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto self = cast<AttentionOpInterface>(op.getOperation());
  IterationBuilder iterations(rewriter, self);
  MappedTensor counts = createCounts(iterations);
  // The position is the last param of the scale.
  unsigned param = self.getScaleParams().count;
  SmallVector<Value> params(op.getParams());
  params.insert(params.begin() + param, counts.tensor);
  SmallVector<AffineMap> maps = self.getMaps();
  maps.insert(maps.begin() + self.getShapedInputs().size() + param, counts.map);
  rewriter.modifyOpInPlace(op, [&] {
    op.setScaleAttr(withLength(op.getScale(), LengthKind::PositionOperand));
    op.getParamsMutable().assign(params);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  Remark(RemarkId::SeenKeysCounted).emit(op.getLoc());
}

namespace {

struct CountSeenKeysPass
    : public attn::impl::CountSeenKeysPassBase<CountSeenKeysPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](AttentionOp op) { countSeenKeys(rewriter, op); });
  }
};

} // namespace
