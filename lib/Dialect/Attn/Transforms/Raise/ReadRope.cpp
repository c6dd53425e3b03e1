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
// what follows from that for other rows.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

using Indices = SmallVector<int64_t>;

/// Computes elements of a tensor from those of another one.
class ElementEvaluator {
public:
  using Source = function_ref<double(ArrayRef<int64_t>)>;

  ElementEvaluator(Value input, Source source) : input(input), source(source) {}

  std::optional<double> evaluateAt(Value tensor, ArrayRef<int64_t> indices);
  /// The open tensor that an element needed, if that is why there was none.
  Value getOpenTensor() const { return open; }
  /// The tensor of integers that was taken for positions, if there was one.
  Value getPositions() const { return positions; }
  /// What an element of it counts as: its row, and something of its batch.
  static int64_t getPosition(ArrayRef<int64_t> indices) {
    return indices.back() + (indices.size() == 2 ? 3 * indices.front() : 0);
  }

private:
  std::optional<double> evaluateLeaf(ExprGraph &graph, PullThrough &pull,
                                     Expr leaf, unsigned depth);
  std::optional<double> evaluateAt(Value tensor, ArrayRef<int64_t> indices,
                                   unsigned depth);

  Value input, open, positions;
  Source source;
};

/// Bounds the work on one element.
constexpr unsigned nodeBudget = 400, maxDepth = 6;

std::optional<double> ElementEvaluator::evaluateAt(Value tensor,
                                                   ArrayRef<int64_t> indices) {
  return evaluateAt(tensor, indices, 0);
}

std::optional<double> ElementEvaluator::evaluateAt(Value tensor,
                                                   ArrayRef<int64_t> indices,
                                                   unsigned depth) {
  if (depth > maxDepth)
    return std::nullopt;
  ExprGraph graph(tensor.getContext());
  PullThrough pull(graph, nodeBudget);
  pull.stopAt(input);
  auto exprs = llvm::map_to_vector(indices, [&](int64_t index) {
    return getAffineConstantExpr(index, tensor.getContext());
  });
  return evaluate(
      pull.pull(tensor, exprs),
      [&](Expr leaf) { return evaluateLeaf(graph, pull, leaf, depth); },
      [](unsigned) { return std::nullopt; });
}

std::optional<double> ElementEvaluator::evaluateLeaf(ExprGraph &graph,
                                                     PullThrough &pull,
                                                     Expr leaf,
                                                     unsigned depth) {
  Indices indices;
  for (AffineExpr expr : leaf->indices) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant)
      return std::nullopt;
    indices.push_back(constant.getValue());
  }
  if (leaf->tensor == input)
    return source(indices);
  Operation *def = leaf->tensor.getDefiningOp();
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(def);
      slice && !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
      !ShapedType::isDynamicShape(slice.getStaticStrides()) &&
      slice.getDroppedDims().none()) {
    for (auto [index, offset, stride] : llvm::zip_equal(
             indices, slice.getStaticOffsets(), slice.getStaticStrides()))
      index = index * stride + offset;
    return evaluateAt(slice.getSource(), indices, depth + 1);
  }
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(def)) {
    auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    uint64_t position = 0;
    for (auto [index, size] :
         llvm::zip_equal(indices, elements.getType().getShape()))
      position = position * size + index;
    APFloat number = elements.getValues<APFloat>()[position];
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number.convertToDouble();
  }
  // Angles as an outer product of positions and frequencies.
  if (def && isContraction(leaf->tensor)) {
    Expr opened = pull.expand(cast<OpResult>(leaf->tensor), leaf->indices);
    if (!opened)
      return std::nullopt;
    return evaluate(
        opened,
        [&](Expr inner) {
          return inner == leaf || depth >= maxDepth
                     ? std::nullopt
                     : evaluateLeaf(graph, pull, inner, depth + 1);
        },
        [](unsigned) { return std::nullopt; });
  }
  if (isa<RankedTensorType>(leaf->tensor.getType()) &&
      getElementTypeOrSelf(leaf->tensor).isIntOrIndex() &&
      !getElementTypeOrSelf(leaf->tensor).isInteger(1) &&
      (indices.size() == 1 || indices.size() == 2) &&
      (!positions || positions == leaf->tensor)) {
    positions = leaf->tensor;
    return static_cast<double>(getPosition(indices));
  }
  open = leaf->tensor;
  return std::nullopt;
}

class RopeReader {
public:
  RopeReader(Value result, Value input, RopeReading &rope, Rejection &why)
      : result(result), input(input), rope(rope), why(why),
        shape(cast<RankedTensorType>(result.getType()).getShape()) {}

  bool read();

private:
  std::optional<double> getFactor(int64_t row, int64_t to, int64_t from);
  std::optional<double> getAngle(int64_t row, int64_t pair);
  bool readAt(int64_t rowDim);
  bool readPairs();
  bool readAngles();
  bool isRotated(int64_t row, int64_t seed);
  bool checkPositions();
  std::pair<int64_t, int64_t> getPair(int64_t t) const {
    return rope.pairs == PairLayout::Interleaved
               ? std::pair(2 * t, 2 * t + 1)
               : std::pair(t, t + rope.rotated / 2);
  }
  Indices getPlace(int64_t row, int64_t element) const {
    Indices place(shape.size(), 0);
    place[rope.rowDim] = row;
    place.back() = element;
    return place;
  }

