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
#include "attn/Dialect/Attn/Transforms/Raise/RowElement.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

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
  bool hasOneRow() const { return shape[rope.rowDim] == 1; }
  std::optional<double> getFactor(int64_t position, int64_t to, int64_t from);
  std::optional<double> getAngle(int64_t position, int64_t pair);
  bool readAt(int64_t rowDim);
  bool readPairs();
  bool readAngles();
  double roundBase(double base) const;
  bool isRotated(std::optional<int64_t> row, int64_t position, int64_t offset);
  bool isRotated(int64_t row);
  bool checkPositions();
  bool checkOffset();
  bool checkElements(bool &isAffine);
  bool checkRows(bool isAffine);
  bool checkSlices();
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

/// How much of element `from` is in element `to` of the result, for a row by
/// its position where an offset of 0 is added. A single row has no other number
/// than 0: its positions, or the offset, change.
std::optional<double> RopeReader::getFactor(int64_t position, int64_t to,
                                            int64_t from) {
  int64_t row = position - rope.start;
  RowElement &element = getElement(to);
  int64_t place = rope.getPlace(from, shape.back());
  auto unit = [&](int64_t index) { return index == place ? 1.0 : 0.0; };
  double given = static_cast<double>(row);
  std::optional<double> factor = element.evaluate(
      {static_cast<unsigned>(rope.rowDim), hasOneRow() ? 0 : row, given,
       hasOneRow() ? given : 0.0, unit});
  if (element.getPositions())
    rope.positions = element.getPositions();
  if (element.getOffset())
    rope.offset = element.getOffset();
  if (!factor && element.getOpenTensor())
    why.reject(2, "its table of angles, or its positions, are not computed "
                  "here from the rows' numbers");
  return factor;
}

std::optional<double> RopeReader::getAngle(int64_t position, int64_t pair) {
  auto [a, b] = getPair(pair);
  auto cosine = getFactor(position, a, a), sine = getFactor(position, b, a);
  return cosine && sine ? std::optional(std::atan2(*sine, *cosine))
                        : std::nullopt;
}

/// Finds the partners at position 1: element 0 turns by the largest angle.
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
  return hasPairs(rope, dim) ||
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
  if (std::abs(*start) > 1e-9)
    return why.reject(
        4, "the first row turns: no whole number is added to positions");
  if (*first == 0.0)
    return why.reject(4, "the second row does not turn");
  // Less than nothing where pairs turn the other way.
  rope.positionScale = shortest(*first);
  rope.base = 10000.0;
  if (int64_t last = rope.rotated / 2 - 1) {
    std::optional<double> angle = getAngle(1, last);
    if (!angle || *angle / *first <= 0.0)
      return why.reject(4, "the angles do not fall as powers of one base");
    rope.base =
        roundBase(std::pow(*angle / *first, -0.5 * rope.rotated / last));
  }
  return true;
}

/// Whether a row of random numbers turns as said. Where its number is not
/// given, only its position may matter.
bool RopeReader::isRotated(std::optional<int64_t> row, int64_t position,
                           int64_t offset) {
  auto noiseAt = [](int64_t element) {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    hash = (hash ^ static_cast<uint64_t>(element)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 29)) * 0x94d049bb133111ebu;
    return static_cast<double>(hash >> 11) * 0x1p-52 - 1.0;
  };
  auto noise = [&](int64_t element) {
    return noiseAt(rope.getPlace(element, shape.back()));
  };
  double scaled =
      rope.positionScale *
      static_cast<double>(position + rope.start + (rope.offset ? offset : 0));
  SmallVector<double> expected, tolerances(shape.back(), 2e-6);
  for (int64_t j = 0; j < shape.back(); ++j)
    expected.push_back(noise(j));
  for (int64_t t = 0; t < rope.rotated / 2; ++t) {
    auto [a, b] = getPair(t);
    double angle = scaled * std::pow(rope.base, -2.0 * t / rope.rotated);
    expected[a] = noise(a) * std::cos(angle) - noise(b) * std::sin(angle);
    expected[b] = noise(b) * std::cos(angle) + noise(a) * std::sin(angle);
    // Frequencies and angles are rounded to f32 in the source.
    tolerances[a] = tolerances[b] = 2e-6 + std::abs(angle) * 0x1p-20;
  }
  for (int64_t j = 0; j < shape.back(); ++j) {
    std::optional<double> actual = getElement(j).evaluate(
        {static_cast<unsigned>(rope.rowDim), row, static_cast<double>(position),
         static_cast<double>(offset), noiseAt});
    if (!actual || !(std::abs(*actual - expected[j]) <= tolerances[j]))
      return false;
    Value positions = getElement(j).getPositions();
    Value added = getElement(j).getOffset();
    if ((positions && positions != rope.positions) ||
        (added && added != rope.offset))
      return false;
  }
  return true;
}

