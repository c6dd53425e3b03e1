//===- BufferizableOpInterfaceImpl.cpp - Tile ops on memrefs ---===//
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

/// The memref form of an op is the op itself without results.
template <typename OpTy>
struct AttnOpModel
    : DstBufferizableOpInterfaceExternalModel<AttnOpModel<OpTy>, OpTy> {
  /// Packed queries and finished rows are written without reading what the
  /// destination held, so nothing has to be copied into it.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &state) const {
    bool overwrites = isa<PackQueryOp, FinalizeOp>(op);
    return !(overwrites &&
             cast<DestinationStyleOpInterface>(op).isDpsInit(&operand));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    auto self = cast<AttentionOpInterface>(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    unsigned firstOutput =
        self.getShapedInputs().size() + self.getParams().size();
    OperationState newState(op->getLoc(), op->getName(), operands, TypeRange(),
                            op->getAttrs());
    for (Region &region : op->getRegions())
      newState.addRegion()->takeBody(region);
    rewriter.create(newState);
    SmallVector<Value> results(
        ArrayRef<Value>(operands).slice(firstOutput, op->getNumResults()));
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

void attn::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    OnlineAttentionOp::attachInterface<AttnOpModel<OnlineAttentionOp>>(
        *context);
    PackQueryOp::attachInterface<AttnOpModel<PackQueryOp>>(*context);
    FinalizeOp::attachInterface<AttnOpModel<FinalizeOp>>(*context);
  });
}