  Value result, input;
  RopeReading &rope;
  Rejection &why;
  ArrayRef<int64_t> shape;
};

/// How much of element `from` is in element `to` of the result.
std::optional<double> RopeReader::getFactor(int64_t row, int64_t to,
                                            int64_t from) {
  Indices unit = getPlace(row, from);
  auto source = [&](ArrayRef<int64_t> place) {
    return place == ArrayRef(unit) ? 1.0 : 0.0;
  };
  ElementEvaluator evaluator(input, source);
  std::optional<double> factor =
      evaluator.evaluateAt(result, getPlace(row, to));
  if (evaluator.getPositions())
    rope.positions = evaluator.getPositions();
  if (!factor && evaluator.getOpenTensor())
    why.reject(2, "its table of angles, or its positions, are not computed "
                  "here from the rows' numbers");
  return factor;
}

std::optional<double> RopeReader::getAngle(int64_t row, int64_t pair) {
  auto [a, b] = getPair(pair);
  std::optional<double> cosine = getFactor(row, a, a),
                        sine = getFactor(row, b, a);
  if (!cosine || !sine)
    return std::nullopt;
  return std::atan2(*sine, *cosine);
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

/// The base with few digits that the second pair's angle gives.
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
  if (rope.rotated > 2) {
    std::optional<double> second = getAngle(1, 1);
    if (!second || *second <= 0.0)
      return why.reject(4, "the angles do not fall as powers of one base");
    double base = std::pow(*second / *first, -0.5 * rope.rotated);
    double unit = std::pow(10.0, std::floor(std::log10(base)) - 3);
    double rounded = std::round(base / unit) * unit;
    rope.base = std::abs(rounded / base - 1.0) < 1e-4 ? rounded : base;
  }
  return true;
}

/// Whether one row of random numbers, at a random place, turns as said.
bool RopeReader::isRotated(int64_t row, int64_t seed) {
  auto noise = [](ArrayRef<int64_t> place) {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int64_t index : place)
      hash = (hash ^ static_cast<uint64_t>(index)) * 0xbf58476d1ce4e5b9u +
             (hash >> 29);
    return static_cast<double>(hash >> 11) * 0x1p-52 - 1.0;
  };
  Indices place = getPlace(row, 0);
  for (auto [dim, index] : llvm::enumerate(place))
    if (static_cast<int64_t>(dim) != rope.rowDim && dim + 1 < shape.size() &&
        !ShapedType::isDynamic(shape[dim]))
      index = seed * 7 % shape[dim];
  auto at = [&](int64_t element) {
    place.back() = element;
    return noise(place);
  };
  Indices number = {row};
  if (rope.positions)
    if (auto type = cast<RankedTensorType>(rope.positions.getType());
        type.getRank() == 2)
      number = {type.getDimSize(0) == 1 ? 0 : place[0], row};
  double position = static_cast<double>(ElementEvaluator::getPosition(number)) *
                    rope.positionScale;
  SmallVector<double> expected;
  for (int64_t j = 0; j < shape.back(); ++j)
    expected.push_back(at(j));
  for (int64_t t = 0; t < rope.rotated / 2; ++t) {
    auto [a, b] = getPair(t);
    double angle = position * std::pow(rope.base, -2.0 * t / rope.rotated);
    expected[a] = at(a) * std::cos(angle) - at(b) * std::sin(angle);
    expected[b] = at(b) * std::cos(angle) + at(a) * std::sin(angle);
  }
  // Frequencies and angles are rounded to f32 in the source.
  double tolerance = 2e-6 + position * 0x1p-21;
  ElementEvaluator evaluator(input, noise);
  for (int64_t j = 0; j < shape.back(); ++j) {
    place.back() = j;
    std::optional<double> actual = evaluator.evaluateAt(result, place);
    if (!actual || !(std::abs(*actual - expected[j]) <= tolerance))
      return false;
  }
  return true;
}

/// Whether the positions are those of the rows, or of those of each batch.
bool RopeReader::checkPositions() {
  if (!rope.positions)
    return true;
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(rope.positions.getType()).getShape();
  bool hasBatch = sizes.size() == 2 && sizes[0] != 1;
  if (sizes.back() != shape[rope.rowDim] ||
      (hasBatch && (rope.rowDim == 0 || sizes[0] != shape[0])))
    return why.reject(4, "its positions are not one for each row");
  return true;
}

bool RopeReader::readAt(int64_t rowDim) {
  rope = RopeReading();
  rope.rowDim = rowDim;
  if (!readPairs() || !readAngles() || !checkPositions())
    return false;
  int64_t rows = shape[rowDim];
  bool isDynamic = ShapedType::isDynamic(rows);
  for (int64_t row : {int64_t(0), int64_t(1), int64_t(2), int64_t(3),
                      isDynamic ? 100 : rows / 2, isDynamic ? 777 : rows - 1})
    if ((isDynamic || row < rows) && !isRotated(row, row + 1))
      return why.reject(5, "row " + Twine(row) +
                               " does not turn by the angles that the second "
                               "one lets expect");
  return true;
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
