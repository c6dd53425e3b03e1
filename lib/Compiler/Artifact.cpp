//===- Artifact.cpp - Ahead-of-time compilation of a module ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Artifact.h"
#include "EntryDescription.h"
#include "attn/Analysis/Work.h"
#include "attn/Compiler/Backend.h"
#include "attn/Compiler/Errors.h"
#include "attn/Compiler/Names.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "attn/Remarks/Remarks.h"
#include "attn/Target/CPU/CodeGen.h"
#include "attn/Target/CPU/Dispatch.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace attn;
using llvm::createStringError;
using llvm::Expected;

namespace {

/// The compilation of one module for several targets into one object.
class ArtifactBuilder {
public:
  ArtifactBuilder(ModuleOp module, StringRef file,
                  const ArtifactOptions &options)
      : original(module), file(file), options(options) {}

  Expected<Artifact> run();

private:
  llvm::Error chooseTargets();
  llvm::Error chooseEntries();
  llvm::Error checkPacked(func::FuncOp entry, StringRef name);
  std::string chooseName(func::FuncOp entry);
  LogicalResult renameEntries(ModuleOp module);
  llvm::Error describe(StringRef phase, ModuleOp module);
  /// Makes entries of the functions that pack arguments.
  void addPackings(ModuleOp planned);
  llvm::Error compileTarget(const TargetDescription &target);
  llvm::Error finish();
  void beginPhase(const char *name);
  void warn(std::string text);
  void warnAboutSymbols();
  /// The public symbols: each entry and its NAME__shapes.
  std::vector<std::string> getSymbols();

  ModuleOp original;
  StringRef file;
  const ArtifactOptions &options;
  std::vector<TargetDescription> targets;
  /// What the entries are called in the module, and in C.
  std::vector<std::string> givenNames, entryNames;
  /// Those that functions which pack arguments would have.
  std::vector<std::string> packingNames;
  /// Made once the entries are known.
  std::unique_ptr<ObjectBuilder> builder;
  Artifact result;
};

} // namespace

llvm::Error ArtifactBuilder::chooseTargets() {
  for (const std::string &spec : options.targets) {
    auto target = parseTargetDescription(spec);
    if (!target)
      return target.takeError();
    if (llvm::any_of(targets, [&](const TargetDescription &other) {
          return other.name == target->name;
        }))
      return createStringError("target '" + spec + "' is given twice");
    targets.push_back(target->gpu ? *target
                                  : restrictToCheckedFeatures(*target));
    if (targets.back().gpu)
      continue;
    // A library may have been built without some.
    auto machine = createTargetMachine(targets.back());
    if (!machine)
      return machine.takeError();
  }
  auto isGPU = [](const TargetDescription &target) {
    return target.gpu.has_value();
  };
  if (targets.size() > 1 && llvm::any_of(targets, isGPU))
    return createStringError(
        "a GPU is a target of its own: tensors of an object lie in one kind of "
        "memory; make an object for each");
  // Vendors may have different names.
  auto getPlatform = [](const TargetDescription &target) {
    llvm::Triple triple(target.triple);
    return std::make_pair(triple.getArch(), triple.getOS());
  };
  for (const TargetDescription &target : targets)
    if (getPlatform(target) != getPlatform(targets.front()))
      return createStringError("'" + targets.front().name + "' and '" +
                               target.name +
                               "' are of two architectures, which one object "
                               "cannot hold; make an object for each");
  // More features are better. The order on the command line does not matter.
  llvm::sort(targets, [](auto &a, auto &b) {
    return std::make_pair(b.features.size(), b.name) <
           std::make_pair(a.features.size(), a.name);
  });
  return llvm::Error::success();
}

llvm::Error ArtifactBuilder::chooseEntries() {
  auto entries = findEntries(original, file, options.entry);
  if (!entries)
    return entries.takeError();
  if (!options.name.empty() && entries->size() > 1)
    return createStringError(
        file + ": has several functions; the option entry chooses "
               "the one that the option name is for");
  for (func::FuncOp entry : *entries) {
    auto types = describeTypes(entry, file);
    if (!types)
      return types.takeError();
    std::string name = chooseName(entry);
    if (llvm::Error error = checkCName(name, formatLocation(entry, file)))
      return error;
    if (llvm::Error error = checkPacked(entry, name))
      return error;
    givenNames.push_back(entry.getSymName().str());
    entryNames.push_back(std::move(name));
  }
  std::vector<std::string> names(entryNames);
  llvm::append_range(names, packingNames);
  return checkClashes(names, targets, file);
}

