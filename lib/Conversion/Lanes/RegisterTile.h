//===- RegisterTile.h - What a target's registers hold ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_REGISTERTILE_H
#define ATTN_LIB_CONVERSION_LANES_REGISTERTILE_H

#include "attn/Dialect/Attn/IR/Instructions.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// What a target's registers allow: vectors of `lanes` elements, `mr * nr` of
/// them as accumulators.
struct RegisterTile {
  mlir::FloatType element;
  int64_t lanes;
  int64_t mr;
  int64_t nr;
  /// What a step computes: one fused multiply-add of the accumulators' type, or
  /// two terms of a narrow type, which lie side by side in 32 bits, with sums
  /// of f32. On the tile unit steps come kTileTerms terms at once, and
  /// accumulators stand in its registers.
  Instruction instruction = Instruction::FMA;
  /// How many numbers of bf16, parts, the sum of which a term is. More than one
  /// takes the tile unit, and products of parts that do not count are left out.
  int64_t parts = 1;
  /// Whether terms are numbers of f16, which two parts hold whole, and infinity
  /// stays what it is.
  bool areHalves = false;

  int64_t getColumns() const { return lanes * nr; }
  mlir::VectorType getVectorType() const {
    return mlir::VectorType::get({lanes}, element);
  }
  /// Whether a vector is a line of the cache. Arithmetic on these keeps up with
  /// memory, on narrower ones it does not.
  bool fillsLine() const { return fillsLine(element, 1); }
  /// The same of what it is read from, which has `terms` elements a lane.
  bool fillsLine(mlir::Type stored, int64_t terms) const {
    return lanes * terms * stored.getIntOrFloatBitWidth() / 8 >= kLineBytes;
  }
  /// Whether a part is cut off, lower bits and all, instead of rounded: three
  /// of them hold all bits of f32, and the second one of f16 has the sign of
  /// the first.
  bool isCut(int64_t part) const {
    return parts > 2 || (areHalves && part == 0);
  }
  bool isOfTiles() const { return takesTiles(instruction); }
  /// The type of the terms of which a step takes two.
  mlir::FloatType getNarrow() const {
    return getNarrowType(element.getContext(), instruction);
  }
  /// How many terms of a sum one step takes.
  int64_t getTerms() const { return instruction == Instruction::FMA ? 1 : 2; }
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_REGISTERTILE_H
