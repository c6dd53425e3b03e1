//===- MaskedAccess.cpp - Masked loads and stores that LLVM gets right ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskedAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace attn;
using llvm::IntrinsicInst;
using llvm::Value;

/// The vector of i16 in place of one of bf16, null for any other type.
static llvm::Type *getIntegers(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector || !vector->getElementType()->isBFloatTy())
    return nullptr;
  return llvm::FixedVectorType::get(llvm::Type::getInt16Ty(type->getContext()),
                                    vector->getNumElements());
}

static bool loadAsIntegers(IntrinsicInst *load) {
  llvm::Type *integers = getIntegers(load->getType());
  if (!integers)
    return false;
  llvm::IRBuilder<> builder(load);
  Value *otherwise = builder.CreateBitCast(load->getArgOperand(2), integers);
  Value *loaded = builder.CreateMaskedLoad(integers, load->getArgOperand(0),
                                           load->getParamAlign(0).valueOrOne(),
                                           load->getArgOperand(1), otherwise);
  load->replaceAllUsesWith(builder.CreateBitCast(loaded, load->getType()));
  load->eraseFromParent();
  return true;
}

/// Which lanes a mask has on, if that is known.
static std::optional<llvm::SmallVector<bool>> getLanes(Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  llvm::SmallVector<bool> lanes;
  for (unsigned i = 0, e = type->getNumElements(); i != e; ++i) {
    llvm::Constant *lane = constant->getAggregateElement(i);
    if (!llvm::isa_and_present<llvm::ConstantInt>(lane))
      return std::nullopt;
    lanes.push_back(lane->isOneValue());
  }
  return lanes;
}

/// Stores the lanes that are on as vectors of 2^i elements.
static void storeLanes(llvm::IRBuilder<> &builder, Value *value, Value *pointer,
                       llvm::Align align, llvm::ArrayRef<bool> lanes) {
  llvm::Type *element = value->getType()->getScalarType();
  uint64_t bytes = element->getScalarSizeInBits() / 8;
  for (size_t begin = 0; begin != lanes.size();) {
    size_t run =
        lanes.drop_front(begin).take_while([](bool on) { return on; }).size();
    if (run == 0) {
      ++begin;
      continue;
    }
    size_t count = llvm::bit_floor(run);
    auto taken = llvm::to_vector(llvm::seq<int>(begin, begin + count));
    Value *part = count == 1 ? builder.CreateExtractElement(value, begin)
                             : builder.CreateShuffleVector(value, taken);
    builder.CreateAlignedStore(
        part, builder.CreateConstGEP1_64(element, pointer, begin),
        llvm::commonAlignment(align, begin * bytes));
    begin += count;
  }
}

static bool store(IntrinsicInst *store) {
  llvm::IRBuilder<> builder(store);
  Value *value = store->getArgOperand(0);
  llvm::Type *integers = getIntegers(value->getType());
  if (integers)
    value = builder.CreateBitCast(value, integers);
  Value *pointer = store->getArgOperand(1), *mask = store->getArgOperand(2);
  llvm::Align align = store->getParamAlign(1).valueOrOne();
  // Such elements lie in memory as they lie in a vector.
  unsigned bits = value->getType()->getScalarSizeInBits();
  auto lanes = value->getType()->isIntOrIntVectorTy() && bits >= 8 &&
                       llvm::isPowerOf2_32(bits)
                   ? getLanes(mask)
                   : std::nullopt;
  if (lanes)
    storeLanes(builder, value, pointer, align, *lanes);
  else if (integers)
    builder.CreateMaskedStore(value, pointer, align, mask);
  else
    return false;
  store->eraseFromParent();
  return true;
}

llvm::PreservedAnalyses MaskedAccessPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *intrinsic = llvm::dyn_cast<IntrinsicInst>(&instruction);
    if (!intrinsic)
      continue;
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_load)
      changed |= loadAsIntegers(intrinsic);
    else if (intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_store)
      changed |= store(intrinsic);
  }
  return changed ? llvm::PreservedAnalyses::none()
                 : llvm::PreservedAnalyses::all();
}