/// The same for all that may be added to the row's position.
bool RopeReader::isRotated(int64_t row) {
  SmallVector<int64_t> offsets = {0};
  if (rope.offset)
    offsets.append({1, 3, -7, 1001});
  return llvm::all_of(offsets, [&](int64_t offset) {
    if (hasOneRow() && !rope.positions)
      return isRotated(0, 0, row + offset);
    return isRotated(rope.positions ? std::nullopt : std::optional(row), row,
                     offset);
  });
}

/// Whether the positions are those of the rows, or of those of each batch.
bool RopeReader::checkPositions() {
  SmallVector<Value> integers;
  for (Value value : {rope.positions, rope.offset})
    if (value)
      integers.push_back(value);
  PositionFault fault = findPositionFault(result, input, integers);
  if (fault == PositionFault::Sum)
    return why.reject(4, "a sum of its positions may wrap in its type, which "
                         "has less than 64 bits: add them in 64 bits, or say "
                         "overflow<nsw>");
  if (fault == PositionFault::Cast)
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

/// Whether the offset is one for all rows, or for those of each batch.
bool RopeReader::checkOffset() {
  if (!rope.offset)
    return true;
  if (rope.start)
    return why.reject(4, "a number is added to its positions and their offset");
  auto type = dyn_cast<RankedTensorType>(rope.offset.getType());
  return !type || (type.hasStaticShape() && type.getNumElements() == 1) ||
         (shape.size() > 2 && rope.rowDim > 0 &&
          haveEqualSize(rope.offset, 0, result, 0)) ||
         why.reject(4, "its offsets are not one for each batch");
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

constexpr int64_t maxElements = int64_t(1) << 20;

/// Tries all rows of all slices of tables whose angles are no multiples of the
/// positions.
bool RopeReader::checkSlices() {
  int64_t rows = shape[rope.rowDim];
  std::optional<int64_t> count = getElement(0).countOffsets();
  if (!count || ShapedType::isDynamic(rows) || rope.positions ||
      *count > maxElements / shape.back() / rows)
    return why.reject(5, "the angles are no multiples of the positions");
  for (int64_t offset = 0; offset < *count; ++offset)
    for (int64_t row = 0; row < rows; ++row)
      if (!isRotated(row, row, offset))
        return why.reject(5, "row " + Twine(row) + " of the slice from " +
                                 Twine(offset) +
                                 " on does not turn by the angles that the "
                                 "second one lets expect");
  return true;
}

/// Tries some rows where angles are multiples of positions, else all.
bool RopeReader::checkRows(bool isAffine) {
  int64_t rows = shape[rope.rowDim];
  bool isOpen = ShapedType::isDynamic(rows) || rope.positions || rope.offset;
  SmallVector<int64_t> numbers = {0, 1, 2, 3, 5, 17, 100, 777, 4097};
  if (!isAffine && rope.offset)
    return checkSlices();
  if (!isAffine) {
    // Far from 0 rounding hides what is done to the rows' numbers.
    if (isOpen || rope.start || rows > maxElements / shape.back())
      return why.reject(5, "the angles are no multiples of the positions");
    numbers = llvm::to_vector(llvm::seq<int64_t>(rows));
  }
  if (rope.positions)
    numbers.append({-1, -7, -1001, 65537});
  for (int64_t row : numbers) {
    // What is affine holds for rows in front of the first one too, and small
    // angles tell more digits.
    bool isGiven = isOpen || row < rows, isNear = isAffine && rope.start;
    if ((isGiven && !isRotated(row)) ||
        (isNear && !isRotated(row - rope.start)))
      return why.reject(5, "row " + Twine(row) +
                               " does not turn by the angles that the second "
                               "one lets expect");
  }
  return true;
}

bool RopeReader::readAt(int64_t rowDim) {
  bool fromNeighbours = rope.fromNeighbours;
  rope = RopeReading();
  rope.fromNeighbours = fromNeighbours;
  rope.rowDim = rowDim;
  elements.clear();
  elements.resize(shape.back());
  rope.start = getElement(0).getStart(rope.rowDim);
  bool isAffine;
  return readPairs() && readAngles() && checkPositions() && checkOffset() &&
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
  // A single row, as in a step of a decoder, turns by a position from outside.
  for (int64_t rowDim = shape.size() - 2; rowDim >= 0; --rowDim)
    if (shape[rowDim] == 1 && readAt(rowDim))
      return true;
  return false;
}

} // namespace

bool hasPairs(const RopeReading &rope, int64_t dim) {
  // Of elements that stay nobody writes the others in another order.
  return rope.fromNeighbours
             ? rope.rotated == dim && rope.pairs == PairLayout::HalfSplit
             : rope.rotated <= dim;
}

bool readRope(Value result, Value input, RopeReading &rope, Rejection &why) {
  return RopeReader(result, input, rope, why).read();
}

} // namespace attn::raise
