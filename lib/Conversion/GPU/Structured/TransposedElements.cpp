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
#include "mlir/Dialect/SCF/IR/SCF.h"
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
  Values extents;
  Value blocks = createIndex(b, 1), one = createIndex(b, 1);
  for (unsigned dim : threadDims) {
    bool isCut = dim == across || dim == threadDims.back();
    extents.push_back(isCut ? b.createOrFold<arith::CeilDivUIOp>(
                                  loc, sizes[dim], createIndex(b, kSquare))
                            : sizes[dim]);
    blocks = b.createOrFold<arith::MulIOp>(loc, blocks, extents.back());
  }
  int64_t bytes = 0;
  for (OpOperand *input : transposed)
    bytes += getSquareBytes(input);
  auto launch = gpu::LaunchOp::create(
      b, loc, blocks, one, one, createIndex(b, kSquare * kWarps), one, one,
      arith::ConstantIntOp::create(b, loc, bytes, 32));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&launch.getBody().front());
  emitSquare(b, launch, extents, transposed);
  gpu::TerminatorOp::create(b, loc);
}

void StructuredKernel::emitSquare(OpBuilder &b, gpu::LaunchOp launch,
                                  ValueRange extents,
                                  ArrayRef<OpOperand *> transposed) {
  KernelBuilder kernel(b, loc);
  unsigned inner = threadDims.back();
  Values place =
      emitDelinearized(b, loc, launch.getBlockIds().x, Values(extents));
  for (auto [dim, index] : llvm::zip_equal(threadDims, place))
    indices[dim] = index;
  Value tid = launch.getThreadIds().x, square = createIndex(b, kSquare);
  Value lane = arith::RemUIOp::create(b, loc, tid, square);
  Value warp = arith::DivUIOp::create(b, loc, tid, square);
  Value firstInner = arith::MulIOp::create(b, loc, indices[inner], square);
  Value firstAcross = arith::MulIOp::create(b, loc, indices[across], square);
  Value shared = kernel.getDynamicShared();
  auto isIn = [&](unsigned dim) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                 indices[dim], sizes[dim]);
  };
  // A warp has row `warp` + `turn` of the square; its lanes go along `along`.
  auto forRows = [&](unsigned along, unsigned rows,
                     function_ref<void(OpBuilder &, Value row)> body) {
    for (int64_t turn = 0; turn < kSquare; turn += kWarps) {
      Value row =
          b.createOrFold<arith::AddIOp>(loc, warp, createIndex(b, turn));
      Value start = along == inner ? firstInner : firstAcross;
      Value rowStart = along == inner ? firstAcross : firstInner;
      indices[along] = arith::AddIOp::create(b, loc, start, lane);
      indices[rows] = arith::AddIOp::create(b, loc, rowStart, row);
      Value exists = arith::AndIOp::create(b, loc, isIn(along), isIn(rows));
      scf::IfOp::create(b, loc, exists, [&](OpBuilder &nested, Location) {
        body(nested, row);
        scf::YieldOp::create(nested, loc);
      });
    }
  };
  // The element of an input at [row, column] of its square.
  auto emitAddress = [&](OpBuilder &at, size_t which, Value row, Value column) {
    KernelBuilder in(at, loc);
    int64_t base = 0;
    for (OpOperand *before : transposed.take_front(which))
      base += getSquareBytes(before);
    int64_t bytes =
        getElementBytes(getElementTypeOrSelf(transposed[which]->get()));
    Value element = in.add(in.mul(in.toI32(row), in.constant(getPitch(bytes))),
                           in.toI32(column));
    return in.offset(in.offset(shared, base),
                     in.mul(element, in.constant(bytes)));
  };
  forRows(across, inner, [&](OpBuilder &nested, Value row) {
    for (auto [which, input] : llvm::enumerate(transposed)) {
      Value element = loadOperand(nested, *input);
      KernelBuilder(nested, loc)
          .store(element, emitAddress(nested, which, row, lane),
                 getElementBytes(element.getType()));
    }
  });
  kernel.barrier();
  forRows(inner, across, [&](OpBuilder &nested, Value row) {
    store(nested, emitBody(nested, [&](OpOperand &operand) -> Value {
            const auto *found = llvm::find(transposed, &operand);
            if (found == transposed.end())
              return op.payloadUsesValueFromOperand(&operand)
                         ? loadOperand(nested, operand)
                         : Value();
            Type type = getElementTypeOrSelf(operand.get());
            return KernelBuilder(nested, loc)
                .load(
                    type,
                    emitAddress(nested, found - transposed.begin(), lane, row),
                    getElementBytes(type));
          }));
  });
}
