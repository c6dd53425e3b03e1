//===- VectorizeElementwise.cpp - Elementwise ops on vectors of a row -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Target/TargetDescription.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace attn {
#define GEN_PASS_DEF_VECTORIZEELEMENTWISEPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The dimension that vectors lie along.
unsigned getVectorDim(linalg::GenericOp op) { return op.getNumLoops() - 1; }

/// Whether vectors can hold elements of this type.
bool isVectorElement(Type type) {
  return (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 64) ||
         type.isIntOrIndex();
}

/// Whether each lane may do this op on its own, also where its result is not
/// used.
bool isLaneOp(Operation &op) {
  if (isa<arith::ConstantOp, linalg::IndexOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(&op) && isSpeculatable(&op) &&
         isMemoryEffectFree(&op) && op.getNumResults() == 1 &&
         llvm::all_of(op.getResultTypes(), isVectorElement);
}

/// Whether rows of the operand are contiguous, or it has one element per row.
bool isRowOperand(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return false;
  Type element = type.getElementType();
  if (!map.isProjectedPermutation() || !isVectorElement(element) ||
      element.isInteger(1))
    return false;
  if (!map.isFunctionOfDim(getVectorDim(op)))
    return !op.isDpsInit(&operand);
  return map.getResults().back() ==
             getAffineDimExpr(getVectorDim(op), op.getContext()) &&
         type.isLastDimUnitStride();
}

bool canVectorize(linalg::GenericOp op) {
  return op.hasPureBufferSemantics() && op.getNumLoops() > 0 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(
             op->getOpOperands(),
             [&](OpOperand &operand) { return isRowOperand(op, operand); }) &&
         llvm::all_of(op.getBody()->without_terminator(), isLaneOp);
}

/// Emits the loops of one op.
class ElementwiseEmitter {
public:
  ElementwiseEmitter(OpBuilder &builder, linalg::GenericOp op, int64_t bits)
      : builder(builder), loc(op.getLoc()), op(op) {
    int64_t widest = 32;
    auto note = [&](Type type) {
      if (!type.isIndex())
        widest = std::max<int64_t>(widest, type.getIntOrFloatBitWidth());
    };
    op.getBody()->walk([&](Operation *inner) {
      llvm::for_each(inner->getResultTypes(), note);
    });
    llvm::for_each(op.getBody()->getArgumentTypes(), note);
    lanes = bits / widest;
  }

  void emit() {
    broadcastCaptures();
    auto structured = cast<linalg::LinalgOp>(op.getOperation());
    Value zero = index(0), one = index(1);
    SmallVector<Value> sizes;
    for (OpFoldResult size :
         llvm::map_range(structured.createLoopRanges(builder, loc),
                         [](const Range &range) { return range.size; }))
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    for (Value size : ArrayRef(sizes).drop_back())
      indices.push_back(enter(zero, size, one));
    emitRow(sizes.back());
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// A loop whose body is written next; returns its variable.
  Value enter(Value low, Value high, Value step) {
    auto loop = scf::ForOp::create(builder, loc, low, high, step);
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }
  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(
        builder, loc, VectorType::get(lanes, scalar.getType()), scalar);
  }

  void broadcastCaptures();
  void emitRow(Value size);
  /// One vector; only the lanes that `mask` selects, if there is one.
  void emitVector(Value column, Value mask);
  Value load(OpOperand &operand, Value mask);
  void store(OpOperand &operand, Value value, Value mask);
  Value emitLaneOp(Operation &inner, IRMapping &values);
  SmallVector<Value> getIndices(OpOperand &operand);

  OpBuilder &builder;
  Location loc;
  linalg::GenericOp op;
  int64_t lanes;
  /// Values from outside of the body, as vectors.
  IRMapping captures;
  /// Of all dimensions; the last is that of the first lane.
  SmallVector<Value> indices;
};

void ElementwiseEmitter::broadcastCaptures() {
  for (Operation &inner : op.getBody()->without_terminator())
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBody() &&
          !captures.contains(operand))
        captures.map(operand, broadcast(operand));
  for (Value result : op.getBody()->getTerminator()->getOperands())
    if (result.getParentBlock() != op.getBody() && !captures.contains(result))
      captures.map(result, broadcast(result));
}