/// Panels lie as one instruction set wants them.
llvm::Error ArtifactBuilder::checkPacked(func::FuncOp entry, StringRef name) {
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    Attribute mark = entry.getArgAttr(i, kPackedAttr);
    std::string where = formatLocation(entry, file) + ": argument " +
                        std::to_string(i) + " has " + kPackedAttr.str() + ", ";
    if (mark && !isa<UnitAttr>(mark))
      return createStringError(where + "which takes no value");
    if (entry.getArgAttr(i, kPanelsOfAttr))
      return createStringError(
          formatLocation(entry, file) + ": argument " + std::to_string(i) +
          " has " + kPanelsOfAttr.str() + ", which only the compiler writes");
    if (!mark)
      continue;
    packingNames.push_back(getPackingName(name, i));
    if (original.lookupSymbol(packingNames.back()))
      return createStringError(where + "whose function would be called '" +
                               packingNames.back() +
                               "', as another one is; rename that");
    if (targets.front().gpu)
      return createStringError(where + "which is for processors");
    if (targets.size() > 1)
      return createStringError(where + "whose layout is that of one target; "
                                       "make an object for each");
  }
  return llvm::Error::success();
}

void ArtifactBuilder::addPackings(ModuleOp planned) {
  for (const std::string &name : std::vector<std::string>(entryNames)) {
    auto entry = planned.lookupSymbol<func::FuncOp>(name);
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (auto of = entry.getArgAttrOfType<IntegerAttr>(i, kPanelsOfAttr)) {
        entryNames.push_back(getPackingName(name, of.getInt()));
        result.entries.emplace_back();
      }
  }
}

std::string ArtifactBuilder::chooseName(func::FuncOp entry) {
  if (!options.name.empty())
    return options.name;
  if (entry.getSymName() != "main")
    return entry.getSymName().str();
  warn(("the kernel of 'main' is called " + kNameForMain +
        "; the option name gives it another one")
           .str());
  return kNameForMain.str();
}

/// Gives the entries their names in C, whatever others are called so.
LogicalResult ArtifactBuilder::renameEntries(ModuleOp module) {
  exportOnly(module, givenNames);
  for (auto [given, name] : llvm::zip(givenNames, entryNames)) {
    if (given == name)
      continue;
    SymbolTable symbols(module);
    if (Operation *other = symbols.lookup(name))
      if (failed(symbols.renameToUnique(other, {})))
        return failure();
    if (failed(symbols.rename(symbols.lookup(given), name)))
      return failure();
  }
  return success();
}

std::vector<std::string> ArtifactBuilder::getSymbols() {
  std::vector<std::string> symbols;
  for (const std::string &name : entryNames) {
    symbols.push_back(name);
    symbols.push_back(getShapesFunctionName(name));
  }
  return symbols;
}

/// Of the contractions, for a function whose sizes are all static.
static std::optional<double> countStaticFlops(func::FuncOp entry) {
  SmallVector<SmallVector<int64_t>> shapes;
  for (Type type : entry.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && !tensor.hasStaticShape())
      return std::nullopt;
    shapes.emplace_back(tensor ? SmallVector<int64_t>(tensor.getShape())
                               : SmallVector<int64_t>());
  }
  SizeEvaluator sizes(entry.front(), shapes);
  return countFlops(entry, sizes);
}

/// The first target describes the entries for all: types do not depend on it.
llvm::Error ArtifactBuilder::describe(StringRef phase, ModuleOp module) {
  if (!result.targets.empty())
    return llvm::Error::success();
  if (phase == "plan")
    addPackings(module);
  for (const std::string &name : entryNames) {
    auto entry = module.lookupSymbol<func::FuncOp>(name);
    if (phase == "raise") {
      result.entries.emplace_back().flops = countStaticFlops(entry);
    } else if (phase == "plan") {
      EntryDescription &target =
          result.entries[llvm::find(entryNames, name) - entryNames.begin()];
      auto description = describeEntry(entry, file);
      if (!description)
        return description.takeError();
      description->flops = target.flops;
      target = std::move(*description);
    }
  }
  return llvm::Error::success();
}

