//===- MatrixPanel.cpp - A part of the right matrix, packed --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/Transpose.h"
#include "../Shared/ConvertFloat.h"
#include "MatrixBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// Rows of B that are on their way while one is copied.
constexpr int64_t kRowsAhead = 4;

namespace {

class PanelEmitter {
public:
  PanelEmitter(Location loc, const PanelSource &source, Value panels,
               const RegisterTile &tile)
      : loc(loc), source(source), panels(panels), tile(tile),
        stored(cast<MemRefType>(source.rhs.getType()).getElementType()) {}

  void emit(OpBuilder &builder);

private:
  using Values = SmallVector<Value>;

  void emitRows(OpBuilder &builder);
  void emitTail(OpBuilder &builder, Value panel, Value count);
  void emitColumns(OpBuilder &builder, Value panel);
  void emitTransposed(OpBuilder &builder, Value panel, Value first, Value k);
  void emitElements(OpBuilder &builder, Value panel, Value first);

  void store(OpBuilder &builder, Value vector, Value panel, Value k,
             Value column) {
    vector = convertFloat(builder, loc, vector, tile.getVectorType());
    vector::StoreOp::create(builder, loc, vector, panels,
                            ValueRange{panel, k, column});
  }
  /// Columns of B past the last repeat it.
  Value getColumn(OpBuilder &builder, Value panel, Value within) {
    Value column = add(
        builder,
        multiply(builder, panel, createIndex(builder, loc, tile.getColumns())),
        within);
    Value last = arith::SubIOp::create(builder, loc, source.count,
                                       createIndex(builder, loc, 1));
    column = arith::MinUIOp::create(builder, loc, column, last);
    return add(builder, source.column, column);
  }
  Value add(OpBuilder &builder, Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value multiply(OpBuilder &builder, Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value zero(OpBuilder &builder) { return createIndex(builder, loc, 0); }

  Location loc;
  const PanelSource &source;
  Value panels;
  const RegisterTile &tile;
  Type stored;
};

} // namespace

/// Rows of B lie as the panels want them. A row goes to all panels before the
/// next one, so that memory is read along its pages.
void PanelEmitter::emitRows(OpBuilder &builder) {
  auto type = VectorType::get({tile.lanes}, stored);
  Value width = createIndex(builder, loc, tile.getColumns());
  Value full = arith::DivUIOp::create(builder, loc, source.count, width);
  Value rest = arith::RemUIOp::create(builder, loc, source.count, width);
  int64_t line = 512 / stored.getIntOrFloatBitWidth();
  emitLoop(builder, loc, zero(builder), source.depth, 1,
           [&](OpBuilder &outer, Value k) {
             Value row = add(outer, source.begin, k);
             emitLoop(outer, loc, zero(outer), full, 1,
                      [&](OpBuilder &b, Value panel) {
                        Value from =
                            add(b, source.column, multiply(b, panel, width));
                        for (int64_t c = 0; c < tile.getColumns(); c += line)
                          emitPrefetch(b, loc, source.rhs,
                                       addIndex(b, loc, row, kRowsAhead), 1,
                                       addIndex(b, loc, from, c),
                                       /*isWrite=*/false);
                        for (int64_t c = 0; c < tile.nr; ++c) {
                          int64_t at = c * tile.lanes;
                          Values position = {row, addIndex(b, loc, from, at)};
                          store(b,
                                vector::LoadOp::create(b, loc, type, source.rhs,
                                                       position),
                                panel, k, createIndex(b, loc, at));
                        }
                      });
           });
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     rest, zero(builder));
  auto ifOp = scf::IfOp::create(builder, loc, some, /*withElseRegion=*/false);
  OpBuilder tail = ifOp.getThenBodyBuilder();
  emitTail(tail, full, rest);
}

/// The last panel, of which `count` columns exist.
void PanelEmitter::emitTail(OpBuilder &builder, Value panel, Value count) {
  auto type = VectorType::get({tile.lanes}, stored);
  auto maskType = VectorType::get({tile.lanes}, builder.getI1Type());
  Values masks;
  for (int64_t c = 0; c < tile.nr; ++c) {
    Value rest = arith::SubIOp::create(
        builder, loc, count, createIndex(builder, loc, c * tile.lanes));
    masks.push_back(vector::CreateMaskOp::create(builder, loc, maskType, rest));
  }
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value from = add(
      builder, source.column,
      multiply(builder, panel, createIndex(builder, loc, tile.getColumns())));
  emitLoop(builder, loc, zero(builder), source.depth, 1,
           [&](OpBuilder &b, Value k) {
             Value row = add(b, source.begin, k);
             for (int64_t c = 0; c < tile.nr; ++c) {
               int64_t at = c * tile.lanes;
               Values position = {row, addIndex(b, loc, from, at)};
               store(b,
                     vector::MaskedLoadOp::create(b, loc, type, source.rhs,
                                                  position, masks[c], zeros),
                     panel, k, createIndex(b, loc, at));
             }
           });
}

/// `lanes` steps of k from `k` on, of `lanes` columns, through registers.
void PanelEmitter::emitTransposed(OpBuilder &builder, Value panel, Value first,
                                  Value k) {
  auto type = VectorType::get({tile.lanes}, stored);
  Values rows;
  for (int64_t r = 0; r < tile.lanes; ++r) {
    Value column = getColumn(builder, panel, addIndex(builder, loc, first, r));
    Values position = {column, add(builder, source.begin, k)};
    Value row =
        vector::LoadOp::create(builder, loc, type, source.rhs, position);
    rows.push_back(convertFloat(builder, loc, row, tile.getVectorType()));
  }
  for (auto [i, column] : llvm::enumerate(emitTranspose(builder, loc, rows)))
    store(builder, column, panel, addIndex(builder, loc, k, i), first);
}

/// Fewer steps of k than lanes.
void PanelEmitter::emitElements(OpBuilder &builder, Value panel, Value first) {
  Value lanes = createIndex(builder, loc, tile.lanes);
  auto emitElement = [&](OpBuilder &b, Value k, Value r) {
    Value to = add(b, first, r);
    Values from = {getColumn(b, panel, to), add(b, source.begin, k)};
    Value element = memref::LoadOp::create(b, loc, source.rhs, from);
    memref::StoreOp::create(b, loc, convertFloat(b, loc, element, tile.element),
                            panels, ValueRange{panel, k, to});
  };
  emitLoop(builder, loc, zero(builder), source.depth, 1,
           [&](OpBuilder &outer, Value k) {
             emitLoop(outer, loc, zero(outer), lanes, 1,
                      [&](OpBuilder &b, Value r) { emitElement(b, k, r); });
           });
}

/// Columns of B are contiguous.
void PanelEmitter::emitColumns(OpBuilder &builder, Value panel) {
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
                        emitTransposed(inner, panel, first, k);
                      });
             OpBuilder elements = ifOp.getElseBodyBuilder();
             emitElements(elements, panel, first);
           });
}

void PanelEmitter::emit(OpBuilder &builder) {
  if (!source.transposed)
    return emitRows(builder);
  Value count = arith::CeilDivUIOp::create(
      builder, loc, source.count, createIndex(builder, loc, tile.getColumns()));
  emitLoop(builder, loc, zero(builder), count, 1,
           [&](OpBuilder &nested, Value panel) { emitColumns(nested, panel); });
}

void attn::emitPanels(OpBuilder &builder, Location loc,
                      const PanelSource &source, Value panels,
                      const RegisterTile &tile) {
  PanelEmitter(loc, source, panels, tile).emit(builder);
}
