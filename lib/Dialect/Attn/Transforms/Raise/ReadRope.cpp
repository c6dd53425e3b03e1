//===- ReadRope.cpp - A rotation read off values --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of angles come from powers, exponentials, outer products or constants,
// and halves of rows are sliced, negated and joined in any order. So elements
// of the result are computed: unit vectors in the input show which elements
// form a pair and by how much the first rows turn, and random numbers check
// what follows from that. All other dimensions stay variables.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

/// A row whose number, or whose position, is given. The other dimensions but
/// the last one stay variables: nothing but loads may depend on them.
struct Sample {
  unsigned rowDim;
  std::optional<int64_t> row; // unknown where only the position counts
  double position;
  function_ref<double(int64_t)> element; // of the input's row
};

/// An element of each row of a tensor, in terms of those of another one.
class RowElement {
public:
  RowElement(Value tensor, Value input, int64_t element);

  std::optional<double> evaluate(const Sample &sample) {
    return evaluate(expr, sample, 0);
  }
  /// Whether it is a sum of elements of the input with factors that do not
  /// depend on the input.
  bool isLinear() { return isLinear(expr, 0); }
  /// Whether rows turn by an affine function of their numbers or positions, and
  /// by nothing else.
  bool turnsAffinely(unsigned rowDim) {
    return turnsAffinely(expr, place[rowDim], 0);
  }
  /// The open tensor that the element needed, if that is why there was none.
  Value getOpenTensor() const { return open; }
  /// The tensor of integers that was taken for positions, if there was one.
  Value getPositions() const { return positions; }

private:
  std::optional<double> evaluate(Expr x, const Sample &sample, unsigned depth);
  std::optional<double> evaluateLeaf(Expr leaf, const Sample &sample,
                                     unsigned depth);
  Expr openLeaf(Expr leaf);
  bool isPositionOf(Expr leaf, AffineExpr row) const;
  bool hasInput(Expr x, unsigned depth);
  bool isLinear(Expr x, unsigned depth);
  bool isFixed(Expr x, AffineExpr row, unsigned depth);
  bool turnsAffinely(Expr x, AffineExpr row, unsigned depth);

  ExprGraph graph;
  PullThrough pull;
  Value input, open, positions;
  SmallVector<AffineExpr> place; // of the row
  llvm::DenseMap<Expr, Expr> opened;
  llvm::DenseMap<Expr, bool> withInput, fixed;
  Expr expr;
};

/// Bounds the work on one element.
constexpr unsigned nodeBudget = 1000, maxDepth = 6;

RowElement::RowElement(Value tensor, Value input, int64_t element)
    : graph(tensor.getContext()), pull(graph, nodeBudget), input(input) {
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
      [&](unsigned variable) {
        return graph.getIndex(variable) == place[sample.rowDim]
                   ? sample.row
                   : std::optional<int64_t>();
      });
}

/// What a slice, or an outer product of positions and frequencies, loads.
Expr RowElement::openLeaf(Expr leaf) {
  auto [it, inserted] = opened.try_emplace(leaf, nullptr);
  if (!inserted || leaf->tensor == input)
    return it->second;
  Expr result = nullptr;
  if (auto slice = leaf->tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
        ShapedType::isDynamicShape(slice.getStaticStrides()) ||
        slice.getDroppedDims().any())
      return nullptr;
    SmallVector<AffineExpr> indices;
    for (auto [index, offset, stride] : llvm::zip_equal(
             leaf->indices, slice.getStaticOffsets(), slice.getStaticStrides()))
      indices.push_back(graph.simplifyIndex(index * stride + offset));
    result = pull.pull(slice.getSource(), indices);
  } else if (isContraction(leaf->tensor)) {
    result = pull.expand(cast<OpResult>(leaf->tensor), leaf->indices);
  }
  return opened[leaf] = result == leaf ? nullptr : result;
}

