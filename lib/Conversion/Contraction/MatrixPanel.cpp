//===- MatrixPanel.cpp - A part of the right matrix, packed --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/Transpose.h"
#include "../Shared/ConvertFloat.h"
#include "MatrixBlock.h"
#include "StepArithmetic.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

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
  void emitSteps(
      OpBuilder &builder,
      llvm::function_ref<void(OpBuilder &, Value step, int64_t terms)> body);
  void emitStep(OpBuilder &builder, Value panel, Value step, int64_t terms,
                ArrayRef<Value> masks);
  void prefetch(OpBuilder &builder, Value panel, Value step);
  void emitTail(OpBuilder &builder, Value panel, Value count);
  void emitZeros(OpBuilder &builder, Value panelCount);
  void emitColumns(OpBuilder &builder, Value panel);
  void emitColumnPairs(OpBuilder &builder, Value panel);
  void emitTransposed(OpBuilder &builder, Value panel, Value first, Value k,
                      Value mask = {});
  void emitElements(OpBuilder &builder, Value panel, Value first);
  Values turn(OpBuilder &builder, ArrayRef<Value> rows);

  /// What a step takes of these vectors of terms as they are stored: one
  /// vector, or one for each part.
  Values merge(OpBuilder &builder, Values terms);
  void store(OpBuilder &builder, Value vector, Value panel, Value step,
             Value column) {
    vector::StoreOp::create(builder, loc, vector, panels,
                            ValueRange{panel, step, column});
  }
  void store(OpBuilder &builder, const Values &parts, Value panel, Value step,
             Value column) {
    for (auto [part, vector] : llvm::enumerate(parts))
      store(builder, vector, panel,
            addIndex(builder, loc, step, int64_t(part) * source.partSteps),
            column);
  }
  Value getFirstColumn(OpBuilder &builder, Value panel) {
    return add(
        builder, source.column,
        multiply(builder, panel, createIndex(builder, loc, tile.getColumns())));
  }
  Value getRow(OpBuilder &builder, Value step) {
    if (tile.getTerms() > 1)
      step =
          multiply(builder, step, createIndex(builder, loc, tile.getTerms()));
    return add(builder, source.begin, step);
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
  void emitIf(OpBuilder &builder, Value count,
              llvm::function_ref<void(OpBuilder &)> body) {
    Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       count, zero(builder));
    auto ifOp = scf::IfOp::create(builder, loc, some, /*withElseRegion=*/false);
    OpBuilder then = ifOp.getThenBodyBuilder();
    body(then);
  }

  Location loc;
  const PanelSource &source;
  Value panels;
  const RegisterTile &tile;
  Type stored;
};

} // namespace

/// The steps over k. The last one may have fewer terms.
void PanelEmitter::emitSteps(
    OpBuilder &builder,
    llvm::function_ref<void(OpBuilder &, Value, int64_t)> body) {
  auto emit = [&](OpBuilder &b, Value step) { body(b, step, tile.getTerms()); };
  if (tile.getTerms() == 1)
    return emitLoop(builder, loc, zero(builder), source.depth, 1, emit);
  Value terms = createIndex(builder, loc, tile.getTerms());
  Value full = arith::DivUIOp::create(builder, loc, source.depth, terms);
  emitLoop(builder, loc, zero(builder), full, 1, emit);
  std::optional<int64_t> known = getConstantIntValue(source.depth);
  if (known && *known % tile.getTerms() == 0)
    return;
  Value rest = arith::RemUIOp::create(builder, loc, source.depth, terms);
  emitIf(builder, rest, [&](OpBuilder &b) { body(b, full, 1); });
}

SmallVector<Value> PanelEmitter::merge(OpBuilder &builder, Values terms) {
  StepArithmetic arithmetic(builder, loc, tile);
  if (tile.parts == 1)
    return {arithmetic.join(terms)};
  for (Value &term : terms)
    term = convertFloat(builder, loc, term, tile.getVectorType());
  terms.resize(tile.getTerms(),
               arith::ConstantOp::create(
                   builder, loc, builder.getZeroAttr(tile.getVectorType())));
  return arithmetic.mergeParts(terms);
}

