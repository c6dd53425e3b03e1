//===- Instructions.cpp - What a CPU's products are made of ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Instructions.h"

using namespace mlir;
using namespace attn;

bool attn::takesTiles(Instruction instruction) {
  return instruction == Instruction::BF16Tiles ||
         instruction == Instruction::F16Tiles;
}

FloatType attn::getNarrowType(MLIRContext *context, Instruction instruction) {
  if (instruction == Instruction::F16Tiles)
    return Float16Type::get(context);
  return BFloat16Type::get(context);
}

bool attn::multiplies(Instruction instruction, Type element, int64_t parts) {
  if (parts > 1)
    return element.isF32() || element.isF16();
  switch (instruction) {
  case Instruction::FMA:
    return true;
  case Instruction::BF16Pairs:
  case Instruction::BF16Tiles:
    return element.isBF16();
  case Instruction::F16Tiles:
    return element.isF16();
  }
  llvm_unreachable("no such instruction");
}

StringRef attn::describeOperands(Instruction instruction, int64_t parts) {
  if (parts > 1)
    return "parts of f32 or f16";
  return instruction == Instruction::F16Tiles ? "f16" : "bf16";
}
