//===- OperandSizes.cpp - Whether the sizes of an op's operands agree -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops that run over elements trust sizes, so they are compared first: as
// numbers, by the maps that say how loops index operands.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/IndexingMaps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace attn::reference::detail {
namespace {

struct MappedOperand {
  unsigned number;
  AffineMap map;
};

/// The operands of structured ops with their maps; none for other ops.
SmallVector<MappedOperand> getMappedOperands(Operation *op) {
  SmallVector<MappedOperand> mapped;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      mapped.push_back({operand.getOperandNumber(),
                        linalgOp.getMatchingIndexingMap(&operand)});
  } else if (auto norm = dyn_cast<NormOp>(op)) {
    for (OpOperand &operand : op->getOpOperands()) {
      SmallVector<AffineExpr> dims;
      for (int64_t dim : norm.getOperandDims(operand))
        dims.push_back(getAffineDimExpr(dim, op->getContext()));
      mapped.push_back(
          {operand.getOperandNumber(),
           AffineMap::get(norm.getRank(), 0, dims, op->getContext())});
    }
  } else if (auto block = dyn_cast<BlockOpInterface>(op)) {
    for (auto [i, map] : llvm::enumerate(block.getShapedMaps()))
      if (map)
        mapped.push_back({static_cast<unsigned>(i), map});
  } else if (isa<AttentionOp>(op)) {
    auto attention = cast<AttentionOpInterface>(op);
    for (auto [i, map] : llvm::enumerate(attention.getMaps()))
      mapped.push_back({static_cast<unsigned>(i), map});
  }
  return mapped;
}

/// Compares the sizes of one op.
class SizeChecker {
public:
  SizeChecker(Evaluator &evaluator, Operation *op)
      : evaluator(evaluator), op(op) {}

  LogicalResult checkMaps(ArrayRef<MappedOperand> mapped);
  /// What belongs to one sequence has its place in the batch.
  LogicalResult checkBatch(MultiHeadAttentionOp attention);
  LogicalResult checkElementwise();

private:
  ArrayRef<int64_t> getShape(unsigned operand) {
    return evaluator.get(op->getOperand(operand))->shape;
  }
  InFlightDiagnostic report(unsigned operand, unsigned dim) {
    return op->emitOpError("dimension ")
           << dim << " of operand " << operand << " has size "
           << getShape(operand)[dim];
  }
  LogicalResult checkExpression(unsigned operand, unsigned dim,
                                AffineExpr expr);

  Evaluator &evaluator;
  Operation *op;
  llvm::SmallDenseMap<unsigned, int64_t> extents;
};

/// Expressions of structured ops grow with their loops, or are constants.
LogicalResult SizeChecker::checkExpression(unsigned operand, unsigned dim,
                                           AffineExpr expr) {
  int64_t size = getShape(operand)[dim];
  bool isExact = isa<AttentionOp>(op);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (isExact && binary) {
    // A head of keys for a group of query heads.
    int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    int64_t heads =
        extents.lookup(cast<AffineDimExpr>(binary.getLHS()).getPosition());
    if (size * factor != heads)
      return report(operand, dim)
             << " for " << heads << " heads in groups of " << factor;
    return success();
  }
  SmallVector<AffineExpr> last;
  unsigned numLoops = 0;
  for (auto [loop, extent] : extents) {
    if (extent == 0)
      return success();
    numLoops = std::max(numLoops, loop + 1);
  }
  for (unsigned loop = 0; loop < numLoops; ++loop)
    last.push_back(getAffineConstantExpr(
        std::max<int64_t>(extents.lookup(loop), 1) - 1, op->getContext()));
  auto most = dyn_cast<AffineConstantExpr>(expr.replaceDims(last));
  if (most && (isExact ? size != 1 : most.getValue() >= size))
    return report(operand, dim) << " and is indexed by " << most.getValue();
  return success();
}

LogicalResult SizeChecker::checkMaps(ArrayRef<MappedOperand> mapped) {
  for (auto [operand, map] : mapped) {
    if (map.getNumResults() != getShape(operand).size())
      continue;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      int64_t size = getShape(operand)[dim];
      auto [known, isNew] = extents.try_emplace(loop.getPosition(), size);
      if (!isNew && known->second != size)
        return report(operand, dim)
               << ", others that belong to it " << known->second;
    }
  }
  for (auto [operand, map] : mapped) {
    if (map.getNumResults() != getShape(operand).size())
      continue;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineDimExpr>(expr) &&
          failed(checkExpression(operand, dim, expr)))
        return failure();
  }
  return success();
}

LogicalResult SizeChecker::checkBatch(MultiHeadAttentionOp attention) {
  ArrayRef<int64_t> input = evaluator.get(attention.getInput())->shape;
  size_t batch = input.size() - 2;
  auto check = [&](Value tensor, size_t dims) -> LogicalResult {
    if (!tensor || !isa<RankedTensorType>(tensor.getType()))
      return success();
    ArrayRef<int64_t> shape = evaluator.get(tensor)->shape;
    for (size_t dim = 0; dim < std::min(dims, shape.size()); ++dim)
      if (shape[dim] != input[dim])
        return op->emitOpError("dimension ")
               << dim << " of an operand has size " << shape[dim]
               << ", that of the input is " << input[dim];
    return success();
  };
  for (Value tensor :
       SmallVector<Value>{attention.getMemory(), attention.getKeyCache(),
                          attention.getValueCache(), attention.getPast()})
    if (failed(check(tensor, batch)))
      return failure();
  Value positions = attention.getPositions();
  if (!positions)
    return success();
  ArrayRef<int64_t> shape = evaluator.get(positions)->shape;
  if (shape.back() != input[batch] ||
      (shape.size() > 1 && shape.front() != input.front()))
    return op->emitOpError("there are not as many positions as rows");
  return success();
}

LogicalResult SizeChecker::checkElementwise() {
  std::optional<unsigned> first;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (!isa<RankedTensorType>(op->getOperand(i).getType()))
      continue;
    if (!first)
      first = i;
    for (auto [dim, sizes] :
         llvm::enumerate(llvm::zip_equal(getShape(*first), getShape(i))))
      if (std::get<0>(sizes) != std::get<1>(sizes))
        return report(i, dim) << ", that of operand " << *first << " is "
                              << std::get<0>(sizes);
  }
  return success();
}

} // namespace

LogicalResult checkOperandSizes(Evaluator &evaluator, Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    for (AffineMap map : structured.getIndexingMapsArray())
      if (StringRef fault = findIndexingFault(map); !fault.empty())
        return op->emitOpError(fault);
  SizeChecker checker(evaluator, op);
  if (auto attention = dyn_cast<MultiHeadAttentionOp>(op))
    if (failed(checker.checkBatch(attention)))
      return failure();
  if (OpTrait::hasElementwiseMappableTraits(op) || isa<linalg::SoftmaxOp>(op))
    return checker.checkElementwise();
  return checker.checkMaps(getMappedOperands(op));
}

} // namespace attn::reference::detail
