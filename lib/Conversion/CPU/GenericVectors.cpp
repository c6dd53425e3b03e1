//===- GenericVectors.cpp - Bodies of structured ops on vectors -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericVectors.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"
#include "PairedHalves.h"

#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

/// How far ahead memory is asked for; 512 to 2048 do as well.
static constexpr int64_t kPrefetchBytes = 1024;
/// The same of tensors that no cache holds, into the second cache.
static constexpr int64_t kStreamPrefetchBytes = 4096;

/// What memory is asked for at a time.
static constexpr int64_t kLineBytes = 64;

/// From so many ops on, a body is a chain so long that the machine does not see
/// the next one before it ends.
static constexpr int64_t kLongBody = 100;

/// The dimension that vectors lie along.
static unsigned getVectorDim(linalg::GenericOp op) {
  return op.getNumLoops() - 1;
}

/// Whether vectors can hold elements of this type.
static bool isVectorElement(Type type) {
  return (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 64) ||
         type.isIntOrIndex();
}

/// Whether elements lie in memory as in a vector: those of other integers have
/// bits between them that a vector has not.
static bool liesAsInVectors(Type type) {
  return isVectorElement(type) &&
         (type.isIndex() ||
          (type.getIntOrFloatBitWidth() >= 8 &&
           llvm::isPowerOf2_32(type.getIntOrFloatBitWidth())));
}

static bool isLaneOp(Operation &op);

/// Whether lanes may take either part.
static bool isLaneBranch(scf::IfOp branch) {
  return branch.getNumResults() == 1 && branch.elseBlock() &&
         isVectorElement(branch.getResult(0).getType()) &&
         llvm::all_of(branch->getRegions(), [](Region &part) {
           return llvm::all_of(part.front().without_terminator(), isLaneOp);
         });
}

/// Whether each lane may do this op on its own, also where its result is not
/// used.
static bool isLaneOp(Operation &op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isLaneBranch(branch);
  if (isa<arith::ConstantOp, linalg::IndexOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(&op) && isSpeculatable(&op) &&
         isMemoryEffectFree(&op) && op.getNumResults() == 1 &&
         llvm::all_of(op.getResultTypes(), isVectorElement);
}

/// Whether rows of the operand are contiguous, or it has one element per row.
static bool isRowOperand(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return false;
  Type element = type.getElementType();
  if (!map.isProjectedPermutation() || !liesAsInVectors(element))
    return false;
  if (!map.isFunctionOfDim(getVectorDim(op)))
    return true;
  return map.getResults().back() ==
             getAffineDimExpr(getVectorDim(op), op.getContext()) &&
         type.isLastDimUnitStride();
}

bool attn::canUseGenericVectors(linalg::GenericOp op) {
  return op.hasPureBufferSemantics() && op.getNumLoops() > 0 &&
         llvm::all_of(
             op->getOpOperands(),
             [&](OpOperand &operand) { return isRowOperand(op, operand); }) &&
         llvm::all_of(op.getBody()->without_terminator(), isLaneOp);
}

GenericVectors::GenericVectors(OpBuilder &builder, linalg::GenericOp op,
                               int64_t bits, bool isPaired)
    : builder(builder), loc(op.getLoc()), op(op), bits(bits), paired(isPaired) {
  int64_t widest = 32;
  auto note = [&](Type type) {
    if (!type.isIndex())
      widest = std::max<int64_t>(widest, type.getIntOrFloatBitWidth());
  };
  int64_t count = 0;
  op.getBody()->walk([&](Operation *inner) {
    llvm::for_each(inner->getResultTypes(), note);
    ++count;
  });
  llvm::for_each(op.getBody()->getArgumentTypes(), note);
  lanes = bits / widest * (paired ? 2 : 1);
  // Several registers at each step instead.
  int64_t side = bits >= 512 ? 4 : 2;
  int64_t size = op.getStaticLoopRanges().back();
  if (count >= kLongBody &&
      (ShapedType::isDynamic(size) || size >= side * lanes))
    lanes *= side;
}

Value GenericVectors::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

VectorType GenericVectors::getVector(Type element) const {
  return VectorType::get(lanes, element);
}

Value GenericVectors::broadcast(Value scalar) {
  return vector::BroadcastOp::create(builder, loc, getVector(scalar.getType()),
                                     scalar);
}

Value GenericVectors::createMask(Value count) {
  return vector::CreateMaskOp::create(builder, loc,
                                      getVector(builder.getI1Type()), count);
}

void GenericVectors::broadcastCaptures() {
  op.getBody()->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op.getRegion().isAncestor(operand.getParentRegion()) &&
          !captures.contains(operand))
        captures.map(operand, broadcast(operand));
  });
}

