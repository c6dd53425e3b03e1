//===- RowElement.cpp - Elements of rows as functions of an input ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/RowElement.h"
#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace attn::raise {

/// Bounds the work on one element.
constexpr unsigned nodeBudget = 1000, maxDepth = 6;

/// The float at a position of a constant, which may be a resource of raw bytes.
static std::optional<double>
readElement(ExprGraph &graph, ElementsAttr elements, uint64_t position) {
  if (auto dense = dyn_cast<DenseFPElementsAttr>(elements))
    return readNumber(graph, dense.getValues<Attribute>()[position])->number;
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  auto type = cast<FloatType>(elements.getElementType());
  unsigned bytes = type.getWidth() / 8;
  if (!blob || bytes * 8 != type.getWidth() || bytes > sizeof(uint64_t) ||
      blob->getData().size() < (position + 1) * bytes)
    return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, blob->getData().data() + position * bytes, bytes);
  llvm::APFloat number(type.getFloatSemantics(),
                       llvm::APInt(type.getWidth(), bits));
  return readNumber(graph, FloatAttr::get(type, number))->number;
}

RowElement::RowElement(Value tensor, Value input, int64_t element)
    : graph(tensor.getContext()), pull(graph, nodeBudget),
      region(tensor.getParentRegion()), input(input) {
  pull.stopAt(input);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  for (int64_t size : shape.drop_back())
    place.push_back(graph.addIndex(size));
  SmallVector<AffineExpr> indices = place;
  indices.push_back(getAffineConstantExpr(element, tensor.getContext()));
  expr = pull.pull(tensor, indices);
}

std::optional<double> RowElement::evaluate(Expr x, const Sample &sample,
                                           unsigned depth) {
  if (depth > maxDepth)
    return std::nullopt;
  return raise::evaluate(
      x, [&](Expr leaf) { return evaluateLeaf(leaf, sample, depth); },
      [&](unsigned variable) { return evaluateVariable(variable, sample); });
}

/// The row's number, or where slices of tables start, which is an offset.
std::optional<int64_t> RowElement::evaluateVariable(unsigned variable,
                                                    const Sample &sample) {
  if (graph.getIndex(variable) == place[sample.rowDim])
    return sample.row;
  for (const Shift &shift : shifts) {
    if (shift.variable != variable)
      continue;
    if (!offset || offset == shift.value) {
      offset = shift.value;
      return static_cast<int64_t>(sample.offset);
    }
    open = shift.value;
  }
  return std::nullopt;
}

AffineExpr RowElement::getShift(Value value, std::optional<int64_t> count) {
  for (Shift &shift : shifts) {
    if (shift.value != value)
      continue;
    if (count)
      shift.count = shift.count ? std::min(*shift.count, *count) : *count;
    return graph.getIndex(shift.variable);
  }
  unsigned variable = graph.addVariable(ShapedType::kDynamic);
  shifts.push_back({value, variable, count});
  return graph.getIndex(variable);
}

std::optional<int64_t> RowElement::countOffsets() const {
  for (const Shift &shift : shifts)
    if (offset && shift.value == offset)
      return shift.count;
  return std::nullopt;
}

bool RowElement::isShift(Expr x) const {
  return llvm::any_of(
      shifts, [&](const Shift &shift) { return x->dependsOn(shift.variable); });
}

/// A table of floats may be sliced anywhere. A slice of integers is left to be
/// positions as it is.
Expr RowElement::openSlice(Operation *op, Expr leaf) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  bool isTable = isa<FloatType>(slice.getType().getElementType());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (ShapedType::isDynamicShape(slice.getStaticStrides()) ||
      (!isTable && dropped.any()))
    return nullptr;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  SmallVector<AffineExpr> indices;
  auto next = leaf->indices.begin();
  for (auto [i, stride] : llvm::enumerate(slice.getStaticStrides())) {
    AffineExpr index =
        dropped[i] ? getAffineConstantExpr(0, graph.getContext()) : *next++;
    auto start = dyn_cast<Value>(offsets[i]);
    if (start && (!isTable || !isOutside(start)))
      return nullptr;
    index = index * stride;
    if (start) {
      // A slice lies within its source.
      int64_t size = slice.getStaticSizes()[i],
              length = slice.getSourceType().getDimSize(i);
      std::optional<int64_t> count;
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(length))
        count = length - (size - 1) * stride;
      index = index + getShift(start, count);
    } else {
      index = index + slice.getStaticOffset(i);
    }
    indices.push_back(graph.simplifyIndex(index));
  }
  return pull.pull(slice.getSource(), indices);
}

