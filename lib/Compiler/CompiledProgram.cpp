//===- CompiledProgram.cpp - From a program to running code ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/CompiledProgram.h"
#include "attn/Analysis/Work.h"
#include "attn/Compiler/Messages.h"
#include "attn/Conversion/Host/EntryNames.h"

using namespace mlir;
using namespace attn;
using llvm::Expected;

namespace {

/// The compilation of one program, phase by phase.
class Compilation {
public:
  Compilation(Program &program, ArrayRef<HostArray> arguments,
              const LoweringOptions &options, const DumpText &dump)
      : program(program), arguments(arguments), options(options), dump(dump),
        entryName(program.entry.getSymName()) {}

  Expected<CompiledProgram> run();

private:
  llvm::Error lower();
  llvm::Error load(const TargetDescription &target);
  void countWork();
  void readInOut();

  Program &program;
  ArrayRef<HostArray> arguments;
  const LoweringOptions &options;
  const DumpText &dump;
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

/// Raising finds caches that the file does not mark.
void Compilation::readInOut() {
  auto entry = program.module->lookupSymbol<func::FuncOp>(entryName);
  if (!entry)
    return;
  auto inOut = getInOutArguments(entry);
  if (succeeded(inOut))
    program.inOut = std::move(*inOut);
}

llvm::Error Compilation::lower() {
  LoweringOptions lowering = options;
  lowering.afterPhase = [&](StringRef phase, ModuleOp module) {
    if (phase == "raise") {
      countWork();
      readInOut();
    }
    return options.afterPhase ? options.afterPhase(phase, module)
                              : llvm::Error::success();
  };
  exportOnly(*program.module, entryName);
  auto kernels = lowerToLLVMDialect(*program.module, lowering);
  if (!kernels)
    return kernels.takeError();
  result.kernels = std::move(*kernels);
  return llvm::Error::success();
}

llvm::Error Compilation::load(const TargetDescription &target) {
  std::string shapesName = getShapesFunctionName(entryName);
  auto code = getBackend(target).load(*program.module, target,
                                      {entryName, shapesName}, dump);
  if (!code)
    return code.takeError();
  result.code = std::move(*code);
  auto run = result.code->lookup(entryName);
  if (!run)
    return run.takeError();
  result.run = *run;
  if (llvm::all_of(program.outputs,
                   [](const TensorInfo &type) { return type.isStatic(); }))
    return llvm::Error::success();
  auto shapes = result.code->lookup(shapesName);
  if (!shapes)
    return shapes.takeError();
  result.computeShapes = *shapes;
  return llvm::Error::success();
}

Expected<CompiledProgram> Compilation::run() {
  Expected<TargetDescription> target = parseTargetDescription(options.target);
  if (!target)
    return target.takeError();
  if (llvm::Error error = getBackend(*target).checkHost(*target))
    return std::move(error);
  MessageScope messages(
      program.module->getContext(),
      makeToolMessageHandler(options.tool, [&](std::string r) {
        result.remarks.push_back(std::move(r));
      }));
  if (llvm::Error error = lower())
    return std::move(error);
  if (options.beforePhase)
    options.beforePhase("codegen");
  if (llvm::Error error = load(*target))
    return blameCompiler(std::move(error), *program.module, options.tool);
  return std::move(result);
}

Expected<CompiledProgram> attn::compileProgram(Program &program,
                                               ArrayRef<HostArray> arguments,
                                               const LoweringOptions &options,
                                               const DumpText &dump) {
  return Compilation(program, arguments, options, dump).run();
}