SmallVector<Value> GenericVectors::createSizes() {
  auto structured = cast<linalg::LinalgOp>(op.getOperation());
  SmallVector<Value> sizes;
  for (const Range &range : structured.createLoopRanges(builder, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, range.size));
  return sizes;
}

void GenericVectors::enter(Value low, Value high) {
  indices.push_back(enter(low, high, index(1)));
}

Value GenericVectors::enter(Value low, Value high, Value step) {
  auto loop = scf::ForOp::create(builder, loc, low, high, step);
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

bool GenericVectors::isAlongRow(OpOperand &operand) {
  return op.getMatchingIndexingMap(&operand).isFunctionOfDim(getVectorDim(op));
}

SmallVector<Value> GenericVectors::getIndices(OpOperand &operand) {
  SmallVector<Value> result;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    result.push_back(indices[cast<AffineDimExpr>(expr).getPosition()]);
  return result;
}

Value GenericVectors::load(OpOperand &operand, Value mask) {
  SmallVector<Value> at = getIndices(operand);
  Value memref = operand.get();
  if (!isAlongRow(operand))
    return broadcast(memref::LoadOp::create(builder, loc, memref, at));
  auto type = getVector(cast<MemRefType>(memref.getType()).getElementType());
  if (!mask)
    return vector::LoadOp::create(builder, loc, type, memref, at);
  Value zeros =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, memref, at, mask,
                                      zeros);
}

memref::SubViewOp attn::getRowOfLoop(linalg::GenericOp op, Value memref) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  bool isRow = loop && view && view->getParentOp() == loop &&
               loop.isDefinedOutsideOfLoop(view.getSource()) &&
               llvm::is_contained(view.getOffsets(), loop.getInductionVar());
  return isRow ? view : memref::SubViewOp();
}

/// Whether another op comes over what the view shows.
static bool isReadAfter(linalg::GenericOp op, memref::SubViewOp view) {
  return llvm::any_of(view->getUsers(), [&](Operation *user) {
    Operation *there = op->getBlock()->findAncestorOpInBlock(*user);
    return there && op->isBeforeInBlock(there);
  });
}

/// Elements that fill bytes.
static bool isOfBytes(MemRefType row) {
  Type element = row.getElementType();
  return !element.isIndex() && element.getIntOrFloatBitWidth() % 8 == 0;
}

/// Of a row whose size is known; 0 of another one.
static int64_t getKnownBytes(MemRefType row) {
  return row.hasStaticShape()
             ? countBytes(row.getShape(), row.getElementTypeBitWidth() / 8)
             : 0;
}

void GenericVectors::findNextRows(int64_t limit) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    memref::SubViewOp view = getRowOfLoop(op, input->get());
    if (!view || !isAlongRow(*input) || isReadAfter(op, view) ||
        !isOfBytes(view.getType()) || getKnownBytes(view.getType()) >= limit)
      continue;
    auto loop = cast<scf::ForOp>(op->getParentOp());
    // The last row asks for itself.
    Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                       loop.getStep());
    Value last =
        arith::SubIOp::create(builder, loc, loop.getUpperBound(), index(1));
    IRMapping values;
    values.map(loop.getInductionVar(),
               arith::MinUIOp::create(builder, loc, next, last).getResult());
    nextRows.emplace_back(input, builder.clone(*view, values)->getResult(0));
  }
}

void GenericVectors::askForNextRows() {
  for (auto [operand, row] : nextRows) {
    SmallVector<Value> at = getIndices(*operand);
    int64_t line = kLineBytes / getVectorBytes(row, 1);
    for (int64_t lane = 0; lane < lanes; lane += line) {
      at.back() = addIndex(builder, loc, indices.back(), lane);
      emitPrefetch(builder, loc, row, at);
    }
  }
}

int64_t GenericVectors::getStoreBytes(OpOperand &operand) const {
  return std::min(getVectorBytes(operand.get(), lanes), bits / 8);
}

