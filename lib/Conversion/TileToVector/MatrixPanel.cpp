//===- MatrixPanel.cpp - A part of the right matrix, packed --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

class PanelEmitter {
public:
  PanelEmitter(Location loc, const PanelSource &source, Value panel,
               const RegisterTile &tile)
      : loc(loc), source(source), panel(panel), tile(tile),
        stored(cast<MemRefType>(source.rhs.getType()).getElementType()) {}

  void emit(OpBuilder &builder);

private:
  void emitRows(OpBuilder &builder, bool masked);
  void emitColumns(OpBuilder &builder);
  void emitTransposed(OpBuilder &builder, Value first, Value k);
  void emitElements(OpBuilder &builder, Value first);

  void store(OpBuilder &builder, Value vector, Value k, Value column) {
    vector = convertFloat(builder, loc, vector, tile.getVectorType());
    vector::StoreOp::create(builder, loc, vector, panel, ValueRange{k, column});
  }
  Value add(OpBuilder &builder, Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value zero(OpBuilder &builder) { return createIndex(builder, loc, 0); }

  Location loc;
  const PanelSource &source;
  Value panel;
  const RegisterTile &tile;
  Type stored;
};

} // namespace

/// Rows of B lie as the panel wants them.
void PanelEmitter::emitRows(OpBuilder &builder, bool masked) {
  auto type = VectorType::get({tile.lanes}, stored);
  auto maskType = VectorType::get({tile.lanes}, builder.getI1Type());
  SmallVector<Value> masks;
  for (int64_t c = 0; masked && c < tile.nr; ++c) {
    Value rest = arith::SubIOp::create(
        builder, loc, source.count, createIndex(builder, loc, c * tile.lanes));
    masks.push_back(vector::CreateMaskOp::create(builder, loc, maskType, rest));
  }
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  emitLoop(builder, loc, zero(builder), source.depth, 1,
           [&](OpBuilder &nested, Value k) {
             Value row = add(nested, source.begin, k);
             for (int64_t c = 0; c < tile.nr; ++c) {
               Value offset = createIndex(nested, loc, c * tile.lanes);
               SmallVector<Value> position = {
                   row, add(nested, source.column, offset)};
               Value vector =
                   masked ? vector::MaskedLoadOp::create(nested, loc, type,
                                                         source.rhs, position,
                                                         masks[c], zeros)
                                .getResult()
                          : vector::LoadOp::create(nested, loc, type,
                                                   source.rhs, position)
                                .getResult();
               store(nested, vector, k, offset);
             }
           });
}

/// `lanes` steps of k from `k` on, of `lanes` columns, through registers. The
/// columns past the last repeat it.
void PanelEmitter::emitTransposed(OpBuilder &builder, Value first, Value k) {
  auto type = VectorType::get({tile.lanes}, stored);
  Value last = arith::SubIOp::create(builder, loc, source.count,
                                     createIndex(builder, loc, 1));
  SmallVector<Value> rows;
  for (int64_t r = 0; r < tile.lanes; ++r) {
    Value column = arith::MinUIOp::create(
        builder, loc, addIndex(builder, loc, first, r), last);
    SmallVector<Value> position = {add(builder, source.column, column),
                                   add(builder, source.begin, k)};
    Value row =
        vector::LoadOp::create(builder, loc, type, source.rhs, position);
    rows.push_back(convertFloat(builder, loc, row, tile.getVectorType()));
  }
  for (auto [i, column] : llvm::enumerate(emitTranspose(builder, loc, rows)))
    store(builder, column, addIndex(builder, loc, k, i), first);
}

/// Fewer steps of k than lanes.
void PanelEmitter::emitElements(OpBuilder &builder, Value first) {
  Value lanes = createIndex(builder, loc, tile.lanes);
  Value last = arith::SubIOp::create(builder, loc, source.count,
                                     createIndex(builder, loc, 1));
  emitLoop(
      builder, loc, zero(builder), source.depth, 1,
      [&](OpBuilder &outer, Value k) {
        emitLoop(
            outer, loc, zero(outer), lanes, 1, [&](OpBuilder &nested, Value r) {
              Value to = add(nested, first, r);
              Value column = arith::MinUIOp::create(nested, loc, to, last);
              SmallVector<Value> from = {add(nested, source.column, column),
                                         add(nested, source.begin, k)};
              Value element =
                  memref::LoadOp::create(nested, loc, source.rhs, from);
              memref::StoreOp::create(
                  nested, loc, convertFloat(nested, loc, element, tile.element),
                  panel, ValueRange{k, to});
            });
      });
}

/// Columns of B are contiguous.
void PanelEmitter::emitColumns(OpBuilder &builder) {
  Value lanes = createIndex(builder, loc, tile.lanes);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                     source.depth, lanes);
  Value width = createIndex(builder, loc, tile.getColumns());
  emitLoop(builder, loc, zero(builder), width, tile.lanes,
           [&](OpBuilder &nested, Value first) {
             auto ifOp = scf::IfOp::create(nested, loc, fits, true);
             OpBuilder vectors = ifOp.getThenBodyBuilder();
             Value end =
                 arith::SubIOp::create(vectors, loc, source.depth, lanes);
             // The last step is moved back to end with the panel.
             emitLoop(vectors, loc, zero(vectors), source.depth, tile.lanes,
                      [&](OpBuilder &inner, Value k) {
                        k = arith::MinUIOp::create(inner, loc, k, end);
                        emitTransposed(inner, first, k);
                      });
             OpBuilder elements = ifOp.getElseBodyBuilder();
             emitElements(elements, first);
           });
}

void PanelEmitter::emit(OpBuilder &builder) {
  if (source.transposed)
    return emitColumns(builder);
  Value width = createIndex(builder, loc, tile.getColumns());
  Value full = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     source.count, width);
  auto ifOp = scf::IfOp::create(builder, loc, full, true);
  OpBuilder whole = ifOp.getThenBodyBuilder();
  emitRows(whole, /*masked=*/false);
  OpBuilder part = ifOp.getElseBodyBuilder();
  emitRows(part, /*masked=*/true);
}

void attn::emitPanel(OpBuilder &builder, Location loc,
                     const PanelSource &source, Value panel,
                     const RegisterTile &tile) {
  PanelEmitter(loc, source, panel, tile).emit(builder);
}
