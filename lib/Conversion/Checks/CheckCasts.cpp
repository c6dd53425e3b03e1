//===- CheckCasts.cpp - What simplification would forget of sizes ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DemandBuilder.h"
#include "EntryChecks.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_CHECKCASTSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// What an index loses in so few bits is not got back by a second cast, which
/// the two together would be simplified to.
void keepNarrowing(arith::IndexCastOp op) {
  auto narrowed = op.getIn().getDefiningOp<arith::IndexCastOp>();
  if (!narrowed || !op.getType().isIndex() ||
      !narrowed.getIn().getType().isIndex() ||
      narrowed.getType().getIntOrFloatBitWidth() >= 32)
    return;
  OpBuilder builder(op);
  Location loc = narrowed.getLoc();
  Value wide = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                          narrowed.getIn());
  op.getInMutable().assign(
      arith::TruncIOp::create(builder, loc, narrowed.getType(), wide));
}

struct CheckCastsPass : impl::CheckCastsPassBase<CheckCastsPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    DemandBuilder demands(func);
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      addBlockDemands(op, demands);
      if (auto cast = dyn_cast<arith::IndexCastOp>(op);
          cast && !isa<ShapedType>(cast.getType()))
        keepNarrowing(cast);
      // Two paddings become one, in which a negative one may vanish.
      if (isa<tensor::CastOp, tensor::PadOp>(op))
        addTensorDemands(op, demands);
      // What is known of all elements is simplified to a number.
      auto extract = dyn_cast<tensor::ExtractOp>(op);
      Operation *made = extract ? extract.getTensor().getDefiningOp() : nullptr;
      if (made && !op->getParentOfType<linalg::LinalgOp>() &&
          (isa<tensor::SplatOp, tensor::GenerateOp, tensor::FromElementsOp>(
               made) ||
           made->hasTrait<OpTrait::ConstantLike>()))
        addElementDemands(op, demands);
    }
    if ((!demands.getCreated().empty() &&
         failed(resolveDemands(demands, func))) ||
        failed(learnSizes(func)))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
