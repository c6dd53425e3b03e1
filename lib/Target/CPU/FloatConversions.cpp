//===- FloatConversions.cpp - Conversions that LLVM may call --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers throughout, but for two additions that renormalise denormal halves.
// Their floats are normal or round to zero, so flushing does not change them.
//
//===----------------------------------------------------------------------===//

#include "FloatConversions.h"
#include "BaselineCPU.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"

using namespace attn;
using llvm::Value;

namespace {

/// Emits the body of one conversion.
class ConversionBuilder {
public:
  ConversionBuilder(llvm::Function *function)
      : builder(llvm::BasicBlock::Create(function->getContext(), "entry",
                                         function)),
        argument(function->getArg(0)) {}

  void emitFloatToBF16() { finishBF16(toBits(argument)); }
  void emitDoubleToBF16() { finishBF16(roundToOdd(argument)); }
  void emitFloatToHalf() { finishHalf(toBits(argument)); }
  void emitDoubleToHalf() { finishHalf(roundToOdd(argument)); }
  void emitHalfToFloat();

private:
  Value *word(uint32_t value) { return builder.getInt32(value); }
  Value *toBits(Value *value) {
    return builder.CreateBitCast(value, builder.getInt32Ty());
  }
  Value *toFloat(Value *bits) {
    return builder.CreateBitCast(bits, builder.getFloatTy());
  }
  Value *roundToOdd(Value *value);
  void finishBF16(Value *bits);
  void finishHalf(Value *bits);
  void returnAs(Value *bits, llvm::Type *type) {
    Value *low = builder.CreateTrunc(bits, builder.getInt16Ty());
    builder.CreateRet(builder.CreateBitCast(low, type));
  }

  llvm::IRBuilder<> builder;
  Value *argument;
};

} // namespace

/// The bits of the float below or above `value` that is odd, unless a float is
/// exactly equal: then a second rounding is the only one that counts.
Value *ConversionBuilder::roundToOdd(Value *value) {
  Value *narrow = builder.CreateFPTrunc(value, builder.getFloatTy());
  Value *back = builder.CreateFPExt(narrow, builder.getDoubleTy());
  Value *bits = toBits(narrow);
  Value *isInexact = builder.CreateFCmpONE(back, value);
  Value *isEven =
      builder.CreateICmpEQ(builder.CreateAnd(bits, word(1)), word(0));
  Value *isAbove = builder.CreateFCmpOGT(back, value);
  Value *isPositive = builder.CreateFCmpOGT(
      value, llvm::ConstantFP::get(builder.getDoubleTy(), 0.0));
  Value *step = builder.CreateSelect(builder.CreateICmpEQ(isAbove, isPositive),
                                     word(-1), word(1));
  Value *moves = builder.CreateAnd(isInexact, isEven);
  return builder.CreateSelect(moves, builder.CreateAdd(bits, step), bits);
}

/// To nearest, ties to even; NaN stays NaN.
void ConversionBuilder::finishBF16(Value *bits) {
  Value *magnitude = builder.CreateAnd(bits, word(0x7fffffff));
  Value *isNaN = builder.CreateICmpUGT(magnitude, word(0x7f800000));
  Value *last = builder.CreateAnd(builder.CreateLShr(bits, word(16)), word(1));
  Value *rounded =
      builder.CreateAdd(bits, builder.CreateAdd(last, word(0x7fff)));
  Value *quiet = builder.CreateOr(bits, word(0x400000));
  Value *result = builder.CreateSelect(isNaN, quiet, rounded);
  returnAs(builder.CreateLShr(result, word(16)), builder.getBFloatTy());
}