void GenericVectors::prefetch(Value column, bool pastCaches) {
  int64_t bytes = pastCaches ? kStreamPrefetchBytes : kPrefetchBytes;
  indices.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto isAskedFor = [&](const auto &next) { return next.first == &operand; };
    if (!isAlongRow(operand) || (pastCaches && op.isDpsInit(&operand)) ||
        llvm::any_of(nextRows, isAskedFor))
      continue;
    int64_t width = getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth();
    indices.back() =
        arith::AddIOp::create(builder, loc, column, index(bytes * 8 / width));
    memref::PrefetchOp::create(builder, loc, operand.get(), getIndices(operand),
                               /*isWrite=*/op.isDpsInit(&operand),
                               /*localityHint=*/pastCaches ? 2 : 3,
                               /*isDataCache=*/true);
  }
}

void GenericVectors::store(OpOperand &operand, Value value, Value mask,
                           bool pastCaches) {
  SmallVector<Value> at = getIndices(operand);
  if (paired)
    value = packHalves(builder, loc, value);
  if (mask) {
    vector::MaskedStoreOp::create(builder, loc, operand.get(), at, mask, value);
    return;
  }
  llvm::MaybeAlign alignment;
  if (pastCaches)
    alignment = llvm::Align(getStoreBytes(operand));
  vector::StoreOp::create(builder, loc, value, operand.get(), at, pastCaches,
                          alignment);
}

Value GenericVectors::emitBranch(scf::IfOp branch, IRMapping &values) {
  auto emitPart = [&](Block *part) {
    for (Operation &inner : part->without_terminator())
      values.map(inner.getResult(0), emitLaneOp(inner, values));
    return values.lookup(part->getTerminator()->getOperand(0));
  };
  Value other = emitPart(branch.elseBlock());
  Value lanesOfThen = values.lookup(branch.getCondition());
  Value isTaken = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::OR, lanesOfThen);
  auto result = scf::IfOp::create(builder, loc, other.getType(), isTaken,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(result.thenBlock());
  Value taken = emitPart(branch.thenBlock());
  scf::YieldOp::create(
      builder, loc,
      Value(arith::SelectOp::create(builder, loc, lanesOfThen, taken, other)));
  builder.setInsertionPointToStart(result.elseBlock());
  scf::YieldOp::create(builder, loc, other);
  return result.getResult(0);
}

Value GenericVectors::emitLaneOp(Operation &inner, IRMapping &values) {
  if (auto branch = dyn_cast<scf::IfOp>(inner))
    return emitBranch(branch, values);
  if (auto constant = dyn_cast<arith::ConstantOp>(inner))
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(getVector(constant.getType()),
                               Attribute(constant.getValue())));
  if (auto position = dyn_cast<linalg::IndexOp>(inner)) {
    Value first = broadcast(indices[position.getDim()]);
    if (position.getDim() != getVectorDim(op))
      return first;
    Value steps =
        vector::StepOp::create(builder, loc, getVector(builder.getIndexType()));
    return arith::AddIOp::create(builder, loc, first, steps);
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      inner.getOperands(), [&](Value v) { return values.lookup(v); });
  SmallVector<Type> types =
      llvm::map_to_vector(inner.getResultTypes(),
                          [&](Type type) -> Type { return getVector(type); });
  return builder
      .create(inner.getLoc(), inner.getName().getIdentifier(), operands, types,
              inner.getAttrs())
      ->getResult(0);
}

IRMapping GenericVectors::emitBody(Value column, Value mask,
                                   const llvm::DenseSet<Operation *> &skipped) {
  indices.resize(op.getNumLoops());
  indices.back() = column;
  if (!mask)
    askForNextRows();
  IRMapping values(captures);
  for (OpOperand &operand : op->getOpOperands()) {
    Value argument = op.getMatchingBlockArgument(&operand);
    // A skipped op takes a result so far from elsewhere, an input from here.
    bool isUsed = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return op.isDpsInput(&operand) || !skipped.contains(user);
    });
    if (!isUsed)
      continue;
    values.map(argument, load(operand, mask));
    if (!paired || !isAlongRow(operand))
      continue;
    Value wide = unpackHalves(builder, loc, values.lookup(argument));
    for (Operation *user : argument.getUsers())
      values.map(user->getResult(0), wide);
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (!skipped.contains(&inner) && !values.contains(inner.getResult(0)))
      values.map(inner.getResult(0), emitLaneOp(inner, values));
  return values;
}
