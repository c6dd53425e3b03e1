//===- LowerContractions.cpp - Matrix products become vector loops -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/ReadContraction.h"
#include "MatrixBlock.h"

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
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
    for (linalg::LinalgOp op : structured)
      lowerStructured(op);
  }

private:
  /// Whether the target has the schedule's instruction.
  static bool hasInstruction(Operation *op, ContractionScheduleAttr schedule) {
    return canMultiply(readTarget(op), schedule.getInstruction());
  }
  /// What the schedule multiplies, in words.
  static std::string describe(ContractionScheduleAttr schedule) {
    return (Twine(takesTiles(schedule.getInstruction()) ? "tiles" : "pairs") +
            " of " +
            describeOperands(schedule.getInstruction(), schedule.getParts()))
        .str();
  }

  static LogicalResult lowerLinear(LinearOp op) {
    if (!op.getSchedule() || op->getNumResults() != 0)
      return op.emitError(
          "has no lowering to vectors: it has no schedule or is "
          "not on memrefs");
    auto schedule = cast<ContractionScheduleAttr>(op.getScheduleAttr());
    if (!hasInstruction(op, schedule))
      return op.emitError(
                 "has no lowering to vectors: its schedule multiplies ")
             << describe(schedule)
             << ", which the target has no instruction for";
    OpBuilder builder(op);
    auto copyRows = [&](OpOperand &operand) {
      if (!hasUnitInnerStride(operand.get()))
        operand.set(createCopy(builder, op.getLoc(), operand.get()));
    };
    copyRows(op.getWeightMutable());
    if (schedule.getDirect() && op.getWeightLayout() == WeightLayout::OutIn)
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

  /// Whether terms are read in vectors, from both operands.
  static bool readsDots(ContractionScheduleAttr schedule,
                        const MatrixRoles &roles) {
    return schedule.getDirect() && roles.rhsTransposed;
  }

  /// The roles in a product on memrefs that the schedule can compute.
  static std::optional<MatrixRoles>
  findProduct(linalg::LinalgOp op, ContractionScheduleAttr schedule,
              std::string &reason) {
    std::optional<MatrixRoles> roles = readMatrixRoles(op, reason);
    if (!roles) {
      if (reason.empty())
        reason = "it is no product whose sums have the type of its output";
      return std::nullopt;
    }
    bool areRowsContiguous = hasUnitInnerStride(op->getOperand(roles->rhs)) &&
                             hasUnitInnerStride(op->getOperand(2));
    if (!areRowsContiguous ||
        (readsDots(schedule, *roles) && !roles->areTermsLast)) {
      reason = "rows of an operand are not contiguous";
      return std::nullopt;
    }
    auto isTaken = [&](unsigned operand) {
      return multiplies(schedule.getInstruction(),
                        getElementTypeOrSelf(op->getOperand(operand)),
                        schedule.getParts());
    };
    bool areSumsTaken = schedule.getInstruction() == Instruction::FMA ||
                        !getElementTypeOrSelf(op->getOperand(2)).isF64();
    if (!isTaken(roles->lhs) || !isTaken(roles->rhs) || !areSumsTaken ||
        !hasInstruction(op, schedule)) {
      reason = "its schedule multiplies " + describe(schedule) + " into f32";
      return std::nullopt;
    }
    return roles;
  }

  static void lowerStructured(linalg::LinalgOp op) {
    auto schedule =
        op->getAttrOfType<ContractionScheduleAttr>(kContractionAttrName);
    if (!schedule || op->getNumResults() != 0)
      return;
    std::string reason;
    std::optional<MatrixRoles> roles = findProduct(op, schedule, reason);
    if (!roles) {
      Remark(RemarkId::ContractionLoops, {{"reason", reason}})
          .emit(op.getLoc());
      return;
    }
    OpBuilder builder(op);
    OpOperand &lhs = op->getOpOperand(roles->lhs);
    if (readsDots(schedule, *roles) && !hasUnitInnerStride(lhs.get()))
      lhs.set(createCopy(builder, op.getLoc(), lhs.get()));
    FoundProduct found = readStructured(builder, op);
    emitMatrixProduct(builder, op, found.product, schedule, found.compute);
    op.erase();
  }
};

} // namespace
