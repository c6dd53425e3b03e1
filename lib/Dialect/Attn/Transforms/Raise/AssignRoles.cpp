//===- AssignRoles.cpp - Which variable is batch, row, key, value dim -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/IR/BuiltinTypes.h"
#include <limits>

using namespace mlir;

namespace attn::raise {

std::optional<unsigned> Roles::find(unsigned variable) const {
  for (auto [i, dim] : llvm::enumerate(batch))
    if (dim == variable)
      return i;
  if (row == variable)
    return getRowDim();
  if (variable == key)
    return getRowDim() + 1;
  if (variable == headDim)
    return getRowDim() + 2;
  if (value == variable)
    return getRowDim() + 3;
  return std::nullopt;
}

AffineMap Roles::getMap(ArrayRef<AffineExpr> indices, ArrayRef<unsigned> units,
                        MLIRContext *context) const {
  SmallVector<AffineExpr> results(indices.size());
  SmallVector<unsigned> pending;
  for (auto [i, dim] : llvm::enumerate(batch))
    if (!dim)
      pending.push_back(i);
  // Indices 0 from the right are the unit row or value dimension.
  ArrayRef<unsigned> fromRight = units;
  for (size_t i = indices.size(); i-- > 0 && !fromRight.empty();) {
    if (!isa<AffineConstantExpr>(indices[i]))
      continue;
    results[i] = getAffineDimExpr(fromRight.back(), context);
    fromRight = fromRight.drop_back();
  }
  ArrayRef<unsigned> fromLeft = pending;
  for (auto [result, index] : llvm::zip_equal(results, indices)) {
    if (result)
      continue;
    if (isa<AffineConstantExpr>(index)) {
      result = fromLeft.empty() ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(fromLeft.front(), context);
      fromLeft = fromLeft.drop_front(fromLeft.empty() ? 0 : 1);
      continue;
    }
    llvm::DenseMap<AffineExpr, AffineExpr> dims;
    index.walk([&](AffineExpr expr) {
      if (auto variable = ExprGraph::asVariable(expr))
        dims[expr] = getAffineDimExpr(*find(*variable), context);
    });
    result = index.replace(dims);
  }
  return AffineMap::get(getNumDims(), 0, results, context);
}

/// The row: of the variables that the query has and the keys have not, the one
/// that masks compare with the key, else the longest, else the last.
static std::optional<unsigned> findRow(const ExprGraph &graph,
                                       ArrayRef<unsigned> candidates,
                                       const Softmax &softmax,
                                       const Score &score) {
  std::optional<unsigned> best;
  int64_t bestLength = -1;
  for (unsigned variable : candidates) {
    int64_t length = graph.getExtent(variable);
    if (ShapedType::isDynamic(length))
      length = std::numeric_limits<int64_t>::max() - 1;
    for (const ScoreStep &step : score.steps)
      if (step.isMask() && step.keep->dependsOn(variable))
        length = std::numeric_limits<int64_t>::max();
    if (length >= bestLength) {
      best = variable;
      bestLength = length;
    }
  }
  return best;
}

/// How often each load uses a dimension; an attention wants exactly one place.
static bool usesOnce(Expr load, unsigned variable) {
  return llvm::count_if(load->indices, [&](AffineExpr index) {
           return ExprGraph::asVariable(index) == variable;
         }) == 1;
}

/// Whether a batch dimension counts heads of the query (or, where the query has
/// none, of the key) and elements of the value at once: one index of a tensor
/// whose heads are collapsed with their elements. The value's own dimension is
/// in it, and would be sought elsewhere.
static bool holdsValueDim(unsigned variable, Expr query, Expr key, Expr value) {
  if (!usesOnce(value, variable) || usesOnce(query, variable))
    return false;
  return query->dependsOn(variable) ||
         (key->dependsOn(variable) && !usesOnce(key, variable));
}

/// Indices 0 that are free for a unit dimension.
static unsigned countUnits(ArrayRef<AffineExpr> indices) {
  return llvm::count_if(
      indices, [](AffineExpr index) { return isa<AffineConstantExpr>(index); });
}

static bool collectBatch(ArrayRef<AffineExpr> result, bool needsRow,
                         bool needsValue, Roles &roles) {
  unsigned units = countUnits(result);
  unsigned reserved = (needsRow ? 1 : 0) + (needsValue ? 1 : 0);
  if (units < reserved)
    return false;
  unsigned unitBatch = units - reserved; // the leftmost ones
  for (AffineExpr index : result) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    if (!variable) {
      if (unitBatch > 0) {
        roles.batch.push_back(std::nullopt);
        --unitBatch;
      }
    } else if (variable != roles.row && variable != roles.value) {
      roles.batch.push_back(variable);
    }
  }
  return true;
}

bool assignRoles(const ExprGraph &graph, ArrayRef<AffineExpr> result,
                 const Softmax &softmax, const Score &score, Roles &roles,
                 Rejection &why) {
  if (softmax.value.size() != 1 || !isOperand(graph, softmax.value[0]))
    return why.reject(
        5, "the weights are changed before the value product, or the value is "
           "not a tensor indexed by whole dimensions");
  Expr query = score.query, key = score.key, value = softmax.value[0];
  roles.key = softmax.key;
  roles.headDim = score.headDim;
  SmallVector<unsigned> rows;
  for (AffineExpr index : result) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    if (!variable)
      continue;
    bool inQuery = query->dependsOn(*variable),
         inKey = key->dependsOn(*variable),
         inValue = value->dependsOn(*variable);
    if (!inQuery && !inKey && !inValue)
      return why.reject(6, "a dimension of the result is in no operand");
    if (inQuery && !inKey && !inValue)
      rows.push_back(*variable);
    if (inValue && !inQuery && !inKey) {
      if (roles.value)
        return why.reject(6, "the value has two dimensions of its own");
      roles.value = variable;
    }
  }
  roles.row = findRow(graph, rows, softmax, score);
  if (!collectBatch(result, !roles.row, !roles.value, roles))
    return why.reject(6, "the result has no row or no value dimension");
  for (std::optional<unsigned> variable : roles.batch)
    if (variable && holdsValueDim(*variable, query, key, value))
      return why.reject(6, "heads and value dimension are one dimension of the "
                           "result");
  for (Expr load : {query, key, value})
    for (unsigned variable : load->free.set_bits())
      if (!roles.find(variable))
        return why.reject(
            6, "an operand has a dimension that is neither summed over nor in "
               "the result");
  if ((roles.row && !usesOnce(query, *roles.row)) ||
      !usesOnce(query, roles.headDim) || !usesOnce(key, roles.key) ||
      !usesOnce(key, roles.headDim) || !usesOnce(value, roles.key) ||
      (roles.value && !usesOnce(value, *roles.value)) ||
      query->dependsOn(roles.key) || value->dependsOn(roles.headDim))
    return why.reject(
        6, "row, key, head or value dimension is missing from an operand");
  if ((!roles.row && countUnits(query->indices) == 0) ||
      (!roles.value && countUnits(value->indices) == 0))
    return why.reject(6, "an operand lacks a row or value dimension of size 1");
  return true;
}

} // namespace attn::raise
