//===- Softmax.cpp - Which form an attn.softmax takes ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "../Rows/RowOps.h"
#include "RowPatterns.h"
#include "VectorRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Fewer rows than these are cut, too, where they have two segments.
constexpr int64_t kFewRows = 4;

/// Whether rows are cut into segments: an i1 that folds where the sizes are
/// known. It depends on sizes alone, so that the number of threads does not
/// change a bit.
static Value emitIsCut(OpBuilder &builder, SoftmaxOp op) {
  Location loc = op.getLoc();
  SoftmaxScheduleAttr schedule =
      cast<SoftmaxScheduleAttr>(op.getScheduleAttr());
  int64_t last = cast<ShapedType>(op.getInput().getType()).getRank() - 1;
  Value rows = createIndex(builder, loc, 1);
  auto sizeOf = [&](int64_t dim) {
    return builder.createOrFold<memref::DimOp>(loc, op.getInput(),
                                               createIndex(builder, loc, dim));
  };
  for (int64_t dim = 0; dim < last; ++dim)
    rows = builder.createOrFold<arith::MulIOp>(loc, rows, sizeOf(dim));
  auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a,
                                               createIndex(builder, loc, b));
  };
  Value size = sizeOf(last);
  Value isLong = compare(arith::CmpIPredicate::ugt, size, schedule.getWhole());
  Value isCuttable =
      compare(arith::CmpIPredicate::uge, size, 2 * schedule.getSegment());
  Value areFew = compare(arith::CmpIPredicate::ult, rows, kFewRows);
  Value areWorthIt =
      builder.createOrFold<arith::AndIOp>(loc, isCuttable, areFew);
  return builder.createOrFold<arith::OrIOp>(loc, isLong, areWorthIt);
}

void attn::emitRows(OpBuilder &builder, SoftmaxOp op,
                    const TargetDescription &target) {
  int64_t rank = cast<ShapedType>(op.getInput().getType()).getRank();
  if (op.getKeyDim() + 1 != rank)
    return emitSoftmaxColumns(builder, op, target);
  auto schedule = cast<SoftmaxScheduleAttr>(op.getScheduleAttr());
  auto emitForm = [&](OpBuilder &b, bool areSegments) {
    VectorRows machine(
        op.getLoc(),
        {op.getComputeType(), schedule.getLanes(), schedule.getUnroll(),
         areSegments ? 1 : schedule.getRows(), schedule.getStream(),
         /*masksRest=*/true},
        target);
    if (areSegments)
      emitSoftmaxSegments(b, op, machine, schedule.getSegment());
    else
      emitSoftmaxRows(b, op, machine);
  };
  Value isCut = emitIsCut(builder, op);
  if (std::optional<int64_t> known = getConstantIntValue(isCut))
    return emitForm(builder, *known != 0);
  auto emitBranch = [&](bool areSegments) {
    return [&emitForm, areSegments](OpBuilder &nested, Location loc) {
      emitForm(nested, areSegments);
      scf::YieldOp::create(nested, loc);
    };
  };
  scf::IfOp::create(builder, op.getLoc(), isCut, emitBranch(true),
                    emitBranch(false));
}
