//===- Internal.h - What stands behind the handles of the C API -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_INTERNAL_H
#define ATTN_LIB_CAPI_INTERNAL_H

#include "attn-c/attn.h"
#include "attn/Compiler/Artifact.h"
#include "attn/Compiler/CompilationPage.h"
#include "attn/Compiler/CompiledProgram.h"
#include "attn/Compiler/Messages.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace attn::capi {

/// Where a module and its copies live. Each module that is parsed has one of
/// its own, so that a compiler that works for days does not grow.
struct IRContext {
  IRContext();
  mlir::MLIRContext mlir;
  /// LLVM gave up in the middle of something: nothing in here may be touched
  /// again, not even to free it.
  bool isDamaged = false;
};

} // namespace attn::capi

struct attn_buffer {
  std::string bytes;
};

struct attn_compiler {
  attn_compiler_options options = {};
  std::string reproducerFolder;
  std::string error;
  std::atomic<bool> isCancelled = false;
};

struct attn_module {
  attn_compiler *compiler;
  std::shared_ptr<attn::capi::IRContext> ir;
  mlir::OwningOpRef<mlir::ModuleOp> op;
  /// What messages call the file.
  std::string name;
  /// A pass failed half way.
  bool isBroken = false;
};

struct attn_artifact {
  attn_compiler *compiler;
  attn::Artifact artifact;
};

struct attn_entry {
  attn::CompiledEntry compiled;
  /// Those with memory of their own.
  size_t outputs = 0;
  /// What the code calls it.
  std::string symbol = {};
};

struct attn_kernel {
  std::unique_ptr<attn::LoadedCode> code;
  std::vector<attn_entry> entries;
  std::string description;
  /// Where these were asked for.
  std::optional<attn::StepCounter> counter;
  std::optional<attn::CompilationPage> page;
};

namespace attn::capi {

/// One call with a compiler: the messages that come meanwhile, and the error
/// that it ends with.
class Session {
public:
  explicit Session(attn_compiler &compiler) : compiler(compiler) {}

  attn_compiler &getCompiler() { return compiler; }
  /// The call works in `ir` from here on: its messages are those of the call.
  void use(std::shared_ptr<IRContext> ir);
  /// Tells the host, and keeps errors.
  void report(const CompilerMessage &message);
  void beginPhase(const char *name);
  /// The errors that were reported, a line each.
  std::string takeErrors();
  /// After a fault.
  void abandon();

private:
  attn_compiler &compiler;
  std::shared_ptr<IRContext> ir;
  std::optional<MessageScope> messages;
  std::string errors;
  unsigned numErrors = 0;
};

/// Runs `body` for a function of the C API: on a thread with a stack that
/// nested input fits on, in the floating-point mode and locale that C programs
/// begin with, and with all that LLVM might end the process for turned into a
/// code. Its error becomes the code that is returned and the compiler's text.
attn_code run(attn_compiler &compiler,
              llvm::function_ref<llvm::Error(Session &)> body);

/// The same on the caller's own thread: for the many short calls of a builder,
/// none of which needs much stack.
attn_code runShort(attn_compiler &compiler,
                   llvm::function_ref<llvm::Error(Session &)> body);

/// The same for what needs no compiler, and has no text for its failures.
attn_code runAlone(llvm::function_ref<attn_code()> body);

/// The same as run() for what cannot fail.
void runOnLargeStack(llvm::function_ref<void()> body);

/// For arguments that are wrong by themselves. Returns ATTN_BAD_INPUT.
attn_code refuse(attn_compiler *compiler, const llvm::Twine &why);

/// A buffer of the C API, null where there is no memory.
attn_buffer *makeBuffer(std::string bytes);

/// An error that says why a module cannot be worked on, where it cannot.
llvm::Error checkUsable(const attn_module &module);

/// Reads a structure of a host, which may be older or newer and so be shorter
/// or longer. Null is all zeros.
template <typename T> llvm::Expected<T> readOptions(const T *given) {
  T options = {};
  if (!given)
    return options;
  if (given->struct_size < sizeof(size_t))
    return llvm::createStringError("the options do not begin with their size: "
                                   "set struct_size to their sizeof");
  std::memcpy(&options, given, std::min(given->struct_size, sizeof(T)));
  return options;
}

/// More threads than any host has.
constexpr int32_t kMaxThreads = 1024;

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_INTERNAL_H