/// Whether a load is that of the row's number, or of that and the first index,
/// in a tensor of integers.
bool RowElement::isPositionOf(Expr leaf, AffineExpr row) const {
  Type type = leaf->tensor.getType();
  if (!isa<RankedTensorType>(type) ||
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
    auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    uint64_t position = 0;
    for (auto [expr, size] :
         llvm::zip_equal(leaf->indices, elements.getType().getShape())) {
      AffineExpr given = expr;
      if (sample.row)
        given = expr.replace(
            row, getAffineConstantExpr(*sample.row, graph.getContext()));
      auto index = dyn_cast<AffineConstantExpr>(given);
      if (!index || index.getValue() < 0 || index.getValue() >= size)
        return std::nullopt;
      position = position * size + index.getValue();
    }
    return readNumber(graph, elements.getValues<Attribute>()[position])->number;
  }
  if (isPositionOf(leaf, row) && (!positions || positions == leaf->tensor)) {
    positions = leaf->tensor;
    return sample.position;
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

/// Whether `x` is the same in all rows.
bool RowElement::isFixed(Expr x, AffineExpr row, unsigned depth) {
  auto [it, inserted] = fixed.try_emplace(x, false);
  if (!inserted || depth > 20 * maxDepth)
    return it->second;
  bool result = !x->dependsOn(*ExprGraph::asVariable(row)) &&
                llvm::all_of(x->operands, [&](Expr y) {
                  return isFixed(y, row, depth + 1);
                });
  if (x->is(ExprKind::Load) && result) {
    Expr inner = openLeaf(x);
    result = inner ? isFixed(inner, row, depth + 1)
                   : x->tensor != input && !isPositionOf(x, row);
  }
  return fixed[x] = result;
}

bool RowElement::turnsAffinely(Expr x, AffineExpr row, unsigned depth) {
  if (depth > 20 * maxDepth)
    return false;
  if (isFixed(x, row, 0))
    return true;
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
    return inner ? turnsAffinely(inner, row, depth + 1)
                 : x->tensor == input || isPositionOf(x, row);
  }
  case ExprKind::Opaque:
    if (!isa<math::SinOp, math::CosOp>(x->opaque))
      return false;
    [[fallthrough]];
  case ExprKind::Sum:
  case ExprKind::Product:
    return llvm::all_of(
        x->operands, [&](Expr y) { return turnsAffinely(y, row, depth + 1); });
  default:
    return false;
  }
}

class RopeReader {
public:
  RopeReader(Value result, Value input, RopeReading &rope, Rejection &why)
      : result(result), input(input), rope(rope), why(why),
        shape(cast<RankedTensorType>(result.getType()).getShape()) {}

  bool read();

private:
  RowElement &getElement(int64_t element) {
    if (!elements[element])
      elements[element] = std::make_unique<RowElement>(result, input, element);
    return *elements[element];
  }
  std::optional<double> getFactor(int64_t row, int64_t to, int64_t from);
  std::optional<double> getAngle(int64_t row, int64_t pair);
  bool readAt(int64_t rowDim);
  bool readPairs();
  bool readAngles();
  double roundBase(double base) const;
  bool isRotated(std::optional<int64_t> row, double number);
  bool checkPositions();
  bool checkElements(bool &isAffine);
  bool checkRows(bool isAffine);
  std::pair<int64_t, int64_t> getPair(int64_t t) const {
    return rope.pairs == PairLayout::Interleaved
               ? std::pair(2 * t, 2 * t + 1)
               : std::pair(t, t + rope.rotated / 2);
  }

  Value result, input;
  RopeReading &rope;
  Rejection &why;
  ArrayRef<int64_t> shape;
  SmallVector<std::unique_ptr<RowElement>> elements;
};

