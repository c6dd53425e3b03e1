//===- PackQuery.cpp - attn.pack_query as vector loops --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile is transposed first and normalised in place afterwards: then the
// sums of squares for cosine similarity are plain vectors.
//
//===----------------------------------------------------------------------===//

#include "../Contraction/StepArithmetic.h"
#include "../Lanes/Transpose.h"
#include "../Shared/ConvertFloat.h"
#include "../Shared/NormFactor.h"
#include "KeyNorms.h"
#include "QueryBound.h"
#include "RowChanger.h"
#include "ScoreLanes.h"
#include "TileShape.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

namespace {

class PackQueryEmitter {
public:
  PackQueryEmitter(OpBuilder &builder, PackQueryOp op, const TileShape &shape,
                   Value query, Value packed, Value scales, ScratchPool &pool)
      : builder(builder), loc(op.getLoc()), op(op), shape(shape), query(query),
        packed(packed), scales(scales), vectorType(shape.tile.getVectorType()),
        headDim(cast<MemRefType>(packed.getType()).getDimSize(0)), pool(pool) {}

  void emit() {
    emitTransposed();
    forEachVector([&](OpBuilder &b, Value firstRow) {
      Value scale = ScoreLanes(b, op, shape.tile).emitScale(firstRow);
      if (needsQueryBound(op))
        scale = emitBounded(b, firstRow, scale);
      if (CosineAttr cosine = op.getCosine())
        scale = emitNormalised(b, firstRow, cosine, scale);
      vector::StoreOp::create(b, loc, scale, scales, ValueRange(firstRow));
      // What consists of parts is cut where it is multiplied.
      if (shape.tile.getTerms() > 1 && shape.tile.parts == 1)
        emitMerged(b, firstRow);
    });
  }

private:
  /// The tile's own row that stands for lane row `i`: rows past the end repeat
  /// the last one.
  Value clampRow(OpBuilder &b, Value i) {
    return arith::MinUIOp::create(b, loc, i, lastRow);
  }
  void emitTransposed();
  void emitChanged();
  void emitBlock(OpBuilder &b, Value from, ArrayRef<Value> rows,
                 Value firstRow);
  void emitElements();
  void forEachVector(llvm::function_ref<void(OpBuilder &, Value)> body) {
    emitLoop(builder, loc, createIndex(builder, loc, 0),
             createIndex(builder, loc, shape.rows), shape.tile.lanes, body);
  }
  Value emitBounded(OpBuilder &b, Value firstRow, Value scale);
  Value emitNormalised(OpBuilder &b, Value firstRow, CosineAttr cosine,
                       Value scale);
  void emitMerged(OpBuilder &b, Value firstRow);
  using ColumnFunction =
      llvm::function_ref<Value(LaneBuilder &lanes, Value result, Value column)>;
  Value foldColumns(OpBuilder &b, Value firstRow, ColumnFunction fold);
  void changeColumns(
      OpBuilder &b, Value firstRow,
      llvm::function_ref<Value(LaneBuilder &lanes, Value column)> change);

  OpBuilder &builder;
  Location loc;
  PackQueryOp op;
  const TileShape &shape;
  Value query;
  Value packed;
  Value scales;
  VectorType vectorType;
  int64_t headDim;
  ScratchPool &pool;
  Value lastRow;
};

} // namespace

void PackQueryEmitter::emitTransposed() {
  Value zero = createIndex(builder, loc, 0);
  Value rows = memref::DimOp::create(builder, loc, query, zero);
  lastRow =
      arith::SubIOp::create(builder, loc, rows, createIndex(builder, loc, 1));
  auto self = cast<AttentionOpInterface>(op.getOperation());
  if (!self.getRowChanges(LoadedRows::Query).empty())
    return emitChanged();
  if (!hasUnitInnerStride(query) || headDim < shape.tile.lanes)
    return emitElements();
  forEachVector([&](OpBuilder &b, Value firstRow) {
    SmallVector<Value> rows;
    for (int64_t r = 0; r < shape.tile.lanes; ++r)
      rows.push_back(clampRow(b, addIndex(b, loc, firstRow, r)));
    emitBlock(b, query, rows, firstRow);
  });
}

