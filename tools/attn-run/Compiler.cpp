//===- Compiler.cpp - From a program to running code ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "Dumper.h"
#include "attn/Analysis/Work.h"
#include "attn/Compiler/Messages.h"
#include "attn/Support/Stopwatch.h"
#include "attn/Target/CPU/CodeGen.h"
#include "attn/Target/CPU/LLVMTranslation.h"

using namespace mlir;
using namespace attn;
using namespace attn::run;
using llvm::createStringError;
using llvm::Expected;

namespace {

/// The compilation of one program, phase by phase.
class Compilation {
public:
  Compilation(Program &program, const TargetDescription &target,
              ArrayRef<HostArray> arguments, const Options &options,
              Phases &phases)
      : program(program), target(target), arguments(arguments),
        options(options), phases(phases), dumper(options.dumpDir),
        entryName(program.entry.getSymName()) {}

  Expected<CompiledProgram> run();

private:
  llvm::Error lower();
  Expected<std::unique_ptr<llvm::MemoryBuffer>> generateObject();
  llvm::Error link();
  void countWork();

  Program &program;
  const TargetDescription &target;
  ArrayRef<HostArray> arguments;
  const Options &options;
  Phases &phases;
  Dumper dumper;
  std::string entryName;
  CompiledProgram result;
};

} // namespace

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

llvm::Error Compilation::lower() {
  LoweringOptions lowering;
  lowering.target = options.target;
  lowering.portable = options.portable;
  lowering.innerChecks = options.innerChecks;
  lowering.threads = options.threads;
  lowering.tool = "attn-run";
  lowering.beforePhase = [&](const char *name) { phases.enter(name); };
  lowering.afterPhase = [&](StringRef phase, ModuleOp module) {
    if (phase == "raise")
      countWork();
    return dumper.dump(phase, module);
  };
  exportOnly(*program.module, entryName);
  auto kernels = lowerToLLVMDialect(*program.module, lowering);
  if (!kernels)
    return kernels.takeError();
  result.kernels = std::move(*kernels);
  return llvm::Error::success();
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

Expected<CompiledProgram> Compilation::run() {
  Stopwatch timer;
  MessageScope messages(program.module->getContext(),
                        makeToolMessageHandler("attn-run", [&](std::string r) {
                          result.remarks.push_back(std::move(r));
                        }));
  if (llvm::Error error = lower())
    return std::move(error);
  phases.enter("codegen");
  if (llvm::Error error = link())
    return blameCompiler(std::move(error), *program.module, "attn-run");
  result.compileSeconds = timer.getSeconds() - dumper.getSeconds();
  return std::move(result);
}

Expected<CompiledProgram>
attn::run::compileProgram(Program &program, const TargetDescription &target,
                          ArrayRef<HostArray> arguments, const Options &options,
                          Phases &phases) {
  return Compilation(program, target, arguments, options, phases).run();
}
