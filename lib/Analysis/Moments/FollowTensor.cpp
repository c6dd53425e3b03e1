//===- FollowTensor.cpp - Constants, slices, reshapes ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The numbers of an attribute, in order. Nothing for other types.
static std::optional<std::vector<double>> readNumbers(ElementsAttr elements) {
  std::vector<double> numbers;
  Type element = elements.getElementType();
  if (isa<FloatType>(element)) {
    auto range = elements.tryGetValues<APFloat>();
    if (!range)
      return std::nullopt;
    for (const APFloat &number : *range)
      numbers.push_back(FloatAttr::getValueAsDouble(number));
    return numbers;
  }
  auto range = elements.tryGetValues<APInt>();
  if (!isa<IntegerType, IndexType>(element) || !range)
    return std::nullopt;
  for (const APInt &number : *range)
    numbers.push_back(element.isInteger(1) ? number.getZExtValue()
                                           : number.getSExtValue());
  return numbers;
}

/// E x_I x_J over pairs that differ in one dimension only, of `size` indices
/// that lie `stride` apart.
static double measureCross(ArrayRef<double> numbers, int64_t size,
                           int64_t stride) {
  double total = 0.0;
  for (size_t first = 0; first < numbers.size(); ++first) {
    if (first / stride % size != 0)
      continue;
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < size; ++i) {
      double number = numbers[first + i * stride];
      sum += number;
      squares += number * number;
    }
    total += sum * sum - squares;
  }
  return total / (double(numbers.size()) * (size - 1));
}

/// Numbers with what was measured of a dense constant.
static Expr measure(Engine &engine, ArrayRef<double> numbers,
                    ArrayRef<int64_t> shape) {
  double mean = 0.0, second = 0.0;
  for (double number : numbers) {
    mean += number / numbers.size();
    second += number * number / numbers.size();
  }
  Source source{Shape::Normal, mean, atLeastZero(second - mean * mean)};
  SmallVector<int> dims;
  int64_t stride = numbers.size();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    stride /= size;
    if (size == 1)
      continue;
    dims.push_back(dim);
    double cross = measureCross(numbers, size, stride);
    source.correlations.push_back(
        correlate(cross - mean * mean, source.variance));
  }
  return engine.graph.draw(std::move(source), dims);
}

/// first, first + step, ... along one dimension.
Expr Follower::readPositions(ArrayRef<double> numbers,
                             ArrayRef<int64_t> shape) {
  double first = numbers[0], step = numbers.size() > 1 ? numbers[1] - first : 0;
  int along = kNoDim;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == int64_t(numbers.size()))
      along = dim;
  if (along == kNoDim || numbers.size() < 3)
    return nullptr;
  for (auto [i, number] : llvm::enumerate(numbers))
    if (number != first + step * i)
      return nullptr;
  return engine.graph.affine(first, step, getIndex(along, numbers.size()));
}

/// A causal mask written out: one number up to a diagonal, another beyond.
Expr Follower::readTriangle(ArrayRef<double> numbers, ArrayRef<int64_t> shape) {
  if (shape.size() < 2)
    return nullptr;
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  if (rows < 2 || columns < 2)
    return nullptr;
  double visible = numbers[0], hidden = numbers[columns - 1];
  int64_t first = llvm::find(numbers, hidden) - numbers.begin();
  if (visible == hidden || first >= columns)
    return nullptr;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    int64_t column = int64_t(i) % columns, row = int64_t(i) / columns % rows;
    if (number != (column < row + first ? visible : hidden))
      return nullptr;
  }
  int rank = shape.size();
  Graph &graph = engine.graph;
  Expr isVisible =
      graph.apply(Fn::Compare,
                  {getIndex(rank - 1, columns),
                   graph.affine(first, 1.0, getIndex(rank - 2, rows))},
                  unsigned(arith::CmpFPredicate::OLT));
  return graph.apply(
      Fn::Select, {isVisible, graph.constant(visible), graph.constant(hidden)});
}

