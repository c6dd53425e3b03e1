//===- RowKernel.cpp - A GPU as a row machine -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowKernel.h"
#include "../../Shared/ConvertFloat.h"
#include "../Fragment/KernelBuilder.h"
#include "../Structured/ElementKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

static Value createIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void RowKernel::allocateKept(OpBuilder &b) {
  SmallVector<int64_t> shape;
  Values dynamic, sizes(space->counts);
  sizes.append(space->sizes.begin(), space->sizes.end());
  for (Value size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      dynamic.push_back(size);
  }
  keptMemory =
      memref::AllocOp::create(b, loc, MemRefType::get(shape, type), dynamic);
}

void RowKernel::emitRows(OpBuilder &builder, const RowSpace &ofOp,
                         RowAlgorithm &ofRows) {
  space = &ofOp;
  algorithm = &ofRows;
  if (ofOp.keeps && schedule.getPieces() == 0)
    allocateKept(builder);
  Value rows = createIndex(builder, loc, 1);
  for (Value count : ofOp.counts)
    rows = builder.createOrFold<arith::MulIOp>(loc, rows, count);
  Value one = createIndex(builder, loc, 1);
  Value threads =
      createIndex(builder, loc, schedule.getBlockWarps() * kWarpLanes);
  Value blocks = builder.createOrFold<arith::CeilDivUIOp>(
      loc, rows, createIndex(builder, loc, getBlockRows()));
  // A number of each warp.
  int64_t bytes = schedule.getRowWarps() * sizeof(double);
  Value dynamicShared;
  if (schedule.getRowWarps() != 1)
    dynamicShared = arith::ConstantIntOp::create(builder, loc, bytes, 32);
  auto launch = gpu::LaunchOp::create(builder, loc, blocks, one, one, threads,
                                      one, one, dynamicShared);
  {
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(&launch.getBody().front());
    emitBlock(builder, launch, rows);
    builder.setInsertionPointToEnd(&launch.getBody().front());
    gpu::TerminatorOp::create(builder, loc);
  }
  if (keptMemory)
    memref::DeallocOp::create(builder, loc, keptMemory);
}

void RowKernel::emitBlock(OpBuilder &b, gpu::LaunchOp launch, Value rows) {
  KernelBuilder kernel(b, loc);
  Value tid = launch.getThreadIds().x, block = launch.getBlockIds().x;
  if (schedule.getRowWarps() != 1)
    shared = kernel.getDynamicShared();
  if (getBlockRows() == 1) {
    thread = tid;
    return emitRow(b, block);
  }
  Value rowThreads = createIndex(b, loc, getRowThreads());
  thread = arith::RemUIOp::create(b, loc, tid, rowThreads);
  Value first =
      arith::MulIOp::create(b, loc, block, createIndex(b, loc, getBlockRows()));
  Value row = arith::AddIOp::create(
      b, loc, first, arith::DivUIOp::create(b, loc, tid, rowThreads));
  // The same for all threads of a warp, which shuffle their numbers.
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, rows);
  scf::IfOp::create(b, loc, inside, [&](OpBuilder &nested, Location) {
    emitRow(nested, row);
    scf::YieldOp::create(nested, loc);
  });
}

void RowKernel::emitRow(OpBuilder &b, Value linear) {
  number.resize(space->counts.size());
  for (size_t dim = number.size(); dim-- > 0;) {
    Value count = space->counts[dim];
    number[dim] =
        dim == 0 ? linear : b.createOrFold<arith::RemUIOp>(loc, linear, count);
    if (dim != 0)
      linear = b.createOrFold<arith::DivUIOp>(loc, linear, count);
  }
  keptPieces.assign(schedule.getPieces(), Value());
  loaded.clear();
  RowPlace row{number, {}, space->sizes};
  algorithm->locate(b, number, row.origin, row.sizes);
  Values numbers = algorithm->measure(b, row);
  if (space->outputs.empty())
    return;
  emitPieces(b, row.sizes.back(), {},
             [&](const RowPiece &piece, MutableArrayRef<Value>) {
               algorithm->write(piece, row, numbers);
             });
}

