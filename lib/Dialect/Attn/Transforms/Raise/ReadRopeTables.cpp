//===- ReadRopeTables.cpp - A rotation by given cosines and sines ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no formula gives the angles, cosines and sines are what the program
// multiplies the input by: the last tensors on the way to the result that do
// not depend on the input. Each element of a row is read by itself; the tables'
// indices then tell how they belong to the elements.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// An element takes some ten nodes.
constexpr unsigned nodesOfElement = 100, maxDepth = 64, maxMoves = 8;

/// A number for all elements is a factor, and no table.
bool mayBeTable(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<linalg::FillOp, tensor::EmptyOp, tensor::SplatOp>(op))
    return false;
  auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return hasBlockElements(value) && !(elements && elements.isSplat());
}

class TableReader {
public:
  TableReader(Value result, Value input, RopeReading &rope, Rejection &why)
      : result(result), input(input), rope(rope), why(why),
        shape(cast<RankedTensorType>(result.getType()).getShape()),
        graph(result.getContext()),
        pull(graph, static_cast<unsigned>(nodesOfElement * shape.back())) {}

  bool read();

private:
  /// An element of the result: x cosine + sign partner sine. Of one that stays
  /// there is nothing.
  struct Turn {
    Expr cosine = nullptr, sine = nullptr;
    int64_t partner = -1;
    double sign = 0.0;
  };
  bool findTables(Value value, unsigned depth);
  Expr openSlices(Expr load);
  bool addTerm(Expr term, int64_t element, Turn &turn);
  std::optional<Turn> readElement(int64_t element);
  bool readPairs();
  bool readTurns();
  std::optional<RopeTable> readTable(ArrayRef<Expr> loads) const;
  std::optional<RopeTable> findTable(SmallVector<Expr> loads);
  bool readSpread(ArrayRef<int64_t> places, RopeTable &table) const;
  bool readRows();

  Value result, input;
  RopeReading &rope;
  Rejection &why;
  ArrayRef<int64_t> shape;
  ExprGraph graph;
  PullThrough pull;
  SmallVector<AffineExpr> place; // of the row
  llvm::DenseMap<Value, bool> dependent;
  SmallVector<Expr> cosines, sines; // by element
};

/// Whether `value` depends on the input. Where an operation does, its operands
/// that do not are leaves.
bool TableReader::findTables(Value value, unsigned depth) {
  if (value == input)
    return true;
  auto [it, isNew] = dependent.try_emplace(value, false);
  if (!isNew || depth > maxDepth)
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op || isContraction(value) ||
      !isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect>(
          op->getDialect()))
    return false;
  SmallVector<Value> parts;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()) &&
          !(structured && inner == op && structured.isDpsInit(&operand)))
        parts.push_back(operand.get());
  });
  SmallVector<Value> others;
  for (Value part : parts)
    if (!findTables(part, depth + 1))
      others.push_back(part);
  if (others.size() == parts.size())
    return false;
  for (Value other : others)
    if (mayBeTable(other))
      pull.stopAt(other);
  return dependent[value] = true;
}

/// What slices of the input load.
Expr TableReader::openSlices(Expr load) {
  while (load->is(ExprKind::Load) && dependent.lookup(load->tensor)) {
    auto slice = load->tensor.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
        ShapedType::isDynamicShape(slice.getStaticStrides()))
      break;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<AffineExpr> indices;
    auto next = load->indices.begin();
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      AffineExpr local =
          dropped[dim] ? getAffineConstantExpr(0, graph.getContext()) : *next++;
      indices.push_back(graph.simplifyIndex(local * stride + offset));
    }
    load = pull.pull(slice.getSource(), indices);
  }
  return load;
}

