//===- LoadedRows.cpp - Moving changes of rows into an attention ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedRows.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

/// A key that is loaded more often than this is changed by an op of its own: a
/// pass over memory costs as much as three (norm) to seven (rotation) changes
/// of rows that are loaded anyway.
constexpr int64_t kMostLoads = 4;

Value LoadedOperand::get() {
  return rows == LoadedRows::Query ? op.getQuery() : op.getKey();
}

AffineMap LoadedOperand::getMap() {
  return self.getInputMap(rows == LoadedRows::Query ? 0 : 1);
}

unsigned LoadedOperand::getRowDim() {
  return rows == LoadedRows::Query ? op.getRowDim() : op.getKeyDim();
}

bool LoadedOperand::hasRowsLast() {
  AffineMap map = getMap();
  return map.getResults().back() ==
         getAffineDimExpr(op.getHeadDimDim(), map.getContext());
}

/// How often each key is loaded; kDynamic where that is not known.
static int64_t countKeyLoads(AttentionOp op,
                             AttentionScheduleAttrInterface schedule) {
  // Decoding serves all rows of all heads of a group at once.
  if (schedule.getSplitKeys() != 0)
    return 1;
  auto self = cast<AttentionOpInterface>(op.getOperation());
  AffineMap map = self.getInputMap(0);
  std::optional<unsigned> rowAxis =
      map.getResultPosition(getAffineDimExpr(op.getRowDim(), map.getContext()));
  int64_t queries =
      rowAxis ? cast<ShapedType>(op.getQuery().getType()).getDimSize(*rowAxis)
              : ShapedType::kDynamic;
  if (ShapedType::isDynamic(queries))
    return ShapedType::kDynamic;
  return getHeadGroup(op) *
         static_cast<int64_t>(llvm::divideCeil(queries, schedule.getRows()));
}

void LoadedOperand::forwardSizes(RewriterBase &rewriter, Value destination) {
  rewriter.replaceUsesWithIf(get(), destination, [](OpOperand &use) {
    return isa<tensor::DimOp>(use.getOwner());
  });
}

Remark LoadedOperand::createMissed(Operation *producer, StringRef reason) {
  return Remark(RemarkId::RowChangeNotFused,
                {{"op", producer->getName().getStringRef().str()},
                 {"operand", getName().str()},
                 {"reason", reason.str()}});
}

std::optional<Remark> LoadedOperand::findObstacle(Operation *producer) {
  auto stays = [&](StringRef reason) { return createMissed(producer, reason); };
  if (!hasRowsLast())
    return stays("its rows do not lie along the last dimension");
  if (!get().hasOneUse())
    return stays("its result has other uses");
  if (!op.getScheduleAttr())
    return stays("the attention has no fast path");
  auto schedule = cast<AttentionScheduleAttrInterface>(op.getScheduleAttr());
  if (schedule.getMachine() != TargetKind::CPU)
    return stays("its kernel copies rows as they lie");
  if (rows == LoadedRows::Query)
    return std::nullopt;
  int64_t loads = countKeyLoads(op, schedule);
  if (ShapedType::isDynamic(loads))
    return stays("how often a key is loaded is not known");
  if (loads > kMostLoads)
    return stays("a key is loaded " + std::to_string(loads) + " times");
  return std::nullopt;
}

void LoadedOperand::takeChange(RewriterBase &rewriter, Operation *producer,
                               Value input, Attribute change, ValueRange params,
                               ArrayRef<AffineMap> maps) {
  // Params of the query's changes come before those of the key's.
  unsigned at = self.getNumScoreParams();
  if (rows == LoadedRows::Key)
    for (unsigned i = 0, e = self.getRowChanges(LoadedRows::Query).size();
         i < e; ++i)
      at += self.getRowChangeParams(LoadedRows::Query, i).count;
  SmallVector<Value> allParams(op.getParams());
  allParams.insert(allParams.begin() + at, params.begin(), params.end());
  SmallVector<AffineMap> allMaps = self.getMaps();
  allMaps.insert(allMaps.begin() + self.getShapedInputs().size() + at,
                 maps.begin(), maps.end());
  SmallVector<Attribute> changes = {change};
  llvm::append_range(changes, self.getRowChanges(rows));
  rewriter.modifyOpInPlace(op, [&] {
    bool isQuery = rows == LoadedRows::Query;
    (isQuery ? op.getQueryMutable() : op.getKeyMutable()).assign(input);
    op.getParamsMutable().assign(allParams);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(allMaps));
    ArrayAttr list = rewriter.getArrayAttr(changes);
    if (isQuery)
      op.setLoadQueryAttr(list);
    else
      op.setLoadKeyAttr(list);
  });
  Remark(RemarkId::RowChangeFused,
         {{"op", producer->getName().getStringRef().str()},
          {"operand", getName().str()}})
      .emit(producer->getLoc());
  rewriter.eraseOp(producer);
}

void attn::fuseLoadedRows(func::FuncOp function, FuseRows fuse) {
  IRRewriter rewriter(function.getContext());
  function.walk([&](AttentionOp op) {
    if (!isa<RankedTensorType>(op.getQuery().getType()))
      return;
    for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key})
      fuse(rewriter, op, rows);
  });
}
