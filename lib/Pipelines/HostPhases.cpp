//===- HostPhases.cpp - What the pipelines of all machines share ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostPhases.h"
#include "attn/Conversion/Math/LocalPatterns.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void attn::addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass(getLocalPatterns()));
  pm.addPass(createCSEPass());
}

void attn::addDestinations(OpPassManager &pm) {
  pm.addPass(createResultsToDestinationsPass());
  addCleanUp(pm);
}

void attn::addBufferization(OpPassManager &pm) {
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
  pm.addPass(createCanonicalizerPass(getLocalPatterns()));
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
}

void attn::addHostLLVM(OpPassManager &pm, bool besideKernels) {
  auto addToFunctions = [&](std::unique_ptr<Pass> pass) {
    if (besideKernels)
      pm.addNestedPass<func::FuncOp>(std::move(pass));
    else
      pm.addPass(std::move(pass));
  };
  addToFunctions(memref::createExpandStridedMetadataPass());
  addToFunctions(createLowerAffinePass());
  addToFunctions(createSCFToControlFlowPass());
  pm.addPass(createPlaceScratchPass());
  pm.addPass(createEmitEntryPass());
  pm.addPass(createHostToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(besideKernels ? pm.nest<LLVM::LLVMFuncOp>() : pm);
}
