//===- Dispatch.cpp - Several instruction sets in one module --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CPU/Dispatch.h"
#include "BaselineCPU.h"
#include "FeatureChecks.h"
#include "attn-runtime/attn_runtime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include <cstddef>

using namespace attn;
using llvm::StringRef;
using llvm::Value;

std::string attn::getISAName(const TargetDescription &target) {
  StringRef name = target.name;
  if (!name.consume_front("cpu:"))
    return "host";
  std::string isa = name.str();
  std::replace(isa.begin(), isa.end(), '-', '_');
  return isa;
}

std::string attn::getCloneName(StringRef name,
                               const TargetDescription &target) {
  return (name + "__" + getISAName(target)).str();
}

TargetDescription
attn::restrictToCheckedFeatures(const TargetDescription &target) {
  TargetDescription restricted = target;
  llvm::erase_if(restricted.features, [&](const std::string &feature) {
    return !isCheckedFeature(target, feature);
  });
  return restricted;
}

void attn::renameForISA(llvm::Module &module, llvm::ArrayRef<std::string> names,
                        const TargetDescription &target) {
  for (const std::string &name : names)
    if (llvm::Function *function = module.getFunction(name))
      function->setName(getCloneName(name, target));
}

namespace {

/// Builds the functions that run on any processor of an architecture.
class DispatchBuilder {
public:
  DispatchBuilder(llvm::Module &module,
                  llvm::ArrayRef<TargetDescription> targets)
      : module(module), targets(targets), builder(module.getContext()),
        i32(builder.getInt32Ty()), ptr(builder.getPtrTy()) {}

  void addSelection();
  void addDispatcher(StringRef name);

private:
  llvm::Function *create(llvm::FunctionType *type, llvm::Twine name,
                         llvm::GlobalValue::LinkageTypes linkage);
  llvm::BasicBlock *addBlock(llvm::Function *function, StringRef name) {
    return llvm::BasicBlock::Create(module.getContext(), name, function);
  }
  Value *createText(StringRef text);
  void reportUnsupported(llvm::Function *function, StringRef name);

  llvm::Module &module;
  llvm::ArrayRef<TargetDescription> targets;
  llvm::IRBuilder<> builder;
  llvm::IntegerType *i32;
  llvm::PointerType *ptr;
  /// Finds the target and stores it in `choice`.
  llvm::Function *select = nullptr;
  /// 0: not asked yet; k + 1: target k; one more than targets: none.
  llvm::GlobalVariable *choice = nullptr;
};

} // namespace

llvm::Function *
DispatchBuilder::create(llvm::FunctionType *type, llvm::Twine name,
                        llvm::GlobalValue::LinkageTypes linkage) {
  auto *function = llvm::Function::Create(type, linkage, name, module);
  // Nothing here may need more than every processor has.
  function->addFnAttr("target-cpu", getBaselineCPU(module.getTargetTriple()));
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

/// Pairs may be slower than products of f32, as for getHostTargetDescription.
static bool takesPairs(const TargetDescription &target) {
  return target.hasAVX512BF16 && !target.hasAMXBF16;
}

static bool takesWideFMA(const TargetDescription &target) {
  return target.hasAVX512 && !target.hasAVX512BF16;
}

void DispatchBuilder::addSelection() {
  choice = new llvm::GlobalVariable(module, i32, /*isConstant=*/false,
                                    llvm::GlobalValue::InternalLinkage,
                                    builder.getInt32(0), "attn.isa");
  select = create(llvm::FunctionType::get(i32, false), "attn.select_isa",
                  llvm::GlobalValue::InternalLinkage);
  select->addFnAttr(llvm::Attribute::NoInline);
  builder.SetInsertPoint(addBlock(select, "entry"));
  std::unique_ptr<FeatureChecks> checks =
      createFeatureChecks(targets.front(), builder);
  Value *found = builder.getInt32(targets.size() + 1);
  // From the last one on: what is worse comes before what is better.
  Value *hasWideFMA = builder.getFalse();
  for (unsigned k = targets.size(); k-- > 0;) {
    Value *fits = checks->isSupported(targets[k]);
    if (takesPairs(targets[k])) {
      Value *isSlow = builder.CreateAnd(hasWideFMA, checks->hasSlowPairs());
      fits = builder.CreateAnd(fits, builder.CreateNot(isSlow));
    }
    if (takesWideFMA(targets[k]))
      hasWideFMA = builder.CreateOr(hasWideFMA, fits);
    found = builder.CreateSelect(fits, builder.getInt32(k + 1), found);
  }
  // Threads that come here together all store the same word.
  builder.CreateAlignedStore(found, choice, llvm::Align(4))
      ->setAtomic(llvm::AtomicOrdering::Monotonic);
  builder.CreateRet(found);
}

Value *DispatchBuilder::createText(StringRef text) {
  auto *data = llvm::ConstantDataArray::getString(module.getContext(), text);
  return new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::InternalLinkage, data,
                                  "attn.text.isa");
}