void ElementwiseEmitter::emitRow(Value size) {
  Value step = index(lanes);
  // Vectors that are full, then one of the rest.
  Value rest = arith::RemUIOp::create(builder, loc, size, step);
  Value full = arith::SubIOp::create(builder, loc, size, rest);
  indices.push_back(Value());
  OpBuilder::InsertPoint row = builder.saveInsertionPoint();
  emitVector(enter(index(0), full, step), Value());
  builder.restoreInsertionPoint(row);
  IntegerAttr known;
  if (matchPattern(size, m_Constant(&known)) && known.getInt() % lanes == 0)
    return;
  Value column = enter(full, size, step);
  Value mask = vector::CreateMaskOp::create(
      builder, loc, VectorType::get(lanes, builder.getI1Type()), rest);
  emitVector(column, mask);
}

SmallVector<Value> ElementwiseEmitter::getIndices(OpOperand &operand) {
  SmallVector<Value> result;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    result.push_back(indices[cast<AffineDimExpr>(expr).getPosition()]);
  return result;
}

Value ElementwiseEmitter::load(OpOperand &operand, Value mask) {
  SmallVector<Value> at = getIndices(operand);
  Value memref = operand.get();
  if (!op.getMatchingIndexingMap(&operand).isFunctionOfDim(getVectorDim(op)))
    return broadcast(memref::LoadOp::create(builder, loc, memref, at));
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto type = VectorType::get(lanes, element);
  if (!mask)
    return vector::LoadOp::create(builder, loc, type, memref, at);
  Value zeros =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, memref, at, mask,
                                      zeros);
}

void ElementwiseEmitter::store(OpOperand &operand, Value value, Value mask) {
  SmallVector<Value> at = getIndices(operand);
  if (mask)
    vector::MaskedStoreOp::create(builder, loc, operand.get(), at, mask, value);
  else
    vector::StoreOp::create(builder, loc, value, operand.get(), at);
}

Value ElementwiseEmitter::emitLaneOp(Operation &inner, IRMapping &values) {
  if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
    auto type = VectorType::get(lanes, constant.getType());
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, Attribute(constant.getValue())));
  }
  if (auto position = dyn_cast<linalg::IndexOp>(inner)) {
    Value first = broadcast(indices[position.getDim()]);
    if (position.getDim() != getVectorDim(op))
      return first;
    Value steps = vector::StepOp::create(
        builder, loc, VectorType::get(lanes, builder.getIndexType()));
    return arith::AddIOp::create(builder, loc, first, steps);
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      inner.getOperands(), [&](Value v) { return values.lookup(v); });
  SmallVector<Type> types =
      llvm::map_to_vector(inner.getResultTypes(), [&](Type type) -> Type {
        return VectorType::get(lanes, type);
      });
  return builder
      .create(inner.getLoc(), inner.getName().getIdentifier(), operands, types,
              inner.getAttrs())
      ->getResult(0);
}

void ElementwiseEmitter::emitVector(Value column, Value mask) {
  indices.back() = column;
  IRMapping values(captures);
  for (OpOperand &operand : op->getOpOperands()) {
    Value argument = op.getMatchingBlockArgument(&operand);
    if (!argument.use_empty())
      values.map(argument, load(operand, mask));
  }
  for (Operation &inner : op.getBody()->without_terminator())
    values.map(inner.getResult(0), emitLaneOp(inner, values));
  for (auto [output, result] :
       llvm::zip_equal(op.getDpsInitsMutable(),
                       op.getBody()->getTerminator()->getOperands()))
    store(output, values.lookup(result), mask);
}

struct VectorizeElementwisePass
    : impl::VectorizeElementwisePassBase<VectorizeElementwisePass> {
  using VectorizeElementwisePassBase::VectorizeElementwisePassBase;

  void runOnOperation() override {
    llvm::Expected<TargetDescription> description =
        parseTargetDescription(target);
    if (!description) {
      emitError(getOperation()->getLoc())
          << llvm::toString(description.takeError());
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (canVectorize(op))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      OpBuilder builder(op);
      ElementwiseEmitter(builder, op, description->vectorBits).emit();
      op.erase();
    }
  }
};

} // namespace
} // namespace attn
