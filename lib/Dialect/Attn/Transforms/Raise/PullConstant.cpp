//===- PullConstant.cpp - Constants as closed expressions -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/PullThrough.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace attn::raise {

namespace {
/// What a dimension's index adds to an integer constant: a multiple of
/// (index / run) % period, such as 0 0 2 2 0 0 2 2.
struct Steps {
  int64_t size, run = 1, period, step = 0;

  Steps(ArrayRef<int64_t> values, int64_t stride, int64_t size)
      : size(size), period(size) {
    auto at = [&](int64_t i) { return values[i * stride] - values[0]; };
    while (run < size && at(run) == 0)
      ++run;
    if (run >= size)
      return;
    step = at(run);
    for (int64_t i = 2 * run; i < size && period == size; i += run)
      if (at(i) == 0)
        period = i / run;
  }
  int64_t at(int64_t i) const { return i / run % period * step; }
  AffineExpr at(AffineExpr i) const {
    if (step == 0)
      return getAffineConstantExpr(0, i.getContext());
    i = run == 1 ? i : i.floorDiv(run);
    return (period == size ? i : i % period) * step;
  }
};
} // namespace

/// An integer constant that counts along its dimensions, as an affine
/// expression (torch and jax bake iota into constants).
static AffineExpr matchCounting(DenseIntElementsAttr elements,
                                ArrayRef<AffineExpr> indices) {
  ArrayRef<int64_t> shape = elements.getType().getShape();
  auto values =
      llvm::map_to_vector(elements.getValues<APInt>(), [](const APInt &value) {
        return value.getSExtValue();
      });
  AffineExpr result = getAffineConstantExpr(values[0], elements.getContext());
  SmallVector<Steps> steps; // the last dimension first
  int64_t stride = 1;
  for (auto [size, index] : llvm::reverse(llvm::zip_equal(shape, indices))) {
    steps.emplace_back(values, stride, size);
    stride *= size;
    result = result + steps.back().at(index);
  }
  for (auto [position, value] : llvm::enumerate(values)) {
    int64_t expected = values[0], rest = position;
    for (const Steps &dim : steps) {
      expected += dim.at(rest % dim.size);
      rest /= dim.size;
    }
    if (expected != value)
      return {};
  }
  return result;
}

using Visitor = llvm::function_ref<bool(double)>;

template <typename T>
static bool visitRaw(const AsmResourceBlob &blob, Visitor visit) {
  return llvm::all_of(blob.getDataAs<T>(), [&](T number) {
    return visit(static_cast<double>(number));
  });
}

/// Calls `visit` with each number in turn, booleans as 0 and 1, until it says
/// no; false then, or where elements are no numbers. Large floats are read
/// where they are: most are weights, and the third one differs.
static bool visitNumbers(ElementsAttr elements, Visitor visit) {
  Type type = elements.getElementType();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    size_t width = type.isF32() ? sizeof(float) : sizeof(double);
    if (!blob || !(type.isF32() || type.isF64()) ||
        blob->getData().size() != elements.getNumElements() * width)
      return false;
    return type.isF32() ? visitRaw<float>(*blob, visit)
                        : visitRaw<double>(*blob, visit);
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (dense && isa<FloatType>(type))
    return llvm::all_of(dense.getValues<APFloat>(), [&](const APFloat &x) {
      return visit(FloatAttr::getValueAsDouble(x));
    });
  if (!dense || !isa<IntegerType>(type))
    return false;
  bool isBoolean = type.isInteger(1);
  return llvm::all_of(dense.getValues<APInt>(), [&](const APInt &x) {
    return x.getSignificantBits() <= 53 &&
           visit(isBoolean ? static_cast<double>(!x.isZero())
                           : static_cast<double>(x.getSExtValue()));
  });
}

/// Integers that stand outside of the text, as if they stood in it.
static Attribute inlineIntegers(Attribute attribute) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
  if (!resource || !isa<IntegerType>(resource.getElementType()))
    return attribute;
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool isSplat = false;
  if (!blob || !DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                    blob->getData(), isSplat))
    return attribute;
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             blob->getData());
}

