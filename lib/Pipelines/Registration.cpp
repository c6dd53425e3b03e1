//===- Registration.cpp - The pipelines' names on the command line --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace attn {
namespace {

/// For pipelines that have none: upstream's empty options refuse one without a
/// word.
struct NoOptions : PassPipelineOptions<NoOptions> {};

/// Upstream's registration ends the program where a pipeline of the module is
/// asked for inside of another op.
template <typename Options>
void registerPipeline(StringRef name, StringRef description,
                      void (*build)(OpPassManager &, const Options &)) {
  registerPassPipeline(
      name, description,
      [name, build](OpPassManager &pm, StringRef text,
                    function_ref<LogicalResult(const Twine &)> emitError) {
        if (pm.getOpName() && *pm.getOpName() != ModuleOp::getOperationName())
          return emitError("'" + name + "' is a pipeline of '" +
                           ModuleOp::getOperationName() + "', not of '" +
                           pm.getOpAnchorName() + "'");
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        build(pm, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(Options());
      });
}

template <void (*build)(OpPassManager &)>
void buildPlain(OpPassManager &pm, const NoOptions &) {
  build(pm);
}

} // namespace

void registerAttnPipelines() {
  registerPipeline("attn-raise-pipeline",
                   "Recognise spelled-out attention as attn ops",
                   buildPlain<buildRaisePipeline>);
  registerPipeline("attn-plan-pipeline",
                   "Schedule and tile the attn ops with a fast path",
                   buildPlanPipeline);
  registerPipeline("attn-to-linalg",
                   "Rewrite every attn op as linalg on tensors",
                   buildPlain<buildLinalgPipeline>);
  registerPipeline(
      "attn-to-cpu",
      "Compile a module on tensors to C entries in the LLVM dialect",
      buildCPUPipeline);
  registerPipeline(
      "attn-to-nvptx",
      "Compile a module on tensors to kernels of a GPU and C entries that "
      "launch them",
      buildNVPTXPipeline);
}

} // namespace attn
