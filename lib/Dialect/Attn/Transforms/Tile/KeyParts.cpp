//===- KeyParts.cpp - Keys and values that lie in parts -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

/// The concatenation along the dimension of keys that makes an operand, which
/// has `map`; null where none does.
static tensor::ConcatOp getConcat(Value operand, AffineMap map,
                                  unsigned keyDim) {
  auto concat = operand.getDefiningOp<tensor::ConcatOp>();
  if (!concat || map.getResult(concat.getDim()) !=
                     getAffineDimExpr(keyDim, map.getContext()))
    return nullptr;
  return concat;
}

static int64_t getLength(Value part, tensor::ConcatOp concat) {
  return cast<RankedTensorType>(part.getType()).getDimSize(concat.getDim());
}

SmallVector<KeyPart> attn::getKeyParts(AttentionOp op) {
  SmallVector<KeyPart> whole = {{op.getKey(), op.getValue()}}, parts;
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto keys = getConcat(op.getKey(), self.getInputMap(1), op.getKeyDim());
  auto values = getConcat(op.getValue(), self.getInputMap(2), op.getKeyDim());
  // Each part is code of its own.
  constexpr size_t most = 2;
  if (!keys || !values || keys.getInputs().size() > most ||
      keys.getInputs().size() != values.getInputs().size())
    return whole;
  // There are as many values as keys. So where all parts but one have equal
  // lengths, that one has.
  unsigned numUnknown = 0;
  for (auto [key, value] : llvm::zip(keys.getInputs(), values.getInputs())) {
    int64_t length = getLength(key, keys), other = getLength(value, values);
    bool isKnown =
        !ShapedType::isDynamic(length) && !ShapedType::isDynamic(other);
    if (isKnown && length != other)
      return whole;
    numUnknown += isKnown ? 0 : 1;
    parts.push_back({key, value});
  }
  return numUnknown <= 1 ? parts : whole;
}

void attn::resolveSizes(RewriterBase &rewriter, Value concatenation) {
  auto concat = concatenation.getDefiningOp<tensor::ConcatOp>();
  if (!concat)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  for (Operation *user : llvm::make_early_inc_range(concat->getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    if (!index)
      continue;
    Location loc = dim.getLoc();
    rewriter.setInsertionPoint(dim);
    Value size;
    for (Value part : concat.getInputs()) {
      Value length = rewriter.createOrFold<tensor::DimOp>(loc, part, *index);
      size = size ? rewriter.createOrFold<arith::AddIOp>(loc, size, length)
                  : length;
      if (static_cast<uint64_t>(*index) != concat.getDim())
        break;
    }
    rewriter.replaceOp(dim, size);
  }
}