/// How much of element `from` is in element `to` of the result.
std::optional<double> RopeReader::getFactor(int64_t row, int64_t to,
                                            int64_t from) {
  RowElement &element = getElement(to);
  auto unit = [&](int64_t index) { return index == from ? 1.0 : 0.0; };
  std::optional<double> factor =
      element.evaluate({static_cast<unsigned>(rope.rowDim), row,
                        static_cast<double>(row), unit});
  if (element.getPositions())
    rope.positions = element.getPositions();
  if (!factor && element.getOpenTensor())
    why.reject(2, "its table of angles, or its positions, are not computed "
                  "here from the rows' numbers");
  return factor;
}

std::optional<double> RopeReader::getAngle(int64_t row, int64_t pair) {
  auto [a, b] = getPair(pair);
  auto cosine = getFactor(row, a, a), sine = getFactor(row, b, a);
  return cosine && sine ? std::optional(std::atan2(*sine, *cosine))
                        : std::nullopt;
}

/// Finds the partners in row 1: element 0 turns by the largest angle.
bool RopeReader::readPairs() {
  int64_t dim = shape.back();
  auto turnsInto = [&](int64_t from, int64_t to) {
    std::optional<double> factor = getFactor(1, to, from);
    return factor && std::abs(*factor) > 1e-12;
  };
  int64_t partner = 1;
  while (partner < dim && !turnsInto(0, partner))
    ++partner;
  if (partner == dim)
    return why.reject(1, "rows do not turn by their number");
  bool isInterleaved = partner == 1 && dim > 2;
  rope.pairs = isInterleaved ? PairLayout::Interleaved : PairLayout::HalfSplit;
  rope.rotated = 2 * partner;
  if (isInterleaved)
    for (rope.rotated = 2;
         rope.rotated + 1 < dim && turnsInto(rope.rotated, rope.rotated + 1);)
      rope.rotated += 2;
  return rope.rotated <= dim ||
         why.reject(3, "the pairs are neither neighbours nor halves");
}

/// The number with the fewest digits whose powers are those of `base` within
/// some units in the last place of f32.
double RopeReader::roundBase(double base) const {
  int places = static_cast<int>(std::floor(std::log10(base))) + 1;
  for (int digits = 1; digits < 9; ++digits) {
    double scale = std::pow(10.0, std::abs(places - digits));
    double rounded = digits < places ? std::round(base / scale) * scale
                                     : std::round(base * scale) / scale;
    if (std::abs(rounded / base - 1.0) < 0x1p-20)
      return rounded;
  }
  return base;
}

/// The base follows from the last pair's angle, which tells the most digits.
bool RopeReader::readAngles() {
  std::optional<double> start = getAngle(0, 0), first = getAngle(1, 0);
  if (!start || !first)
    return false;
  if (std::abs(*start) > 1e-6)
    return why.reject(4, "the first row turns: positions do not start at 0");
  if (*first <= 0.0)
    return why.reject(4, "pairs turn the other way");
  rope.positionScale = shortest(*first);
  rope.base = 10000.0;
  if (int64_t last = rope.rotated / 2 - 1) {
    std::optional<double> angle = getAngle(1, last);
    if (!angle || *angle <= 0.0)
      return why.reject(4, "the angles do not fall as powers of one base");
    rope.base =
        roundBase(std::pow(*angle / *first, -0.5 * rope.rotated / last));
  }
  return true;
}

/// Whether a row of random numbers turns as said. Where its number is not
/// given, only its position may matter.
bool RopeReader::isRotated(std::optional<int64_t> row, double number) {
  auto noise = [](int64_t element) {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    hash = (hash ^ static_cast<uint64_t>(element)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 29)) * 0x94d049bb133111ebu;
    return static_cast<double>(hash >> 11) * 0x1p-52 - 1.0;
  };
  double position = number * rope.positionScale;
  SmallVector<double> expected;
  for (int64_t j = 0; j < shape.back(); ++j)
    expected.push_back(noise(j));
  for (int64_t t = 0; t < rope.rotated / 2; ++t) {
    auto [a, b] = getPair(t);
    double angle = position * std::pow(rope.base, -2.0 * t / rope.rotated);
    expected[a] = noise(a) * std::cos(angle) - noise(b) * std::sin(angle);
    expected[b] = noise(b) * std::cos(angle) + noise(a) * std::sin(angle);
  }
  // Frequencies and angles are rounded to f32 in the source.
  double tolerance = 2e-6 + std::abs(position) * 0x1p-21;
  for (int64_t j = 0; j < shape.back(); ++j) {
    std::optional<double> actual = getElement(j).evaluate(
        {static_cast<unsigned>(rope.rowDim), row, number, noise});
    if (!actual || !(std::abs(*actual - expected[j]) <= tolerance))
      return false;
    Value positions = getElement(j).getPositions();
    if (positions && positions != rope.positions)
      return false;
  }
  return true;
}

