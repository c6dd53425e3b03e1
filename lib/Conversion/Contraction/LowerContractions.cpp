//===- LowerContractions.cpp - Matrix products become vector loops -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadContraction.h"

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"
#include "attn/Remarks/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

/// A copy whose rows are contiguous, as vectors of them need it.
static Value createCopy(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(builder, loc, memref, d));
  Value copy = memref::AllocOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
      sizes);
  memref::CopyOp::create(builder, loc, memref, copy);
  return copy;
}

namespace {

struct LowerContractionsPass
    : public attn::impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;

  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    SmallVector<LinearOp> linears;
    SmallVector<linalg::LinalgOp> structured;
    getOperation()->walk([&](Operation *op) {
      if (auto linear = dyn_cast<LinearOp>(op))
        linears.push_back(linear);
      else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        structured.push_back(linalgOp);
    });
    for (LinearOp op : linears)
      if (failed(lowerLinear(op)))
        return signalPassFailure();
    if (!target.hasFastVectors())
      return;
    for (linalg::LinalgOp op : structured)
      lowerStructured(op, target);
  }

private:
  static LogicalResult lowerLinear(LinearOp op) {
    if (!op.getSchedule() || op->getNumResults() != 0)
      return op.emitError(
          "has no lowering to vectors: it has no schedule or is "
          "not on memrefs");
    auto schedule = cast<ContractionScheduleAttr>(op.getScheduleAttr());
    OpBuilder builder(op);
    auto copyRows = [&](OpOperand &operand) {
      if (!hasUnitInnerStride(operand.get()))
        operand.set(createCopy(builder, op.getLoc(), operand.get()));
    };
    copyRows(op.getWeightMutable());
    if (schedule.getPanels() == 0 &&
        op.getWeightLayout() == WeightLayout::OutIn)
      copyRows(op.getInputMutable());
    for (OpOperand &bias : op.getBiasMutable())
      copyRows(bias);
    for (OpOperand &extra : op.getExtrasMutable())
      if (auto type = dyn_cast<MemRefType>(extra.get().getType());
          type && type.getRank() > 0)
        copyRows(extra);
    Value output = op.getOutput();
    copyRows(op.getOutputMutable());
    FoundProduct found = readLinear(builder, op);
    emitMatrixProduct(builder, op, found.product, schedule, found.compute);
    if (op.getOutput() != output)
      memref::CopyOp::create(builder, op.getLoc(), op.getOutput(), output);
    op.erase();
    return success();
  }

  void lowerStructured(linalg::LinalgOp op, const TargetDescription &target) {
    std::string reason;
    if (!isMatrixProduct(op, reason)) {
      if (!reason.empty())
        Remark(RemarkId::ContractionLoops, {{"reason", reason}})
            .emit(op.getLoc());
      return;
    }
    OpBuilder builder(op);
    FoundProduct found = readStructured(builder, op);
    auto sizeOf = [](OpFoldResult size) {
      return getConstantIntValue(size).value_or(ShapedType::kDynamic);
    };
    ContractionScheduleAttr schedule = selectContractionSchedule(
        getElementTypeOrSelf(found.product.output.memref.getType()),
        found.compute,
        {sizeOf(found.product.output.rows),
         sizeOf(found.product.output.columns),
         sizeOf(found.product.lhs.columns),
         !found.product.rhsTransposed &&
             getElementTypeOrSelf(found.product.rhs.memref.getType()) ==
                 found.compute,
         found.product.rhsTransposed &&
             isOneInteger(found.product.lhs.columnStride)},
        target);
    std::string text;
    llvm::raw_string_ostream(text) << schedule;
    Remark(RemarkId::ContractionRoute, {{"schedule", text}}).emit(op.getLoc());
    emitMatrixProduct(builder, op, found.product, schedule, found.compute);
    op.erase();
  }
};

} // namespace
