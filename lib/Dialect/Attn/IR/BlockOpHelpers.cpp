//===- BlockOpHelpers.cpp - Shared by the block's ops -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

#include "attn/Dialect/Attn/IR/BlockOpInterface.cpp.inc"
#include "attn/Dialect/Attn/IR/ScheduledOpInterface.cpp.inc"

void attn::addDestinationEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult
attn::reifyDestinationShapes(DestinationStyleOpInterface op, OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  for (Value output : op.getDpsInits()) {
    if (!isa<RankedTensorType>(output.getType()))
      return failure();
    shapes.push_back(tensor::getMixedSizes(builder, op.getLoc(), output));
  }
  return success();
}

LogicalResult attn::verifyOperandKinds(DestinationStyleOpInterface op,
                                       StringRef label) {
  bool tensors = isa<RankedTensorType>(op.getDpsInits()[0].getType());
  for (Type type : op->getOperandTypes()) {
    bool fits = tensors ? isa<RankedTensorType>(type) : isa<MemRefType>(type);
    if (isa<ShapedType>(type) && !fits)
      return op->emitOpError(label)
             << ": operands must be all ranked tensors or all memrefs";
  }
  if (op->getNumResults() != (tensors ? op.getNumDpsInits() : 0))
    return op->emitOpError(label)
           << ": an op on tensors has a result, one on memrefs has none";
  for (OpResult result : op->getResults())
    if (result.getType() != op.getTiedOpOperand(result)->get().getType())
      return op->emitOpError(label)
             << ": the result must have its destination's type";
  return success();
}

LogicalResult attn::verifyExtents(BlockOpInterface op, StringRef label) {
  llvm::SmallDenseMap<unsigned, int64_t> extents;
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getShapedMaps())) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!map || !type)
      continue;
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), type.getShape())) {
      if (ShapedType::isDynamic(size))
        continue;
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      auto [known, isNew] = extents.try_emplace(dim, size);
      if (!isNew && known->second != size)
        return op->emitOpError(label)
               << ": operands disagree on a size: " << known->second << " and "
               << size;
    }
  }
  return success();
}

bool attn::isBlockFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

FloatType attn::getSumType(Type type) {
  if (getElementTypeOrSelf(type).isF64())
    return Float64Type::get(type.getContext());
  return Float32Type::get(type.getContext());
}
