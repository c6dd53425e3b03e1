//===- Lowering.cpp - A module through the phases of the pipeline ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Lowering.h"
#include "attn/Compiler/Backend.h"
#include "attn/Compiler/Cancellation.h"
#include "attn/Compiler/Errors.h"
#include "attn/Compiler/Messages.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Remarks/InputError.h"
#include "attn/Support/CrashGuard.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attn;
using llvm::Expected;

llvm::Error CompilationOptions::checkCancelled() const {
  if (isCancelled && isCancelled())
    return llvm::make_error<CancelledError>();
  return llvm::Error::success();
}

namespace {

/// Notes every attention op and the schedule it has.
void recordKernels(Operation *root, std::vector<KernelInfo> &kernels) {
  root->walk([&](AttentionOp op) {
    std::string schedule = "portable";
    if (Attribute attribute = op.getScheduleAttr()) {
      schedule.clear();
      llvm::raw_string_ostream(schedule) << attribute;
    }
    auto function = op->getParentOfType<FunctionOpInterface>();
    kernels.push_back(
        {(function.getName() + ":" + Twine(kernels.size())).str(), schedule});
  });
}

/// Tells who reports a crash which pass it was.
class CrashObserver : public PassInstrumentation {
public:
  void runBeforePass(Pass *pass, Operation *) override {
    // Adaptors have no name, and their passes come next.
    if (!pass->getArgument().empty())
      setCrashPhase(pass->getArgument().data());
  }
};

/// One module on its way down.
class Lowering {
public:
  Lowering(ModuleOp module, const LoweringOptions &options)
      : module(module), options(options) {}

  llvm::Error run();
  std::vector<KernelInfo> kernels;

private:
  llvm::Error notify(StringRef phase) {
    return options.afterPhase ? options.afterPhase(phase, module)
                              : llvm::Error::success();
  }
  using Build = llvm::function_ref<void(OpPassManager &)>;
  llvm::Error runPhase(const char *name, Build build);
  llvm::Error runPasses(ModuleOp target, StringRef name, Build build,
                        bool verifyEach);

  ModuleOp module;
  const LoweringOptions &options;
};

} // namespace

/// The verifier after every pass takes a third of the time to compile, so a
/// phase is verified at its end. What fails there is run again from its start
/// with a verifier after each pass, which names the guilty one.
llvm::Error Lowering::runPhase(const char *name, Build build) {
  if (options.beforePhase)
    options.beforePhase(name);
  OwningOpRef<ModuleOp> before = module.clone();
  if (llvm::Error error = runPasses(module, name, build, /*verifyEach=*/false))
    return error;
  {
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &message) {
      return success(message.getSeverity() == DiagnosticSeverity::Error);
    });
    if (succeeded(verify(module)))
      return notify(name);
  }
  if (llvm::Error error = runPasses(*before, name, build, /*verifyEach=*/true))
    return error;
  return blameCompiler(
      llvm::createStringError(Twine("phase '") + name + "' left invalid IR"),
      *before, options.tool, options.reproducerFolder);
}

/// The message and, a line each, where its notes point to.
static std::string formatWithNotes(Diagnostic &message) {
  std::string text = makeMessage(message).format();
  for (Diagnostic &note : message.getNotes())
    // What MLIR adds is no help: a whole function in the middle of a phase.
    if (!StringRef(note.str()).starts_with("see current operation"))
      text += "\nnote: " + makeMessage(note).format();
  return text;
}

llvm::Error Lowering::runPasses(ModuleOp target, StringRef name, Build build,
                                bool verifyEach) {
  PassManager manager(target.getContext());
  manager.enableVerifier(verifyEach);
  std::string inputFault;
  nameCrashPasses(manager);
  build(manager);
  OwningOpRef<ModuleOp> before = target.clone();
  ScopedDiagnosticHandler handler(
      target.getContext(), [&](Diagnostic &message) {
        if (message.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        bool isInput = isInputError(message);
        if (isInput && inputFault.empty())
          inputFault = formatWithNotes(message);
        return success(isInput);
      });
  bool isGood = succeeded(manager.run(target));
  // Passes that were left out have no result.
  if (llvm::Error error = options.checkCancelled())
    return error;
  if (isGood)
    return llvm::Error::success();
  if (!inputFault.empty())
    return llvm::createStringError(inputFault);
  std::string text = ("compilation failed in phase '" + name + "'").str();
  if (options.tool.empty())
    return llvm::make_error<InternalError>(text);
  std::string reproducer =
      makeReproducerPath(options.tool, name, options.reproducerFolder);
  makeReproducer(manager.getOpAnchorName(), manager.getPasses(), *before,
                 reproducer, /*disableThreads=*/true, verifyEach);
  return llvm::make_error<InternalError>(text + "; reproducer: " + reproducer);
}

llvm::Error Lowering::run() {
  auto target = parseTargetDescription(options.target);
  if (!target)
    return target.takeError();
  const Backend &backend = getBackend(*target);
  PlanOptions pipeline;
  pipeline.target = options.target;
  pipeline.portableOnly = options.portable;
  pipeline.checks = options.innerChecks;
  pipeline.threads = options.threads;
  pipeline.profile = options.profile;
  pipeline.packs = options.packs;
  if (llvm::Error error = notify("input"))
    return error;
  if (!options.packs)
    for (auto func : module.getOps<func::FuncOp>())
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        func.removeArgAttr(i, kPackedAttr);
  if (llvm::Error error = runPhase("raise", buildRaisePipeline))
    return error;
  if (llvm::Error error = runPhase("schedule", [&](OpPassManager &manager) {
        buildSchedulePipeline(manager, pipeline);
      }))
    return error;
  // Tiling takes them apart.
  recordKernels(module, kernels);
  if (llvm::Error error = runPhase("plan", [&](OpPassManager &manager) {
        buildTilePipeline(manager, pipeline);
      }))
    return error;
  return runPhase("lower", [&](OpPassManager &manager) {
    backend.buildLoweringPipeline(manager, pipeline);
  });
}

Expected<std::vector<KernelInfo>>
attn::lowerToLLVMDialect(ModuleOp module, const LoweringOptions &options) {
  CancelScope cancel(module.getContext(), options.isCancelled);
  Lowering lowering(module, options);
  if (llvm::Error error = lowering.run())
    return std::move(error);
  return std::move(lowering.kernels);
}

void attn::nameCrashPasses(PassManager &manager) {
  manager.addInstrumentation(std::make_unique<CrashObserver>());
}

llvm::Error attn::blameCompiler(llvm::Error error, ModuleOp module,
                                StringRef tool, StringRef folder) {
  if (tool.empty())
    return llvm::make_error<InternalError>(llvm::toString(std::move(error)));
  std::string path = makeReproducerPath(tool, "codegen", folder);
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code)
    module.print(stream);
  // Where the disk is full, the error is worth more than the file.
  stream.close();
  stream.clear_error();
  return llvm::make_error<InternalError>(llvm::toString(std::move(error)) +
                                         "; reproducer: " + path);
}