/// What a slice, or an outer product of positions and frequencies, loads.
Expr RowElement::openLeaf(Expr leaf) {
  auto [it, inserted] = opened.try_emplace(leaf, nullptr);
  if (!inserted || leaf->tensor == input)
    return it->second;
  Expr result = nullptr;
  Operation *def = leaf->tensor.getDefiningOp();
  if (isa_and_nonnull<tensor::ExtractSliceOp>(def)) {
    result = openSlice(def, leaf);
  } else if (isContraction(leaf->tensor)) {
    result = pull.expand(cast<OpResult>(leaf->tensor), leaf->indices);
  }
  return opened[leaf] = result == leaf ? nullptr : result;
}

/// Whether a load is that of the row's number, or of that and the first index,
/// in a tensor of integers.
bool RowElement::isPositionOf(Expr leaf, AffineExpr row) const {
  Type type = leaf->tensor.getType();
  if (!isa<RankedTensorType>(type) || !isOutside(leaf->tensor) ||
      !getElementTypeOrSelf(type).isIntOrIndex() ||
      getElementTypeOrSelf(type).isInteger(1) || leaf->indices.empty() ||
      leaf->indices.back() != row)
    return false;
  if (leaf->indices.size() == 1)
    return true;
  bool isShared = cast<RankedTensorType>(type).getDimSize(0) == 1;
  AffineExpr first =
      isShared ? getAffineConstantExpr(0, type.getContext()) : place.front();
  return leaf->indices.size() == 2 && leaf->indices[0] == first &&
         (isShared || place.front() != row);
}

/// Whether a load is that of an integer which all rows share, or all rows of
/// an index of the first dimension.
bool RowElement::isOffset(Expr leaf) const {
  Type type = leaf->tensor.getType(), element = getElementTypeOrSelf(type);
  if (!isOutside(leaf->tensor) || !element.isIntOrIndex() ||
      element.isInteger(1) ||
      (!element.isIndex() && element.getIntOrFloatBitWidth() > 64))
    return false;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || (tensor.hasStaticShape() && tensor.getNumElements() == 1))
    return true;
  return tensor.getRank() == 1 && leaf->indices[0] == place.front();
}

std::optional<double> RowElement::evaluateLeaf(Expr leaf, const Sample &sample,
                                               unsigned depth) {
  AffineExpr row = place[sample.rowDim];
  if (leaf->tensor == input) {
    auto last = dyn_cast<AffineConstantExpr>(leaf->indices.back());
    return last && ArrayRef(leaf->indices).drop_back() == ArrayRef(place)
               ? std::optional<double>(sample.element(last.getValue()))
               : std::nullopt;
  }
  if (Expr inner = openLeaf(leaf))
    return evaluate(inner, sample, depth + 1);
  if (auto constant = leaf->tensor.getDefiningOp<arith::ConstantOp>()) {
    auto elements = dyn_cast<ElementsAttr>(constant.getValue());
    if (!elements || !isa<FloatType>(elements.getElementType()))
      return std::nullopt;
    uint64_t position = 0;
    for (auto [expr, size] :
         llvm::zip_equal(leaf->indices, elements.getShapedType().getShape())) {
      AffineExpr given = expr;
      if (sample.row)
        given = given.replace(
            row, getAffineConstantExpr(*sample.row, graph.getContext()));
      for (const Shift &shift : shifts) {
        if (!given.isFunctionOfDim(shift.variable))
          continue;
        std::optional<int64_t> at = evaluateVariable(shift.variable, sample);
        if (!at)
          return std::nullopt;
        given = given.replace(graph.getIndex(shift.variable),
                              getAffineConstantExpr(*at, graph.getContext()));
      }
      auto index = dyn_cast<AffineConstantExpr>(given);
      if (!index || index.getValue() < 0 || index.getValue() >= size)
        return std::nullopt;
      position = position * size + index.getValue();
    }
    return readElement(graph, elements, position);
  }
  if (isPositionOf(leaf, row) && (!positions || positions == leaf->tensor)) {
    positions = leaf->tensor;
    return sample.position;
  }
  if (isOffset(leaf) && (!offset || offset == leaf->tensor)) {
    offset = leaf->tensor;
    return sample.offset;
  }
  open = leaf->tensor;
  return std::nullopt;
}

bool RowElement::hasInput(Expr x, unsigned depth) {
  auto [it, inserted] = withInput.try_emplace(x, true);
  if (!inserted || depth > 20 * maxDepth)
    return it->second;
  bool result =
      llvm::any_of(x->operands, [&](Expr y) { return hasInput(y, depth + 1); });
  if (x->is(ExprKind::Load)) {
    Expr inner = openLeaf(x);
    result = x->tensor == input || (inner && hasInput(inner, depth + 1));
  }
  return withInput[x] = result;
}

