//===- Artifact.h - Ahead-of-time compilation of a module -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a C program needs of a kernel: object code, and a description from which
// its header and metadata are written. Equal input gives equal bytes: nothing
// here knows the time or the folder.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_ARTIFACT_H
#define ATTN_COMPILER_ARTIFACT_H

#include "attn/Compiler/Lowering.h"
#include "attn/Compiler/Messages.h"
#include "attn/Compiler/Program.h"
#include "attn/Target/NVPTX/DeviceCode.h"
#include "attn/Target/TargetDescription.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace attn {

/// One tensor of a C entry.
struct ParameterDescription {
  /// `arg0` or `out1`, as the prototype calls it.
  std::string name;
  ElementKind kind = ElementKind::F32;
  /// One word per dimension: a number, or a name that stands for the same
  /// number wherever it occurs. `?` where only NAME__shapes can tell.
  std::vector<std::string> dims;
  /// An input whose memory the kernel updates; the number of the result that
  /// is its new value.
  std::optional<unsigned> updatedTo;
  /// An input that holds a matrix as NAME_pack_I writes it: the number I of the
  /// input that is the matrix, of which the kernel then reads only the sizes.
  std::optional<unsigned> panelsOf;
};

struct EntryDescription {
  std::string name;
  std::vector<ParameterDescription> inputs;
  /// Those with memory of their own.
  std::vector<ParameterDescription> outputs;
  /// Of the contractions, where all sizes are static.
  std::optional<double> flops;
  /// Arguments read and results written once: a sum of products of dimensions.
  std::string bytesFormula;
};

/// What one target's clone of the kernels is.
struct TargetCode {
  TargetDescription target;
  std::string isa;
  std::vector<KernelInfo> kernels;
  /// With the names of files, but not their folders.
  std::vector<CompilerMessage> remarks;
  /// Scratch beyond the stack budget: ctx->alloc must not be null.
  bool needsAlloc = false;
  bool callsParallelFor = false;
  /// Kernels of a GPU; the object is that of the host's side, and holds them.
  std::optional<DeviceCode> device;
  /// The host reads device memory on the way, and waits for it.
  bool waitsForDevice = false;
};

struct Artifact {
  std::vector<EntryDescription> entries;
  std::vector<TargetCode> targets;
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// What the object expects of the C library.
  std::vector<std::string> undefinedSymbols;
  /// Whether kernels check inside what their entries cannot know.
  bool innerChecks = true;
};

struct ArtifactOptions : CompilationOptions {
  /// At least one; the best instruction set is tried first, whatever the order.
  std::vector<std::string> targets = {"cpu"};
  /// The one function to export; empty for every public one.
  std::string entry;
  /// What the one exported function is called in C; empty for its own name.
  std::string name;
  /// Gets every remark, warning and error as it comes. Without it errors are
  /// only in the returned error.
  MessageHandler onMessage;
};

/// Compiles a module, which stays as it is. `file` is for messages.
llvm::Expected<Artifact> compileArtifact(mlir::ModuleOp module,
                                         llvm::StringRef file,
                                         const ArtifactOptions &options);

/// The C header: documented prototypes, with nothing else needed.
std::string writeHeader(const Artifact &artifact);

/// Whether this is for a GPU.
bool isForDevice(const Artifact &artifact);

/// A C source that makes contexts on the driver of NVIDIA GPUs, for programs
/// that have none. `header` is what the artifact's header is called.
std::string writeLauncher(llvm::StringRef header);

/// The metadata as JSON.
std::string writeMetadata(const Artifact &artifact);

/// Links the object into a shared library by the system's C compiler, or by
/// ld.lld, whichever is in PATH.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
linkSharedLibrary(llvm::MemoryBufferRef object, llvm::StringRef soname);

} // namespace attn

#endif // ATTN_COMPILER_ARTIFACT_H
