//===- LinearOps.cpp - The linear layer ---------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"
#include "OpHelpers.h"

using namespace mlir;
using namespace attn;

ATTN_DEFINE_DESTINATION_METHODS(LinearOp)

FloatType LinearOp::getComputeType() {
  return getSumType(getInput().getType());
}

/// Over the dimensions (rows..., n, m).
SmallVector<AffineMap> LinearOp::getShapedMaps() {
  MLIRContext *context = getContext();
  unsigned rank = cast<ShapedType>(getInput().getType()).getRank();
  SmallVector<AffineExpr> rows;
  for (unsigned i = 0; i + 1 < rank; ++i)
    rows.push_back(getAffineDimExpr(i, context));
  AffineExpr n = getAffineDimExpr(rank - 1, context);
  AffineExpr m = getAffineDimExpr(rank, context);
  auto rowsAnd = [&](AffineExpr last) {
    SmallVector<AffineExpr> results(rows);
    results.push_back(last);
    return AffineMap::get(rank + 1, 0, results, context);
  };
  SmallVector<AffineMap> maps = {rowsAnd(m)};
  SmallVector<AffineExpr> weight = {m, n};
  if (getWeightInDim() == 1)
    std::swap(weight[0], weight[1]);
  maps.push_back(AffineMap::get(rank + 1, 0, weight, context));
  if (getBias())
    maps.push_back(AffineMap::get(rank + 1, 0, n));
  AffineMap output = rowsAnd(n);
  for (Value extra : getExtras()) {
    auto type = dyn_cast<ShapedType>(extra.getType());
    maps.push_back(type && type.getRank() <= rank
                       ? output.getMinorSubMap(type.getRank())
                       : AffineMap());
  }
  maps.push_back(output);
  return maps;
}

//===----------------------------------------------------------------------===//
// Constraints, labelled as in docs/Spec.md
//===----------------------------------------------------------------------===//

static LogicalResult verifyExtras(LinearOp op) {
  Type element = getElementTypeOrSelf(op.getInput().getType());
  int64_t rank = cast<ShapedType>(op.getOutput().getType()).getRank();
  for (Value extra : op.getExtras()) {
    Type type = getElementTypeOrSelf(extra.getType());
    auto shaped = dyn_cast<ShapedType>(extra.getType());
    if ((type != element && type != op.getComputeType()) ||
        isa<VectorType>(extra.getType()) || (shaped && shaped.getRank() > rank))
      return op.emitOpError("linear_c5: an extra is a number, or has at most "
                            "the output's dimensions, of the input's type or ")
             << op.getComputeType();
  }
  return success();
}

static LogicalResult verifyEpilogue(LinearOp op) {
  if (failed(verifyExtras(op)))
    return failure();
  Region &region = op.getEpilogue();
  if (region.empty() && op.getExtras().empty())
    return success();
  Type compute = op.getComputeType();
  if (!region.hasOneBlock() ||
      region.getNumArguments() != 1 + op.getExtras().size() ||
      llvm::any_of(region.getArgumentTypes(),
                   [&](Type type) { return type != compute; }))
    return op.emitOpError("linear_c6: the epilogue is one block that takes the "
                          "sum and one number for each extra, all of type ")
           << compute;
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield || yield.getScore().getType() != compute)
    return op.emitOpError("linear_c6: the epilogue must attn.yield one ")
           << compute;
  for (Operation &inner : region.front().without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>() &&
        (!OpTrait::hasElementwiseMappableTraits(&inner) || !isPure(&inner)))
      return op.emitOpError("linear_c6: ops in the epilogue must be pure and "
                            "elementwise, found ")
             << inner.getName();
  return success();
}

/// linear_c3: a weight that lies the other way is the likeliest slip.
static LogicalResult verifyWeight(LinearOp op) {
  auto weight = cast<ShapedType>(op.getWeight().getType());
  unsigned in = op.getWeightInDim();
  int64_t rows = cast<ShapedType>(op.getInput().getType()).getShape().back();
  int64_t taken = weight.getDimSize(in), given = weight.getDimSize(1 - in);
  int64_t wanted = cast<ShapedType>(op.getOutput().getType()).getShape().back();
  auto differ = [](int64_t a, int64_t b) {
    return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
  };
  if (!differ(rows, taken) && !differ(wanted, given))
    return success();
  InFlightDiagnostic error = op.emitOpError("linear_c3: the weight ");
  error << weight << ", which is "
        << stringifyWeightLayout(op.getWeightLayout())
        << ", does not fit the input " << op.getInput().getType()
        << " and the output " << op.getOutput().getType();
  if (!differ(rows, given) && !differ(wanted, taken))
    error << ": weight(" << (in == 0 ? "out_in" : "in_out") << ")?";
  return error;
}

LogicalResult LinearOp::verify() {
  if (failed(verifyOperandKinds(*this, "linear_c1")))
    return failure();
  auto getType = [](Value value) { return cast<ShapedType>(value.getType()); };
  ShapedType input = getType(getInput()), output = getType(getOutput());
  if (input.getRank() < 1 || getType(getWeight()).getRank() != 2 ||
      (getBias() && getType(getBias()).getRank() != 1) ||
      output.getRank() != input.getRank())
    return emitOpError("linear_c2: the weight has rank 2, the bias rank 1, and "
                       "the output the input's rank, at least 1");
  if (failed(verifyWeight(*this)) || failed(verifyExtents(*this, "linear_c3")))
    return failure();
  Type element = input.getElementType();
  auto fits = [&](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return type == element || type == getComputeType();
  };
  if (!isBlockFloat(element) ||
      getType(getWeight()).getElementType() != element ||
      (getBias() && !fits(getBias())) || !fits(getOutput()))
    return emitOpError("linear_c4: input and weight share a float type; bias "
                       "and output have it or ")
           << getComputeType();
  return success(succeeded(verifyEpilogue(*this)) &&
                 succeeded(verifySchedule(*this)));
}
