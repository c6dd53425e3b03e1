//===- BlockBufferization.cpp - Scheduled block ops on memrefs ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace attn;

namespace {

/// The memref form of an op is the op itself without results. Its destination
/// is written without reading what it held.
template <typename OpTy>
struct DestinationOpModel
    : DstBufferizableOpInterfaceExternalModel<DestinationOpModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
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
    OperationState memrefForm(op->getLoc(), op->getName(), operands,
                              TypeRange(), op->getAttrs());
    for (Region &region : op->getRegions())
      memrefForm.addRegion()->takeBody(region);
    rewriter.create(memrefForm);
    OpOperand *init =
        cast<DestinationStyleOpInterface>(op).getDpsInitOperand(0);
    replaceOpWithBufferizedValues(rewriter, op,
                                  operands[init->getOperandNumber()]);
    return success();
  }
};

} // namespace

void attn::registerBlockBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    LinearOp::attachInterface<DestinationOpModel<LinearOp>>(*context);
  });
}