llvm::Error ArtifactBuilder::compileTarget(const TargetDescription &target) {
  OwningOpRef<ModuleOp> module = original.clone();
  if (failed(renameEntries(*module)))
    return createStringError(file + ": the kernels cannot be renamed");
  TargetCode code;
  code.target = target;
  code.isa = target.gpu ? target.gpu->arch.str() : getISAName(target);
  MessageScope messages(module->getContext(), [&](CompilerMessage message) {
    if (options.onMessage)
      options.onMessage(message);
    if (message.severity != DiagnosticSeverity::Remark)
      return;
    // The folder of the input must not show in the output.
    message.file = llvm::sys::path::filename(message.file).str();
    code.remarks.push_back(std::move(message));
  });
  LoweringOptions lowering;
  static_cast<CompilationOptions &>(lowering) = options;
  lowering.target = target.name;
  lowering.packs = true;
  result.innerChecks = options.innerChecks;
  lowering.afterPhase = [&](StringRef phase, ModuleOp current) {
    if (llvm::Error error = describe(phase, current))
      return error;
    return options.afterPhase ? options.afterPhase(phase, current)
                              : llvm::Error::success();
  };
  auto kernels = lowerToLLVMDialect(*module, lowering);
  if (!kernels)
    return kernels.takeError();
  code.kernels = std::move(*kernels);
  beginPhase("codegen");
  if (llvm::Error error = options.checkCancelled())
    return error;
  if (!builder)
    builder =
        getBackend(targets.front()).createObjectBuilder(targets, getSymbols());
  if (llvm::Error error = builder->add(*module, target))
    return blameCompiler(std::move(error), *module, options.tool,
                         options.reproducerFolder);
  if (const DeviceCode *device = builder->getDeviceCode())
    code.device = *device;
  code.needsAlloc = module->lookupSymbol("attn.allocate_scratch") ||
                    module->lookupSymbol("attn.allocate_device");
  StringRef waits = Remark(RemarkId::HostWaits, {{"what", ""}}).getLabel();
  code.waitsForDevice =
      llvm::any_of(code.remarks, [&](const CompilerMessage &remark) {
        return remark.id == waits;
      });
  code.callsParallelFor = module->lookupSymbol("attn.run_parallel") != nullptr;
  result.targets.push_back(std::move(code));
  return llvm::Error::success();
}

void ArtifactBuilder::beginPhase(const char *name) {
  if (options.beforePhase)
    options.beforePhase(name);
}

void ArtifactBuilder::warn(std::string text) {
  if (!options.onMessage)
    return;
  CompilerMessage message;
  message.severity = DiagnosticSeverity::Warning;
  message.text = std::move(text);
  options.onMessage(message);
}

/// Every environment has memcpy and its like; other functions are news.
void ArtifactBuilder::warnAboutSymbols() {
  std::vector<std::string> others;
  for (const std::string &name : result.undefinedSymbols)
    if (!llvm::is_contained({"memcpy", "memmove", "memset", "memcmp", "bcmp"},
                            name))
      others.push_back(name);
  if (!others.empty())
    warn("the object calls " + llvm::join(others, ", ") +
         ", which its host has to link (mathematics: -lm)");
}

llvm::Error ArtifactBuilder::finish() {
  auto object = builder->finish();
  if (!object)
    return object.takeError();
  auto undefined = getUndefinedSymbols(**object);
  if (!undefined)
    return undefined.takeError();
  result.undefinedSymbols = std::move(*undefined);
  warnAboutSymbols();
  result.object = std::move(*object);
  return llvm::Error::success();
}

Expected<Artifact> ArtifactBuilder::run() {
  if (llvm::Error error = chooseTargets())
    return std::move(error);
  if (llvm::Error error = chooseEntries())
    return std::move(error);
  for (const TargetDescription &target : targets)
    if (llvm::Error error = compileTarget(target))
      return std::move(error);
  if (llvm::Error error = options.checkCancelled())
    return std::move(error);
  if (llvm::Error error = finish())
    return blameCompiler(std::move(error), original, options.tool,
                         options.reproducerFolder);
  return std::move(result);
}

bool attn::isForDevice(const Artifact &artifact) {
  return llvm::any_of(artifact.targets, [](const TargetCode &code) {
    return code.device.has_value();
  });
}

Expected<Artifact> attn::compileArtifact(ModuleOp module, StringRef file,
                                         const ArtifactOptions &options) {
  return ArtifactBuilder(module, file, options).run();
}