/// Copies the text as a whole: its length is known and below the field's.
void DispatchBuilder::reportUnsupported(llvm::Function *function,
                                        StringRef name) {
  std::string needed = llvm::join(
      llvm::map_range(targets,
                      [](const TargetDescription &t) { return t.name; }),
      ", ");
  std::string text = (name +
                      ": this machine can run none of the instruction "
                      "sets of this object: " +
                      needed)
                         .str()
                         .substr(0, sizeof(attn_context::error) - 1);
  llvm::BasicBlock *write = addBlock(function, "write");
  llvm::BasicBlock *done = addBlock(function, "done");
  llvm::BasicBlock *noContext = addBlock(function, "no_context");
  Value *context = function->getArg(0);
  builder.CreateCondBr(builder.CreateIsNull(context), noContext, write);
  builder.SetInsertPoint(write);
  Value *error = builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), context, offsetof(attn_context, error));
  builder.CreateMemCpy(error, llvm::Align(1), createText(text), llvm::Align(1),
                       text.size() + 1);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRet(builder.getInt32(ATTN_ERROR_UNSUPPORTED_ISA));
  builder.SetInsertPoint(noContext);
  builder.CreateRet(builder.getInt32(ATTN_ERROR_NULL_CONTEXT));
}

void DispatchBuilder::addDispatcher(StringRef name) {
  llvm::SmallVector<llvm::Function *> clones;
  for (const TargetDescription &target : targets)
    clones.push_back(module.getFunction(getCloneName(name, target)));
  llvm::Function *function = create(clones.front()->getFunctionType(), name,
                                    llvm::GlobalValue::ExternalLinkage);
  llvm::BasicBlock *entry = addBlock(function, "entry");
  llvm::BasicBlock *ask = addBlock(function, "ask");
  llvm::BasicBlock *known = addBlock(function, "known");
  llvm::BasicBlock *none = addBlock(function, "none");
  builder.SetInsertPoint(entry);
  llvm::LoadInst *stored =
      builder.CreateAlignedLoad(i32, choice, llvm::Align(4));
  stored->setAtomic(llvm::AtomicOrdering::Monotonic);
  builder.CreateCondBr(builder.CreateIsNull(stored), ask, known);
  builder.SetInsertPoint(ask);
  Value *found = builder.CreateCall(select);
  builder.CreateBr(known);
  builder.SetInsertPoint(known);
  llvm::PHINode *isa = builder.CreatePHI(i32, 2);
  isa->addIncoming(stored, entry);
  isa->addIncoming(found, ask);
  llvm::SwitchInst *choose = builder.CreateSwitch(isa, none, clones.size());
  llvm::SmallVector<Value *> arguments;
  for (llvm::Argument &argument : function->args())
    arguments.push_back(&argument);
  for (auto [k, clone] : llvm::enumerate(clones)) {
    llvm::BasicBlock *call = addBlock(function, "call");
    choose->addCase(builder.getInt32(k + 1), call);
    builder.SetInsertPoint(call);
    llvm::CallInst *result = builder.CreateCall(clone, arguments);
    result->setTailCallKind(llvm::CallInst::TCK_Tail);
    builder.CreateRet(result);
  }
  builder.SetInsertPoint(none);
  reportUnsupported(function, name);
}

void attn::addDispatchers(llvm::Module &module,
                          llvm::ArrayRef<std::string> names,
                          llvm::ArrayRef<TargetDescription> targets) {
  DispatchBuilder dispatch(module, targets);
  dispatch.addSelection();
  for (const std::string &name : names)
    dispatch.addDispatcher(name);
}
