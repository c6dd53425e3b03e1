//===- InstructionVerifier.cpp - What instructions ask of schedules -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionVerifier.h"

#include "attn/Dialect/Attn/IR/Instructions.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

LogicalResult attn::verifyInstructionTile(EmitDiagnostic emitError,
                                          Instruction instruction,
                                          int64_t lanes, int64_t mr,
                                          int64_t nr) {
  if (instruction == Instruction::FMA)
    return success();
  if (lanes != kPairLanes)
    return emitError() << "schedule lanes must be " << kPairLanes << " with "
                       << stringifyInstruction(instruction) << ", got "
                       << lanes;
  if (!takesTiles(instruction))
    return success();
  StringRef name = stringifyInstruction(instruction);
  if (mr % kTileRows != 0)
    return emitError() << "schedule mr must be a multiple of " << kTileRows
                       << " with " << name << ", got " << mr;
  int64_t rows = mr / kTileRows, tiles = rows * nr + rows + nr;
  if (tiles > kTileRegisters)
    return emitError() << "a register tile of " << name << " must fit "
                       << kTileRegisters << " tiles, and mr = " << mr
                       << " with nr = " << nr << " takes " << tiles;
  return success();
}

LogicalResult attn::verifyInstructionKeys(EmitDiagnostic emitError,
                                          int64_t keys, int64_t lanes,
                                          int64_t mr, int64_t splitKeys,
                                          Instruction instruction) {
  if (instruction == Instruction::FMA)
    return success();
  if (splitKeys != 0 && keys % (2 * lanes) != 0)
    return emitError() << "schedule keys (" << keys
                       << ") must be a multiple of " << 2 * lanes
                       << " where keys are split and taken in pairs";
  if (!takesTiles(instruction) || splitKeys != 0)
    return success();
  if (keys % kTileTerms != 0 || keys % mr != 0)
    return emitError() << "schedule keys (" << keys
                       << ") must be a multiple of " << kTileTerms
                       << " and of mr (" << mr << ") with "
                       << stringifyInstruction(instruction);
  return success();
}

/// Pairs are taken as they lie, a whole register of them at once.
LogicalResult attn::verifyInstructionOperands(EmitDiagnostic emitError,
                                              Type operands,
                                              Instruction instruction,
                                              bool sumRounded) {
  if (instruction == Instruction::FMA) {
    if (sumRounded)
      return emitError() << "schedule sumRounded takes an instruction that "
                            "weights are rounded for, got fma";
    return success();
  }
  if (operands)
    return emitError() << "schedule operands must be left out with "
                       << stringifyInstruction(instruction)
                       << ", which takes keys and values as they lie, got "
                       << operands;
  return success();
}

/// Keys and values, which stand behind the query, have the instruction's type,
/// or become sums of `parts` numbers of bf16.
LogicalResult attn::verifyInstructionOn(AttentionOpInterface op,
                                        Instruction instruction, int64_t parts,
                                        EmitDiagnostic emitError) {
  // States are f32, whatever they are made of.
  if (instruction == Instruction::FMA ||
      !isa<AttentionOp, PackQueryOp, OnlineAttentionOp>(op.getOperation()))
    return success();
  SmallVector<Value> inputs = op.getShapedInputs();
  for (Value input : ArrayRef(inputs).drop_front(inputs.size() > 1 ? 1 : 0))
    if (Type element = getElementTypeOrSelf(input.getType());
        !multiplies(instruction, element, parts) ||
        !op.getComputeType().isF32())
      return emitError() << "the schedule's instruction takes "
                         << describeOperands(instruction, parts)
                         << " and makes f32, found " << element << " and "
                         << op.getComputeType();
  if (!takesTiles(instruction) || inputs.size() < 3)
    return success();
  // The packed query has a row for each element of a head, of which steps fill
  // half, and a tile of them has kTileRows.
  auto getSize = [&](unsigned input, unsigned dim) {
    for (auto [i, result] : llvm::enumerate(op.getInputMap(input).getResults()))
      if (result == getAffineDimExpr(dim, op->getContext()))
        return cast<ShapedType>(inputs[input].getType()).getDimSize(i);
    return ShapedType::kDynamic;
  };
  for (int64_t size :
       {getSize(1, op.getHeadDimDim()), getSize(2, op.getValueDim())})
    if (!ShapedType::isDynamic(size) && size < kTileRows)
      return emitError() << "a schedule with "
                         << stringifyInstruction(instruction)
                         << " takes heads of a size of at least " << kTileRows
                         << ", found " << size;
  return success();
}

LogicalResult attn::verifyPartsOn(Operation *op, int64_t parts,
                                  EmitDiagnostic emitError) {
  int64_t least = countParts(op);
  if (parts > least && least > 1 && !getProducts(op))
    return emitError() << "a schedule with parts = " << parts
                       << " has more parts than f16 is held by, which is "
                       << least;
  if (parts == 1 || (least > 1 && parts >= least))
    return success();
  if (least == 1)
    return emitError() << "a schedule with parts = " << parts
                       << " takes an op that allows them: write "
                       << (isa<AttentionOp>(op)
                               ? "products(bf16x3)"
                               : "{attn.products = #attn.products<bf16x3>}");
  return emitError() << "a schedule with parts = " << parts
                     << " is less exact than the op's products, which take "
                     << least;
}
