//===- DecodeAhead.cpp - Keys and values on their way ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

namespace {

/// The lines of the cache that a row of keys or values takes.
struct RowLines {
  explicit RowLines(Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    elements = 64 * 8 / type.getElementTypeBitWidth();
    count = llvm::divideCeil(type.getShape().back(), elements);
  }

  /// Elements of a line.
  int64_t elements;
  int64_t count;
};

} // namespace

static void ask(OpBuilder &b, Location loc, Value memref, Value row,
                Value column) {
  memref::PrefetchOp::create(b, loc, memref, ValueRange{row, column},
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

/// Fetches part number `part` of `parts` of a row of keys or values. Fetching
/// all of it at once would fill the buffers that loads need as well.
void DecodeEmitter::prefetch(OpBuilder &b, Value memref, Value row, Value part,
                             int64_t parts) {
  RowLines lines(memref);
  int64_t each = llvm::divideCeil(lines.count, parts);
  Value last = index(b, (lines.count - 1) * lines.elements);
  Value first =
      arith::MulIOp::create(b, loc, part, index(b, each * lines.elements));
  for (int64_t i = 0; i < each; ++i) {
    Value column = addIndex(b, loc, first, i * lines.elements);
    ask(b, loc, memref, row, arith::MinUIOp::create(b, loc, column, last));
  }
}

void DecodeEmitter::prefetchKeys(OpBuilder &b, Value keyRow, int64_t term,
                                 Value part, int64_t parts) {
  Value ahead = addIndex(b, loc, keyRow, shape.schedule.getKeys() + term);
  prefetch(b, operands.key, arith::MinUIOp::create(b, loc, ahead, lastKey),
           part, parts);
}

/// Memory is read at its full speed where it is asked for all the time, not in
/// a few bursts. What lies past the end is of no use, and no harm: it often is
/// where the next range starts.
void DecodeEmitter::prefetchPart(OpBuilder &b, Value memref, Value firstRow,
                                 int64_t rows, Value part, int64_t parts) {
  RowLines lines(memref);
  int64_t rowParts = std::clamp<int64_t>(parts / rows, 1, lines.count);
  int64_t partRows = llvm::divideCeil(rows * rowParts, parts);
  int64_t partLines = llvm::divideCeil(lines.count, rowParts);
  Value divisor = index(b, rowParts);
  Value row = arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, part, divisor),
      index(b, partRows));
  row = arith::MinUIOp::create(b, loc, row, index(b, rows - partRows));
  row = arith::AddIOp::create(b, loc, firstRow, row);
  Value column = arith::MulIOp::create(
      b, loc, arith::RemUIOp::create(b, loc, part, divisor),
      index(b, partLines * lines.elements));
  for (int64_t r = 0; r < partRows; ++r)
    for (int64_t i = 0; i < partLines; ++i)
      ask(b, loc, memref, addIndex(b, loc, row, r),
          addIndex(b, loc, column, i * lines.elements));
}
