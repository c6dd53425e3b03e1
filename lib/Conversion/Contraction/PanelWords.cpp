//===- PanelWords.cpp - Panels of a matrix, word by word ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelWords.h"

#include "HalfParts.h"
#include "MatrixBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

namespace {

/// What a function that packs one matrix computes, word by word.
class WordEmitter {
public:
  WordEmitter(OpBuilder &builder, Location loc, const PanelUse &use,
              Value matrix)
      : builder(builder), loc(loc), use(use), tile(use.tile), matrix(matrix),
        type(cast<RankedTensorType>(matrix.getType())),
        partSteps(getPanelSteps(tile, use.schedule.getDepth())) {}

  /// The word at [step over k, panel, step of k, column].
  Value emit(ValueRange at);

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value emitTerm(ValueRange at, Value step, int64_t each);
  Value toBits(Value number);
  Value emitPart(Value number, Value part);
  Value round(Value number) {
    return toBits(
        arith::TruncFOp::create(builder, loc, builder.getBF16Type(), number));
  }
  Value cut(Value number);
  Value widen(Value bits);
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        value);
  }

  OpBuilder &builder;
  Location loc;
  const PanelUse &use;
  const RegisterTile &tile;
  Value matrix;
  RankedTensorType type;
  int64_t partSteps;
};

} // namespace

constexpr int64_t kHalfBits = 16;

/// A term of the matrix, 0 beyond its sizes and beyond those of a step.
Value WordEmitter::emitTerm(ValueRange at, Value step, int64_t each) {
  int64_t terms = type.getDimSize(use.transposed ? 1 : 0);
  int64_t columns = type.getDimSize(use.transposed ? 0 : 1);
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  auto scale = [&](Value a, int64_t b) -> Value {
    return arith::MulIOp::create(builder, loc, a, index(b));
  };
  Value within = add(scale(step, tile.getTerms()), index(each));
  Value term = add(scale(at[0], use.schedule.getDepth()), within);
  Value column = add(scale(at[1], tile.getColumns()), at[3]);
  auto isBelow = [&](Value a, int64_t bound) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a,
                                 index(bound));
  };
  Value exists = arith::AndIOp::create(builder, loc, isBelow(term, terms),
                                       isBelow(column, columns));
  exists = arith::AndIOp::create(builder, loc, exists,
                                 isBelow(within, use.schedule.getDepth()));
  term = arith::MinUIOp::create(builder, loc, term, index(terms - 1));
  column = arith::MinUIOp::create(builder, loc, column, index(columns - 1));
  SmallVector<Value> place = {term, column};
  if (use.transposed)
    std::swap(place[0], place[1]);
  Value number = tensor::ExtractOp::create(builder, loc, matrix, place);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return arith::SelectOp::create(builder, loc, exists, number, zero);
}

/// The bits of a narrow number in the lower half of 32.
Value WordEmitter::toBits(Value number) {
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI16Type(), number);
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), bits);
}

Value WordEmitter::cut(Value number) {
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI32Type(), number);
  return arith::ShRUIOp::create(builder, loc, bits, integer(kHalfBits));
}

Value WordEmitter::widen(Value bits) {
  bits = arith::ShLIOp::create(builder, loc, bits, integer(kHalfBits));
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}

/// Of f32 or f16, the part with this number.
Value WordEmitter::emitPart(Value number, Value part) {
  Value rest = number;
  if (!rest.getType().isF32())
    rest = arith::ExtFOp::create(builder, loc, builder.getF32Type(), rest);
  Value chosen;
  for (int64_t i = 0; i < tile.parts; ++i) {
    Value bits = tile.isCut(i) ? cut(rest) : round(rest);
    rest = tile.areHalves
               ? emitSecondHalf(builder, loc, rest)
               : arith::SubFOp::create(builder, loc, rest, widen(bits));
    if (!chosen) {
      chosen = bits;
      continue;
    }
    Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       part, index(i));
    chosen = arith::SelectOp::create(builder, loc, isIt, bits, chosen);
  }
  return chosen;
}

Value WordEmitter::emit(ValueRange at) {
  Value step = arith::RemUIOp::create(builder, loc, at[2], index(partSteps));
  if (tile.getTerms() == 1)
    return emitTerm(at, step, 0);
  Value part = arith::DivUIOp::create(builder, loc, at[2], index(partSteps));
  Value word;
  for (int64_t each = 0; each < tile.getTerms(); ++each) {
    Value number = emitTerm(at, step, each);
    Value bits = tile.parts == 1 ? toBits(number) : emitPart(number, part);
    if (each == 0) {
      word = bits;
      continue;
    }
    bits = arith::ShLIOp::create(builder, loc, bits, integer(kHalfBits));
    word = arith::OrIOp::create(builder, loc, word, bits);
  }
  return arith::BitcastOp::create(builder, loc, tile.element, word);
}

Value attn::emitPanelWord(OpBuilder &builder, Location loc, const PanelUse &use,
                          Value matrix, ValueRange at) {
  return WordEmitter(builder, loc, use, matrix).emit(at);
}