/// A term is an element of the input's row, times a number of a table.
bool TableReader::addTerm(Expr term, int64_t element, Turn &turn) {
  double sign = 1.0;
  Expr own = nullptr, table = nullptr;
  for (Expr factor : ExprGraph::getFactors(term)) {
    factor = openSlices(factor);
    if (factor->is(ExprKind::Constant))
      sign *= factor->number;
    else if (factor->is(ExprKind::Load) && !own && factor->tensor == input)
      own = factor;
    else if (factor->is(ExprKind::Load) && !table &&
             isa<RankedTensorType>(factor->tensor.getType()))
      table = factor;
    else
      return false;
  }
  auto index = own ? dyn_cast<AffineConstantExpr>(own->indices.back())
                   : AffineConstantExpr();
  if (!index || ArrayRef(own->indices).drop_back() != ArrayRef(place))
    return false;
  int64_t other = rope.getElement(index.getValue(), shape.back());
  if (other == element) {
    bool isFirst = !turn.cosine && sign == 1.0;
    turn.cosine = table ? table : own;
    return isFirst;
  }
  bool isFirst = !turn.sine && table && std::abs(sign) == 1.0;
  turn.sine = table;
  turn.partner = other;
  turn.sign = sign;
  return isFirst;
}

std::optional<TableReader::Turn> TableReader::readElement(int64_t element) {
  SmallVector<AffineExpr> indices(place);
  indices.push_back(getAffineConstantExpr(element, graph.getContext()));
  Expr y = pull.pull(result, indices);
  Turn turn;
  for (Expr term : ExprGraph::getTerms(y))
    if (!addTerm(term, element, turn))
      return std::nullopt;
  bool stays = turn.cosine && turn.cosine->tensor == input;
  if (!turn.cosine || stays != !turn.sine)
    return std::nullopt;
  return stays ? Turn() : turn;
}

/// The partner of the first element tells how pairs lie.
bool TableReader::readPairs() {
  std::optional<Turn> first = readElement(0);
  if (!first || first->partner < 0)
    return false;
  bool isInterleaved = first->partner == 1 && shape.back() > 2;
  rope.pairs = isInterleaved ? PairLayout::Interleaved : PairLayout::HalfSplit;
  rope.rotated = 2 * first->partner;
  for (; isInterleaved && rope.rotated + 1 < shape.back(); rope.rotated += 2) {
    std::optional<Turn> next = readElement(rope.rotated);
    if (!next || next->partner < 0)
      break;
  }
  return hasPairs(rope, shape.back()) ||
         why.reject(3, "the pairs are neither neighbours nor halves");
}

bool TableReader::readTurns() {
  bool isInterleaved = rope.pairs == PairLayout::Interleaved;
  for (int64_t j : llvm::seq(shape.back())) {
    std::optional<Turn> turn = readElement(j);
    if (!turn)
      return why.reject(3, "an element is not the sum of two of its row, times "
                           "a cosine and a sine");
    if (j >= rope.rotated) {
      if (turn->partner >= 0)
        return why.reject(3, "the pairs are neither neighbours nor halves");
      continue;
    }
    int64_t distance = isInterleaved ? 1 : rope.rotated / 2;
    bool isFirst = j % (2 * distance) < distance;
    if (turn->partner != (isFirst ? j + distance : j - distance))
      return why.reject(3, "the pairs are neither neighbours nor halves");
    bool turnsBack = turn->sign != (isFirst ? -1.0 : 1.0);
    if (j == 0)
      rope.turnsBack = turnsBack;
    if (turnsBack != rope.turnsBack)
      return why.reject(4, "its elements do not all turn the same way");
    cosines.push_back(turn->cosine);
    sines.push_back(turn->sine);
  }
  return true;
}

/// The numbers of elements lie at `places` along one dimension.
bool TableReader::readSpread(ArrayRef<int64_t> places, RopeTable &table) const {
  int64_t count = static_cast<int64_t>(places.size());
  auto matches = [&](TableSpread spread, auto number) {
    int64_t second = 1;
    while (second < count && number(second) == 0)
      ++second;
    table.stride = second < count ? places[second] - places[0] : 1;
    table.spread = spread;
    for (int64_t j = 0; j < count; ++j)
      if (places[j] != places[0] + table.stride * number(j))
        return false;
    return table.stride > 0;
  };
  return matches(TableSpread::Each, [](int64_t j) { return j; }) ||
         matches(TableSpread::Halves,
                 [&](int64_t j) { return j % (count / 2); }) ||
         matches(TableSpread::Neighbours, [](int64_t j) { return j / 2; });
}

