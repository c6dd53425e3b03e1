//===- CPUBackend.cpp - Kernels for the processor -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUBackend.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Target/CPU/CodeGen.h"
#include "attn/Target/CPU/Dispatch.h"
#include "attn/Target/CPU/JIT.h"
#include "attn/Target/CPU/LLVMTranslation.h"
#include "attn/Target/CodeGenErrors.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace attn;
using llvm::createStringError;
using llvm::Expected;

static Expected<std::unique_ptr<llvm::Module>>
translate(mlir::ModuleOp lowered, llvm::LLVMContext &context,
          const TargetDescription &target) {
  std::unique_ptr<llvm::Module> module =
      translateToLLVMIR(lowered, context, target);
  if (!module)
    return createStringError("the translation to LLVM IR failed");
  return module;
}

namespace {

/// Code that ORC has linked into this process.
class JITCode : public LoadedCode {
public:
  JITCode(JITLibrary library, llvm::StringRef object)
      : library(std::move(library)), object(object) {}

  Expected<Invoker> lookup(llvm::StringRef entry) override {
    return library.lookupInvoker(entry);
  }

  llvm::StringRef getObject() const override { return object; }

private:
  JITLibrary library;
  std::string object;
};

/// Clones of the same entries, one an instruction set.
class CloneBuilder : public ObjectBuilder {
public:
  CloneBuilder(llvm::ArrayRef<TargetDescription> targets,
               llvm::ArrayRef<std::string> entries)
      : targets(targets), entries(entries) {}

  llvm::Error add(mlir::ModuleOp lowered,
                  const TargetDescription &target) override;
  Expected<std::unique_ptr<llvm::MemoryBuffer>> finish() override;

private:
  std::vector<TargetDescription> targets;
  std::vector<std::string> entries;
  llvm::LLVMContext context;
  CodeGenErrors errors{context};
  mlir::MLIRContext *messages = nullptr;
  std::unique_ptr<llvm::Module> all;
};

} // namespace

llvm::Error CloneBuilder::add(mlir::ModuleOp lowered,
                              const TargetDescription &target) {
  auto code = translate(lowered, context, target);
  if (!code)
    return code.takeError();
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = optimizeModule(**code, **machine))
    return error;
  if (llvm::Error error = errors.take(lowered.getLoc()))
    return error;
  messages = lowered.getContext();
  renameForISA(**code, entries, target);
  if (!all) {
    all = std::move(*code);
    return llvm::Error::success();
  }
  if (llvm::Linker::linkModules(*all, std::move(*code)))
    return createStringError("the clones do not go into one module");
  return llvm::Error::success();
}

Expected<std::unique_ptr<llvm::MemoryBuffer>> CloneBuilder::finish() {
  addDispatchers(*all, entries, targets);
  // Each function carries the features of its own target.
  TargetDescription baseline;
  baseline.triple = targets.front().triple;
  auto machine = createTargetMachine(baseline);
  if (!machine)
    return machine.takeError();
  auto object = emitObject(*all, **machine);
  if (!object)
    return object.takeError();
  if (llvm::Error error = errors.take(mlir::UnknownLoc::get(messages)))
    return std::move(error);
  if (llvm::Error error = checkUndefinedSymbols(**object))
    return std::move(error);
  return object;
}

void CPUBackend::registerTranslations(mlir::DialectRegistry &registry) const {
  registerLLVMTranslations(registry);
}

void CPUBackend::buildLoweringPipeline(mlir::OpPassManager &manager,
                                       const PlanOptions &options) const {
  buildCPULoweringPipeline(manager, options);
}

llvm::Error CPUBackend::checkHost(const TargetDescription &target) const {
  return checkHostSupports(target);
}

Expected<std::unique_ptr<ExecutionDevice>>
CPUBackend::createDevice(const TargetDescription &target,
                         const DeviceOptions &options) const {
  if (options.simulate)
    return createStringError("--simulate: target '" + target.name +
                             "' is no GPU");
  return createHostDevice(options.threads);
}

/// Writes the module before and after LLVM's passes, and its assembly.
static llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                            const DumpText &dump) {
  auto print = [&](llvm::raw_ostream &os) { module.print(os, nullptr); };
  if (dump)
    if (llvm::Error error = dump("llvm", "ll", print))
      return error;
  if (llvm::Error error = optimizeModule(module, machine))
    return error;
  if (!dump)
    return llvm::Error::success();
  if (llvm::Error error = dump("llvm-optimized", "ll", print))
    return error;
  std::string failure;
  if (llvm::Error error = dump("assembly", "s", [&](llvm::raw_ostream &os) {
        // Code generation changes the module, and the object still has to be
        // made.
        auto assembly = emitAssembly(*llvm::CloneModule(module), machine);
        if (assembly)
          os << *assembly;
        else
          failure = llvm::toString(assembly.takeError());
      }))
    return error;
  return failure.empty() ? llvm::Error::success() : createStringError(failure);
}

Expected<std::unique_ptr<LoadedCode>>
CPUBackend::load(mlir::ModuleOp lowered, const TargetDescription &target,
                 llvm::ArrayRef<std::string> entries,
                 const ObjectLoader &loader, const DumpText &dump) const {
  llvm::LLVMContext context;
  CodeGenErrors errors(context);
  auto module = translate(lowered, context, target);
  if (!module)
    return module.takeError();
  for (const std::string &name : entries)
    if ((*module)->getFunction(name))
      if (llvm::Error error = addInvoker(**module, name))
        return std::move(error);
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = optimize(**module, **machine, dump))
    return std::move(error);
  auto object = emitObject(**module, **machine);
  if (!object)
    return object.takeError();
  if (llvm::Error error = errors.take(lowered.getLoc()))
    return std::move(error);
  if (llvm::Error error = checkUndefinedSymbols(**object))
    return std::move(error);
  return loader((*object)->getBuffer());
}

Expected<std::unique_ptr<LoadedCode>>
attn::loadHostObject(llvm::StringRef object) {
  Expected<JITLibrary> library = JITLibrary::create(
      llvm::MemoryBuffer::getMemBufferCopy(object, "kernel"));
  if (!library)
    return library.takeError();
  return std::make_unique<JITCode>(std::move(*library), object);
}

std::unique_ptr<ObjectBuilder>
CPUBackend::createObjectBuilder(llvm::ArrayRef<TargetDescription> targets,
                                llvm::ArrayRef<std::string> entries) const {
  return std::make_unique<CloneBuilder>(targets, entries);
}