/// One step of one panel, where rows of B lie as the panels want them.
void PanelEmitter::emitStep(OpBuilder &builder, Value panel, Value step,
                            int64_t terms, ArrayRef<Value> masks) {
  Value row = getRow(builder, step), from = getFirstColumn(builder, panel);
  auto getColumn = [&](int64_t c) {
    return createIndex(builder, loc, c * tile.lanes);
  };
  if (masks.empty() && tile.parts == 1) {
    StepArithmetic arithmetic(builder, loc, tile);
    for (auto [c, vector] : llvm::enumerate(
             arithmetic.loadRows(source.rhs, row, from, tile.nr, terms)))
      store(builder, vector, panel, step, getColumn(c));
    return;
  }
  auto type = VectorType::get({tile.lanes}, stored);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  for (int64_t c = 0; c < tile.nr; ++c) {
    Values loaded;
    for (int64_t term = 0; term < terms; ++term) {
      Values place = {addIndex(builder, loc, row, term),
                      addIndex(builder, loc, from, c * tile.lanes)};
      if (masks.empty())
        loaded.push_back(
            vector::LoadOp::create(builder, loc, type, source.rhs, place));
      else
        loaded.push_back(vector::MaskedLoadOp::create(
            builder, loc, type, source.rhs, place, masks[c], zeros));
    }
    store(builder, merge(builder, loaded), panel, step, getColumn(c));
  }
}

void PanelEmitter::prefetch(OpBuilder &builder, Value panel, Value step) {
  int64_t line = 512 / stored.getIntOrFloatBitWidth();
  Value row = getRow(builder, step), from = getFirstColumn(builder, panel);
  for (int64_t c = 0; c < tile.getColumns(); c += line)
    emitPrefetch(builder, loc, source.rhs,
                 addIndex(builder, loc, row, kRowsAhead), tile.getTerms(),
                 addIndex(builder, loc, from, c),
                 /*isWrite=*/false);
}

/// A row goes to all panels before the next one, so that memory is read along
/// its pages.
void PanelEmitter::emitRows(OpBuilder &builder) {
  Value width = createIndex(builder, loc, tile.getColumns());
  Value full = arith::DivUIOp::create(builder, loc, source.count, width);
  Value rest = arith::RemUIOp::create(builder, loc, source.count, width);
  emitSteps(builder, [&](OpBuilder &outer, Value step, int64_t terms) {
    emitLoop(outer, loc, zero(outer), full, 1, [&](OpBuilder &b, Value panel) {
      prefetch(b, panel, step);
      emitStep(b, panel, step, terms, {});
    });
  });
  emitIf(builder, rest, [&](OpBuilder &b) { emitTail(b, full, rest); });
  if (tile.isOfTiles())
    emitZeros(builder,
              arith::CeilDivUIOp::create(builder, loc, source.count, width));
}

/// The steps behind the last term that a tile takes with it.
void PanelEmitter::emitZeros(OpBuilder &builder, Value panelCount) {
  std::optional<int64_t> known = getConstantIntValue(source.depth);
  if (known && *known > 0 && *known % kTileTerms == 0)
    return;
  // Where there are no terms, there is a tile of zeros.
  Value some = arith::MaxUIOp::create(builder, loc, source.depth,
                                      createIndex(builder, loc, 1));
  auto divideUp = [&](Value a, int64_t b) -> Value {
    return arith::CeilDivUIOp::create(builder, loc, a,
                                      createIndex(builder, loc, b));
  };
  Value begin = divideUp(source.depth, tile.getTerms());
  Value end = multiply(builder, divideUp(some, kTileTerms),
                       createIndex(builder, loc, kTileRows));
  Value none = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(tile.getVectorType()));
  emitLoop(builder, loc, zero(builder), panelCount, 1,
           [&](OpBuilder &outer, Value panel) {
             emitLoop(outer, loc, begin, end, 1, [&](OpBuilder &b, Value step) {
               for (int64_t c = 0; c < tile.nr; ++c)
                 store(b, Values(tile.parts, none), panel, step,
                       createIndex(b, loc, c * tile.lanes));
             });
           });
}

/// The last panel, of which `count` columns exist.
void PanelEmitter::emitTail(OpBuilder &builder, Value panel, Value count) {
  auto maskType = VectorType::get({tile.lanes}, builder.getI1Type());
  Values masks;
  for (int64_t c = 0; c < tile.nr; ++c) {
    Value rest = arith::SubIOp::create(
        builder, loc, count, createIndex(builder, loc, c * tile.lanes));
    masks.push_back(vector::CreateMaskOp::create(builder, loc, maskType, rest));
  }
  emitSteps(builder, [&](OpBuilder &b, Value step, int64_t terms) {
    emitStep(b, panel, step, terms, masks);
  });
}

