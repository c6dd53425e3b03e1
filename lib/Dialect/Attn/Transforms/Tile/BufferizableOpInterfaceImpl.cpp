//===- BufferizableOpInterfaceImpl.cpp - Ops on memrefs -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles and scheduled ops bufferise to themselves: the same op on memrefs,
// which writes its destinations and has no results. Conversion lowers it.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/OpList.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace attn;

/// Replaces results by the buffers of their destinations.
static LogicalResult bufferizeToItself(DestinationStyleOpInterface op,
                                       RewriterBase &rewriter,
                                       const BufferizationOptions &options,
                                       BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<TensorType>(operand.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operand = *buffer;
    }
    operands.push_back(operand);
  }
  OperationState memrefForm(op->getLoc(), op->getName(), operands, TypeRange(),
                            op->getAttrs());
  for (Region &region : op->getRegions())
    memrefForm.addRegion()->takeBody(region);
  rewriter.create(memrefForm);
  SmallVector<Value> results;
  for (OpResult result : op->getResults())
    results.push_back(
        operands[op.getTiedOpOperand(result)->getOperandNumber()]);
  replaceOpWithBufferizedValues(rewriter, op, results);
  return success();
}

namespace {

template <typename OpTy>
struct DestinationOpModel
    : DstBufferizableOpInterfaceExternalModel<DestinationOpModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto self = cast<OpTy>(op);
    return !self.isDpsInit(&operand) || self.readsDestination(operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeToItself(cast<OpTy>(op), rewriter, options, state);
  }
};

} // namespace

/// To every op that may have a schedule. A whole attention that is for the CPU
/// has been tiled before.
void attn::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    AllOps::forEach([&](auto op) {
      using OpTy = typename decltype(op)::type;
      if constexpr (OpTy::template hasTrait<ScheduledOpInterface::Trait>())
        OpTy::template attachInterface<DestinationOpModel<OpTy>>(*context);
    });
  });
}