/// A vector's worth of rows is changed into a scratch and transposed from
/// there. The scratch's rows are whole vectors; what is past a row's end is
/// not read.
void PackQueryEmitter::emitChanged() {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  int64_t lanes = shape.tile.lanes;
  RowChanger changer(self, LoadedRows::Query, lanes, headDim);
  Value scratch = pool.get(builder, op, {lanes, std::max(headDim, lanes)},
                           shape.tile.element, /*slot=*/4);
  Value zero = createIndex(builder, loc, 0);
  forEachVector([&](OpBuilder &outer, Value firstRow) {
    emitLoop(
        outer, loc, zero, createIndex(outer, loc, lanes), 1,
        [&](OpBuilder &b, Value r) {
          Value row = clampRow(b, arith::AddIOp::create(b, loc, firstRow, r));
          changer.emitRow(b, query, {{row, zero}, 1}, {zero, row}, scratch, r);
        });
    if (headDim >= lanes) {
      SmallVector<Value> rows;
      for (int64_t r = 0; r < lanes; ++r)
        rows.push_back(createIndex(outer, loc, r));
      return emitBlock(outer, scratch, rows, firstRow);
    }
    SmallVector<Value> rows;
    for (int64_t r = 0; r < lanes; ++r)
      rows.push_back(
          vector::LoadOp::create(outer, loc, vectorType, scratch,
                                 ValueRange{createIndex(outer, loc, r), zero}));
    SmallVector<Value> columns = emitTranspose(outer, loc, rows);
    for (int64_t c = 0; c < headDim; ++c)
      vector::StoreOp::create(outer, loc, columns[c], packed,
                              ValueRange{createIndex(outer, loc, c), firstRow});
  });
}

void PackQueryEmitter::emitBlock(OpBuilder &b, Value from,
                                 ArrayRef<Value> rowIndices, Value firstRow) {
  Value nextRow = addIndex(b, loc, firstRow, shape.rows);
  emitChunks(b, loc, headDim, shape.tile.lanes,
             [&](OpBuilder &nested, Value column) {
               SmallVector<Value> rows;
               for (Value row : rowIndices)
                 rows.push_back(loadFloats(nested, loc, vectorType, from,
                                           ValueRange{row, column}));
               if (shape.isOneGroup())
                 emitPrefetch(nested, loc, query, nextRow, shape.tile.lanes,
                              column, /*isWrite=*/false);
               for (auto [c, lanes] :
                    llvm::enumerate(emitTranspose(nested, loc, rows)))
                 vector::StoreOp::create(
                     nested, loc, lanes, packed,
                     ValueRange{addIndex(nested, loc, column, c), firstRow});
             });
}

/// One element at a time: for strides and short rows without vector loads.
void PackQueryEmitter::emitElements() {
  Value zero = createIndex(builder, loc, 0);
  auto copyRow = [&](OpBuilder &b, Value i) {
    Value row = clampRow(b, i);
    auto copyElement = [&](OpBuilder &nested, Value c) {
      Value element =
          memref::LoadOp::create(nested, loc, query, ValueRange{row, c});
      element = convertFloat(nested, loc, element, shape.tile.element);
      memref::StoreOp::create(nested, loc, element, packed, ValueRange{c, i});
    };
    emitLoop(b, loc, zero, createIndex(b, loc, headDim), 1, copyElement);
  };
  emitLoop(builder, loc, zero, createIndex(builder, loc, shape.rows), 1,
           copyRow);
}

/// What `fold` makes of 0 and one element of each row after the other.
Value PackQueryEmitter::foldColumns(OpBuilder &b, Value firstRow,
                                    ColumnFunction fold) {
  LaneBuilder outer(b, loc, shape.tile.element, shape.tile.lanes);
  auto loop = scf::ForOp::create(
      b, loc, createIndex(b, loc, 0), createIndex(b, loc, headDim),
      createIndex(b, loc, 1), ValueRange(outer.constant(0.0)),
      [&](OpBuilder &nested, Location, Value c, ValueRange result) {
        LaneBuilder lanes(nested, loc, shape.tile.element, shape.tile.lanes);
        Value column = vector::LoadOp::create(nested, loc, vectorType, packed,
                                              ValueRange{c, firstRow});
        scf::YieldOp::create(nested, loc, fold(lanes, result[0], column));
      });
  return loop.getResult(0);
}

void PackQueryEmitter::changeColumns(
    OpBuilder &b, Value firstRow,
    llvm::function_ref<Value(LaneBuilder &lanes, Value column)> change) {
  auto body = [&](OpBuilder &nested, Value c) {
    LaneBuilder lanes(nested, loc, shape.tile.element, shape.tile.lanes);
    std::array<Value, 2> position = {c, firstRow};
    Value column = vector::LoadOp::create(nested, loc, vectorType, packed,
                                          ValueRange(position));
    vector::StoreOp::create(nested, loc, change(lanes, column), packed,
                            ValueRange(position));
  };
  emitLoop(b, loc, createIndex(b, loc, 0), createIndex(b, loc, headDim), 1,
           body);
}

