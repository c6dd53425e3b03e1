//===- RecordSizes.cpp - Which sizes of the arguments must be equal -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/EntryABI.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace attn {
#define GEN_PASS_DEF_RECORDSIZESPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// Partitions the dimensions of tensors and the loops of structured ops into
/// classes of equal size.
class SizeClasses {
public:
  void addOp(Operation *op);
  /// A number for the class of a dimension.
  int64_t getClass(Value tensor, unsigned dim) {
    return classes.getLeaderValue(getId(tensor, dim));
  }
  /// The static size that some member of the class has, or -1.
  int64_t getSize(Value tensor, unsigned dim) {
    auto found = sizes.find(getClass(tensor, dim));
    return found == sizes.end() ? -1 : found->second;
  }
  /// Call once after the last addOp.
  void collectSizes();

private:
  using Key = std::pair<void *, unsigned>;

  int64_t getId(Key key) {
    auto [entry, isNew] = ids.try_emplace(key, ids.size());
    if (isNew)
      classes.insert(entry->second);
    return entry->second;
  }
  int64_t getId(Value tensor, unsigned dim) {
    int64_t id = getId({tensor.getAsOpaquePointer(), dim});
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      staticIds.try_emplace(id, type.getDimSize(dim));
    return id;
  }
  void unite(int64_t a, int64_t b) { classes.unionSets(a, b); }
  void uniteTensors(Value a, Value b) {
    auto type = dyn_cast<RankedTensorType>(a.getType());
    if (!type || !isa<RankedTensorType>(b.getType()))
      return;
    for (int64_t i = 0; i < type.getRank(); ++i)
      unite(getId(a, i), getId(b, i));
  }
  void addMapped(Operation *op, Value operand, AffineMap map);
  void addReassociation(Value expanded, Value collapsed,
                        ArrayRef<ReassociationIndices> groups);

  llvm::DenseMap<Key, int64_t> ids;
  llvm::DenseMap<int64_t, int64_t> staticIds;
  llvm::DenseMap<int64_t, int64_t> sizes;
  llvm::EquivalenceClasses<int64_t> classes;
};

/// A result of the map that is a plain dimension has the size of that loop.
void SizeClasses::addMapped(Operation *op, Value operand, AffineMap map) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || map.getNumResults() != static_cast<unsigned>(type.getRank()))
    return;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      unite(getId(operand, i), getId({op, dim.getPosition()}));
}

void SizeClasses::addReassociation(Value expanded, Value collapsed,
                                   ArrayRef<ReassociationIndices> groups) {
  for (auto [i, group] : llvm::enumerate(groups))
    if (group.size() == 1)
      unite(getId(expanded, group.front()), getId(collapsed, i));
}

void SizeClasses::addOp(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      addMapped(op, operand.get(), linalgOp.getMatchingIndexingMap(&operand));
  } else if (auto attention = dyn_cast<AttentionOpInterface>(op)) {
    for (auto [operand, map] :
         llvm::zip(op->getOperands(), attention.getMaps()))
      addMapped(op, operand, map);
  } else if (auto block = dyn_cast<BlockOpInterface>(op)) {
    for (auto [operand, map] :
         llvm::zip_equal(op->getOperands(), block.getShapedMaps()))
      if (map)
        addMapped(op, operand, map);
  } else if (auto norm = dyn_cast<NormOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [i, dim] : llvm::enumerate(norm.getOperandDims(operand)))
        unite(getId(operand.get(), i), getId({op, dim}));
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    addReassociation(expand.getResult(), expand.getSrc(),
                     expand.getReassociationIndices());
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    addReassociation(collapse.getSrc(), collapse.getResult(),
                     collapse.getReassociationIndices());
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    uniteTensors(insert.getResult(), insert.getDest());
  } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    uniteTensors(cast.getSource(), cast.getDest());
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      uniteTensors(result, destination.getTiedOpOperand(result)->get());
}

void SizeClasses::collectSizes() {
  for (auto [id, size] : staticIds)
    sizes.try_emplace(classes.getLeaderValue(id), size);
}

struct RecordSizesPass : impl::RecordSizesPassBase<RecordSizesPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (isEntryCandidate(func))
        record(func);
  }

  void record(func::FuncOp func) {
    SizeClasses classes;
    // Only what runs in any case may demand anything.
    for (Operation &op : func.getBody().front())
      classes.addOp(&op);
    SmallVector<SmallVector<int64_t>> ids;
    for (BlockArgument argument : func.getArguments()) {
      ids.emplace_back();
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      for (int64_t d = 0, rank = type ? type.getRank() : 0; d < rank; ++d)
        ids.back().push_back(classes.getClass(argument, d));
    }
    classes.collectSizes();
    llvm::DenseMap<int64_t, int64_t> numbering;
    OpBuilder builder(func.getContext());
    for (auto [argument, argumentIds] : llvm::zip(func.getArguments(), ids)) {
      if (argumentIds.empty())
        continue;
      SmallVector<int64_t> sizes;
      for (unsigned d = 0; d < argumentIds.size(); ++d)
        sizes.push_back(classes.getSize(argument, d));
      // Small numbers in order of appearance, so that the text is stable.
      for (int64_t &id : argumentIds)
        id = numbering.try_emplace(id, numbering.size()).first->second;
      unsigned i = argument.getArgNumber();
      func.setArgAttr(i, kDimClassesAttr,
                      builder.getDenseI64ArrayAttr(argumentIds));
      func.setArgAttr(i, kDimSizesAttr, builder.getDenseI64ArrayAttr(sizes));
    }
  }
};

} // namespace
} // namespace attn
