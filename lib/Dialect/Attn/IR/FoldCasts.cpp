//===- FoldCasts.cpp - Casts of operands become part of attn ops ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that reads a tensor.cast to a type of fewer static sizes reads the
// source instead, so that sizes known before the cast are known to the op. The
// tensor dialect has the same pattern for every op with destinations, but it
// clones regions in a way that needs a block in each, and score regions and
// epilogues may be absent. With its higher benefit this one comes first.
//
// Sizes before casts may contradict each other in code that never runs. No op
// can have them, so its destinations take the place of its results.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace {

/// Verifies the op without what is around and inside of it, in silence.
LogicalResult verifyAlone(Operation *op) {
  ScopedDiagnosticHandler silent(op->getContext(),
                                 [](Diagnostic &) { return success(); });
  return op->getName().verifyInvariants(op);
}

struct FoldCastOperands
    : OpInterfaceRewritePattern<DestinationStyleOpInterface> {
  explicit FoldCastOperands(MLIRContext *context)
      : OpInterfaceRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(DestinationStyleOpInterface op,
                                PatternRewriter &rewriter) const final {
    if (!isa<attn::AttnDialect>(op->getDialect()) ||
        !tensor::hasFoldableTensorCastOperand(op))
      return failure();
    SmallVector<Type> types(op->getResultTypes());
    SmallVector<Value> operands =
        tensor::getUpdatedOperandsAfterCastOpFolding(op, types);
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (unsigned i = 0, e = op->getNumRegions(); i != e; ++i)
      state.addRegion();
    Operation *folded = Operation::create(state);
    IRMapping mapping;
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), folded->getRegions()))
      from.cloneInto(&to, mapping);
    if (failed(verifyAlone(folded))) {
      folded->destroy();
      if (op.getNumDpsInits() != op->getNumResults())
        return failure();
      // Anything may stand here. Were the op to stay, the tensor dialect's
      // pattern would fold the casts.
      op->emitWarning("sizes contradict each other: this op can never run");
      rewriter.replaceOp(op, llvm::to_vector(op.getDpsInits()));
      return success();
    }
    rewriter.insert(folded);
    SmallVector<Value> results;
    for (auto [was, is] :
         llvm::zip_equal(op->getResults(), folded->getResults()))
      results.push_back(was.getType() == is.getType()
                            ? Value(is)
                            : tensor::CastOp::create(rewriter, op->getLoc(),
                                                     was.getType(), is));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void attn::AttnDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<FoldCastOperands>(getContext());
}
