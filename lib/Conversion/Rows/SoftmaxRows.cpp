//===- SoftmaxRows.cpp - attn.softmax row by row --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three passes over a row: its maximum; the weights, which are kept, and their
// sum; the quotients. The second one has most to compute, and asks for the next
// row meanwhile, so that only the first row of a work item is waited for.
//
//===----------------------------------------------------------------------===//

#include "RowOps.h"
#include "SoftmaxSteps.h"

using namespace mlir;
using namespace attn;

namespace {

class SoftmaxRows : public RowAlgorithm, SoftmaxPasses {
public:
  using SoftmaxPasses::getSpace;
  using SoftmaxPasses::SoftmaxPasses;

  void locate(OpBuilder &b, ValueRange number, RowOrigin &origin,
              SmallVectorImpl<Value> &sizes) override {
    origin.outer.assign(number.begin(), number.end());
    if (op.getKeyDim() + 1 != getRank())
      origin.dims = {op.getKeyDim()};
  }

  SmallVector<Value> measure(OpBuilder &b, const RowPlace &row) override {
    LaneBuilder scalars(b, loc, type);
    SmallVector<Value> indices(row.number);
    indices.insert(indices.begin() + op.getKeyDim(), Value());
    Policies policies = emitPolicies(scalars, indices);
    SoftmaxWeighting weighting = emitSoftmaxWeighting(
        scalars, policies.scale, emitMaximum(b, row, policies.scale));
    Value sum = emitSum(b, row, weighting, /*keeps=*/true);
    sum = scalars.add(emitSoftmaxExtra(scalars, policies.logExtra, weighting),
                      sum);
    return {emitFactor(scalars, sum)};
  }

  void write(const RowPiece &piece, const RowPlace &row,
             ValueRange numbers) override {
    emitQuotient(piece, row, machine.getKept(piece), numbers[0]);
  }
};

} // namespace

void attn::emitSoftmaxRows(OpBuilder &builder, SoftmaxOp op,
                           RowMachine &machine) {
  SoftmaxRows rows(op, machine);
  RowSpace space = rows.getSpace(builder);
  space.keeps = true;
  space.passes = 2;
  machine.emitRows(builder, space, rows);
}
