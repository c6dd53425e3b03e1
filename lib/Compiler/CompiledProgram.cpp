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

/// The compilation of one module, phase by phase.
class Compilation {
public:
  Compilation(ModuleOp module, std::vector<CompiledEntry> entries,
              const LoweringOptions &options, const DumpText &dump,
              const EntryLoader &loader)
      : module(module), options(options), dump(dump), loader(loader) {
    result.entries = std::move(entries);
  }

  Expected<CompiledModule> run();

private:
  llvm::Error lower();
  llvm::Error load(const TargetDescription &target);
  llvm::Error findStepCounts();
  void readInOut();

  ModuleOp module;
  const LoweringOptions &options;
  const DumpText &dump;
  const EntryLoader &loader;
  CompiledModule result;
};

} // namespace

/// Raising finds caches that the file does not mark.
void Compilation::readInOut() {
  for (CompiledEntry &entry : result.entries) {
    auto function = module.lookupSymbol<func::FuncOp>(entry.name);
    if (!function)
      continue;
    auto inOut = getInOutArguments(function);
    if (succeeded(inOut))
      entry.types.inOut = std::move(*inOut);
  }
}

llvm::Error Compilation::lower() {
  LoweringOptions lowering = options;
  lowering.afterPhase = [&](StringRef phase, ModuleOp module) {
    if (phase == "raise")
      readInOut();
    if (phase == "lower")
      result.steps = readProfiledSteps(module);
    return options.afterPhase ? options.afterPhase(phase, module)
                              : llvm::Error::success();
  };
  std::vector<std::string> names;
  for (const CompiledEntry &entry : result.entries)
    names.push_back(entry.name);
  exportOnly(module, names);
  auto kernels = lowerToLLVMDialect(module, lowering);
  if (!kernels)
    return kernels.takeError();
  result.kernels = std::move(*kernels);
  return llvm::Error::success();
}

llvm::Error Compilation::load(const TargetDescription &target) {
  std::vector<std::string> names;
  for (const CompiledEntry &entry : result.entries)
    names.insert(names.end(), {entry.name, getShapesFunctionName(entry.name)});
  if (options.profile)
    names.push_back(kStepCountsFunction.str());
  ObjectLoader load = loadHostObject;
  if (loader)
    load = [&](StringRef object) { return loader(object, result.entries); };
  auto code = getBackend(target).load(module, target, names, load, dump);
  if (!code)
    return code.takeError();
  result.code = std::move(*code);
  for (CompiledEntry &entry : result.entries) {
    auto run = result.code->lookup(entry.name);
    if (!run)
      return run.takeError();
    entry.run = *run;
    auto shapes = result.code->lookup(getShapesFunctionName(entry.name));
    if (!shapes)
      return shapes.takeError();
    entry.computeShapes = *shapes;
  }
  return options.profile ? findStepCounts() : llvm::Error::success();
}

llvm::Error Compilation::findStepCounts() {
  auto find = result.code->lookup(kStepCountsFunction);
  if (!find)
    return find.takeError();
  uint64_t **place = &result.stepCounts;
  void *arguments[] = {static_cast<void *>(place)};
  (*find)(arguments);
  return llvm::Error::success();
}

Expected<CompiledModule> Compilation::run() {
  Expected<TargetDescription> target = parseTargetDescription(options.target);
  if (!target)
    return target.takeError();
  if (!loader)
    if (llvm::Error error = getBackend(*target).checkHost(*target))
      return std::move(error);
  if (llvm::Error error = lower())
    return std::move(error);
  if (options.beforePhase)
    options.beforePhase("codegen");
  if (llvm::Error error = options.checkCancelled())
    return std::move(error);
  if (llvm::Error error = load(*target))
    return blameCompiler(std::move(error), module, options.tool,
                         options.reproducerFolder);
  if (llvm::Error error = options.checkCancelled())
    return std::move(error);
  return std::move(result);
}

Expected<CompiledModule>
attn::compileEntries(ModuleOp module, std::vector<CompiledEntry> entries,
                     const LoweringOptions &options, const DumpText &dump,
                     const EntryLoader &loader) {
  return Compilation(module, std::move(entries), options, dump, loader).run();
}

/// Operations are counted in the raised module, where attention is one op.
static std::optional<double> countWork(ModuleOp module, StringRef name,
                                       ArrayRef<HostArray> arguments) {
  auto entry = module.lookupSymbol<func::FuncOp>(name);
  if (!entry || entry.isExternal())
    return std::nullopt;
  SmallVector<SmallVector<int64_t>> shapes;
  for (const HostArray &argument : arguments)
    shapes.emplace_back(argument.getShape());
  SizeEvaluator sizes(entry.front(), shapes);
  return countFlops(entry, sizes);
}

Expected<CompiledProgram> attn::compileProgram(Program &program,
                                               ArrayRef<HostArray> arguments,
                                               const LoweringOptions &options,
                                               const DumpText &dump,
                                               const EntryLoader &loader) {
  CompiledProgram result;
  CompiledEntry entry;
  entry.name = program.entry.getSymName().str();
  entry.types = program;
  LoweringOptions lowering = options;
  lowering.afterPhase = [&](StringRef phase, ModuleOp module) {
    if (phase == "raise")
      result.flops = countWork(module, entry.name, arguments);
    return options.afterPhase ? options.afterPhase(phase, module)
                              : llvm::Error::success();
  };
  MessageScope messages(
      program.module->getContext(),
      makeToolMessageHandler(options.tool, [&](const CompilerMessage &remark) {
        result.remarks.push_back(remark);
      }));
  auto compiled =
      compileEntries(*program.module, {entry}, lowering, dump, loader);
  if (!compiled)
    return compiled.takeError();
  result.code = std::move(compiled->code);
  result.kernels = std::move(compiled->kernels);
  result.steps = std::move(compiled->steps);
  result.stepCounts = compiled->stepCounts;
  result.run = compiled->entries.front().run;
  program.inOut = compiled->entries.front().types.inOut;
  if (llvm::any_of(program.outputs,
                   [](const TensorInfo &type) { return !type.isStatic(); }))
    result.computeShapes = compiled->entries.front().computeShapes;
  return std::move(result);
}
