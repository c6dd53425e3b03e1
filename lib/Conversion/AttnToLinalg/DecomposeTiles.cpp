//===- DecomposeTiles.cpp - Tile ops as structured ops --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States and packed queries have a static bound of rows, of which a tile may
// fill less.
//
//===----------------------------------------------------------------------===//

#include "ScoreTensors.h"
#include "SoftmaxState.h"

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// What decomposition needs of a tile, beyond being verified.
static LogicalResult checkTile(RewriterBase &rewriter,
                               AttentionOpInterface op) {
  if (!isa<RankedTensorType>(op.getShapedInputs()[0].getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  if (!op.getProbeKinds().empty())
    return rewriter.notifyMatchFailure(
        op,
        "the statistics of a tile have no form in linalg; a whole attention "
        "has probes");
  if (findCountedSegments(op))
    return rewriter.notifyMatchFailure(
        op, "n counts positions within a segment, and a tile of keys does not "
            "tell where the segment starts");
  return success();
}

/// The operands that have a map, in order, with those maps.
static SmallVector<MappedTensor> getInputs(AttentionOpInterface op) {
  SmallVector<MappedTensor> inputs;
  for (auto [i, input] : llvm::enumerate(op.getShapedInputs()))
    inputs.push_back({input, op.getInputMap(i)});
  return inputs;
}

static SmallVector<MappedTensor> getOutputs(AttentionOpInterface op) {
  SmallVector<MappedTensor> outputs;
  for (auto [i, output] : llvm::enumerate(op.getShapedOutputs()))
    outputs.push_back({output, op.getOutputMap(i)});
  return outputs;
}

/// The size of `operand` along iteration dimension `dim`, which indexes it.
static OpFoldResult getSizeAlong(OpBuilder &builder, Location loc,
                                 MappedTensor operand, unsigned dim) {
  std::optional<unsigned> axis = operand.map.getResultPosition(
      getAffineDimExpr(dim, operand.map.getContext()));
  return tensor::getMixedSize(builder, loc, operand.tensor, *axis);
}

/// Puts `part`, which createPart took out of `whole`, back into it.
static Value createInserted(OpBuilder &builder, Location loc, Value part,
                            Value whole) {
  if (part.getType() == whole.getType())
    return part;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, part);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(builder, loc, part, whole, offsets,
                                       sizes, strides);
}

//===----------------------------------------------------------------------===//
// attn.online_attention
//===----------------------------------------------------------------------===//

LogicalResult attn::decompose(RewriterBase &rewriter,
                              OnlineAttentionOp online) {
  auto op = cast<AttentionOpInterface>(online.getOperation());
  if (failed(checkTile(rewriter, op)))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  // A packed query has the state's bound of rows, and all of them are updated;
  // another one has just the tile's rows.
  IterationBuilder iterations(rewriter, op);
  SmallVector<MappedTensor> inputs = getInputs(op), whole = getOutputs(op),
                            part;
  OpFoldResult rows = iterations.getSize(op.getRowDim());
  for (const MappedTensor &state : whole)
    part.push_back(getSizeAlong(rewriter, op.getLoc(), state, op.getRowDim()) ==
                           rows
                       ? state
                       : iterations.createPart(state));

  MappedTensor query = online.getPacked()
                           ? inputs[0]
                           : createLoaded(iterations, LoadedRows::Query);
  MappedTensor key = createLoaded(iterations, LoadedRows::Key);
  ScoreTensors scores = createScores(iterations, query, key, Units::Log2);
  SoftmaxState state =
      createUpdate(iterations, {part[0], part[1], part[2], Units::Log2, {}},
                   scores, inputs[2], /*fresh=*/false);
  SmallVector<Value> results = {state.acc.tensor, state.max.tensor,
                                state.sum.tensor};
  for (auto [result, old] : llvm::zip_equal(results, whole))
    result = createInserted(rewriter, op.getLoc(), result, old.tensor);
  rewriter.replaceOp(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// attn.pack_query
//===----------------------------------------------------------------------===//

/// lambda_i for each row of the output; rows past the last repeat it.
static Value createScales(IterationBuilder &iterations, MappedTensor output,
                          Value lastRow) {
  unsigned m = iterations.getOp().getRowDim();
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    ScoreEmitter emitter = iterations.createEmitter(at);
    Value row = at.lanes.min(at.getIndex(m), lastRow);
    return {emitter.emitScale(emitter.prepareRow(at.getBatch(), row))};
  };
  return iterations.create(iterations.withBatch({m}), {}, output, body)[0]
      .tensor;
}

LogicalResult attn::decompose(RewriterBase &rewriter, PackQueryOp pack) {
  auto op = cast<AttentionOpInterface>(pack.getOperation());
  if (failed(checkTile(rewriter, op)))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  unsigned m = op.getRowDim(), d = op.getHeadDimDim();
  Location loc = op.getLoc();
  IterationBuilder iterations(rewriter, op);
  MappedTensor query = createLoaded(iterations, LoadedRows::Query);
  SmallVector<MappedTensor> outputs = getOutputs(op);
  Value rows =
      getValueOrCreateConstantIndexOp(rewriter, loc, iterations.getSize(m));
  Value lastRow = arith::SubIOp::create(
      rewriter, loc, rows, arith::ConstantIndexOp::create(rewriter, loc, 1));
  // From here on the rows are the output's.
  iterations.setSize(m, getSizeAlong(rewriter, loc, outputs[0], m));
  Value scales = createScales(iterations, outputs[1], lastRow);
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    ScoreIndices where{at.getBatch(), lanes.min(at.getIndex(m), lastRow), {}};
    Value element = iterations.loadElement(lanes, query, where, at.getIndex(d));
    return {lanes.toFloatLanes(element)};
  };
  MappedTensor packed =
      iterations.create(iterations.withBatch({d, m}), {}, outputs[0], body)[0];
  rewriter.replaceOp(op, {packed.tensor, scales});
  return success();
}

//===----------------------------------------------------------------------===//
// attn.finalize
//===----------------------------------------------------------------------===//

LogicalResult attn::decompose(RewriterBase &rewriter, FinalizeOp finalize) {
  auto op = cast<AttentionOpInterface>(finalize.getOperation());
  if (failed(checkTile(rewriter, op)))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  IterationBuilder iterations(rewriter, op);
  SmallVector<MappedTensor> outputs = getOutputs(op), part;
  iterations.setSize(op.getRowDim(), getSizeAlong(rewriter, op.getLoc(),
                                                  outputs[0], op.getRowDim()));
  for (const MappedTensor &state : getInputs(op))
    part.push_back(iterations.createPart(state));
  SoftmaxState state = {part[0], part[1], part[2], Units::Log2, {}};
  rewriter.replaceOp(op, createResults(iterations, state, outputs));
  return success();
}