Expr Follower::readConstant(Attribute attribute) {
  Graph &graph = engine.graph;
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return graph.constant(number.getValueAsDouble());
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return graph.constant(number.getType().isInteger(1)
                              ? double(number.getValue().getZExtValue())
                              : double(number.getValue().getSExtValue()));
  auto elements = dyn_cast<ElementsAttr>(attribute);
  if (!elements)
    return nullptr;
  if (elements.isSplat()) {
    if (isa<FloatType>(elements.getElementType()))
      return readConstant(elements.getSplatValue<FloatAttr>());
    return readConstant(elements.getSplatValue<IntegerAttr>());
  }
  std::optional<std::vector<double>> numbers = readNumbers(elements);
  if (!numbers || numbers->empty())
    return nullptr;
  ArrayRef<int64_t> shape = elements.getShapedType().getShape();
  // Two kinds of numbers, one of them infinite, or truth values: a mask.
  double low = numbers->front(), high = low;
  for (double number : *numbers)
    low = std::min(low, number), high = std::max(high, number);
  bool isMask = !std::isfinite(low) || !std::isfinite(high) ||
                elements.getElementType().isInteger(1);
  if (!isMask) {
    if (Expr positions = readPositions(*numbers, shape))
      return positions;
    return measure(engine, *numbers, shape);
  }
  for (double number : *numbers)
    if (number != low && number != high)
      return nullptr;
  if (Expr mask = readTriangle(*numbers, shape))
    return mask;
  engine.assume("the entries of a constant mask are independent of each other");
  double share = llvm::count(*numbers, high) / double(numbers->size());
  SmallVector<int> dims;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      dims.push_back(dim);
  return graph.apply(Fn::Select, {chance(share, dims), graph.constant(high),
                                  graph.constant(low)});
}

