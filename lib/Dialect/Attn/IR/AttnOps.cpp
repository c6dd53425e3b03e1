//===- AttnOps.cpp - Effects, shapes and canonical forms of the attention ops
//---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"
#include "NormSyntax.h"

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn/Dialect/Attn/IR/AttnOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// On memrefs, inputs and params are read and outputs are read and written; on
/// tensors there is no effect.
static void
addEffects(AttentionOpInterface op,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand, 0, true,
                         SideEffects::DefaultResource::get());
    if (llvm::is_contained(op.getShapedOutputs(), operand.get()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
  }
}

#define ATTN_DEFINE_EFFECTS(OpTy)                                              \
  void OpTy::getEffects(                                                       \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    addEffects(cast<AttentionOpInterface>(getOperation()), effects);           \
  }
ATTN_DEFINE_EFFECTS(AttentionOp)
ATTN_DEFINE_EFFECTS(OnlineAttentionOp)
ATTN_DEFINE_EFFECTS(PackQueryOp)
ATTN_DEFINE_EFFECTS(FinalizeOp)
#undef ATTN_DEFINE_EFFECTS

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyDestinationShapes(*this, builder, shapes);
}

//===----------------------------------------------------------------------===//
// Canonical forms
//===----------------------------------------------------------------------===//

namespace {

/// softmax_n<0> is softmax.
struct DropEmptySoftmaxN : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto normalizer = dyn_cast<SoftmaxNAttr>(op.getNormalizer());
    if (!normalizer || normalizer.getCount() != 0.0)
      return rewriter.notifyMatchFailure(op, "not softmax_n<0>");
    rewriter.modifyOpInPlace(op, [&] {
      op.setNormalizerAttr(SoftmaxNormAttr::get(op.getContext()));
    });
    return success();
  }
};

/// constant<1> is none.
struct DropUnitScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto scale = dyn_cast<ConstantScaleAttr>(op.getScale());
    if (!scale || scale.getValue() != 1.0)
      return rewriter.notifyMatchFailure(op, "not constant<1>");
    rewriter.modifyOpInPlace(
        op, [&] { op.setScaleAttr(NoScaleAttr::get(op.getContext())); });
    return success();
  }
};

/// A window that is open on both sides masks nothing; open to the left and
/// closed at the diagonal, it is causal.
struct SimplifyWindow : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Attribute> masks;
    bool changed = false;
    for (Attribute mask : op.getMasks()) {
      auto window = dyn_cast<WindowAttr>(mask);
      if (window && window.getLeft() == -1 && window.getRight() <= 0) {
        changed = true;
        if (window.getRight() == 0)
          masks.push_back(CausalAttr::get(op.getContext()));
        continue;
      }
      // An intersection needs each mask without params once.
      if (cast<MaskAttrInterface>(mask).getParamSpecs().empty() &&
          llvm::is_contained(masks, mask)) {
        changed = true;
        continue;
      }
      masks.push_back(mask);
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no window to simplify");
    rewriter.modifyOpInPlace(
        op, [&] { op.setMasksAttr(rewriter.getArrayAttr(masks)); });
    return success();
  }
};

} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropEmptySoftmaxN, DropUnitScale, SimplifyWindow>(context);
}