/// To nearest, ties to even; NaN stays NaN.
void ConversionBuilder::finishHalf(Value *bits) {
  Value *sign = builder.CreateAnd(bits, word(0x80000000));
  Value *magnitude = builder.CreateXor(bits, sign);
  // 65536 and above: infinity or NaN. Below it, rounding may carry to infinity.
  Value *isNaN = builder.CreateICmpUGT(magnitude, word(0x7f800000));
  Value *huge = builder.CreateSelect(isNaN, word(0x7e00), word(0x7c00));
  // Adding 0.5 brings the last bit of a denormal half, 2^-24, to the last bit
  // of a float, so the addition rounds.
  constexpr uint32_t kHalf = 0x3f000000;
  Value *sum = builder.CreateFAdd(toFloat(magnitude), toFloat(word(kHalf)));
  Value *denormal = builder.CreateSub(toBits(sum), word(kHalf));
  Value *last =
      builder.CreateAnd(builder.CreateLShr(magnitude, word(13)), word(1));
  constexpr uint32_t kRebias = (15u - 127u) << 23;
  Value *normal = builder.CreateLShr(
      builder.CreateAdd(builder.CreateAdd(magnitude, word(kRebias + 0xfff)),
                        last),
      word(13));
  Value *isHuge = builder.CreateICmpUGE(magnitude, word(143u << 23));
  Value *isTiny = builder.CreateICmpULT(magnitude, word(113u << 23));
  Value *result = builder.CreateSelect(
      isHuge, huge, builder.CreateSelect(isTiny, denormal, normal));
  returnAs(builder.CreateOr(result, builder.CreateLShr(sign, word(16))),
           builder.getHalfTy());
}

/// Exact.
void ConversionBuilder::emitHalfToFloat() {
  Value *bits =
      builder.CreateZExt(builder.CreateBitCast(argument, builder.getInt16Ty()),
                         builder.getInt32Ty());
  Value *sign =
      builder.CreateShl(builder.CreateAnd(bits, word(0x8000)), word(16));
  Value *magnitude = builder.CreateAnd(bits, word(0x7fff));
  Value *shifted = builder.CreateShl(magnitude, word(13));
  Value *normal = builder.CreateAdd(shifted, word((127u - 15u) << 23));
  Value *special = builder.CreateOr(shifted, word(0x7f800000));
  // A denormal half with an exponent of 2^-14, less that 2^-14.
  constexpr uint32_t kSmallest = 113u << 23;
  Value *denormal = toBits(
      builder.CreateFSub(toFloat(builder.CreateAdd(shifted, word(kSmallest))),
                         toFloat(word(kSmallest))));
  Value *isSpecial = builder.CreateICmpUGE(magnitude, word(0x7c00));
  Value *isTiny = builder.CreateICmpULT(magnitude, word(0x400));
  Value *result = builder.CreateSelect(
      isSpecial, special, builder.CreateSelect(isTiny, denormal, normal));
  builder.CreateRet(toFloat(builder.CreateOr(result, sign)));
}

bool attn::defineFloatConversion(llvm::Module &module, llvm::StringRef name) {
  llvm::Type *half = llvm::Type::getHalfTy(module.getContext());
  llvm::Type *bfloat = llvm::Type::getBFloatTy(module.getContext());
  llvm::Type *single = llvm::Type::getFloatTy(module.getContext());
  llvm::Type *wide = llvm::Type::getDoubleTy(module.getContext());
  struct Conversion {
    void (ConversionBuilder::*emit)();
    llvm::Type *from, *to;
  };
  using B = ConversionBuilder;
  Conversion conversion =
      llvm::StringSwitch<Conversion>(name)
          .Case("__truncsfbf2", {&B::emitFloatToBF16, single, bfloat})
          .Case("__truncdfbf2", {&B::emitDoubleToBF16, wide, bfloat})
          .Case("__truncsfhf2", {&B::emitFloatToHalf, single, half})
          .Case("__truncdfhf2", {&B::emitDoubleToHalf, wide, half})
          .Case("__extendhfsf2", {&B::emitHalfToFloat, half, single})
          .Default({});
  if (!conversion.emit)
    return false;
  auto *type = llvm::FunctionType::get(conversion.to, {conversion.from}, false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::InternalLinkage, name, module);
  // The vector registers' upper halves are of no concern to code without AVX.
  function->addFnAttr("target-cpu", getBaselineCPU(module.getTargetTriple()));
  function->addFnAttr(llvm::Attribute::NoUnwind);
  ConversionBuilder body(function);
  (body.*conversion.emit)();
  return true;
}
