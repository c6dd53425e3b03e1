//===- TileShape.cpp - What the memref tile ops have in common ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileShape.h"

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Dialect/Attn/IR/Target.h"

using namespace mlir;
using namespace attn;

FailureOr<TileShape> attn::getTileShape(AttentionOpInterface op,
                                        PatternRewriter &rewriter) {
  if (!isa<MemRefType>(op.getShapedInputs()[0].getType()))
    return rewriter.notifyMatchFailure(op, "operands are not memrefs");
  auto schedule = op->getAttrOfType<ScheduleAttr>("schedule");
  if (!schedule)
    return rewriter.notifyMatchFailure(op, "the op has no schedule");
  TileShape shape;
  shape.tile = {op.getComputeType(),
                schedule.getLanes(),
                schedule.getMr(),
                schedule.getNr(),
                schedule.getInstruction(),
                schedule.getParts(),
                areHalves(schedule.getParts(), op.getShapedInputs().back())};
  shape.rows = schedule.getRows();
  shape.keys = schedule.getKeys();
  shape.operands = schedule.getOperands();
  shape.sumRounded = schedule.getSumRounded();
  return shape;
}

LogicalResult attn::checkInstruction(AttentionOpInterface op,
                                     const TargetDescription &target,
                                     PatternRewriter &rewriter) {
  auto schedule = op->getAttrOfType<ScheduleAttr>("schedule");
  if (!schedule || canMultiply(target, schedule.getInstruction()))
    return success();
  return rewriter.notifyMatchFailure(
      op, "the target has no instruction " +
              stringifyInstruction(schedule.getInstruction()) +
              ", which its schedule asks for");
}

LogicalResult attn::checkTileDims(AttentionOpInterface op,
                                  const TileShape &shape, Value state,
                                  PatternRewriter &rewriter) {
  int64_t size = cast<MemRefType>(state.getType()).getDimSize(0);
  if (!shape.tile.isOfTiles() ||
      (!ShapedType::isDynamic(size) && size >= kTileRows))
    return success();
  return rewriter.notifyMatchFailure(
      op, "its heads do not fill the tiles, which its schedule asks for");
}

bool attn::isStateTile(Value memref, const TileShape &shape) {
  auto type = cast<MemRefType>(memref.getType());
  return hasUnitInnerStride(memref) && type.getShape().back() == shape.rows &&
         type.getElementType() == shape.tile.element;
}
