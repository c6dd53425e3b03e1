//===- ScheduleOnOp.cpp - What a schedule asks of the op that has it ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionVerifier.h"
#include "OpHelpers.h"
#include "ScheduleKind.h"

#include "attn/Dialect/Attn/IR/Instructions.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// The sizes of dimension `dim` in the inputs.
static SmallVector<int64_t> getInputSizes(AttentionOpInterface op,
                                          unsigned dim) {
  SmallVector<int64_t> sizes;
  for (auto [value, map] : llvm::zip(op.getShapedInputs(), op.getMaps()))
    for (auto [expr, size] : llvm::zip_equal(
             map.getResults(), cast<ShapedType>(value.getType()).getShape()))
      if (expr.isFunctionOfDim(dim))
        sizes.push_back(size);
  return sizes;
}

/// Code is made for heads of a known size, at most `most` for this kind of
/// schedule.
static LogicalResult verifyHeads(AttentionOp whole, int64_t most,
                                 StringRef kind, EmitDiagnostic emitError) {
  auto op = cast<AttentionOpInterface>(whole.getOperation());
  for (unsigned dim : {op.getHeadDimDim(), op.getValueDim()})
    for (int64_t size : getInputSizes(op, dim)) {
      if (ShapedType::isDynamic(size) || size == 0)
        return emitError() << "a schedule takes heads of a static size of at "
                              "least 1: without one the op takes the portable "
                              "path";
      if (size > most)
        return emitError() << "a schedule " << kind
                           << " takes heads of a size of at most " << most
                           << ", found " << size;
    }
  return success();
}

/// What the fast path needs that a schedule was not chosen for.
static LogicalResult verifyNeeds(AttentionOp op, bool splitsKeys,
                                 EmitDiagnostic emitError) {
  if (hasGroupedParam(op))
    return emitError() << "a schedule takes no param that several rows or keys "
                          "share an element of: without one the op takes the "
                          "portable path";
  if (!splitsKeys)
    return success();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  MLIRContext *context = op.getContext();
  auto isLast = [&](unsigned input, unsigned dim) {
    return self.getInputMap(input).getResults().back() ==
           getAffineDimExpr(dim, context);
  };
  if (!isLast(1, op.getHeadDimDim()) || !isLast(2, op.getValueDim()))
    return emitError() << "a schedule with splitKeys takes keys and values "
                          "whose elements are their last dimension";
  for (auto [size, expr] :
       llvm::zip(cast<ShapedType>(op.getQuery().getType()).getShape(),
                 self.getInputMap(0).getResults()))
    if (expr == getAffineDimExpr(op.getRowDim(), context) &&
        (ShapedType::isDynamic(size) || size == 0))
      return emitError() << "a schedule with splitKeys takes a known number of "
                            "rows, and at least one";
  if (hasOddHeadGroup(op))
    return emitError() << "a schedule with splitKeys takes params whose groups "
                          "of heads are cut where the key heads are";
  if (countsWithinSegments(op))
    return emitError() << "a schedule with splitKeys takes no scale with n = "
                          "position beside #attn.segment_ids";
  return success();
}

LogicalResult attn::verifySchedule(ScheduledOpInterface op) {
  ScheduleAttrInterface schedule = op.getScheduleAttr();
  return schedule ? schedule.verifyOn(op) : success();
}

// attention_c17
LogicalResult ScheduleAttr::verifyOn(Operation *carrier) const {
  if (failed(verifyKind<AttentionOpInterface>(carrier, getMnemonic())))
    return failure();
  auto emitError = [&] { return carrier->emitOpError("attention_c17: "); };
  auto op = cast<AttentionOpInterface>(carrier);
  Type compute = op.getComputeType();
  if (getOperands() && getOperands() != compute)
    return emitError() << "the schedule's operands must be " << compute
                       << ", the type that products accumulate in, found "
                       << getOperands();
  if (failed(verifyInstructionOn(op, getInstruction(), getParts(), emitError)))
    return failure();
  // A tile has been cut from an op that was checked.
  auto whole = dyn_cast<AttentionOp>(carrier);
  if (!whole)
    return success();
  if (getSumRounded() && whole.getOutputs().size() > 1)
    return emitError() << "a schedule with sumRounded takes an attention "
                          "without lse and probes";
  if (failed(verifyPartsOn(whole, getParts(), emitError)))
    return failure();
  bool splitsKeys = getSplitKeys() != 0;
  if (failed(verifyHeads(whole, splitsKeys ? kMostSplitHeadDim : kMostIndices,
                         splitsKeys ? "with splitKeys" : "of a CPU",
                         emitError)))
    return failure();
  return verifyNeeds(whole, splitsKeys, emitError);
}