/// `lanes` steps from term `k` on, of `lanes` columns, through registers. Terms
/// that `mask` leaves out are 0.
void PanelEmitter::emitTransposed(OpBuilder &builder, Value panel, Value first,
                                  Value k, Value mask) {
  auto type = VectorType::get({tile.lanes * tile.getTerms()}, stored);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Values rows;
  for (int64_t r = 0; r < tile.lanes; ++r) {
    Value column = getColumn(builder, panel, addIndex(builder, loc, first, r));
    Values position = {column, add(builder, source.begin, k)};
    Value row =
        mask ? vector::MaskedLoadOp::create(builder, loc, type, source.rhs,
                                            position, mask, zeros)
                   .getResult()
             : vector::LoadOp::create(builder, loc, type, source.rhs, position)
                   .getResult();
    rows.push_back(
        tile.getTerms() == 1 || tile.parts > 1
            ? row
            : vector::BitCastOp::create(builder, loc, tile.getVectorType(), row)
                  .getResult());
  }
  Value step = k;
  if (tile.getTerms() > 1)
    step = arith::DivUIOp::create(builder, loc, k,
                                  createIndex(builder, loc, tile.getTerms()));
  int64_t each = tile.parts > 1 ? tile.getTerms() : 1;
  Values columns = turn(builder, rows);
  for (size_t i = 0; i < columns.size(); i += each) {
    Values parts = {columns[i]};
    if (each > 1)
      parts = merge(builder, Values(ArrayRef(columns).slice(i, each)));
    store(builder, parts, panel,
          addIndex(builder, loc, step, int64_t(i) / each), first);
  }
}

/// `lanes` vectors with the terms of a column each, as vectors with a term, or
/// step, of all of them.
SmallVector<Value> PanelEmitter::turn(OpBuilder &builder,
                                      ArrayRef<Value> rows) {
  Values columns;
  int64_t length = cast<VectorType>(rows.front().getType()).getNumElements();
  for (int64_t begin = 0; begin < length; begin += tile.lanes) {
    Values block;
    for (Value row : rows) {
      if (length > tile.lanes)
        row = vector::ExtractStridedSliceOp::create(
            builder, loc, row, ArrayRef<int64_t>{begin},
            ArrayRef<int64_t>{tile.lanes}, ArrayRef<int64_t>{1});
      block.push_back(convertFloat(builder, loc, row, tile.getVectorType()));
    }
    llvm::append_range(columns, emitTranspose(builder, loc, block));
  }
  return columns;
}

/// Columns of B are contiguous, and so are the terms of a step.
void PanelEmitter::emitColumnPairs(OpBuilder &builder, Value panel) {
  int64_t length = tile.lanes * tile.getTerms();
  Value rest = arith::RemUIOp::create(builder, loc, source.depth,
                                      createIndex(builder, loc, length));
  Value full = arith::SubIOp::create(builder, loc, source.depth, rest);
  Value width = createIndex(builder, loc, tile.getColumns());
  std::optional<int64_t> known = getConstantIntValue(source.depth);
  emitLoop(builder, loc, zero(builder), width, tile.lanes,
           [&](OpBuilder &nested, Value first) {
             emitLoop(nested, loc, zero(nested), full, length,
                      [&](OpBuilder &inner, Value k) {
                        emitTransposed(inner, panel, first, k);
                      });
             if (known && *known % length == 0)
               return;
             emitIf(nested, rest, [&](OpBuilder &inner) {
               auto type = VectorType::get({length}, inner.getI1Type());
               emitTransposed(
                   inner, panel, first, full,
                   vector::CreateMaskOp::create(inner, loc, type, rest));
             });
           });
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
           [&](OpBuilder &nested, Value panel) {
             if (tile.getTerms() == 1)
               emitColumns(nested, panel);
             else
               emitColumnPairs(nested, panel);
           });
  // Where there are no terms, nothing else has been written.
  std::optional<int64_t> known = getConstantIntValue(source.depth);
  if (tile.isOfTiles() && (!known || *known == 0))
    emitZeros(builder, count);
}

/// Columns that are contiguous are copied in vectors of terms, and those of a
/// tile are as many.
int64_t attn::getPanelSteps(const RegisterTile &tile, int64_t depth) {
  if (tile.getTerms() == 1)
    return depth;
  return llvm::alignTo(depth, tile.lanes * tile.getTerms()) / tile.getTerms();
}

void attn::emitPanels(OpBuilder &builder, Location loc,
                      const PanelSource &source, Value panels,
                      const RegisterTile &tile) {
  PanelEmitter(loc, source, panels, tile).emit(builder);
}