void RowKernel::emitEach(
    OpBuilder &builder, ValueRange counts,
    llvm::function_ref<void(OpBuilder &, ValueRange)> body) {
  SmallVector<OpFoldResult> box(counts.begin(), counts.end());
  emitElementKernel(builder, loc, box, body);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

RowKernel::Values RowKernel::emitUnrolled(OpBuilder &b, Value count,
                                          Values carried, RowStep step) {
  LaneBuilder scalars(b, loc, type);
  std::optional<int64_t> size = getConstantIntValue(count);
  for (int64_t piece = 0; piece < schedule.getPieces(); ++piece) {
    int64_t begin = piece * getRowThreads();
    Value column = thread;
    if (piece != 0)
      column =
          arith::AddIOp::create(b, loc, thread, createIndex(b, loc, begin));
    Value mask;
    if (!size || *size < begin + getRowThreads())
      mask = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column,
                                   count);
    current = piece;
    step(RowPiece{scalars, column, mask}, carried);
  }
  return carried;
}

RowKernel::Values RowKernel::emitPieces(OpBuilder &b, Value count,
                                        Values carried, RowStep step) {
  if (schedule.getPieces() != 0)
    return emitUnrolled(b, count, std::move(carried), step);
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange inner) {
    LaneBuilder scalars(nested, loc, type);
    Value column = arith::AddIOp::create(nested, loc, i, thread);
    Value mask = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ult,
                                       column, count);
    Values values(inner);
    step(RowPiece{scalars, column, mask}, values);
    scf::YieldOp::create(nested, loc, values);
  };
  auto loop =
      scf::ForOp::create(b, loc, createIndex(b, loc, 0), count,
                         createIndex(b, loc, getRowThreads()), carried, body);
  return Values(loop.getResults());
}

void RowKernel::visit(OpBuilder &builder, Value count, RowVisit step) {
  emitPieces(
      builder, count, {},
      [&](const RowPiece &piece, MutableArrayRef<Value>) { step(piece); });
}

SmallVector<Value> RowKernel::reduce(OpBuilder &builder, const RowPlace &row,
                                     ArrayRef<double> neutrals, RowStep step,
                                     RowCombine combine) {
  LaneBuilder scalars(builder, loc, type);
  Values initial = llvm::map_to_vector(
      neutrals, [&](double neutral) { return scalars.constant(neutral); });
  Values sums = emitPieces(builder, row.sizes.back(), initial, step);
  for (Value &sum : sums)
    sum = combineThreads(builder, sum, combine);
  return sums;
}

Value RowKernel::combineThreads(OpBuilder &b, Value value, RowCombine combine) {
  KernelBuilder kernel(b, loc);
  LaneBuilder scalars(b, loc, type);
  for (int64_t distance = kWarpLanes / 2; distance != 0; distance /= 2)
    value = combine(scalars, value, kernel.shuffleXor(value, distance));
  return schedule.getRowWarps() == 1 ? value : combineWarps(b, value, combine);
}

