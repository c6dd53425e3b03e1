//===- WorkItems.cpp - Outer loops as work items --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkItems.h"

#include "../Host/ParallelRuntime.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"

#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

/// What a size that is not known is taken for where code has to be chosen.
static constexpr int64_t kUnknownSize = 64;

int64_t attn::estimateElements(ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  for (int64_t size : sizes)
    elements = multiplySaturating(
        elements, ShapedType::isDynamic(size) ? kUnknownSize : size);
  return elements;
}

/// How many of the first `outer` loops go over items: as few as give items that
/// are not too long.
static unsigned countItemLoops(linalg::GenericOp op, unsigned outer) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  bool isKnown = !ShapedType::isDynamicShape(sizes);
  if (!canRunTasks(op) ||
      (isKnown && estimateElements(sizes) < 2 * kItemElements))
    return 0;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  // Two items never write the same element.
  auto isOfItem = [&](unsigned loop) {
    return iterators[loop] == utils::IteratorType::parallel &&
           llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
             return op.getMatchingIndexingMap(&output).isFunctionOfDim(loop);
           });
  };
  unsigned count = 0;
  while (count < outer && isOfItem(count)) {
    ++count;
    if (estimateElements(ArrayRef(sizes).drop_front(count)) <= kItemElements)
      break;
  }
  return count;
}

/// How many steps of the last of these loops make an item.
static Value emitItemSize(OpBuilder &builder, Location loc,
                          ArrayRef<Value> inner) {
  Value elements = createIndex(builder, loc, 1);
  for (Value size : inner)
    elements = arith::MulIOp::create(builder, loc, elements, size);
  Value one = createIndex(builder, loc, 1);
  elements = arith::MaxUIOp::create(builder, loc, elements, one);
  Value count = arith::DivUIOp::create(
      builder, loc, createIndex(builder, loc, kItemElements), elements);
  return arith::MaxUIOp::create(builder, loc, count, one);
}

void attn::emitWorkItems(OpBuilder &builder, linalg::GenericOp op,
                         GenericVectors &vectors, ArrayRef<Value> sizes,
                         unsigned outer,
                         llvm::function_ref<void(Value, Value)> body,
                         llvm::function_ref<void()> finish) {
  Location loc = op.getLoc();
  unsigned items = countItemLoops(op, outer);
  unsigned loops = std::min<unsigned>(outer, sizes.size() - 1);
  auto emitItem = [&](const RowBlock *block) {
    vectors.broadcastCaptures();
    OpBuilder::InsertPoint item = builder.saveInsertionPoint();
    Value begin = createIndex(builder, loc, 0), end = sizes.back();
    if (block) {
      llvm::append_range(vectors.getLoopIndices(), block->outer);
      if (items > loops)
        std::tie(begin, end) = std::pair(block->begin, block->end);
      else
        vectors.enter(block->begin, block->end);
    }
    for (unsigned i = items; i < loops; ++i)
      vectors.enter(createIndex(builder, loc, 0), sizes[i]);
    body(begin, end);
    builder.restoreInsertionPoint(item);
    finish();
  };
  if (items == 0)
    return emitItem(nullptr);
  Value count = emitItemSize(builder, loc, sizes.drop_front(items));
  emitRowBlocks(builder, loc, sizes.take_front(items), count,
                [&](OpBuilder &, const RowBlock &block) { emitItem(&block); });
}
