//===- SizeClasses.cpp - Which sizes of arguments are equal ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeClasses.h"

#include "attn/Conversion/Host/EntryNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attn {

std::optional<ArgumentDim> getArgumentDim(Value value) {
  auto op = value.getDefiningOp<tensor::DimOp>();
  auto argument = op ? dyn_cast<BlockArgument>(op.getSource()) : nullptr;
  std::optional<int64_t> dim = op ? op.getConstantIndex() : std::nullopt;
  if (!argument || !dim ||
      !isa<func::FuncOp>(argument.getOwner()->getParentOp()) || *dim < 0 ||
      *dim >= cast<RankedTensorType>(argument.getType()).getRank())
    return std::nullopt;
  return ArgumentDim{argument.getArgNumber(), *dim};
}

SizeClasses::SizeClasses(func::FuncOp func) : func(func) {
  for (BlockArgument argument : func.getArguments()) {
    firstOfArgument.push_back(dims.size());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    for (int64_t dim = 0, rank = type ? type.getRank() : 0; dim < rank; ++dim) {
      dims.push_back({argument.getArgNumber(), dim});
      sizes.push_back(type.isDynamicDim(dim) ? -1 : type.getDimSize(dim));
    }
  }
  classes.grow(dims.size());
  // What was learnt before.
  llvm::DenseMap<int64_t, ArgumentDim> firsts;
  for (BlockArgument argument : func.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto ids = func.getArgAttrOfType<DenseI64ArrayAttr>(i, kDimClassesAttr);
    auto known = func.getArgAttrOfType<DenseI64ArrayAttr>(i, kDimSizesAttr);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!ids || !known || !type || ids.size() != type.getRank() ||
        known.size() != type.getRank())
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      ArgumentDim here{i, dim};
      auto [first, isNew] = firsts.try_emplace(ids[dim], here);
      if (!isNew)
        unite(first->second, here);
      fix(here, known[dim]);
    }
  }
}

std::optional<int64_t> SizeClasses::getSize(ArgumentDim dim) {
  int64_t size = sizes[getLeader(dim)];
  return size < 0 ? std::nullopt : std::optional<int64_t>(size);
}

ArgumentDim SizeClasses::getFirst(ArgumentDim dim) {
  return dims[getLeader(dim)];
}

/// Sizes that contradict each other stay an assertion, which never holds.
bool SizeClasses::unite(ArgumentDim a, ArgumentDim b) {
  int64_t known = sizes[getLeader(a)], other = sizes[getLeader(b)];
  if (known >= 0 && other >= 0 && known != other)
    return false;
  classes.join(getLeader(a), getLeader(b));
  sizes[getLeader(a)] = std::max(known, other);
  return true;
}

bool SizeClasses::fix(ArgumentDim dim, int64_t size) {
  int64_t &known = sizes[getLeader(dim)];
  if (size < 0 || (known >= 0 && known != size))
    return false;
  known = size;
  return true;
}

bool SizeClasses::take(cf::AssertOp assertion) {
  auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Value left = compare.getLhs(), right = compare.getRhs();
  std::optional<ArgumentDim> a = getArgumentDim(left),
                             b = getArgumentDim(right);
  if (a && b)
    return unite(*a, *b);
  APInt constant;
  if (a && matchPattern(right, m_ConstantInt(&constant)))
    return fix(*a, constant.getSExtValue());
  if (b && matchPattern(left, m_ConstantInt(&constant)))
    return fix(*b, constant.getSExtValue());
  return false;
}

void SizeClasses::record() {
  llvm::DenseMap<unsigned, int64_t> numbering;
  Builder builder(func.getContext());
  for (BlockArgument argument : func.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() == 0)
      continue;
    SmallVector<int64_t> ids, known;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      known.push_back(getSize({i, dim}).value_or(-1));
      // Small numbers in order of appearance, so that the text is stable.
      ids.push_back(numbering.try_emplace(getLeader({i, dim}), numbering.size())
                        .first->second);
    }
    func.setArgAttr(i, kDimClassesAttr, builder.getDenseI64ArrayAttr(ids));
    func.setArgAttr(i, kDimSizesAttr, builder.getDenseI64ArrayAttr(known));
  }
}

} // namespace attn
