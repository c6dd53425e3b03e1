//===- TransposedElements.cpp - Squares through shared memory -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a square of the result. Inputs whose rows are its columns
// come through shared memory: a warp reads rows of them, and takes columns. A
// row there is a bank longer than the square, so that neither meets the same
// bank twice.
//
//===----------------------------------------------------------------------===//

#include "../../Shared/MemRefMemory.h"
#include "../Fragment/KernelBuilder.h"
#include "ElementKernel.h"
#include "StructuredKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Rows and columns of a square, and how many rows the warps of a block take at
/// once.
constexpr int64_t kSquare = 32, kWarps = 8;
constexpr int64_t kBankBytes = 4;
/// Fewer indices would leave most of a square empty.
constexpr int64_t kLeastSize = 8;

/// Elements of a row in shared memory.
static int64_t getPitch(int64_t elementBytes) {
  return kSquare + std::max<int64_t>(kBankBytes / elementBytes, 1);
}

/// Of the square of an input.
static int64_t getSquareBytes(OpOperand *input) {
  int64_t bytes = getElementBytes(getElementTypeOrSelf(input->get()));
  return kSquare * getPitch(bytes) * bytes;
}

SmallVector<OpOperand *> StructuredKernel::getTransposed() {
  SmallVector<OpOperand *> transposed;
  unsigned inner = threadDims.back();
  bool hasRows = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return hasRowsAlong(init, inner) && !op.payloadUsesValueFromOperand(&init);
  });
  if (!hasRows)
    return {};
  for (OpOperand *input : op.getDpsInputOperands())
    for (unsigned dim : ArrayRef(threadDims).drop_back()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      bool isOther = !transposed.empty() && dim != across;
      if (isOther || !hasRowsAlong(*input, dim) ||
          !map.getResultPosition(builder.getAffineDimExpr(inner)))
        continue;
      across = dim;
      transposed.push_back(input);
    }
  auto isShort = [&](unsigned dim) {
    int64_t size = getStaticSize(dim);
    return !ShapedType::isDynamic(size) && size < kLeastSize;
  };
  if (transposed.empty() || isShort(inner) || isShort(across))
    return {};
  return transposed;
}

void StructuredKernel::emitSquares(OpBuilder &b,
                                   ArrayRef<OpOperand *> transposed) {
  KernelBuilder kernel(b, loc);
  Values extents;
  Value blocks = kernel.index(1);
  for (unsigned dim : threadDims) {
    bool isCut = dim == across || dim == threadDims.back();
    extents.push_back(isCut ? kernel.ceilDiv(sizes[dim], kSquare) : sizes[dim]);
    blocks = kernel.mul(blocks, extents.back());
  }
  int64_t bytes = 0;
  for (OpOperand *input : transposed)
    bytes += getSquareBytes(input);
  emitLaunch(b, loc, blocks, kSquare * kWarps, bytes,
             [&](Value block, Value thread) {
               for (auto [dim, index] : llvm::zip_equal(
                        threadDims, emitDelinearized(b, loc, block, extents)))
                 indices[dim] = index;
               emitSquare(b, thread, transposed);
             });
}

void StructuredKernel::emitSquare(OpBuilder &b, Value thread,
                                  ArrayRef<OpOperand *> transposed) {
  KernelBuilder kernel(b, loc);
  unsigned inner = threadDims.back();
  Value lane = kernel.rem(thread, kSquare), warp = kernel.div(thread, kSquare);
  Value firstInner = kernel.mul(indices[inner], kSquare);
  Value firstAcross = kernel.mul(indices[across], kSquare);
  Value shared = kernel.getDynamicShared();
  // A warp has row `warp` + `turn` of the square; its lanes go along `along`.
  auto forRows = [&](unsigned along, unsigned rows,
                     function_ref<void(Value row)> body) {
    for (int64_t turn = 0; turn < kSquare; turn += kWarps) {
      Value row = kernel.add(warp, turn);
      indices[along] =
          kernel.add(along == inner ? firstInner : firstAcross, lane);
      indices[rows] =
          kernel.add(along == inner ? firstAcross : firstInner, row);
      Value exists = kernel.both(kernel.below(indices[along], sizes[along]),
                                 kernel.below(indices[rows], sizes[rows]));
      kernel.emitIf(exists, [&] { body(row); });
    }
  };
  // The element of an input at [row, column] of its square.
  auto emitAddress = [&](size_t which, Value row, Value column) {
    int64_t base = 0;
    for (OpOperand *before : transposed.take_front(which))
      base += getSquareBytes(before);
    int64_t bytes =
        getElementBytes(getElementTypeOrSelf(transposed[which]->get()));
    Value element = kernel.add(kernel.mul(kernel.toI32(row), getPitch(bytes)),
                               kernel.toI32(column));
    return kernel.offset(kernel.offset(shared, base),
                         kernel.mul(element, bytes));
  };
  forRows(across, inner, [&](Value row) {
    for (auto [which, input] : llvm::enumerate(transposed)) {
      Value element = loadOperand(b, *input);
      kernel.store(element, emitAddress(which, row, lane),
                   getElementBytes(element.getType()));
    }
  });
  kernel.barrier();
  forRows(inner, across, [&](Value row) {
    auto load = [&](OpOperand &operand) -> Value {
      const auto *found = llvm::find(transposed, &operand);
      if (found == transposed.end())
        return op.payloadUsesValueFromOperand(&operand)
                   ? loadOperand(b, operand)
                   : Value();
      Type type = getElementTypeOrSelf(operand.get());
      return kernel.load(type,
                         emitAddress(found - transposed.begin(), lane, row),
                         getElementBytes(type));
    };
    store(b, emitBody(b, load));
  });
}