/// Whether the positions are those of the rows, or of those of each batch.
bool RopeReader::checkPositions() {
  if (!arePositionsExact(result, input, rope.positions))
    return why.reject(4, "its positions, or angles, are cast to other numbers");
  if (!rope.positions)
    return true;
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(rope.positions.getType()).getShape();
  bool hasBatch = sizes.size() == 2 && sizes[0] != 1;
  if (!haveEqualSize(rope.positions, sizes.size() - 1, result, rope.rowDim) ||
      (hasBatch &&
       (rope.rowDim == 0 || !haveEqualSize(rope.positions, 0, result, 0))))
    return why.reject(4, "its positions are not one for each row");
  return true;
}

/// Looks at what the elements compute, where numbers do not tell.
bool RopeReader::checkElements(bool &isAffine) {
  isAffine = true;
  for (int64_t j = 0; j < shape.back(); ++j) {
    if (!getElement(j).isLinear())
      return why.reject(4, "more than factors is applied to its elements");
    isAffine = isAffine && getElement(j).turnsAffinely(rope.rowDim);
  }
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!haveEqualSize(result, dim, input, dim))
      return why.reject(4, "the sizes of input and result may differ");
  return true;
}

/// Tries some rows where angles are multiples of positions, else all.
bool RopeReader::checkRows(bool isAffine) {
  constexpr int64_t maxElements = int64_t(1) << 20;
  int64_t rows = shape[rope.rowDim];
  bool isOpen = ShapedType::isDynamic(rows) || rope.positions;
  SmallVector<int64_t> numbers = {0, 1, 2, 3, 5, 17, 100, 777, 4097};
  if (!isAffine) {
    if (isOpen || rows > maxElements / shape.back())
      return why.reject(5, "the angles are no multiples of the positions");
    numbers = llvm::to_vector(llvm::seq<int64_t>(rows));
  }
  if (rope.positions)
    numbers.append({-1, -7, -1001, 65537});
  for (int64_t row : numbers)
    if ((isOpen || row < rows) &&
        !isRotated(rope.positions ? std::nullopt : std::optional(row), row))
      return why.reject(5, "row " + Twine(row) +
                               " does not turn by the angles that the second "
                               "one lets expect");
  return true;
}

bool RopeReader::readAt(int64_t rowDim) {
  rope = RopeReading();
  rope.rowDim = rowDim;
  elements.clear();
  elements.resize(shape.back());
  bool isAffine;
  return readPairs() && readAngles() && checkPositions() &&
         checkElements(isAffine) && checkRows(isAffine);
}

bool RopeReader::read() {
  if (shape.size() < 2 || ShapedType::isDynamic(shape.back()) ||
      shape.back() < 2)
    return false;
  // Rows are mostly along the dimension before the last.
  for (int64_t rowDim = shape.size() - 2; rowDim >= 0; --rowDim)
    if ((ShapedType::isDynamic(shape[rowDim]) || shape[rowDim] > 1) &&
        readAt(rowDim))
      return true;
  return false;
}

} // namespace

bool readRope(Value result, Value input, RopeReading &rope, Rejection &why) {
  return RopeReader(result, input, rope, why).read();
}

} // namespace attn::raise
