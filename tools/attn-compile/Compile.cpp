//===- Compile.cpp - One run of attn-compile ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "attn/Compiler/Backend.h"
#include "attn/Compiler/CommandLine.h"
#include "attn/Compiler/InputFile.h"
#include "attn/Compiler/Phases.h"
#include "attn/InitAll.h"
#include "attn/Support/OutputFiles.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using namespace attn::compile;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerBackendTranslations(registry);
  return registry;
}

/// What only a GPU has. Without --emit it is all that there is.
static llvm::Error addDeviceOutputs(const Artifact &artifact,
                                    const Options &options,
                                    OutputFiles &outputs) {
  bool asks = options.emitPTX || options.emitCubin || options.emitLauncher;
  if (!isForDevice(artifact))
    return asks && !options.emitsAll
               ? llvm::createStringError("--emit: ptx, cubin and launcher are "
                                         "for targets nvptx:ARCH")
               : llvm::Error::success();
  const DeviceCode &code = *artifact.targets.front().device;
  if (options.emitPTX)
    outputs.add(options.prefix + ".ptx", code.ptx);
  if (options.emitCubin && !code.cubin.empty())
    outputs.add(options.prefix + ".cubin", code.cubin);
  else if (options.emitCubin && !options.emitsAll)
    return llvm::createStringError("--emit=cubin needs ptxas of the CUDA "
                                   "toolkit, which is not in PATH");
  if (options.emitLauncher)
    outputs.add(
        options.prefix + "_launcher.c",
        writeLauncher(llvm::sys::path::filename(options.prefix + ".h").str()));
  return llvm::Error::success();
}

static llvm::Error addOutputs(const Artifact &artifact, const Options &options,
                              OutputFiles &outputs) {
  if (options.emitObject)
    outputs.add(options.prefix + ".o", artifact.object->getBuffer().str());
  if (options.emitShared) {
    std::string path = options.prefix + ".so";
    // The linker is a process of its own, which must not be left alone.
    SignalHold hold;
    auto library =
        linkSharedLibrary(*artifact.object, llvm::sys::path::filename(path));
    if (!library)
      return library.takeError();
    outputs.add(path, (*library)->getBuffer().str());
  }
  if (options.emitHeader)
    outputs.add(options.prefix + ".h", writeHeader(artifact));
  if (options.emitMetadata)
    outputs.add(options.prefix + ".json", writeMetadata(artifact));
  return addDeviceOutputs(artifact, options, outputs);
}

llvm::Error attn::compile::run(const Options &options) {
  Phases phases("attn-compile");
  phases.enter("parse");
  mlir::MLIRContext context(makeRegistry(),
                            mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto module = loadModule(options.file, context);
  if (!module)
    return module.takeError();
  ArtifactOptions artifactOptions = options.artifact;
  artifactOptions.onMessage = makeToolMessageHandler(
      "attn-compile", [&](const CompilerMessage &remark) {
        if (options.remarks)
          llvm::outs() << "remark: " << remark.format() << "\n";
      });
  artifactOptions.beforePhase = [&](const char *name) { phases.enter(name); };
  auto artifact =
      compileArtifact(**module, getInputName(options.file), artifactOptions);
  if (!artifact)
    return artifact.takeError();
  phases.enter("write");
  llvm::outs().flush();
  if (std::error_code code = llvm::outs().error()) {
    llvm::outs().clear_error();
    return llvm::createStringError("--remarks: " + code.message());
  }
  OutputFiles outputs;
  if (llvm::Error error = addOutputs(*artifact, options, outputs))
    return error;
  for (const std::string &path : outputs.getPaths())
    if (llvm::Error error = checkDistinct("", path, options.file))
      return error;
  return outputs.commit();
}