// attention_c17
LogicalResult GPUAttentionAttr::verifyOn(Operation *carrier) const {
  if (failed(verifyKind<AttentionOp>(carrier, getMnemonic())))
    return failure();
  auto emitError = [&] { return carrier->emitOpError("attention_c17: "); };
  return verifyHeads(cast<AttentionOp>(carrier), kMostFragmentHeadDim,
                     "of a GPU", emitError);
}

LogicalResult GPUProductAttr::verifyOn(Operation *carrier) const {
  return verifyKind<LinearOp>(carrier, getMnemonic());
}

LogicalResult GPUDotsAttr::verifyOn(Operation *carrier) const {
  return verifyKind<LinearOp>(carrier, getMnemonic());
}

// linear_c7, linear_c8. Sums that wait between steps, because the output is
// narrower or the unit goes on from them, stand in scratch.
LogicalResult ContractionScheduleAttr::verifyOn(Operation *carrier) const {
  if (failed(verifyKind<LinearOp>(carrier, getMnemonic())))
    return failure();
  auto op = cast<LinearOp>(carrier);
  Type element = getElementTypeOrSelf(op.getInput().getType());
  if (!multiplies(getInstruction(), element, getParts()))
    return op.emitOpError("linear_c8: instruction ")
           << stringifyInstruction(getInstruction()) << " multiplies "
           << describeOperands(getInstruction(), getParts())
           << ", and the operands are " << element;
  if (failed(verifyPartsOn(op, getParts(),
                           [&] { return op.emitOpError("linear_c8: "); })))
    return failure();
  if (getTurned() && op.getWeightLayout() != WeightLayout::OutIn)
    return op.emitOpError("linear_c8: a turned schedule takes weight(out_in), "
                          "whose columns it reads where they lie");
  int64_t depth = cast<ShapedType>(op.getInput().getType()).getShape().back();
  bool areStreamed = takesTiles(getInstruction()) &&
                     getRows() <= kMostStreamedRows &&
                     op.getWeightLayout() == WeightLayout::InOut;
  bool areStored =
      getElementTypeOrSelf(op.getOutput().getType()) == op.getComputeType();
  if ((areStored && !areStreamed) ||
      (!ShapedType::isDynamic(depth) && depth <= getDepth()))
    return success();
  auto emitError = [&] {
    return op.emitOpError("linear_c7: where a block's sums wait for the next "
                          "terms in scratch, ");
  };
  return verifyProduct(emitError, "rows * panels * nr * lanes",
                       {getRows(), getPanels(), getNr(), getLanes()},
                       kMostScratchNumbers);
}

// norm_c14
LogicalResult NormScheduleAttr::verifyOn(Operation *carrier) const {
  if (failed(verifyKind<NormOp>(carrier, getMnemonic())))
    return failure();
  auto op = cast<NormOp>(carrier);
  bool hasPanel = getPanel() != 0;
  int64_t numAxes = op.getAxes().size();
  bool areLast = op.getAxes().front() == op.getRank() - numAxes;
  if (hasPanel && areLast)
    return op.emitOpError("norm_c14: the axes are the last dimensions, whose "
                          "schedule has no panel: leave out panel and chunk, "
                          "or the schedule, and one is chosen");
  if (!hasPanel && !areLast)
    return op.emitOpError("norm_c14: the axes are not the last dimensions, so "
                          "the schedule needs a panel: give one, or no "
                          "schedule, and one is chosen");
  return success();
}

LogicalResult PositionScheduleAttr::verifyOn(Operation *op) const {
  return verifyKind<RopeOp, SinusoidalPositionsOp>(op, getMnemonic());
}

LogicalResult SoftmaxScheduleAttr::verifyOn(Operation *op) const {
  return verifyKind<SoftmaxOp>(op, getMnemonic());
}

// statistics_c5
LogicalResult StatisticsScheduleAttr::verifyOn(Operation *op) const {
  if (failed(verifyKind<StatisticsOp>(op, getMnemonic())))
    return failure();
  if (cast<StatisticsOp>(op).reducesLastDims())
    return success();
  return op->emitOpError("statistics_c5: the axes of an op with a schedule are "
                         "the last dimensions: without one others are reduced "
                         "on the portable path");
}