namespace {
/// A matrix of two numbers that are the same along each diagonal.
class DiagonalConstant {
public:
  /// Whether the last two dimensions of `elements`, and it has no others, are
  /// such a matrix.
  bool match(ElementsAttr elements);
  Expr build(ExprGraph &graph, AffineExpr row, AffineExpr column) const;

private:
  bool add(size_t diagonal, double number);

  int64_t rows = 0;
  std::optional<double> first, second;
  SmallVector<int8_t> isSecond; // by column - row + rows - 1; -1 is not known
  size_t lower = 0, upper = 0;  // the diagonals of `second`, inclusive
};
} // namespace

bool DiagonalConstant::add(size_t diagonal, double number) {
  if (!first)
    first = number;
  bool isOther = number != *first;
  if (isOther && !second)
    second = number;
  if (isOther && number != *second)
    return false;
  int8_t &known = isSecond[diagonal];
  if (known < 0)
    known = isOther;
  return known == isOther;
}

bool DiagonalConstant::match(ElementsAttr elements) {
  ArrayRef<int64_t> shape = elements.getShapedType().getShape();
  size_t rank = shape.size();
  if (rank < 2 || shape[rank - 2] < 2 || shape[rank - 1] < 2 ||
      elements.getNumElements() != shape[rank - 2] * shape[rank - 1])
    return false;
  rows = shape[rank - 2];
  int64_t columns = shape[rank - 1], position = 0;
  isSecond.assign(rows + columns - 1, -1);
  bool isDiagonal = visitNumbers(elements, [&](double number) {
    int64_t row = position / columns, column = position++ % columns;
    return add(column - row + rows - 1, number);
  });
  if (!isDiagonal)
    return false;
  // One of the numbers has no gaps between its diagonals: a band.
  for (int8_t inside : {1, 0}) {
    auto *begin = llvm::find(isSecond, inside);
    auto *end = std::find(begin, isSecond.end(), int8_t(1 - inside));
    if (llvm::is_contained(llvm::make_range(end, isSecond.end()), inside))
      continue;
    lower = begin - isSecond.begin();
    upper = end - isSecond.begin() - 1;
    if (!inside)
      std::swap(first, second);
    return true;
  }
  return false;
}

Expr DiagonalConstant::build(ExprGraph &graph, AffineExpr row,
                             AffineExpr column) const {
  AffineExpr diagonal = column - row + (rows - 1);
  SmallVector<Expr> inside;
  if (lower > 0)
    inside.push_back(graph.nonNegative(diagonal - lower));
  if (upper + 1 < isSecond.size())
    inside.push_back(graph.nonNegative(upper - diagonal));
  return graph.select(graph.conjunction(inside), graph.constant(*second),
                      graph.constant(*first));
}

Expr PullThrough::pullConstant(Attribute attribute, const Element &element) {
  auto elements = dyn_cast<ElementsAttr>(inlineIntegers(attribute));
  if (!elements || elements.empty())
    return nullptr;
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (dense && dense.isSplat())
    return readNumber(graph, dense.getSplatValue<Attribute>());
  bool isBoolean = elements.getElementType().isInteger(1);
  if (auto integers = dyn_cast<DenseIntElementsAttr>(elements);
      integers && !isBoolean)
    if (AffineExpr counting = matchCounting(integers, element.indices))
      return graph.index(counting);
  DiagonalConstant mask;
  if (!mask.match(elements))
    return nullptr;
  ArrayRef<AffineExpr> matrix = ArrayRef(element.indices).take_back(2);
  Expr number = mask.build(graph, matrix[0], matrix[1]);
  // A boolean is a condition, not the numbers 1 and 0.
  return isBoolean ? graph.negation(graph.compare(Comparison::Equal, number,
                                                  graph.constant(0.0)))
                   : number;
}

} // namespace attn::raise
