//===- CodeGen.cpp - LLVM IR to object code or assembly -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CPU/CodeGen.h"
#include "BaselineCPU.h"
#include "FloatConversions.h"
#include "MaskedAccess.h"
#include "attn/Target/RunPasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace attn;
using llvm::createStringError;
using llvm::Expected;

/// Those that kernels are compiled for, on whatever machine this is.
static void initializeTargets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  // For the inline assembly that asks the processor what it can do.
  LLVMInitializeX86AsmParser();
  LLVMInitializeAArch64AsmParser();
}

Expected<std::unique_ptr<llvm::TargetMachine>>
attn::createTargetMachine(const TargetDescription &target) {
  static std::once_flag initialized;
  std::call_once(initialized, initializeTargets);
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return createStringError("this build of the compiler has no code "
                             "generator for '" +
                             target.name + "': " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  // Decoded instructions are cached by windows of 32 bytes, on some processors
  // not those with a jump across their end: a register tile's loop lost 2 % or
  // not, as it happened to lie.
  options.LoopAlignment = 32;
  // Codegen level 2 costs no measurable time over level 1 here and schedules
  // the loops around the microkernels better.
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, getBaselineCPU(triple), target.getFeatureString(), options,
      llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("LLVM cannot generate code for " + target.triple);
  return machine;
}

/// A third of the time of the default pipeline at -O2, whose inlining,
/// induction variable rewriting and unrolling our loops do not need: they are
/// born in canonical form. What they need is the loop vectoriser and what
/// brings loads and address arithmetic into its form. Filling memory becomes
/// memset, whose loops must not stay behind, empty.
static constexpr const char *kMidEndPipeline =
    "function("
    "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(loop-idiom,loop-deletion),"
    "loop-vectorize,"
    "instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm)"
    "),globaldce";

llvm::Error attn::optimizeModule(llvm::Module &module,
                                 llvm::TargetMachine &machine) {
  return runPasses(module, machine, [](llvm::PassBuilder &builder) {
    llvm::ModulePassManager passes;
    if (auto error = builder.parsePassPipeline(passes, kMidEndPipeline))
      return Expected<llvm::ModulePassManager>(std::move(error));
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(MaskedAccessPass()));
    return Expected<llvm::ModulePassManager>(std::move(passes));
  });
}

/// Runs the code generator. False if the target cannot emit such files.
static bool emitFile(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::raw_pwrite_stream &stream,
                     llvm::CodeGenFileType type) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return false;
  passes.run(module);
  return true;
}

static Expected<std::unique_ptr<llvm::MemoryBuffer>>
generateObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (!emitFile(module, machine, stream, llvm::CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot emit an object file");
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), "attn-kernel", /*RequiresNullTerminator=*/false);
}

Expected<std::unique_ptr<llvm::MemoryBuffer>>
attn::emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  // Only the finished object tells which conversions became calls.
  while (true) {
    auto object = generateObject(module, machine);
    if (!object)
      return object.takeError();
    auto undefined = getUndefinedSymbols(**object);
    if (!undefined)
      return undefined.takeError();
    bool changed = false;
    for (const std::string &name : *undefined)
      changed |= defineFloatConversion(module, name);
    if (!changed)
      return object;
  }
}

Expected<std::string> attn::emitAssembly(llvm::Module &module,
                                         llvm::TargetMachine &machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  if (!emitFile(module, machine, stream, llvm::CodeGenFileType::AssemblyFile))
    return createStringError("LLVM cannot emit assembly");
  return text.str().str();
}

Expected<std::vector<std::string>>
attn::getUndefinedSymbols(llvm::MemoryBufferRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!name->empty())
      names.push_back(name->str());
  }
  llvm::sort(names);
  return names;
}

llvm::Error attn::checkUndefinedSymbols(llvm::MemoryBufferRef object) {
  static constexpr llvm::StringRef forbidden[] = {
      "exp", "expf", "exp2", "exp2f", "exp10", "exp10f", "expm1", "expm1f"};
  Expected<std::vector<std::string>> names = getUndefinedSymbols(object);
  if (!names)
    return names.takeError();
  for (const std::string &name : *names)
    if (llvm::is_contained(forbidden, name) ||
        llvm::StringRef(name).starts_with("_ZGV"))
      return createStringError("the kernel calls '" + name +
                               "' of the C library, which no lowering may do");
  return llvm::Error::success();
}
