//===- Registration.cpp - The pipelines' names on the command line --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Pipelines/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace attn {
namespace {

/// For pipelines that have none: upstream's empty options refuse one without a
/// word.
struct NoOptions : PassPipelineOptions<NoOptions> {};

void registerPlain(StringRef name, StringRef description,
                   void (*build)(OpPassManager &)) {
  PassPipelineRegistration<NoOptions>(
      name, description,
      [build](OpPassManager &pm, const NoOptions &) { build(pm); });
}

} // namespace

void registerAttnPipelines() {
  registerPlain("attn-raise-pipeline",
                "Recognise spelled-out attention as attn ops",
                buildRaisePipeline);
  PassPipelineRegistration<PlanOptions>(
      "attn-plan-pipeline", "Schedule and tile the attn ops with a fast path",
      buildPlanPipeline);
  registerPlain("attn-to-linalg", "Rewrite every attn op as linalg on tensors",
                buildLinalgPipeline);
  PassPipelineRegistration<PlanOptions>(
      "attn-to-cpu",
      "Compile a module on tensors to C entries in the LLVM dialect",
      buildCPUPipeline);
  PassPipelineRegistration<PlanOptions>(
      "attn-to-nvptx",
      "Compile a module on tensors to kernels of a GPU and C entries that "
      "launch them",
      buildNVPTXPipeline);
}

} // namespace attn
