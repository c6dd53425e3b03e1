//===- Compiler.cpp - From a program to running code ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "Dumper.h"
#include "Stopwatch.h"
#include "attn/Analysis/Work.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Target/CPU/CodeGen.h"
#include "attn/Target/CPU/LLVMTranslation.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace attn;
using namespace attn::run;
using llvm::createStringError;
using llvm::Expected;

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

/// Notes the attention ops once they are scheduled: tiling takes them apart.
class KernelRecorder : public PassInstrumentation {
public:
  explicit KernelRecorder(std::vector<KernelInfo> &kernels)
      : kernels(kernels) {}

  void runAfterPass(Pass *pass, Operation *root) override {
    if (pass->getArgument() == "attn-select-schedule")
      recordKernels(root, kernels);
  }

private:
  std::vector<KernelInfo> &kernels;
};

/// The compilation of one program, phase by phase.
class Compilation {
public:
  Compilation(Program &program, const TargetDescription &target,
              ArrayRef<HostArray> arguments, const Options &options)
      : program(program), target(target), arguments(arguments),
        options(options), dumper(options.dumpDir),
        entryName(program.entry.getSymName()) {}

  Expected<CompiledProgram> run();

private:
  llvm::Error lowerToLLVMDialect();
  llvm::Error runPhase(StringRef name,
                       llvm::function_ref<void(OpPassManager &)> build);
  Expected<std::unique_ptr<llvm::MemoryBuffer>> generateObject();
  llvm::Error link();
  llvm::Error blameCompiler(llvm::Error error);
  void handleDiagnostic(Diagnostic &diagnostic);
  void countWork();

  Program &program;
  const TargetDescription &target;
  ArrayRef<HostArray> arguments;
  const Options &options;
  Dumper dumper;
  std::string entryName;
  CompiledProgram result;
};

} // namespace

/// A file for a failing phase to leave its input in.
static std::string makeReproducerPath(StringRef phase, StringRef extension) {
  SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("attn-run-" + phase, extension, path))
    return ("attn-run-" + phase + "-reproducer." + extension).str();
  return path.str().str();
}

llvm::Error
Compilation::runPhase(StringRef name,
                      llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(program.module->getContext());
  manager.addInstrumentation(std::make_unique<KernelRecorder>(result.kernels));
  std::string reproducer = makeReproducerPath(name, "mlir");
  manager.enableCrashReproducerGeneration(reproducer);
  build(manager);
  if (failed(manager.run(*program.module)))
    return llvm::make_error<InternalError>(("compilation failed in phase '" +
                                            name +
                                            "'; reproducer: " + reproducer)
                                               .str());
  llvm::sys::fs::remove(reproducer);
  return dumper.dump(name, *program.module);
}

/// `FILE:LINE: text`, or the text alone where the place is not known.
static std::string formatDiagnostic(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (where && where.getLine())
    stream << where.getFilename().getValue() << ":" << where.getLine() << ": ";
  stream << diagnostic;
  return text;
}

/// Keeps remarks for the report; everything else goes to the user at once.
void Compilation::handleDiagnostic(Diagnostic &diagnostic) {
  std::string text = formatDiagnostic(diagnostic);
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Remark:
    result.remarks.push_back(text);
    return;
  case DiagnosticSeverity::Note:
    return;
  case DiagnosticSeverity::Warning:
    llvm::errs() << "attn-run: warning: " << text << "\n";
    return;
  case DiagnosticSeverity::Error:
    llvm::errs() << "attn-run: error: " << text << "\n";
    return;
  }
}

/// Operations are counted in the raised module, where attention is one op.
void Compilation::countWork() {
  auto entry = program.module->lookupSymbol<func::FuncOp>(entryName);
  if (!entry || entry.isExternal())
    return;
  SmallVector<SmallVector<int64_t>> shapes;
  for (const HostArray &argument : arguments)
    shapes.emplace_back(argument.getShape());
  SizeEvaluator sizes(entry.front(), shapes);
  result.flops = countFlops(entry, sizes);
}

llvm::Error Compilation::lowerToLLVMDialect() {
  CPUPipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.portableOnly = options.portable;
  if (llvm::Error error = dumper.dump("input", *program.module))
    return error;
  if (llvm::Error error = runPhase("raise", buildRaisePipeline))
    return error;
  countWork();
  // Nothing schedules on the portable path.
  if (options.portable)
    recordKernels(*program.module, result.kernels);
  if (llvm::Error error = runPhase("plan", [&](OpPassManager &manager) {
        buildPlanPipeline(manager, pipeline);
      }))
    return error;
  return runPhase("lower", [&](OpPassManager &manager) {
    buildCPULoweringPipeline(manager, pipeline);
  });
}

Expected<std::unique_ptr<llvm::MemoryBuffer>> Compilation::generateObject() {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateToLLVMIR(*program.module, context, target);
  if (!module)
    return createStringError("the translation to LLVM IR failed");
  if (llvm::Error error = addInvoker(*module, entryName))
    return std::move(error);
  std::string shapesName = entryName + "__shapes";
  if (module->getFunction(shapesName))
    if (llvm::Error error = addInvoker(*module, shapesName))
      return std::move(error);
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = dumper.dump("llvm", *module))
    return std::move(error);
  if (llvm::Error error = optimizeModule(*module, **machine))
    return std::move(error);
  if (llvm::Error error = dumper.dump("llvm-optimized", *module))
    return std::move(error);
  if (llvm::Error error = dumper.dumpAssembly(*module, **machine))
    return std::move(error);
  auto object = emitObject(*module, **machine);
  if (!object)
    return object.takeError();
  if (llvm::Error error = checkUndefinedSymbols(**object))
    return std::move(error);
  return object;
}

llvm::Error Compilation::link() {
  auto object = generateObject();
  if (!object)
    return object.takeError();
  Expected<JITLibrary> library = JITLibrary::create(std::move(*object));
  if (!library)
    return library.takeError();
  result.library.emplace(std::move(*library));
  auto run = result.library->lookupInvoker(entryName);
  if (!run)
    return run.takeError();
  result.run = *run;
  if (llvm::all_of(program.outputs,
                   [](const TensorInfo &type) { return type.isStatic(); }))
    return llvm::Error::success();
  auto shapes = result.library->lookupInvoker(entryName + "__shapes");
  if (!shapes)
    return shapes.takeError();
  result.computeShapes = *shapes;
  return llvm::Error::success();
}

/// Leaves the lowered module behind, for a report.
llvm::Error Compilation::blameCompiler(llvm::Error error) {
  std::string path = makeReproducerPath("codegen", "mlir");
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code)
    program.module->print(stream);
  return llvm::make_error<InternalError>(llvm::toString(std::move(error)) +
                                         "; reproducer: " + path);
}

Expected<CompiledProgram> Compilation::run() {
  Stopwatch timer;
  ScopedDiagnosticHandler handler(
      program.module->getContext(),
      [&](Diagnostic &diagnostic) { handleDiagnostic(diagnostic); });
  if (llvm::Error error = lowerToLLVMDialect())
    return std::move(error);
  if (llvm::Error error = link())
    return blameCompiler(std::move(error));
  result.compileSeconds = timer.getSeconds() - dumper.getSeconds();
  return std::move(result);
}

Expected<CompiledProgram>
attn::run::compileProgram(Program &program, const TargetDescription &target,
                          ArrayRef<HostArray> arguments,
                          const Options &options) {
  return Compilation(program, target, arguments, options).run();
}
