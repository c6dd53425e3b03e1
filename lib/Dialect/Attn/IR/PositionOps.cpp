//===- PositionOps.cpp - Rotary and sinusoidal positions ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"
#include "OpHelpers.h"

#include <cmath>

using namespace mlir;
using namespace attn;

ATTN_DEFINE_DESTINATION_METHODS(RopeOp)
ATTN_DEFINE_DESTINATION_METHODS(SinusoidalPositionsOp)

int64_t RopeOp::getRowDimension() {
  return getRowDim() ? static_cast<int64_t>(*getRowDim())
                     : cast<ShapedType>(getInput().getType()).getRank() - 2;
}

int64_t RopeOp::getNumRotated() {
  return getRotaryDim()
             ? static_cast<int64_t>(*getRotaryDim())
             : cast<ShapedType>(getInput().getType()).getShape().back();
}

int64_t SinusoidalPositionsOp::getRowDimension() {
  return cast<ShapedType>(getOutput().getType()).getRank() - 2;
}

static bool havePositionsByFirst(Value offset, Value positions) {
  auto rank = [](Value value) {
    auto type = value ? dyn_cast<ShapedType>(value.getType()) : ShapedType();
    return type ? type.getRank() : 0;
  };
  return rank(offset) == 1 || rank(positions) == 2;
}

bool RopeOp::hasPositionsByFirst() {
  if (hasTables())
    return cast<ShapedType>(getCosines().getType()).getRank() == 3;
  return havePositionsByFirst(getOffset(), getPositions());
}

bool SinusoidalPositionsOp::hasPositionsByFirst() {
  return havePositionsByFirst(getOffset(), getPositions());
}

/// The map of offset or positions, null for a scalar and where there is none.
static AffineMap getPositionMap(Value value, unsigned rank, unsigned rowDim,
                                bool isOffset) {
  auto type = value ? dyn_cast<ShapedType>(value.getType()) : ShapedType();
  if (!type)
    return {};
  SmallVector<AffineExpr> results;
  if (type.getRank() == (isOffset ? 1 : 2))
    results.push_back(getAffineDimExpr(0, type.getContext()));
  if (!isOffset)
    results.push_back(getAffineDimExpr(rowDim, type.getContext()));
  return AffineMap::get(rank, 0, results, type.getContext());
}

/// Maps of (input), offset, positions and output over the output's dimensions.
static SmallVector<AffineMap> getMaps(Value input, Value offset,
                                      Value positions, Value output,
                                      unsigned rowDim) {
  unsigned rank = cast<ShapedType>(output.getType()).getRank();
  auto identity = AffineMap::getMultiDimIdentityMap(rank, output.getContext());
  SmallVector<AffineMap> maps;
  if (input)
    maps.push_back(identity);
  if (offset)
    maps.push_back(getPositionMap(offset, rank, rowDim, /*isOffset=*/true));
  if (positions)
    maps.push_back(getPositionMap(positions, rank, rowDim, /*isOffset=*/false));
  maps.push_back(identity);
  return maps;
}

/// The map of cosines or sines. What turns is a dimension of its own where some
/// elements stay.
static AffineMap getTableMap(RopeOp op, Value table) {
  unsigned rank = cast<ShapedType>(op.getOutput().getType()).getRank();
  MLIRContext *context = op.getContext();
  int64_t size = cast<ShapedType>(op.getInput().getType()).getShape().back();
  unsigned element = op.getNumRotated() == size ? rank - 1 : rank;
  SmallVector<AffineExpr> results = {
      getAffineDimExpr(op.getRowDimension(), context),
      getAffineDimExpr(element, context)};
  if (cast<ShapedType>(table.getType()).getRank() == 3)
    results.insert(results.begin(), getAffineDimExpr(0, context));
  return AffineMap::get(rank + 1, 0, results, context);
}

SmallVector<AffineMap> RopeOp::getShapedMaps() {
  SmallVector<AffineMap> maps = getMaps(getInput(), getOffset(), getPositions(),
                                        getOutput(), getRowDimension());
  for (Value table : {getCosines(), getSines()})
    if (table)
      maps.insert(maps.end() - 1, getTableMap(*this, table));
  return maps;
}

SmallVector<AffineMap> SinusoidalPositionsOp::getShapedMaps() {
  return getMaps({}, getOffset(), getPositions(), getOutput(),
                 getRowDimension());
}

//===----------------------------------------------------------------------===//
// Constraints, labelled as in docs/Spec.md
//===----------------------------------------------------------------------===//

