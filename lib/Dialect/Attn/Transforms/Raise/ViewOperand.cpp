//===- ViewOperand.cpp - Operands as views of what they were copied from --===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks project to query, key and value at once, transpose the packed
// tensor and slice it. An attention reads strided views, so a slice of the
// packed tensor itself serves it, without the transposed copy.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// A dimension of the expanded tensor: `extent` of its `size` elements are
/// read, from `offset` on, by `index`, which is a variable or 0.
struct Part {
  int64_t size, offset, extent;
  AffineExpr index;
};

/// A variable and what it is multiplied with.
struct Digit {
  unsigned variable;
  int64_t factor;
};

/// A view that reads `source` at all values of some variables, each once.
class View {
public:
  View(const ExprGraph &graph, Element source)
      : graph(graph), source(std::move(source)) {}

  /// Whether the view exists; `variables` are those to be read.
  bool read(ArrayRef<unsigned> variables);
  /// Why it does not.
  StringRef getFault() const { return fault; }
  unsigned countUnits() const;
  /// The tensor that keeps `units` of its dimensions of size 1, and the indices
  /// of its elements.
  Element build(OpBuilder &builder, Location loc, unsigned units) const;

private:
  bool split(int64_t size, AffineExpr index, bool isLast);
  bool reject(StringRef reason) {
    fault = reason;
    return false;
  }
  Value expand(OpBuilder &builder, Location loc) const;

  const ExprGraph &graph;
  Element source;
  SmallVector<SmallVector<Part>> parts; // of each dimension of the source
  StringRef fault;
};

constexpr StringLiteral noSlice = "its elements are no slice of that";

/// Adds the terms of `index` to `digits` and `offset`.
bool collectDigits(AffineExpr index, int64_t factor,
                   SmallVectorImpl<Digit> &digits, int64_t &offset) {
  if (auto number = dyn_cast<AffineConstantExpr>(index)) {
    offset += factor * number.getValue();
    return true;
  }
  if (std::optional<unsigned> variable = ExprGraph::asVariable(index)) {
    digits.push_back({*variable, factor});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return false;
  if (index.getKind() == AffineExprKind::Add)
    return collectDigits(binary.getLHS(), factor, digits, offset) &&
           collectDigits(binary.getRHS(), factor, digits, offset);
  auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return index.getKind() == AffineExprKind::Mul && number &&
         collectDigits(binary.getLHS(), factor * number.getValue(), digits,
                       offset);
}

/// Splits a dimension so that each variable has one of its own. With n values
/// below it, a digit with factor n counts blocks of n, and the rest of the
/// index has to stay within one.
bool View::split(int64_t size, AffineExpr index, bool isLast) {
  SmallVector<Part> &dims = parts.emplace_back();
  if (ShapedType::isDynamic(size)) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    dims.push_back({size, 0, size, index});
    return (variable && ShapedType::isDynamic(graph.getExtent(*variable))) ||
           reject("a size of that is not known");
  }
  SmallVector<Digit> digits;
  int64_t offset = 0;
  if (!collectDigits(index, 1, digits, offset) || offset < 0)
    return reject(noSlice);
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.factor > b.factor;
  });
  for (const Digit &digit : digits) {
    int64_t extent = graph.getExtent(digit.variable);
    if (ShapedType::isDynamic(extent) || digit.factor < 1 ||
        size % digit.factor != 0)
      return reject(noSlice);
    Part part{size / digit.factor, offset / digit.factor, extent,
              graph.getIndex(digit.variable)};
    if (part.offset + extent > part.size)
      return reject(noSlice);
    dims.push_back(part);
    offset %= digit.factor;
    size = digit.factor;
  }
  if (offset >= size)
    return reject(noSlice);
  if (size == 1 && !dims.empty())
    return true;
  dims.push_back(
      {size, offset, 1, getAffineConstantExpr(0, index.getContext())});
  // Elements that are not side by side are dear to load.
  return size == 1 || !isLast ||
         reject("elements of a row do not lie side by side there");
}

bool View::read(ArrayRef<unsigned> variables) {
  auto type = dyn_cast<RankedTensorType>(source.tensor.getType());
  if (!type)
    return reject(noSlice);
  parts.clear();
  for (auto [i, index] : llvm::enumerate(source.indices))
    if (!split(type.getDimSize(i), index, i + 1 == source.indices.size()))
      return false;
  SmallVector<unsigned> found;
  for (ArrayRef<Part> dims : parts)
    for (const Part &part : dims)
      if (auto variable = ExprGraph::asVariable(part.index))
        found.push_back(*variable);
  llvm::sort(found);
  return ArrayRef(found) == variables || reject(noSlice);
}

unsigned View::countUnits() const {
  unsigned count = 0;
  for (ArrayRef<Part> dims : parts)
    count += llvm::count_if(dims, [](const Part &part) {
      return !ExprGraph::asVariable(part.index);
    });
  return count;
}

