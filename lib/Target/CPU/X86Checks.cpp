//===- X86Checks.cpp - Features by CPUID and XGETBV -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureBits.h"
#include "FeatureChecks.h"
#include "attn/Target/TilePermission.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include <array>

using namespace attn;
using llvm::StringRef;
using llvm::Value;

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

class X86Checks : public FeatureChecks {
public:
  explicit X86Checks(llvm::IRBuilder<> &builder);
  Value *isSupported(const TargetDescription &target) override;
  Value *hasSlowPairs() override;

private:
  std::array<Value *, 4> queryCPUID(uint32_t leaf, uint32_t subleaf);
  Value *queryFeatureWord(const CPUIDQuery &query, Value *maxBasic,
                          Value *maxExtended);
  Value *queryXCR0(Value *leaf1ECX);
  Value *requestTiles(Value *hasTiles);
  llvm::BasicBlock *addBlock(StringRef name) {
    return llvm::BasicBlock::Create(builder.getContext(), name,
                                    builder.GetInsertBlock()->getParent());
  }

  llvm::IRBuilder<> &builder;
  llvm::IntegerType *i32;
  llvm::SmallVector<Value *> words;
  Value *vendor;
  Value *xcr0;
  /// Of the registers of tiles.
  Value *wereAsked, *areGranted;
};

} // namespace

std::array<Value *, 4> X86Checks::queryCPUID(uint32_t leaf, uint32_t subleaf) {
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
Value *X86Checks::queryFeatureWord(const CPUIDQuery &query, Value *maxBasic,
                                   Value *maxExtended) {
  Value *word = queryCPUID(query.leaf, query.subleaf)[query.reg];
  Value *max = query.leaf >= 0x80000000u ? maxExtended : maxBasic;
  Value *exists = builder.CreateICmpUGE(max, builder.getInt32(query.leaf));
  return builder.CreateSelect(exists, word, builder.getInt32(0));
}

/// XGETBV faults where the operating system has not enabled it.
Value *X86Checks::queryXCR0(Value *leaf1ECX) {
  constexpr uint32_t kOSXSAVE = 1u << 27;
  llvm::BasicBlock *start = builder.GetInsertBlock();
  llvm::BasicBlock *ask = addBlock("ask");
  llvm::BasicBlock *next = addBlock("next");
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

/// Asks Linux for the registers of tiles, where the processor has them: without
/// its permission their instructions end the process. One question is enough
/// for all targets.
Value *X86Checks::requestTiles(Value *hasTiles) {
  llvm::BasicBlock *start = builder.GetInsertBlock();
  llvm::BasicBlock *ask = addBlock("ask_tiles");
  llvm::BasicBlock *next = addBlock("next");
  builder.CreateCondBr(
      builder.CreateAnd(hasTiles, builder.CreateNot(wereAsked)), ask, next);
  builder.SetInsertPoint(ask);
  llvm::IntegerType *i64 = builder.getInt64Ty();
  auto *type = llvm::FunctionType::get(i64, {i64, i64, i64}, false);
  auto *assembly = llvm::InlineAsm::get(type, "syscall",
                                        "={ax},{ax},{di},{si},~{rcx},~{r11},~{"
                                        "memory},~{dirflag},~{fpsr},~{flags}",
                                        /*hasSideEffects=*/true);
  Value *status =
      builder.CreateCall(assembly, {builder.getInt64(kArchPrctl),
                                    builder.getInt64(kRequestXCompPerm),
                                    builder.getInt64(kTileDataComponent)});
  Value *granted = builder.CreateIsNull(status);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  llvm::PHINode *known = builder.CreatePHI(builder.getInt1Ty(), 2);
  known->addIncoming(areGranted, start);
  known->addIncoming(granted, ask);
  areGranted = known;
  wereAsked = builder.CreateOr(wereAsked, hasTiles);
  return builder.CreateAnd(hasTiles, areGranted);
}

X86Checks::X86Checks(llvm::IRBuilder<> &builder)
    : builder(builder), i32(builder.getInt32Ty()) {
  std::array<Value *, 4> first = queryCPUID(0, 0);
  Value *maxBasic = first[0];
  vendor = first[1];
  Value *maxExtended = queryCPUID(0x80000000u, 0)[0];
  for (const CPUIDQuery &query : kFeatureQueries)
    words.push_back(queryFeatureWord(query, maxBasic, maxExtended));
  xcr0 = queryXCR0(words[unsigned(FeatureWord::Leaf1ECX)]);
  wereAsked = areGranted = builder.getFalse();
}

Value *X86Checks::isSupported(const TargetDescription &target) {
  Requirement required = getRequirement(target);
  auto hasAll = [&](Value *word, uint32_t bits) {
    Value *mask = builder.getInt32(bits);
    return builder.CreateICmpEQ(builder.CreateAnd(word, mask), mask);
  };
  Value *ok = hasAll(xcr0, required.xcr0);
  for (auto [word, bits] : llvm::zip(words, required.words))
    if (bits)
      ok = builder.CreateAnd(ok, hasAll(word, bits));
  return required.xcr0 & kTileRegisters ? requestTiles(ok) : ok;
}

Value *X86Checks::hasSlowPairs() {
  auto has = [&](StringRef feature) {
    const FeatureBit *found = findFeatureBit(feature);
    Value *bit = builder.getInt32(uint32_t(1) << found->bit);
    return builder.CreateIsNotNull(
        builder.CreateAnd(words[unsigned(found->word)], bit));
  };
  Value *isIntel = builder.CreateICmpEQ(vendor, builder.getInt32(kIntelVendor));
  return builder.CreateOr(has("amx-tile"),
                          builder.CreateAnd(isIntel, has("avx512fp16")));
}

std::unique_ptr<FeatureChecks>
attn::createX86Checks(llvm::IRBuilder<> &builder) {
  return std::make_unique<X86Checks>(builder);
}

bool attn::isCheckedByX86(StringRef feature) {
  return findFeatureBit(feature) != nullptr;
}
