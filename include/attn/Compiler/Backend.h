//===- Backend.h - How one kind of machine gets its kernels -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything up to the plan is the same for all machines. A backend is what
// follows: its pipeline, its code generation, its part of an object file, and
// how a process calls the result. A new kind of machine is a subclass and a
// line in getBackend.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_BACKEND_H
#define ATTN_COMPILER_BACKEND_H

#include "attn/Compiler/ExecutionDevice.h"
#include "attn/Target/NVPTX/DeviceCode.h"
#include "attn/Target/TargetDescription.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace attn {

struct PlanOptions;

/// Takes what a step of code generation made: the name of the step, the
/// extension of a file that holds it, and what prints it. An error ends the
/// compilation. May be empty.
using DumpText =
    std::function<llvm::Error(llvm::StringRef step, llvm::StringRef extension,
                              llvm::function_ref<void(llvm::raw_ostream &)>)>;

/// Code that can be called for as long as the object lives.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;

  /// Calls an entry of the C ABI with the pointers of an array: the context,
  /// the inputs, the outputs. Returns its attn_status, or kCallFailed with a
  /// text in the context's error.
  using Invoker = std::function<int32_t(void **arguments)>;
  /// What should have made the call failed, not the entry.
  static constexpr int32_t kCallFailed = -1;
  virtual llvm::Expected<Invoker> lookup(llvm::StringRef entry) = 0;

  /// The object file that it was loaded from; empty where there is none.
  virtual llvm::StringRef getObject() const { return {}; }
};

/// Makes an object file of kernels callable.
using ObjectLoader =
    std::function<llvm::Expected<std::unique_ptr<LoadedCode>>(llvm::StringRef)>;

/// The code of several targets on its way into one object file.
class ObjectBuilder {
public:
  virtual ~ObjectBuilder() = default;

  /// Adds a lowered module of one of the targets.
  virtual llvm::Error add(mlir::ModuleOp lowered,
                          const TargetDescription &target) = 0;
  /// The object, with a function under each entry's name that chooses among
  /// the targets when it is called.
  virtual llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> finish() = 0;
  /// What the last module that was added runs on a device; null without one.
  virtual const DeviceCode *getDeviceCode() const { return nullptr; }
};

class Backend {
public:
  virtual ~Backend() = default;

  /// What translating lowered modules needs to be registered.
  virtual void registerTranslations(mlir::DialectRegistry &registry) const = 0;

  /// From planned ops on tensors to what the code generation takes.
  virtual void buildLoweringPipeline(mlir::OpPassManager &manager,
                                     const PlanOptions &options) const = 0;

  /// Fails where this process cannot run code for `target`.
  virtual llvm::Error checkHost(const TargetDescription &target) const = 0;

  /// What the loaded code of `target` works on. Fails where this machine, or
  /// what was asked for, has no such device.
  virtual llvm::Expected<std::unique_ptr<ExecutionDevice>>
  createDevice(const TargetDescription &target,
               const DeviceOptions &options) const = 0;

  /// Generates code from a lowered module, which is consumed, and has `loader`
  /// load it. `entries` are the functions that are to be called; those that the
  /// module does not have are left out.
  virtual llvm::Expected<std::unique_ptr<LoadedCode>>
  load(mlir::ModuleOp lowered, const TargetDescription &target,
       llvm::ArrayRef<std::string> entries, const ObjectLoader &loader,
       const DumpText &dump) const = 0;

  /// `targets`, the best one first, are all of this backend.
  virtual std::unique_ptr<ObjectBuilder>
  createObjectBuilder(llvm::ArrayRef<TargetDescription> targets,
                      llvm::ArrayRef<std::string> entries) const = 0;
};

/// The backend of a target; there is one of each kind, for good.
const Backend &getBackend(const TargetDescription &target);

/// The loader of this process. Also loads what LoadedCode::getObject gave in
/// another one.
llvm::Expected<std::unique_ptr<LoadedCode>>
loadHostObject(llvm::StringRef object);

/// Registers the translations of all backends.
void registerBackendTranslations(mlir::DialectRegistry &registry);

} // namespace attn

#endif // ATTN_COMPILER_BACKEND_H
