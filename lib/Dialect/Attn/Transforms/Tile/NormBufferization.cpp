//===- NormBufferization.cpp - Scheduled norms on memrefs -----------------===//
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

/// The memref form of the op is the op itself without results.
struct NormModel : DstBufferizableOpInterfaceExternalModel<NormModel, NormOp> {
  /// Only running statistics are read before they are written.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto norm = cast<NormOp>(op);
    return !norm.isDpsInit(&operand) ||
           operand.get() == norm.getRunningMean() ||
           operand.get() == norm.getRunningVariance();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    mlir::clone(rewriter, op, TypeRange(), buffers);
    replaceOpWithBufferizedValues(
        rewriter, op, ArrayRef<Value>(buffers).take_back(op->getNumResults()));
    return success();
  }
};

} // namespace

void attn::registerNormBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    NormOp::attachInterface<NormModel>(*context);
  });
}