/// Rows that will be rounded are multiplied by the power of two in the factor
/// only, which takes no digit from them; the rest of it goes to the scale,
/// which is returned.
Value PackQueryEmitter::emitNormalised(OpBuilder &b, Value firstRow,
                                       CosineAttr cosine, Value scale) {
  LaneBuilder lanes(b, loc, shape.tile.element, shape.tile.lanes);
  Value squares = foldColumns(
      b, firstRow, [&](LaneBuilder &inner, Value sum, Value column) -> Value {
        return vector::FMAOp::create(inner.getBuilder(), loc, column, column,
                                     sum);
      });
  Value factor = emitNormFactor(lanes, cosine, squares);
  if (shape.tile.getTerms() > 1) {
    auto mask = [&](int32_t kept, int32_t added) -> Value {
      Value bits = arith::BitcastOp::create(b, loc, lanes.getIntType(), factor);
      bits = arith::AndIOp::create(b, loc, bits, lanes.integer(kept));
      bits = arith::OrIOp::create(b, loc, bits, lanes.integer(added));
      return arith::BitcastOp::create(b, loc, lanes.getFloatType(), bits);
    };
    constexpr int32_t exponent = 0x7f800000, mantissa = 0x007fffff,
                      one = 0x3f800000;
    scale = lanes.mul(scale, mask(mantissa, one));
    factor = mask(exponent, 0);
  }
  changeColumns(b, firstRow, [&](LaneBuilder &inner, Value column) -> Value {
    return arith::MulFOp::create(inner.getBuilder(), loc, column, factor);
  });
  return scale;
}

/// Divides rows by powers of two; returns the scale that has them.
Value PackQueryEmitter::emitBounded(OpBuilder &b, Value firstRow, Value scale) {
  LaneBuilder lanes(b, loc, shape.tile.element, shape.tile.lanes);
  Value largest = foldColumns(
      b, firstRow, [](LaneBuilder &inner, Value result, Value column) {
        return inner.max(inner.abs(column), result);
      });
  QueryBound bound(lanes, largest, headDim);
  changeColumns(b, firstRow, [&](LaneBuilder &inner, Value column) {
    return bound.divide(inner, column);
  });
  return bound.multiply(scale);
}

/// The columns that a step of the product takes become one, in the place of
/// columns that were read before.
void PackQueryEmitter::emitMerged(OpBuilder &b, Value firstRow) {
  int64_t terms = shape.tile.getTerms();
  auto emitStep = [&](OpBuilder &nested, Value step, int64_t count) {
    LaneBuilder lanes(nested, loc, shape.tile.element, shape.tile.lanes);
    Value first = arith::MulIOp::create(nested, loc, step,
                                        createIndex(nested, loc, terms));
    SmallVector<Value> columns;
    for (int64_t term = 0; term < count; ++term)
      columns.push_back(vector::LoadOp::create(
          nested, loc, vectorType, packed,
          ValueRange{addIndex(nested, loc, first, term), firstRow}));
    columns.resize(terms, lanes.constant(0.0));
    Value merged = StepArithmetic(nested, loc, shape.tile).merge(columns);
    vector::StoreOp::create(nested, loc, merged, packed,
                            ValueRange{step, firstRow});
  };
  Value full = createIndex(b, loc, headDim / terms);
  emitLoop(
      b, loc, createIndex(b, loc, 0), full, 1,
      [&](OpBuilder &nested, Value step) { emitStep(nested, step, terms); });
  if (headDim % terms != 0)
    emitStep(b, full, headDim % terms);
  if (!shape.tile.isOfTiles())
    return;
  // Steps that a tile takes with the last term.
  int64_t end = llvm::alignTo(headDim, kTileTerms) / terms;
  for (int64_t step = llvm::divideCeil(headDim, terms); step < end; ++step)
    vector::StoreOp::create(
        b, loc, arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType)),
        packed, ValueRange{createIndex(b, loc, step), firstRow});
}

namespace {

struct LowerPackQuery : OpRewritePattern<PackQueryOp> {
  LowerPackQuery(MLIRContext *context, ScratchPool &pool)
      : OpRewritePattern(context), pool(pool) {}

  LogicalResult matchAndRewrite(PackQueryOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<TileShape> shape = getTileShape(op, rewriter);
    if (failed(shape) || failed(checkScores(op, rewriter)))
      return failure();
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    unsigned m = attention.getRowDim(), d = attention.getHeadDimDim();
    AffineMap queryMap = attention.getInputMap(0);
    Value packed = op.getOutputs()[0], scales = op.getOutputs()[1];
    if (!isTileMap(queryMap, m, d, /*anyOrder=*/true) ||
        !isTileMap(attention.getOutputMap(0), d, m, /*anyOrder=*/false))
      return rewriter.notifyMatchFailure(op, "operands are not 2-D tiles");
    if (!isStateTile(packed, *shape) || !isStateTile(scales, *shape))
      return rewriter.notifyMatchFailure(
          op, "the packed query is not contiguous in the schedule's rows");
    if (cast<MemRefType>(packed.getType()).isDynamicDim(0))
      return rewriter.notifyMatchFailure(op, "the head dimension is dynamic");
    if (failed(checkTileDims(op, *shape, packed, rewriter)))
      return failure();
    Value query =
        getOriented(rewriter, op.getLoc(), op.getQuery(), queryMap, m);
    PackQueryEmitter(rewriter, op, *shape, query, packed, scales, pool).emit();
    rewriter.eraseOp(op);
    return success();
  }

private:
  ScratchPool &pool;
};

} // namespace

void attn::populatePackQueryPattern(RewritePatternSet &patterns,
                                    ScratchPool &scratch) {
  patterns.add<LowerPackQuery>(patterns.getContext(), scratch);
}