std::optional<RopeTable> TableReader::readTable(ArrayRef<Expr> loads) const {
  RopeTable table;
  table.tensor = loads[0]->tensor;
  bool hasElements = false;
  for (unsigned dim = 0, rank = loads[0]->indices.size(); dim < rank; ++dim) {
    AffineExpr index = loads[0]->indices[dim];
    table.along.push_back(-1);
    table.offsets.push_back(0);
    if (auto variable = llvm::find(place, index);
        isa<AffineDimExpr>(index) && variable != place.end()) {
      table.along.back() = variable - place.begin();
      if (llvm::any_of(loads,
                       [&](Expr x) { return x->indices[dim] != index; }) ||
          !haveEqualSize(table.tensor, dim, result, table.along.back()))
        return std::nullopt;
      continue;
    }
    SmallVector<int64_t> places;
    for (Expr load : loads) {
      auto constant = dyn_cast<AffineConstantExpr>(load->indices[dim]);
      if (!constant)
        return std::nullopt;
      places.push_back(constant.getValue());
    }
    table.offsets.back() = places[0];
    if (llvm::all_equal(places))
      continue;
    if (hasElements || !readSpread(places, table))
      return std::nullopt;
    hasElements = true;
    table.elementDim = dim;
  }
  // Rows come before elements, and the first dimension before rows.
  int64_t last = -1;
  for (auto [dim, along] : llvm::enumerate(table.along)) {
    if (along >= 0 && (along < last || dim > table.elementDim))
      return std::nullopt;
    last = std::max(last, along);
  }
  return hasElements ? std::optional(table) : std::nullopt;
}

/// The table farthest up, before what only moves its numbers.
std::optional<RopeTable> TableReader::findTable(SmallVector<Expr> loads) {
  std::optional<RopeTable> table;
  for (unsigned i = 0; i < maxMoves; ++i) {
    Value tensor = loads[0]->tensor;
    if (llvm::any_of(loads, [&](Expr x) { return x->tensor != tensor; }))
      break;
    if (std::optional<RopeTable> next = readTable(loads))
      table = next;
    for (Expr &load : loads) {
      std::optional<Element> source =
          pull.step({tensor, llvm::to_vector(load->indices)});
      if (!source || !hasBlockElements(source->tensor))
        return table;
      load = graph.load(source->tensor, source->indices);
    }
  }
  return table;
}

/// The dimension of rows is the one that tables run along, beside the first.
bool TableReader::readRows() {
  auto getDims = [](const RopeTable &table) {
    SmallVector<int64_t> dims;
    llvm::copy_if(table.along, std::back_inserter(dims),
                  [](int64_t dim) { return dim >= 0; });
    return dims;
  };
  SmallVector<int64_t> dims = getDims(*rope.cosines);
  if (dims != getDims(*rope.sines) ||
      getElementTypeOrSelf(rope.cosines->tensor) !=
          getElementTypeOrSelf(rope.sines->tensor))
    return why.reject(4, "its cosines do not lie as its sines do");
  if (getElementTypeOrSelf(rope.cosines->tensor).isF64() &&
      !getElementTypeOrSelf(result).isF64())
    return why.reject(4, "its products are computed in f64, the op's in f32");
  if (dims.size() > 2 || (dims.size() == 2 && dims[0] != 0))
    return why.reject(4, "its cosines and sines differ along another dimension "
                         "than the first and that of the rows");
  if (!dims.empty()) {
    rope.rowDim = dims.back();
    return true;
  }
  rope.rowDim = static_cast<int64_t>(shape.size()) - 2;
  while (rope.rowDim >= 0 && shape[rope.rowDim] != 1)
    --rope.rowDim;
  return rope.rowDim >= 0 || why.reject(4, "all rows turn alike");
}

bool TableReader::read() {
  if (shape.size() < 2 || ShapedType::isDynamic(shape.back()) ||
      shape.back() < 2)
    return false;
  pull.stopAt(input);
  findTables(result, 0);
  for (int64_t size : shape.drop_back())
    place.push_back(graph.addIndex(size));
  if (!readPairs() || !readTurns())
    return false;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!haveEqualSize(result, dim, input, dim))
      return why.reject(4, "the sizes of input and result may differ");
  rope.cosines = findTable(cosines);
  rope.sines = findTable(sines);
  if (!rope.cosines || !rope.sines)
    return why.reject(4, "its cosines and sines are not those of one tensor "
                         "each");
  return readRows();
}

} // namespace

bool readRopeTables(Value result, Value input, RopeReading &rope,
                    Rejection &why) {
  return TableReader(result, input, rope, why).read();
}

} // namespace attn::raise