namespace {

/// What both ops have; each method is one labelled constraint.
template <typename OpTy> class AngleVerifier {
public:
  AngleVerifier(OpTy op, StringRef name) : op(op), name(name) {}

  InFlightDiagnostic error(StringRef label) {
    return op->emitOpError(name) << label << ": ";
  }
  /// `_c4`: positions are integers of the ranks that the rows allow.
  LogicalResult verifyPositions(unsigned rank, unsigned rowDim) {
    auto isInteger = [](Value value) {
      return getElementTypeOrSelf(value.getType()).isIntOrIndex();
    };
    bool hasFirst = rank > 2 && rowDim != 0;
    if (Value offset = op.getOffset()) {
      auto type = dyn_cast<ShapedType>(offset.getType());
      int64_t bound = hasFirst ? 1 : 0;
      if (!isInteger(offset) || (type && type.getRank() > bound))
        return error("_c4") << "offset is one integer, or one for each index "
                               "of the first dimension";
    }
    if (Value positions = op.getPositions()) {
      auto type = dyn_cast<ShapedType>(positions.getType());
      int64_t bound = hasFirst ? 2 : 1;
      if (!isInteger(positions) || !type || type.getRank() < 1 ||
          type.getRank() > bound)
        return error("_c4")
               << "positions are integers [rows] or [first dimension, rows]";
    }
    return success();
  }
  /// `_c5`: the formula has a value.
  LogicalResult verifyNumbers() {
    double base = op.getBase().convertToDouble();
    double scale = op.getPositionScale().convertToDouble();
    if (!(base > 0.0) || std::isinf(base) || !std::isfinite(scale))
      return error("_c5")
             << "base must be positive and finite, position_scale finite";
    return success();
  }

private:
  OpTy op;
  StringRef name;
};

} // namespace

/// Tables come together, in place of positions, with a number for each element
/// that turns.
static LogicalResult verifyTables(RopeOp op) {
  Value cosines = op.getCosines(), sines = op.getSines();
  if (!cosines && !sines)
    return success();
  if (!cosines || !sines || cosines.getType() != sines.getType())
    return op.emitOpError("rope_c8: cosines and sines come together and have "
                          "one type");
  if (op.getOffset() || op.getPositions())
    return op.emitOpError(
        "rope_c8: rows with cosines and sines have no positions");
  auto type = cast<ShapedType>(cosines.getType());
  int64_t most = op.getRowDimension() != 0 ? 3 : 2;
  if (type.getRank() < 2 || type.getRank() > most ||
      type.getShape().back() != op.getNumRotated() ||
      !isBlockFloat(type.getElementType()))
    return op.emitOpError("rope_c8: cosines and sines are floats [rows, "
                          "rotary_dim] or [first dimension, rows, rotary_dim]");
  return success();
}

LogicalResult RopeOp::verify() {
  AngleVerifier<RopeOp> check(*this, "rope");
  if (failed(verifyOperandKinds(*this, "rope_c1")))
    return failure();
  auto type = cast<ShapedType>(getInput().getType());
  int64_t rank = type.getRank();
  if (rank < 2 || cast<ShapedType>(getOutput().getType()).getRank() != rank ||
      getRowDimension() < 0 || getRowDimension() >= rank - 1)
    return check.error("_c2") << "input and output have one rank of at least "
                                 "2, and row_dim is not the last dimension";
  int64_t size = type.getShape().back();
  int64_t rotated = getNumRotated();
  if (ShapedType::isDynamic(size) || rotated < 0 || rotated > size ||
      rotated % 2 != 0)
    return check.error("_c3") << "the last dimension is static, and "
                                 "rotary_dim even and at most as large";
  if (failed(check.verifyPositions(rank, getRowDimension())) ||
      failed(check.verifyNumbers()) || failed(verifyTables(*this)))
    return failure();
  if (!isBlockFloat(type.getElementType()) ||
      getElementTypeOrSelf(getOutput().getType()) != type.getElementType())
    return check.error("_c6") << "input and output share a float type";
  return success(succeeded(verifyExtents(*this, "rope_c7")) &&
                 succeeded(verifySchedule(*this)));
}

LogicalResult SinusoidalPositionsOp::verify() {
  AngleVerifier<SinusoidalPositionsOp> check(*this, "sinusoidal");
  if (failed(verifyOperandKinds(*this, "sinusoidal_c1")))
    return failure();
  auto type = cast<ShapedType>(getOutput().getType());
  int64_t rank = type.getRank();
  if (rank != 2 && rank != 3)
    return check.error("_c2") << "the output is [rows, d] or [batch, rows, d]";
  int64_t size = type.getShape().back();
  if (ShapedType::isDynamic(size) || size % 2 != 0)
    return check.error("_c3") << "d is static and even";
  if (failed(check.verifyPositions(rank, rank - 2)) ||
      failed(check.verifyNumbers()))
    return failure();
  if (!isBlockFloat(type.getElementType()))
    return check.error("_c6") << "the output's elements are floats";
  return success(succeeded(verifyExtents(*this, "sinusoidal_c7")) &&
                 succeeded(verifySchedule(*this)));
}
