//===- ProductLoops.cpp - Blocks of a matrix product, side by side -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixBlock.h"
#include "PackedConstant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

void attn::emitMatrixProduct(OpBuilder &builder, Operation *user,
                             const MatrixProduct &product,
                             ContractionScheduleAttr schedule,
                             FloatType compute) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(user);
  Value packed = findPanels(product, schedule, compute);
  if (!packed)
    packed = packConstant(builder, user, product, schedule, compute);
  Location loc = user->getLoc();
  auto countBlocks = [&](OpFoldResult size, int64_t step) -> OpFoldResult {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return builder.getIndexAttr(llvm::divideCeil(*known, step));
    Value count = getValueOrCreateConstantIndexOp(builder, loc, size);
    return arith::CeilDivUIOp::create(builder, loc, count,
                                      createIndex(builder, loc, step))
        .getResult();
  };
  int64_t columns =
      schedule.getLanes() * schedule.getNr() * schedule.getPanels();
  SmallVector<OpFoldResult> bounds = {
      product.batchCount, countBlocks(product.output.rows, schedule.getRows()),
      countBlocks(product.output.columns, columns)};
  auto forall =
      scf::ForallOp::create(builder, loc, bounds, ValueRange(), std::nullopt);
  builder.setInsertionPointToStart(forall.getBody());
  emitMatrixBlock(builder, loc, product, packed, schedule, compute,
                  forall.getInductionVar(0), forall.getInductionVar(1),
                  forall.getInductionVar(2));
}
