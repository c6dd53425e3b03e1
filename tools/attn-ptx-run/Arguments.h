//===- Arguments.h - Kernel arguments from the command line -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TOOLS_PTXRUN_ARGUMENTS_H
#define ATTN_TOOLS_PTXRUN_ARGUMENTS_H

#include "attn-ptxsim/PTXSim.h"
#include "attn/Support/HostArray.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace attn::ptxrun {

/// One `--arg` that is memory. Its contents are kept as they were read, so that
/// every schedule starts from them.
struct BufferArgument {
  HostArray initial;
  bool initialised = true;
  std::string output; ///< Where it goes afterwards; empty: nowhere.
};

/// Everything `--arg` said. The launch's buffers point into `storage`.
struct Arguments {
  std::vector<BufferArgument> buffers;
  std::vector<std::vector<uint8_t>> storage;
  ptx::Launch launch; ///< `buffers` and `arguments` are filled.

  /// Puts the initial contents back.
  void reset();
};

/// Index of the launch buffer that an `--arg` became, if it is one.
using BufferIndices = std::vector<std::optional<size_t>>;

/// Reads all files. `parameters` says how many arguments the kernel takes;
/// further ones are memory that tensor maps and structs refer to.
llvm::Expected<Arguments>
parseArguments(llvm::ArrayRef<std::string> texts,
               llvm::ArrayRef<ptx::KernelParameter> parameters);

/// `i32:7`, `f32:0.5`, ...; none if the text has another form.
llvm::Expected<std::optional<std::vector<uint8_t>>>
parseScalar(llvm::StringRef text);

/// `f32`, `bf16`, ... as `out:` takes them.
std::optional<ElementKind> parseElementKind(llvm::StringRef name);

/// The JSON of `tensormap:` and `struct:`. `used` collects the arguments that
/// are referred to.
class SpecReader {
public:
  SpecReader(const BufferIndices &buffers, std::vector<bool> &used)
      : buffers(buffers), used(used) {}

  llvm::Expected<ptx::Argument> readTensorMap(llvm::StringRef path);
  /// A parameter by value with pointers and tensor maps inside.
  llvm::Expected<ptx::Argument> readStruct(llvm::StringRef path);

private:
  llvm::Expected<ptx::TensorMap> parseMap(const llvm::json::Object &spec,
                                          llvm::StringRef where);
  llvm::Error parseMapOptions(const llvm::json::Object &spec,
                              llvm::StringRef where, ptx::TensorMap &map);
  llvm::Expected<size_t> parseBuffer(const llvm::json::Object &spec,
                                     llvm::StringRef where);

  const BufferIndices &buffers;
  std::vector<bool> &used;
};

} // namespace attn::ptxrun

#endif // ATTN_TOOLS_PTXRUN_ARGUMENTS_H
