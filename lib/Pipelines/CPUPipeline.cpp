//===- CPUPipeline.cpp - From planned tensors to the LLVM dialect ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Pipelines/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attn {
namespace {

void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Tensors to memrefs. Results go straight to the caller's memory; what is
/// allocated in between is freed after its last use.
void addBufferization(OpPassManager &pm) {
  pm.addPass(createResultsToDestinationsPass());
  addCleanUp(pm);
  pm.addPass(createTileRowsPass());
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createSeparateDestinationsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createOrderConstantsPass());
  addCleanUp(pm);
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
}

/// Tile ops and structured ops to loops, parallel loops to functions.
void addLoops(OpPassManager &pm, const CPUPipelineOptions &options) {
  pm.addPass(createLowerToVectorPass());
  if (!options.portableOnly)
    pm.addPass(createLowerContractionsPass());
  pm.addPass(createUnitInnerStridesPass());
  pm.addPass(createExpandCopiesPass());
  pm.addPass(createVectorizeElementwisePass());
  pm.addPass(createVectorizeReductionsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createBooleansToBytesPass());
  pm.addPass(createExpandMathPass());
  addCleanUp(pm);
  pm.addPass(createVerifyKernelPass());
  pm.addPass(createOutlineParallelPass());
}

/// Loops and memrefs to the LLVM dialect.
void addLLVM(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createPlaceScratchPass());
  pm.addPass(createEmitEntryPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createConvertVectorToLLVMPass());
  // Before the arithmetic: memref.dim wants to see that its index is constant.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(pm);
}

} // namespace

void buildCPULoweringPipeline(OpPassManager &pm,
                              const CPUPipelineOptions &options) {
  addBufferization(pm);
  addLoops(pm, options);
  addLLVM(pm);
}

void buildCPUPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  buildRaisePipeline(pm);
  buildPlanPipeline(pm, options);
  buildCPULoweringPipeline(pm, options);
}

} // namespace attn