Value RowKernel::combineWarps(OpBuilder &b, Value value, RowCombine combine) {
  KernelBuilder kernel(b, loc);
  LaneBuilder scalars(b, loc, type);
  int64_t bytes = type.getWidth() / 8;
  Value tid = kernel.toI32(thread);
  Value warp = kernel.div(tid, kWarpLanes);
  Value isFirst = kernel.equal(kernel.rem(tid, kWarpLanes), kernel.constant(0));
  scf::IfOp::create(b, loc, isFirst, [&](OpBuilder &nested, Location) {
    KernelBuilder inside(nested, loc);
    Value at = inside.offset(shared, inside.mul(warp, inside.constant(bytes)));
    inside.store(value, at, bytes);
    scf::YieldOp::create(nested, loc);
  });
  kernel.barrier();
  // All threads alike, in one order.
  Values parts;
  for (int64_t part = 0; part < schedule.getRowWarps(); ++part)
    parts.push_back(
        kernel.load(type, kernel.offset(shared, part * bytes), bytes));
  while (parts.size() > 1) {
    size_t half = parts.size() / 2;
    for (size_t i = 0; i < half; ++i)
      parts[i] = combine(scalars, parts[i], parts[i + half]);
    parts.resize(half);
  }
  // The next sum comes to the same place.
  kernel.barrier();
  return parts.front();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// What `read` gives where the mask, which may be null, is on; else 0.
static Value emitMasked(OpBuilder &b, Location loc, FloatType type, Value mask,
                        llvm::function_ref<Value(OpBuilder &)> read) {
  if (!mask)
    return read(b);
  auto branch = scf::IfOp::create(
      b, loc, mask,
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, read(nested));
      },
      [&](OpBuilder &nested, Location) {
        Value zero =
            arith::ConstantOp::create(nested, loc, nested.getZeroAttr(type));
        scf::YieldOp::create(nested, loc, zero);
      });
  return branch.getResult(0);
}

static void emitIf(OpBuilder &b, Location loc, Value condition,
                   llvm::function_ref<void(OpBuilder &)> body) {
  if (!condition)
    return body(b);
  scf::IfOp::create(b, loc, condition, [&](OpBuilder &nested, Location) {
    body(nested);
    scf::YieldOp::create(nested, loc);
  });
}

Value RowKernel::load(const RowPiece &piece, Value memref, ValueRange indices) {
  Value element = emitMasked(
      piece.lanes.getBuilder(), loc, type, piece.mask, [&](OpBuilder &b) {
        return convertFloat(
            b, loc, memref::LoadOp::create(b, loc, memref, indices), type);
      });
  if (schedule.getPieces() != 0)
    loaded[{memref, current}] = element;
  return element;
}

Value RowKernel::loadAgain(const RowPiece &piece, Value memref,
                           ValueRange indices) {
  if (schedule.getPieces() != 0)
    if (Value element = loaded.lookup({memref, current}))
      return element;
  return load(piece, memref, indices);
}

static void storeElement(OpBuilder &b, Location loc, Value value, Value memref,
                         ValueRange indices) {
  auto element =
      cast<FloatType>(cast<MemRefType>(memref.getType()).getElementType());
  memref::StoreOp::create(b, loc, convertFloat(b, loc, value, element), memref,
                          indices);
}

void RowKernel::store(const RowPiece &piece, Value value, Value memref,
                      ValueRange indices) {
  emitIf(piece.lanes.getBuilder(), loc, piece.mask,
         [&](OpBuilder &b) { storeElement(b, loc, value, memref, indices); });
}

void RowKernel::storeOnce(LaneBuilder &scalars, Value value, Value memref,
                          ValueRange indices) {
  OpBuilder &b = scalars.getBuilder();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        thread, createIndex(b, loc, 0));
  emitIf(b, loc, isFirst, [&](OpBuilder &nested) {
    storeElement(nested, loc, value, memref, indices);
  });
}

RowKernel::Values RowKernel::getKeptIndices(const RowPiece &piece) {
  Values indices(number);
  indices.append(piece.position.begin(), piece.position.end());
  return indices;
}

void RowKernel::keep(const RowPiece &piece, Value value) {
  if (!keptMemory) {
    keptPieces[current] = value;
    return;
  }
  emitIf(piece.lanes.getBuilder(), loc, piece.mask, [&](OpBuilder &b) {
    memref::StoreOp::create(b, loc, value, keptMemory, getKeptIndices(piece));
  });
}

Value RowKernel::getKept(const RowPiece &piece) {
  if (!keptMemory)
    return keptPieces[current];
  return emitMasked(piece.lanes.getBuilder(), loc, type, piece.mask,
                    [&](OpBuilder &b) -> Value {
                      return memref::LoadOp::create(b, loc, keptMemory,
                                                    getKeptIndices(piece));
                    });
}

Value RowKernel::emitWeight(LaneBuilder &lanes, Value x) {
  return lanes.exp(x);
}