Expr Follower::chance(double probability, ArrayRef<int> dims) {
  Graph &graph = engine.graph;
  if (probability < 1e-6 || probability > 1.0 - 1e-6)
    return graph.constant(probability > 0.5 ? 1.0 : 0.0);
  Source source{Shape::Normal, 0.0, 1.0};
  source.correlations.assign(dims.size(), 0.0);
  // A normal number lies below its quantile that often.
  return graph.apply(Fn::Compare,
                     {graph.draw(std::move(source), dims),
                      graph.constant(normalQuantile(probability))},
                     unsigned(arith::CmpFPredicate::OLT));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Some elements of a constant, `size` along each dimension that is not
/// dropped.
Expr Follower::readPart(Value source, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> strides,
                        const llvm::SmallBitVector &dropped) {
  DenseElementsAttr all;
  constexpr int64_t kMaxElements = 1 << 16;
  if (!matchPattern(source, m_Constant(&all)) || all.isSplat())
    return nullptr;
  SmallVector<int64_t> positions{0}, shape;
  for (auto [dim, extent] : llvm::enumerate(all.getType().getShape())) {
    std::optional<int64_t> offset = getIndex(offsets[dim]),
                           size = getIndex(sizes[dim]),
                           stride = getIndex(strides[dim]);
    if (!offset || !size || !stride || *offset < 0 || *size < 1 ||
        *offset + (*size - 1) * *stride >= extent ||
        int64_t(positions.size()) * *size > kMaxElements)
      return nullptr;
    SmallVector<int64_t> next;
    for (int64_t position : positions)
      for (int64_t i = 0; i < *size; ++i)
        next.push_back(position * extent + *offset + i * *stride);
    positions = std::move(next);
    if (!dropped.test(dim))
      shape.push_back(*size);
  }
  auto values = all.getValues<Attribute>();
  return readConstant(DenseElementsAttr::get(
      RankedTensorType::get(shape, all.getElementType()),
      llvm::map_to_vector(positions,
                          [&](int64_t i) -> Attribute { return values[i]; })));
}

/// Different slices of a tensor have different elements.
Expr Follower::followSlice(tensor::ExtractSliceOp slice) {
  SmallVector<int> dims;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (Expr part =
          readPart(slice.getSource(), slice.getMixedOffsets(),
                   slice.getMixedSizes(), slice.getMixedStrides(), dropped))
    return part;
  std::vector<int64_t> key;
  int next = 0;
  for (unsigned i = 0; i < dropped.size(); ++i) {
    dims.push_back(dropped.test(i) ? kNoDim : next++);
    std::optional<int64_t> offset = getIndex(slice.getMixedOffsets()[i]);
    std::optional<int64_t> size = getIndex(slice.getMixedSizes()[i]);
    key.push_back(offset.value_or(-1));
    key.push_back(size.value_or(-1));
    // What is not known differs between iterations.
    if (!offset) {
      key.push_back(reinterpret_cast<intptr_t>(slice.getOperation()));
      key.push_back(epoch);
    }
  }
  Expr expr = view(slice.getSource(), dims);
  if (!expr || slice.getSourceType() == slice.getResultType())
    return expr;
  return engine.graph.replaceDraws(expr, [&](Expr draw) -> Expr {
    if (draw->source->shape == Shape::Index)
      return draw;
    const Source *&part = slices[{draw->source, key}];
    if (!part)
      part = engine.graph.addSource(*draw->source);
    return engine.graph.draw(part, draw->dims);
  });
}

Expr Follower::followShapeOp(Operation *op) {
  Expr source = op->getNumOperands() > 0 ? lookup(op->getOperand(0)) : nullptr;
  return TypeSwitch<Operation *, Expr>(op)
      .Case<tensor::CastOp, tensor::SplatOp>([&](auto) { return source; })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return source ? reshape(source, getSizes(collapse.getSrc()),
                                collapse.getReassociationIndices(),
                                /*collapse=*/true)
                      : nullptr;
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return source ? reshape(source, getSizes(expand.getResult()),
                                expand.getReassociationIndices(),
                                /*collapse=*/false)
                      : nullptr;
      })
      .Case([&](tensor::ExtractSliceOp slice) { return followSlice(slice); })
      .Case([&](tensor::ExtractOp extract) {
        auto rank = unsigned(extract.getIndices().size());
        SmallVector<OpFoldResult> ones(rank, Builder(op).getIndexAttr(1));
        if (Expr element = readPart(
                extract.getTensor(), getAsOpFoldResult(extract.getIndices()),
                ones, ones, llvm::SmallBitVector(rank, true)))
          return element;
        return view(extract.getTensor(), SmallVector<int>(rank, kNoDim));
      })
      .Case([&](tensor::FromElementsOp elements) {
        // Equal elements, one in most cases.
        bool isSplat = llvm::all_equal(llvm::map_range(
            elements.getElements(), [&](Value e) { return lookup(e); }));
        return isSplat ? source : nullptr;
      })
      .Case([&](tensor::PadOp pad) -> Expr {
        Value filler = pad.getConstantPaddingValue();
        Expr outside = filler ? lookup(filler) : nullptr;
        Attribute constant;
        if (filler && !outside && matchPattern(filler, m_Constant(&constant)))
          outside = readConstant(constant);
        if (!source || !outside)
          return nullptr;
        return mix(source, outside,
                   getCount(pad.getSource()) / getCount(pad.getResult()),
                   pad.getResultType().getRank());
      })
      .Case([&](tensor::InsertSliceOp insert) { return followInsert(insert); })
      .Case([&](tensor::ConcatOp concat) { return followConcat(concat); })
      .Case([&](tensor::GenerateOp generate) {
        Scope body;
        SmallVector<int64_t> sizes = getSizes(generate);
        SmallVector<double> extents(sizes.begin(), sizes.end());
        for (auto [dim, argument] :
             llvm::enumerate(generate.getBody().getArguments()))
          body[argument] = getIndex(dim, extents[dim]);
        return followBody(generate.getBody().front(), body, extents);
      })
      .Default([](Operation *) { return nullptr; });
}

Expr Follower::followInsert(tensor::InsertSliceOp insert) {
  SmallVector<int> dims;
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  for (unsigned i = 0; i < dropped.size(); ++i)
    if (!dropped.test(i))
      dims.push_back(i);
  Expr inside = view(insert.getSource(), dims);
  Expr outside = lookup(insert.getDest());
  if (!inside || (!outside && !undefined.contains(insert.getDest())))
    return nullptr;
  double share = getCount(insert.getSource()) / getCount(insert.getDest());
  return outside ? mix(inside, outside, share, insert.getResultType().getRank())
                 : inside;
}

Expr Follower::followConcat(tensor::ConcatOp concat) {
  Expr all = nullptr;
  double count = 0.0;
  for (Value input : concat.getInputs()) {
    Expr part = lookup(input);
    if (!part)
      return nullptr;
    double size = getCount(input);
    count += size;
    all = all ? mix(part, all, size / count, concat.getRank()) : part;
  }
  return all;
}

Expr Follower::followTensorOp(Operation *op) {
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return readConstant(constant);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index ? engine.graph.constant(getSize(dim.getSource(), *index))
                 : nullptr;
  }
  if (Expr moved = followShapeOp(op))
    return moved;
  SmallVector<Expr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand));
  return followScalar(op, operands);
}

} // namespace attn::moments
