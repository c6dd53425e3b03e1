//===- DecomposeModels.cpp - Which op has which form in plain linalg ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "attn/Conversion/AttnToLinalg/ElementOps.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

#include "attn/Conversion/DecomposeOpInterface.cpp.inc"

namespace {

template <typename OpTy, LogicalResult (*form)(RewriterBase &, OpTy)>
struct Model : DecomposeOpInterface::ExternalModel<Model<OpTy, form>, OpTy> {
  LogicalResult decompose(Operation *op, RewriterBase &rewriter) const {
    return form(rewriter, cast<OpTy>(op));
  }
};

template <typename OpTy, LogicalResult (*form)(RewriterBase &, OpTy)>
void attach(MLIRContext &context) {
  OpTy::template attachInterface<Model<OpTy, form>>(context);
}

} // namespace

void attn::registerDecomposeOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    attach<ActivationOp, decomposeActivation>(*context);
    attach<AttentionOp, decomposeAttention>(*context);
    attach<FinalizeOp, decomposeFinalize>(*context);
    attach<InitOp, decomposeInit>(*context);
    attach<LinearOp, decomposeLinear>(*context);
    attach<NormOp, decomposeNorm>(*context);
    attach<OnlineAttentionOp, decomposeOnlineAttention>(*context);
    attach<PackQueryOp, decomposePackQuery>(*context);
    attach<RopeOp, decomposeRope>(*context);
    attach<SinusoidalPositionsOp, decomposeSinusoidalPositions>(*context);
    attach<SoftmaxOp, decomposeSoftmax>(*context);
    attach<StatisticsOp, decomposeStatistics>(*context);
  });
}
