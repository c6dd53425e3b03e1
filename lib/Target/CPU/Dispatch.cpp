//===- Dispatch.cpp - Several instruction sets in one module --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CPU/Dispatch.h"
#include "FeatureBits.h"
#include "attn-runtime/attn_runtime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include <array>
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
  llvm::erase_if(restricted.features, [](const std::string &feature) {
    return !findFeatureBit(feature);
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

/// What a target needs of each feature word and of XCR0.
struct Requirement {
  std::array<uint32_t, kNumFeatureWords> words{};
  uint32_t xcr0 = 0;
};

Requirement getRequirement(const TargetDescription &target) {
  Requirement required;
  for (const std::string &feature : target.features)
    if (const FeatureBit *bit = findFeatureBit(feature)) {
      required.words[unsigned(bit->word)] |= uint32_t(1) << bit->bit;
      required.xcr0 |= bit->xcr0;
    }
  return required;
}

/// Builds the functions that run on any x86-64 processor.
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
  std::array<Value *, 4> queryCPUID(uint32_t leaf, uint32_t subleaf);
  Value *queryFeatureWord(const CPUIDQuery &query, Value *maxBasic,
                          Value *maxExtended);
  Value *queryXCR0(llvm::Function *function, Value *leaf1ECX);
  Value *isSupported(const Requirement &required, llvm::ArrayRef<Value *> words,
                     Value *xcr0);
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
  // Nothing here may need more than every x86-64 processor has.
  function->addFnAttr("target-cpu", "x86-64");
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

std::array<Value *, 4> DispatchBuilder::queryCPUID(uint32_t leaf,
                                                   uint32_t subleaf) {
  auto *results = llvm::StructType::get(i32, i32, i32, i32);
  auto *type = llvm::FunctionType::get(results, {i32, i32}, false);
  auto *assembly = llvm::InlineAsm::get(
      type, "cpuid",
      "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}",
      /*hasSideEffects=*/true);
  Value *call = builder.CreateCall(
      assembly, {builder.getInt32(leaf), builder.getInt32(subleaf)});
  std::array<Value *, 4> registers;
  for (unsigned i = 0; i < 4; ++i)
    registers[i] = builder.CreateExtractValue(call, i);
  return registers;
}

/// A leaf beyond the last one holds anything, so it counts as all zero.
Value *DispatchBuilder::queryFeatureWord(const CPUIDQuery &query,
                                         Value *maxBasic, Value *maxExtended) {
  Value *word = queryCPUID(query.leaf, query.subleaf)[query.reg];
  Value *max = query.leaf >= 0x80000000u ? maxExtended : maxBasic;
  Value *exists = builder.CreateICmpUGE(max, builder.getInt32(query.leaf));
  return builder.CreateSelect(exists, word, builder.getInt32(0));
}

/// XGETBV faults where the operating system has not enabled it.
Value *DispatchBuilder::queryXCR0(llvm::Function *function, Value *leaf1ECX) {
  constexpr uint32_t kOSXSAVE = 1u << 27;
  llvm::BasicBlock *start = builder.GetInsertBlock();
  llvm::BasicBlock *ask = addBlock(function, "ask");
  llvm::BasicBlock *next = addBlock(function, "next");
  Value *enabled = builder.CreateICmpNE(
      builder.CreateAnd(leaf1ECX, builder.getInt32(kOSXSAVE)),
      builder.getInt32(0));
  builder.CreateCondBr(enabled, ask, next);
  builder.SetInsertPoint(ask);
  auto *type =
      llvm::FunctionType::get(llvm::StructType::get(i32, i32), {i32}, false);
  auto *assembly = llvm::InlineAsm::get(
      type, "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}",
      /*hasSideEffects=*/true);
  Value *low = builder.CreateExtractValue(
      builder.CreateCall(assembly, {builder.getInt32(0)}), 0);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  llvm::PHINode *xcr0 = builder.CreatePHI(i32, 2);
  xcr0->addIncoming(builder.getInt32(0), start);
  xcr0->addIncoming(low, ask);
  return xcr0;
}

Value *DispatchBuilder::isSupported(const Requirement &required,
                                    llvm::ArrayRef<Value *> words,
                                    Value *xcr0) {
  auto hasAll = [&](Value *word, uint32_t bits) {
    Value *mask = builder.getInt32(bits);
    return builder.CreateICmpEQ(builder.CreateAnd(word, mask), mask);
  };
  Value *ok = hasAll(xcr0, required.xcr0);
  for (auto [word, bits] : llvm::zip(words, required.words))
    if (bits)
      ok = builder.CreateAnd(ok, hasAll(word, bits));
  return ok;
}

void DispatchBuilder::addSelection() {
  choice = new llvm::GlobalVariable(module, i32, /*isConstant=*/false,
                                    llvm::GlobalValue::InternalLinkage,
                                    builder.getInt32(0), "attn.isa");
  select = create(llvm::FunctionType::get(i32, false), "attn.select_isa",
                  llvm::GlobalValue::InternalLinkage);
  select->addFnAttr(llvm::Attribute::NoInline);
  builder.SetInsertPoint(addBlock(select, "entry"));
  Value *maxBasic = queryCPUID(0, 0)[0];
  Value *maxExtended = queryCPUID(0x80000000u, 0)[0];
  llvm::SmallVector<Value *> words;
  for (const CPUIDQuery &query : kFeatureQueries)
    words.push_back(queryFeatureWord(query, maxBasic, maxExtended));
  Value *xcr0 = queryXCR0(select, words[unsigned(FeatureWord::Leaf1ECX)]);
  Value *found = builder.getInt32(targets.size() + 1);
  for (unsigned k = targets.size(); k-- > 0;)
    found = builder.CreateSelect(
        isSupported(getRequirement(targets[k]), words, xcr0),
        builder.getInt32(k + 1), found);
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
