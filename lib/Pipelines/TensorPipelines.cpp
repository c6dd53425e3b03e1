//===- TensorPipelines.cpp - The phases on tensors ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Passes.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Pipelines/Pipelines.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attn {

void buildRaisePipeline(OpPassManager &pm) {
  // Exported modules keep helpers in functions of their own. Nothing may be
  // simplified on the way, or what it demanded of sizes would be forgotten.
  pm.addPass(createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
  pm.addNestedPass<func::FuncOp>(createOrderThreadsPass());
  pm.addNestedPass<func::FuncOp>(createCheckCastsPass());
  pm.addNestedPass<func::FuncOp>(createLowerTMTensorPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSplitComplexPass());
  pm.addNestedPass<func::FuncOp>(createSimplifySizesPass());
  // Attention first: the contractions in it are not those of linear layers, and
  // its softmax is a part of it.
  pm.addNestedPass<func::FuncOp>(createRaiseAttentionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createRaiseStatisticsPass());
  pm.addNestedPass<func::FuncOp>(createRaiseSoftmaxPass());
  pm.addNestedPass<func::FuncOp>(createRaiseNormPass());
  pm.addNestedPass<func::FuncOp>(createRaiseActivationPass());
  pm.addNestedPass<func::FuncOp>(createRaiseLinearPass());
  pm.addNestedPass<func::FuncOp>(createRaiseRopePass());
  pm.addNestedPass<func::FuncOp>(createRaiseCachePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createRemarkLeftPass());
}

void buildSchedulePipeline(OpPassManager &pm, const PlanOptions &options) {
  SetTargetPassOptions machine;
  machine.target = options.target;
  machine.threads = options.threads;
  pm.addPass(createSetTargetPass(machine));
  if (options.profile)
    pm.addNestedPass<func::FuncOp>(createNameStepsPass());
  pm.addNestedPass<func::FuncOp>(createOrderThreadsPass());
  pm.addNestedPass<func::FuncOp>(createExpandUpstreamPass());
  pm.addNestedPass<func::FuncOp>(createCheckUpstreamPass());
  pm.addNestedPass<func::FuncOp>(createExpandBlocksPass());
  CheckSizesPassOptions checks;
  checks.inside = options.checks;
  pm.addPass(createCheckSizesPass(checks));
  pm.addNestedPass<func::FuncOp>(createCountSeenKeysPass());
  if (!options.portableOnly) {
    pm.addNestedPass<func::FuncOp>(createOrderKeysPass());
    pm.addNestedPass<func::FuncOp>(createFuseEpiloguePass());
    pm.addNestedPass<func::FuncOp>(createSelectSchedulePass());
  }
}

void buildTilePipeline(OpPassManager &pm, const PlanOptions &options) {
  if (!options.portableOnly) {
    // These ask schedules whether they pay.
    pm.addNestedPass<func::FuncOp>(createFuseResidualNormPass());
    // A rotation is between a norm of heads and the attention.
    pm.addNestedPass<func::FuncOp>(createFuseRopePass());
    pm.addNestedPass<func::FuncOp>(createFuseQkNormPass());
    pm.addNestedPass<func::FuncOp>(createTilePass());
  }
  // What has no fast path; tiles wait for the machine's own lowering.
  DecomposePassOptions decompose;
  decompose.keepTiles = true;
  decompose.ignoreSchedules = options.portableOnly;
  pm.addPass(createDecomposePass(decompose));
  // Arithmetic on whole tensors joins the structured ops.
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFuseElementwisePass());
  if (!options.portableOnly)
    pm.addNestedPass<func::FuncOp>(createScheduleContractionsPass());
  if (options.packs)
    pm.addPass(createPackWeightsPass());
}

void buildPlanPipeline(OpPassManager &pm, const PlanOptions &options) {
  buildSchedulePipeline(pm, options);
  buildTilePipeline(pm, options);
}

void buildLinalgPipeline(OpPassManager &pm) {
  buildRaisePipeline(pm);
  pm.addPass(createDecomposePass());
}

} // namespace attn
