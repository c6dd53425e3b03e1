//===- main.cpp - Raises and compiles a file ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Artifact.h"
#include "attn/Compiler/Backend.h"
#include "attn/InitAll.h"
#include "attn/Pipelines/Pipelines.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  attn::registerBackendTranslations(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[argc - 1], &context);
  if (!module)
    return 2;
  mlir::PassManager manager(&context);
  attn::buildRaisePipeline(manager);
  if (mlir::failed(manager.run(*module)))
    return 1;
  attn::ArtifactOptions options;
  options.targets = {"cpu:x86-64-v3"};
  auto artifact = attn::compileArtifact(*module, argv[argc - 1], options);
  if (!artifact) {
    llvm::errs() << llvm::toString(artifact.takeError()) << "\n";
    return 1;
  }
  for (const attn::EntryDescription &entry : artifact->entries)
    llvm::outs() << "kernel " << entry.name << "\n";
  return 0;
}
