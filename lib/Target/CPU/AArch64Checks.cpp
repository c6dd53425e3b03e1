//===- AArch64Checks.cpp - Features by the ID registers -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureChecks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InlineAsm.h"

using namespace attn;
using llvm::StringRef;
using llvm::Value;

namespace {

/// Four bits of a register: a version, where 15 means that there is none.
/// Without a register it is a feature of every processor that runs Linux.
struct IDField {
  /// LLVM's name.
  const char *feature;
  /// The register by its encoding: an assembler knows the names of those only
  /// that its target has.
  const char *idRegister;
  unsigned shift;
};

constexpr const char *kPFR0 = "S3_0_C0_C4_0", *kZFR0 = "S3_0_C0_C4_4";
constexpr IDField kFields[] = {{"fp-armv8", nullptr, 0},
                               {"neon", nullptr, 0},
                               {"fullfp16", kPFR0, 16},
                               {"sve", kPFR0, 32},
                               {"sve2", kZFR0, 0}};

const IDField *findField(StringRef feature) {
  for (const IDField &field : kFields)
    if (feature == field.feature)
      return &field;
  return nullptr;
}

/// Linux answers programs that read these registers, from 4.11 on, and tells
/// only of what it saves.
class AArch64Checks : public FeatureChecks {
public:
  explicit AArch64Checks(llvm::IRBuilder<> &builder) : builder(builder) {}

  Value *isSupported(const TargetDescription &target) override {
    Value *ok = builder.getTrue();
    for (const std::string &feature : target.features)
      if (const IDField *field = findField(feature); field && field->idRegister)
        ok = builder.CreateAnd(ok, hasField(*field));
    return ok;
  }

  Value *hasSlowPairs() override { return builder.getFalse(); }

private:
  Value *hasField(const IDField &field) {
    Value *&word = words[field.idRegister];
    if (!word) {
      auto *type = llvm::FunctionType::get(builder.getInt64Ty(), false);
      word = builder.CreateCall(llvm::InlineAsm::get(
          type, std::string("mrs $0, ") + field.idRegister, "=r",
          /*hasSideEffects=*/true));
    }
    Value *version = builder.CreateAnd(builder.CreateLShr(word, field.shift),
                                       builder.getInt64(15));
    // Of 1 to 14.
    return builder.CreateICmpULT(
        builder.CreateSub(version, builder.getInt64(1)), builder.getInt64(14));
  }

  llvm::IRBuilder<> &builder;
  llvm::StringMap<Value *> words;
};

} // namespace

std::unique_ptr<FeatureChecks>
attn::createAArch64Checks(llvm::IRBuilder<> &builder) {
  return std::make_unique<AArch64Checks>(builder);
}

bool attn::isCheckedByAArch64(StringRef feature) {
  return findField(feature) != nullptr;
}
