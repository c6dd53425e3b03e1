//===- NVPTXPipeline.cpp - From planned tensors to kernels ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostPhases.h"
#include "attn/Conversion/Passes.h"
#include "attn/Pipelines/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attn {
namespace {

/// What computes on memrefs becomes kernels, and they leave their functions.
void addKernels(OpPassManager &pm) {
  pm.addPass(createLowerAttentionToGPUPass());
  pm.addNestedPass<func::FuncOp>(createLowerProductsToGPUPass());
  pm.addPass(createLowerRowsToGPUPass());
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createStructuredToGPUPass());
  pm.addPass(createBooleansToBytesPass());
  pm.addPass(createExpandMathPass());
  addCleanUp(pm);
  pm.addPass(createOutlineKernelsPass());
}

/// The GPU module to the LLVM and NVVM dialects.
void addDeviceLLVM(OpPassManager &module) {
  OpPassManager &pm = module.nest<gpu::GPUModuleOp>();
  addCleanUp(pm);
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // Before the next one, whose patterns for math call libdevice.
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createDeviceToLLVMPass());
  // Instructions that LLVM has no intrinsics for.
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(pm);
  pm.addPass(createVerifyDeviceCodePass());
}

} // namespace

void buildNVPTXLoweringPipeline(OpPassManager &pm, const PlanOptions &options) {
  addDestinations(pm);
  addBufferization(pm);
  addKernels(pm);
  addDeviceLLVM(pm);
  pm.addPass(createLaunchToCallsPass());
  addHostLLVM(pm, /*besideKernels=*/true);
}

void buildNVPTXPipeline(OpPassManager &pm, const PlanOptions &options) {
  buildRaisePipeline(pm);
  buildPlanPipeline(pm, options);
  buildNVPTXLoweringPipeline(pm, options);
}

} // namespace attn
