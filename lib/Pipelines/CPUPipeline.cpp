//===- CPUPipeline.cpp - From planned tensors to the LLVM dialect ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostPhases.h"
#include "attn/Conversion/Passes.h"
#include "attn/Pipelines/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace attn {
namespace {

/// Tile ops and structured ops to loops, parallel loops to functions.
void addLoops(OpPassManager &pm, const PlanOptions &options) {
  pm.addPass(createLowerToVectorPass());
  if (!options.portableOnly)
    pm.addPass(createLowerContractionsPass());
  pm.addPass(createUnitInnerStridesPass());
  pm.addPass(createExpandCopiesPass());
  pm.addPass(createGroupRowsPass());
  pm.addPass(createVectorizeElementwisePass());
  pm.addPass(createVectorizeReductionsPass());
  // All that looks beyond one op is done, and what costs time is to come.
  pm.addPass(createShareKernelsPass());
  if (options.profile)
    pm.addPass(createProfileStepsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createBooleansToBytesPass());
  pm.addPass(createExpandMathPass());
  addCleanUp(pm);
  pm.addPass(createVerifyKernelPass());
  pm.addPass(createConfigureTilesPass());
  pm.addPass(createOutlineParallelPass());
}

} // namespace

void buildCPULoweringPipeline(OpPassManager &pm, const PlanOptions &options) {
  addDestinations(pm);
  pm.addPass(createTileRowsPass());
  addCleanUp(pm);
  addBufferization(pm);
  addLoops(pm, options);
  addHostLLVM(pm);
}

void buildCPUPipeline(OpPassManager &pm, const PlanOptions &options) {
  buildRaisePipeline(pm);
  buildPlanPipeline(pm, options);
  buildCPULoweringPipeline(pm, options);
}

} // namespace attn