Value View::expand(OpBuilder &builder, Location loc) const {
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  for (ArrayRef<Part> dims : parts) {
    ReassociationIndices &group = groups.emplace_back();
    for (const Part &part : dims) {
      group.push_back(shape.size());
      shape.push_back(part.size);
    }
  }
  if (shape.size() == groups.size())
    return source.tensor;
  auto type = RankedTensorType::get(
      shape, getElementTypeOrSelf(source.tensor.getType()));
  return tensor::ExpandShapeOp::create(builder, loc, type, source.tensor,
                                       groups);
}

Element View::build(OpBuilder &builder, Location loc, unsigned units) const {
  Element view{expand(builder, loc), {}};
  SmallVector<OpFoldResult> offsets, sizes,
      allSizes = tensor::getMixedSizes(builder, loc, view.tensor);
  SmallVector<int64_t> shape;
  unsigned surplus = countUnits() - units;
  for (ArrayRef<Part> dims : parts) {
    for (const Part &part : dims) {
      offsets.push_back(builder.getIndexAttr(part.offset));
      sizes.push_back(ShapedType::isDynamic(part.extent)
                          ? allSizes[sizes.size()]
                          : builder.getIndexAttr(part.extent));
      if (!ExprGraph::asVariable(part.index) && surplus > 0) {
        --surplus;
        continue;
      }
      shape.push_back(part.extent);
      view.indices.push_back(part.index);
    }
  }
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  auto type =
      RankedTensorType::get(shape, getElementTypeOrSelf(view.tensor.getType()));
  view.tensor = tensor::ExtractSliceOp::create(builder, loc, type, view.tensor,
                                               offsets, sizes, strides);
  return view;
}

/// The element of a slice in what it was cut from. A size that is not known has
/// to be that of the whole dimension.
std::optional<Element> stepSlice(const Element &element) {
  auto slice = element.tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()))
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  Element source{slice.getSource(), {}};
  unsigned next = 0;
  for (auto [i, offset] : llvm::enumerate(slice.getStaticOffsets())) {
    int64_t stride = slice.getStaticStrides()[i];
    if (dropped[i]) {
      source.indices.push_back(
          getAffineConstantExpr(offset, slice.getContext()));
      continue;
    }
    if (ShapedType::isDynamic(slice.getStaticSizes()[i]) &&
        (offset != 0 || stride != 1 ||
         !haveEqualSize(slice.getResult(), next, source.tensor, i)))
      return std::nullopt;
    source.indices.push_back(element.indices[next++] * stride + offset);
  }
  return source;
}

/// Whether `tensor` is a part of what a structured op copied.
bool isSliceOfCopy(PullThrough &pull, Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !slice.getSource().getDefiningOp<linalg::LinalgOp>())
    return false;
  Value copy = slice.getSource();
  return pull.step(Element{copy, addIndices(pull.getGraph(), copy)})
      .has_value();
}

} // namespace

Expr viewOperand(OpBuilder &builder, PullThrough &pull, Expr load,
                 unsigned minUnits, StringRef &whyCopied) {
  ExprGraph &graph = pull.getGraph();
  Element start{load->tensor, addIndices(graph, load->tensor)};
  SmallVector<unsigned> variables;
  Substitution names;
  unsigned maxUnits = 0;
  for (auto [index, name] : llvm::zip_equal(start.indices, load->indices)) {
    maxUnits += isa<AffineConstantExpr>(name) ? 1 : 0;
    if (std::optional<unsigned> variable = ExprGraph::asVariable(index)) {
      variables.push_back(*variable);
      names[*variable] = name;
    }
  }
  std::optional<View> best;
  bool isCopy = false;
  for (std::optional<Element> at = start; at;) {
    Value tensor = at->tensor;
    std::optional<Element> source = pull.step(*at);
    bool isStep =
        source && isa_and_nonnull<linalg::LinalgOp>(tensor.getDefiningOp());
    isCopy |= isStep;
    at = source ? source : stepSlice(*at);
    if (!at) {
      if (isSliceOfCopy(pull, tensor))
        whyCopied = "how much of that a slice takes is not known";
      break;
    }
    for (AffineExpr &index : at->indices)
      index = graph.simplifyIndex(index);
    if (!isCopy)
      continue;
    View view(graph, *at);
    if (view.read(variables) && view.countUnits() >= minUnits) {
      best.emplace(std::move(view));
      whyCopied = {};
    } else if (isStep) {
      whyCopied =
          view.getFault().empty() ? StringRef(noSlice) : view.getFault();
    }
  }
  if (!best)
    return load;
  Element view = best->build(builder, load->tensor.getLoc(),
                             std::min(maxUnits, best->countUnits()));
  return graph.substitute(graph.load(view.tensor, view.indices), names);
}

} // namespace attn::raise
