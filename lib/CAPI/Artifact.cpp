//===- Artifact.cpp - Compiles to the contents of files -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"

using namespace attn;
using namespace attn::capi;
using llvm::createStringError;
using llvm::Expected;

static Expected<Artifact> compile(Session &session, const attn_module &module,
                                  const attn_compile_options &given) {
  auto common = readCompilationOptions(session, given);
  if (!common)
    return common.takeError();
  ArtifactOptions options;
  static_cast<CompilationOptions &>(options) = std::move(*common);
  options.targets = splitTargets(given.target);
  options.entry = given.entry ? given.entry : "";
  options.name = given.name ? given.name : "";
  options.onMessage = [&](const CompilerMessage &message) {
    session.report(message);
  };
  return compileArtifact(module.op.get(), module.name, options);
}

attn_code attn_artifact_create(attn_module *module,
                               const attn_compile_options *options,
                               attn_artifact **artifact) {
  return runCompilation(
      module, options, artifact, "attn_artifact_create",
      [&](Session &session, const attn_compile_options &given) -> llvm::Error {
        auto made = compile(session, *module, given);
        if (!made)
          return made.takeError();
        *artifact = new attn_artifact{module->compiler, std::move(*made)};
        return llvm::Error::success();
      });
}

void attn_artifact_destroy(attn_artifact *artifact) { delete artifact; }

static Expected<std::string> link(const Artifact &artifact,
                                  llvm::StringRef name) {
  if (name.empty())
    return createStringError("a shared object needs a name, as in "
                             "attn_artifact_get(..., \"libdecoder.so\", ...)");
  auto library = linkSharedLibrary(*artifact.object, name);
  if (!library)
    return library.takeError();
  return (*library)->getBuffer().str();
}

/// What only a GPU has.
static Expected<std::string> getDeviceOutput(const Artifact &artifact,
                                             attn_output output,
                                             llvm::StringRef name) {
  if (!isForDevice(artifact))
    return createStringError("PTX, cubins and launchers are of targets "
                             "nvptx:ARCH; this artifact is for a processor");
  const DeviceCode &code = *artifact.targets.front().device;
  if (output == ATTN_OUTPUT_PTX)
    return code.ptx;
  if (output == ATTN_OUTPUT_CUBIN) {
    if (code.cubin.empty())
      return createStringError("a cubin needs ptxas of the CUDA toolkit in "
                               "PATH when the artifact is made");
    return code.cubin;
  }
  if (name.empty())
    return createStringError("a launcher needs the name of the artifact's "
                             "header, as in attn_artifact_get(..., "
                             "\"decoder.h\", ...)");
  return writeLauncher(name);
}

static Expected<std::string>
getOutput(const Artifact &artifact, attn_output output, llvm::StringRef name) {
  switch (output) {
  case ATTN_OUTPUT_OBJECT:
    return artifact.object->getBuffer().str();
  case ATTN_OUTPUT_SHARED:
    return link(artifact, name);
  case ATTN_OUTPUT_HEADER:
    return writeHeader(artifact);
  case ATTN_OUTPUT_METADATA:
    return writeMetadata(artifact);
  case ATTN_OUTPUT_PTX:
  case ATTN_OUTPUT_CUBIN:
  case ATTN_OUTPUT_LAUNCHER:
    return getDeviceOutput(artifact, output, name);
  }
  return createStringError("there is no output " + llvm::Twine(int(output)));
}

attn_code attn_artifact_get(attn_artifact *artifact, attn_output output,
                            const char *name, attn_buffer **contents) {
  if (contents)
    *contents = nullptr;
  if (!artifact || !contents)
    return refuse(artifact ? artifact->compiler : nullptr,
                  "attn_artifact_get: the artifact or the place for the "
                  "contents is null");
  return run(*artifact->compiler, [&](Session &) -> llvm::Error {
    auto bytes = getOutput(artifact->artifact, output, name ? name : "");
    if (!bytes)
      return bytes.takeError();
    *contents = makeBuffer(std::move(*bytes));
    return llvm::Error::success();
  });
}
