//===- Pipelines.h - The order of passes, stated once -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_PIPELINES_PIPELINES_H
#define ATTN_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace attn {

/// What the pipelines need to know of the machine and of the user's wishes.
struct PlanOptions : public mlir::PassPipelineOptions<PlanOptions> {
  PlanOptions() = default;
  PlanOptions(const PlanOptions &other) : PassPipelineOptions() {
    copyOptionValuesFrom(other);
  }

  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("Target as attn-run spells it: cpu, cpu:x86-64-v3, "
                     "cpu:x86-64-v4-bf16, cpu:aarch64, nvptx:sm_80, ...; cpu "
                     "is this machine"),
      llvm::cl::init("cpu")};
  Option<bool> portableOnly{
      *this, "portable-only",
      llvm::cl::desc("Lower every attn op through plain linalg, never through "
                     "a fast path"),
      llvm::cl::init(false)};
  Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc("Threads that matrix products are blocked for; 0 if their "
                     "number is not known. Results do not depend on it"),
      llvm::cl::init(0)};
  Option<bool> checks{
      *this, "checks",
      llvm::cl::desc("Check inside of kernels what the entry cannot know of "
                     "sizes and indices"),
      llvm::cl::init(true)};
  Option<bool> packs{
      *this, "pack-weights",
      llvm::cl::desc("Take arguments with attn.packed in panels that functions "
                     "of their own make; for a processor"),
      llvm::cl::init(false)};
  Option<bool> profile{
      *this, "profile",
      llvm::cl::desc("Kernels count what their steps take, for attn-run's "
                     "--profile; not for a GPU"),
      llvm::cl::init(false)};
};

/// attn-raise-pipeline: spelled-out patterns become attn ops.
void buildRaisePipeline(mlir::OpPassManager &pm);

/// Sizes are checked, and each attn op with a fast path has its schedule.
void buildSchedulePipeline(mlir::OpPassManager &pm, const PlanOptions &options);

/// Scheduled ops are fused and tiled, the others decomposed.
void buildTilePipeline(mlir::OpPassManager &pm, const PlanOptions &options);

/// attn-plan-pipeline: both.
void buildPlanPipeline(mlir::OpPassManager &pm, const PlanOptions &options);

/// attn-to-linalg: every attn op becomes plain linalg on tensors.
void buildLinalgPipeline(mlir::OpPassManager &pm);

/// From planned attn ops and linalg on tensors to the LLVM dialect with the C
/// entries of attn-runtime/attn_runtime.h: the part of buildCPUPipeline that
/// follows raising and planning.
void buildCPULoweringPipeline(mlir::OpPassManager &pm,
                              const PlanOptions &options);

/// attn-to-cpu: everything, from a framework's module on tensors to the LLVM
/// dialect. The result translates to LLVM IR as it is.
void buildCPUPipeline(mlir::OpPassManager &pm, const PlanOptions &options);

/// The same for a GPU: kernels in a gpu.module of the LLVM and NVVM dialects,
/// and host code with the C entries, which launches them (attn_gpu.h).
void buildNVPTXLoweringPipeline(mlir::OpPassManager &pm,
                                const PlanOptions &options);

/// attn-to-nvptx: everything, for the GPU that `target` names.
void buildNVPTXPipeline(mlir::OpPassManager &pm, const PlanOptions &options);

/// Registers the pipelines above under the names given there.
void registerAttnPipelines();

} // namespace attn

#endif // ATTN_PIPELINES_PIPELINES_H