bool RowElement::isLinear(Expr x, unsigned depth) {
  auto isPart = [&](Expr y) { return isLinear(y, depth + 1); };
  if (depth > 20 * maxDepth || !hasInput(x, 0))
    return false;
  switch (x->kind) {
  case ExprKind::Load:
    return x->tensor == input || isPart(openLeaf(x)); // it has input
  case ExprKind::Sum:
    return llvm::all_of(x->operands, isPart);
  case ExprKind::Product:
    return llvm::count_if(x->operands,
                          [&](Expr y) { return hasInput(y, 0); }) == 1 &&
           llvm::any_of(x->operands, isPart);
  case ExprKind::Select:
    return !hasInput(x->operands[0], 0) && isPart(x->operands[1]) &&
           isPart(x->operands[2]);
  default:
    return false;
  }
}

/// Whether `x` is the same in all rows, and for all offsets.
bool RowElement::isFixed(Expr x, AffineExpr row, unsigned depth) {
  auto [it, inserted] = fixed.try_emplace(x, false);
  if (!inserted || depth > 20 * maxDepth)
    return it->second;
  std::optional<unsigned> variable = ExprGraph::asVariable(row);
  bool result = !(variable && x->dependsOn(*variable)) && !isShift(x) &&
                llvm::all_of(x->operands, [&](Expr y) {
                  return isFixed(y, row, depth + 1);
                });
  if (x->is(ExprKind::Load) && result) {
    Expr inner = openLeaf(x);
    result = inner
                 ? isFixed(inner, row, depth + 1)
                 : x->tensor != input && !isPositionOf(x, row) && !isOffset(x);
  }
  return fixed[x] = result;
}

bool RowElement::turnsAffinely(Expr x, AffineExpr row, bool isAngle,
                               unsigned depth) {
  if (depth > 20 * maxDepth)
    return false;
  if (isFixed(x, row, 0))
    return true;
  auto isPart = [&](Expr y) {
    return turnsAffinely(y, row, isAngle, depth + 1);
  };
  switch (x->kind) {
  case ExprKind::Index: {
    bool isAffine = true;
    x->index.walk([&](AffineExpr part) {
      if (isa<AffineBinaryOpExpr>(part) &&
          part.getKind() != AffineExprKind::Add &&
          part.getKind() != AffineExprKind::Mul)
        isAffine = false;
    });
    return isAffine;
  }
  case ExprKind::Load: {
    Expr inner = openLeaf(x);
    return inner ? isPart(inner)
                 : x->tensor == input || isPositionOf(x, row) || isOffset(x);
  }
  case ExprKind::Opaque:
    return isa<math::SinOp, math::CosOp>(x->opaque) && !isAngle &&
           turnsAffinely(x->operands[0], row, /*isAngle=*/true, depth + 1);
  case ExprKind::Product:
    // A product of two that change is no affine function.
    if (isAngle && llvm::count_if(x->operands, [&](Expr y) {
                     return !isFixed(y, row, 0);
                   }) > 1)
      return false;
    [[fallthrough]];
  case ExprKind::Sum:
    return llvm::all_of(x->operands, isPart);
  default:
    return false;
  }
}

/// An argument of a sine or cosine that is not the same for all rows.
Expr RowElement::findAngle(Expr x, AffineExpr row, unsigned depth) {
  if (depth > 20 * maxDepth || isFixed(x, row, 0))
    return nullptr;
  if (x->is(ExprKind::Opaque) && isa<math::SinOp, math::CosOp>(x->opaque))
    return x->operands[0];
  if (x->is(ExprKind::Load)) {
    Expr inner = openLeaf(x);
    return inner ? findAngle(inner, row, depth + 1) : nullptr;
  }
  for (Expr operand : x->operands)
    if (Expr angle = findAngle(operand, row, depth + 1))
      return angle;
  return nullptr;
}

/// Sines do not tell how often angles went round, but their arguments do.
int64_t RowElement::getStart(unsigned rowDim) {
  Expr angle = findAngle(expr, place[rowDim], 0);
  bool isOneRow = isa<AffineConstantExpr>(place[rowDim]);
  auto at = [&](int64_t number) -> std::optional<double> {
    double position = static_cast<double>(number);
    return evaluate(angle,
                    {rowDim, isOneRow ? 0 : number, position,
                     isOneRow ? position : 0.0, [](int64_t) { return 0.0; }},
                    0);
  };
  std::optional<double> first, second;
  if (angle) {
    first = at(0);
    second = at(1);
  }
  if (!first || !second)
    return 0;
  // What is added in 32 bits to the number of a row does not wrap then.
  constexpr double limit = 0x1p30;
  double start = std::round(*first / (*second - *first));
  if (!(std::abs(start) <= limit))
    return 0;
  std::optional<double> zero = at(-static_cast<int64_t>(start));
  return zero && std::abs(*zero) < 1e-9 ? static_cast<int64_t>(start) : 0;
}

} // namespace attn::raise
