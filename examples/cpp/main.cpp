//===- main.cpp - A compiler that embeds attn-mlir ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes IR of a framework, finds the attention in it, changes it by a pass of
// its own, and writes PREFIX.o and PREFIX.h, for a GPU also PREFIX_launcher.c.
// Whatever the compiler has to say comes through a callback: nothing is printed
// behind the host's back.
//
//   host-compiler FILE.mlir PREFIX [TARGET]
//
//===----------------------------------------------------------------------===//

#include "AddSink.h"
#include "attn/Compiler/Artifact.h"
#include "attn/Compiler/Backend.h"
#include "attn/InitAll.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Support/OutputFiles.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using attn::CompilerMessage;

/// How this host shows a message. Another would open a window.
static void show(const CompilerMessage &message) {
  switch (message.severity) {
  case mlir::DiagnosticSeverity::Remark:
    llvm::outs() << "  remark";
    break;
  case mlir::DiagnosticSeverity::Warning:
    llvm::outs() << "  warning";
    break;
  default:
    llvm::outs() << "  error";
  }
  // Remarks of attn-mlir have ids, by which a host can choose.
  if (!message.id.empty())
    llvm::outs() << " <" << message.id << ">";
  llvm::outs() << " at line " << message.line << ": " << message.text << "\n";
}

/// The passes of both compilers, one after the other.
static mlir::LogicalResult transform(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  attn::buildRaisePipeline(manager);
  manager.addPass(host::createAddSinkPass());
  return manager.run(module);
}

static llvm::Error compile(mlir::ModuleOp module, llvm::StringRef file,
                           const std::string &prefix,
                           const std::vector<std::string> &targets) {
  attn::ArtifactOptions options;
  options.targets = targets;
  options.onMessage = show;
  auto artifact = attn::compileArtifact(module, file, options);
  if (!artifact)
    return artifact.takeError();
  for (const attn::EntryDescription &entry : artifact->entries)
    llvm::outs() << "  kernel " << entry.name << " with " << entry.inputs.size()
                 << " inputs\n";
  attn::OutputFiles outputs;
  outputs.add(prefix + ".o", artifact->object->getBuffer().str());
  outputs.add(prefix + ".h", attn::writeHeader(*artifact));
  // The kernels are data of the object. What loads them is C, for any program.
  if (attn::isForDevice(*artifact))
    outputs.add(
        prefix + "_launcher.c",
        attn::writeLauncher(llvm::sys::path::filename(prefix + ".h").str()));
  return outputs.commit();
}

/// What a user got wrong comes by the same way, and the host lives on.
static void tryWrongProgram(mlir::MLIRContext &context) {
  llvm::outs() << "a wrong program:\n";
  attn::MessageScope messages(&context, show);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(func.func @f(%q: tensor<2x8x16xf32>, %k: tensor<2x8x32xf32>) -> tensor<2x8x16xf32> {
           %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
             ins(%q, %k, %q : tensor<2x8x16xf32>, tensor<2x8x32xf32>, tensor<2x8x16xf32>)
             outs(%q : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
           return %o : tensor<2x8x16xf32>
         })",
      &context);
  llvm::outs() << (module ? "accepted\n" : "refused\n");
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    llvm::errs() << "usage: host-compiler FILE.mlir PREFIX [TARGET]\n";
    return 2;
  }
  std::vector<std::string> targets = {"cpu:x86-64", "cpu:x86-64-v3",
                                      "cpu:x86-64-v4"};
  if (argc == 4)
    targets = {argv[3]};
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  attn::registerBackendTranslations(registry);
  mlir::MLIRContext context(registry);

  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 2;
  llvm::outs() << "passes:\n";
  {
    attn::MessageScope messages(&context, show);
    if (mlir::failed(transform(*module)))
      return 1;
  }
  llvm::outs() << "code:\n";
  if (llvm::Error error = compile(*module, argv[1], argv[2], targets)) {
    llvm::errs() << "host-compiler: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  tryWrongProgram(context);
  return 0;
}
