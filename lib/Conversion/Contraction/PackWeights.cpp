//===- PackWeights.cpp - Arguments that are packed ahead ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixBlock.h"
#include "PackedConstant.h"
#include "PanelWords.h"

#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "attn/Remarks/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

/// How the argument is used; `reason` says why there are no panels of it.
static std::optional<PanelUse> findUse(Value argument, std::string &reason) {
  if (!argument.hasOneUse()) {
    reason = "it is used in several places, or in none";
    return std::nullopt;
  }
  OpOperand &operand = *argument.use_begin();
  Operation *op = operand.getOwner();
  std::optional<PanelUse> use;
  reason = "it is no right operand of a product in blocks";
  if (auto linear = dyn_cast<LinearOp>(op)) {
    auto schedule =
        dyn_cast_or_null<ContractionScheduleAttr>(linear.getScheduleAttr());
    if (!schedule || &operand != &linear.getWeightMutable())
      return std::nullopt;
    use = {schedule,
           getRegisterTile(schedule, linear.getComputeType(), linear.getInput(),
                           argument),
           linear.getWeightLayout() == WeightLayout::OutIn};
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    auto schedule =
        op->getAttrOfType<ContractionScheduleAttr>(kContractionAttrName);
    std::string other;
    std::optional<MatrixRoles> roles =
        schedule ? readMatrixRoles(structured, other) : std::nullopt;
    if (!roles || roles->rhs != operand.getOperandNumber())
      return std::nullopt;
    Builder builder(op->getContext());
    Type stored = getElementTypeOrSelf(op->getOperand(2));
    FloatType compute =
        stored.isF64() ? FloatType(builder.getF64Type()) : builder.getF32Type();
    use = {schedule,
           getRegisterTile(schedule, compute, op->getOperand(roles->lhs),
                           argument),
           roles->rhsTransposed};
  } else {
    return std::nullopt;
  }
  if (const char *why = whyNotAhead(use->schedule, use->tile,
                                    cast<ShapedType>(argument.getType()))) {
    reason = why;
    return std::nullopt;
  }
  return use;
}

namespace {

struct PackWeightsPass
    : public attn::impl::PackWeightsPassBase<PackWeightsPass> {
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      for (unsigned i = 0, end = func.getNumArguments(); i < end; ++i)
        if (func.getArgAttrOfType<UnitAttr>(i, kPackedAttr))
          packArgument(func, i);
  }

private:
  static void packArgument(func::FuncOp func, unsigned number);
  static void createPacking(func::FuncOp func, unsigned number,
                            const PanelUse &use, RankedTensorType panels);
};

} // namespace

void PackWeightsPass::packArgument(func::FuncOp func, unsigned number) {
  func.removeArgAttr(number, kPackedAttr);
  std::string reason =
      "the function has no body, or is not called from C alone";
  std::optional<PanelUse> use;
  bool isCalled = !SymbolTable::symbolKnownUseEmpty(
      func, func->getParentOfType<ModuleOp>());
  if (!func.isExternal() && func.isPublic() && !isCalled)
    use = findUse(func.getArgument(number), reason);
  if (!use) {
    Remark(RemarkId::ArgumentUnpacked,
           {{"argument", std::to_string(number)}, {"reason", reason}})
        .emit(func.getLoc());
    return;
  }
  auto matrix = cast<RankedTensorType>(func.getArgumentTypes()[number]);
  auto panels = RankedTensorType::get(
      getPanelsShape(use->tile, use->schedule.getDepth(),
                     matrix.getDimSize(use->transposed ? 1 : 0),
                     matrix.getDimSize(use->transposed ? 0 : 1)),
      use->tile.element);
  createPacking(func, number, *use, panels);
  Builder builder(func.getContext());
  // Other arguments will come before these.
  auto name = builder.getI64IntegerAttr(number);
  func.setArgAttr(number, kPackedAttr, name);
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(kPanelsOfAttr, name));
  unsigned added = func.getNumArguments();
  (void)func.insertArgument(added, panels, attributes, func.getLoc());
  Remark(RemarkId::ArgumentPacked, {{"argument", std::to_string(number)},
                                    {"panels", std::to_string(added)}})
      .emit(func.getLoc());
}

/// NAME_pack_I(matrix) -> panels.
void PackWeightsPass::createPacking(func::FuncOp func, unsigned number,
                                    const PanelUse &use,
                                    RankedTensorType panels) {
  Location loc = func.getLoc();
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfter(func);
  auto type =
      builder.getFunctionType({func.getArgumentTypes()[number]}, {panels});
  auto packing = func::FuncOp::create(
      builder, loc, getPackingName(func.getName(), number), type);
  builder.setInsertionPointToStart(packing.addEntryBlock());
  Value init = tensor::EmptyOp::create(builder, loc, panels.getShape(),
                                       panels.getElementType());
  auto identity = builder.getMultiDimIdentityMap(panels.getRank());
  SmallVector<utils::IteratorType> loops(panels.getRank(),
                                         utils::IteratorType::parallel);
  auto words = linalg::GenericOp::create(
      builder, loc, panels, ValueRange(), init, ArrayRef<AffineMap>(identity),
      loops, [&](OpBuilder &b, Location, ValueRange) {
        SmallVector<Value> at;
        for (int64_t dim = 0; dim < panels.getRank(); ++dim)
          at.push_back(linalg::IndexOp::create(b, loc, dim));
        linalg::YieldOp::create(
            b, loc, emitPanelWord(b, loc, use, packing.getArgument(0), at));
      });
  func::ReturnOp::create(builder, loc, words.getResults());
}
