//===- RaiseLinear.cpp - Products with weights become attn.linear ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from contractions with a matrix that is a parameter, and reads what is
// around them: transposes of the weight, rows that were collapsed for the
// product, the bias.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISELINEARPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

constexpr unsigned nodeBudget = 2000;
/// How far the result is followed behind the contraction: the bias, a rounding,
/// rows that are split again.
constexpr unsigned maxRoots = 5;

struct LinearReading {
  Value input, weight, bias; // bias or null
  WeightLayout layout = WeightLayout::InOut;
  Parameterisation parameterisation = Parameterisation::Standard;
};

/// Whether the value is what training sets: it comes from an argument or a
/// constant without a product of tensors.
bool isParameter(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<InitOp>(op))
    return true;
  if (depth > 8 || isContraction(value) ||
      isa_and_nonnull<AttnDialect>(op->getDialect()))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) ||
           isParameter(operand, depth + 1);
  });
}

class LinearReader {
public:
  /// Where it `widens`, operands are those that were made wider for the sum.
  LinearReader(OpResult contraction, Value root, bool widens,
               LinearReading &linear, Rejection &why)
      : contraction(contraction), root(root), widens(widens), linear(linear),
        why(why), graph(contraction.getContext()), pull(graph, nodeBudget) {}

  bool read();

private:
  Expr open(Expr load);
  bool readProduct(Expr product);
  bool readFactor(double factor, int64_t fanIn);
  bool readTypes();
  SmallVector<Expr> findMoves(Expr load);
  Value findWhole(Expr load, ArrayRef<AffineExpr> indices);
  Value findWeight(Expr load, AffineExpr k);
  /// The result's indices with `last` in place of the last one.
  SmallVector<AffineExpr> getRowsAnd(AffineExpr last) const {
    SmallVector<AffineExpr> indices(result);
    indices.back() = last;
    return indices;
  }

  OpResult contraction;
  Value root;
  bool widens;
  LinearReading &linear;
  Rejection &why;
  ExprGraph graph;
  PullThrough pull;
  SmallVector<AffineExpr> result;
};

/// The contraction's element, in terms of its own operands.
Expr LinearReader::open(Expr load) {
  return pull.expand(contraction, load->indices,
                     [&](OpOperand &, Element element) {
                       return graph.load(element.tensor, element.indices);
                     });
}

/// Indices without those of sizes of 1, which a reshape adds and removes.
static SmallVector<AffineExpr> dropUnits(ArrayRef<AffineExpr> indices) {
  SmallVector<AffineExpr> rest;
  llvm::copy_if(indices, std::back_inserter(rest), [](AffineExpr index) {
    return !isa<AffineConstantExpr>(index);
  });
  return rest;
}

/// The loads of one element, from `load` on up to where data movement starts.
SmallVector<Expr> LinearReader::findMoves(Expr load) {
  SmallVector<Expr> moves;
  if (!isa<RankedTensorType>(load->tensor.getType()))
    return moves; // a scalar
  std::optional<Element> at =
      Element{load->tensor, llvm::to_vector(load->indices)};
  while (at) {
    moves.push_back(graph.load(at->tensor, at->indices));
    std::optional<Element> next = pull.step(*at);
    at = next || !widens ? next : pull.stepWidened(*at);
  }
  return moves;
}

/// The tensor farthest up whose elements at `indices`, sizes of 1 apart, the
/// load reads.
Value LinearReader::findWhole(Expr load, ArrayRef<AffineExpr> indices) {
  auto isStatic = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape();
  };
  Value found;
  for (Expr move : findMoves(load)) {
    bool isExact = ArrayRef(move->indices) == indices;
    bool isReshaped = !move->indices.empty() && isStatic(move->tensor) &&
                      isStatic(root) &&
                      dropUnits(move->indices) == dropUnits(indices);
    if ((isExact || isReshaped) && isOperand(graph, move))
      found = move->tensor;
  }
  return found;
}

/// The matrix farthest up; its layout is noted.
Value LinearReader::findWeight(Expr load, AffineExpr k) {
  AffineExpr n = result.back();
  AffineExpr inOut[] = {k, n}, outIn[] = {n, k};
  Value found;
  for (Expr move : findMoves(load)) {
    bool isInOut = ArrayRef(move->indices) == ArrayRef(inOut);
    if ((!isInOut && ArrayRef(move->indices) != ArrayRef(outIn)) ||
        !isOperand(graph, move))
      continue;
    found = move->tensor;
    linear.layout = isInOut ? WeightLayout::InOut : WeightLayout::OutIn;
  }
  return found;
}

/// The product may be divided by the root of the fan-in.
bool LinearReader::readFactor(double factor, int64_t fanIn) {
  if (factor == 1.0)
    return true;
  bool isWide = getElementTypeOrSelf(root.getType()).isF64();
  if (!ShapedType::isDynamic(fanIn) &&
      std::abs(factor * std::sqrt(static_cast<double>(fanIn)) - 1.0) <=
          (isWide ? 0x1p-51 : 0x1p-22)) {
    linear.parameterisation = Parameterisation::Ntk;
    return true;
  }
  return why.reject(4, "the product has the factor " +
                           llvm::formatv("{0:f6}", factor).str());
}

/// sum_k x[rows, k] w[k, n], by a factor.
bool LinearReader::readProduct(Expr product) {
  double factor = 1.0;
  Expr sum = nullptr;
  for (Expr part : ExprGraph::getFactors(product)) {
    if (part->is(ExprKind::Constant))
      factor *= part->number;
    else if (!sum && part->is(ExprKind::Reduce) &&
             part->getReduction() == Reduction::Add)
      sum = part;
    else
      return why.reject(4, "the product has a factor that is not constant");
  }
  if (!sum)
    return why.reject(1, "there is no sum of products");
  unsigned variable = graph.addVariable(graph.getExtent(sum->variable));
  AffineExpr k = graph.getIndex(variable);
  Expr body = graph.open(sum, variable);
  ArrayRef<Expr> operands = ExprGraph::getFactors(body);
  if (operands.size() != 2 || !operands[0]->is(ExprKind::Load) ||
      !operands[1]->is(ExprKind::Load))
    return why.reject(1, "the contraction has more than one summed dimension, "
                         "or other operands than two tensors");
  for (bool swapped : {false, true}) {
    Value weight = findWeight(operands[!swapped], k);
    if (!weight || !isParameter(weight))
      continue;
    linear.weight = weight;
    linear.input = findWhole(operands[swapped], getRowsAnd(k));
    if (!linear.input)
      return why.reject(3,
                        "the rows of the result are not those of one tensor");
    return readFactor(factor, graph.getExtent(variable));
  }
  return why.reject(1, "no operand is a matrix of weights");
}

bool LinearReader::readTypes() {
  Type element = getElementTypeOrSelf(linear.input.getType());
  bool isNarrow = isa<Float16Type, BFloat16Type>(element);
  auto fits = [&](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return type == element || (isNarrow && type.isF32());
  };
  if (!hasBlockElements(linear.input) ||
      getElementTypeOrSelf(linear.weight.getType()) != element || !fits(root) ||
      (linear.bias && !fits(linear.bias)))
    return why.reject(5, "input, weight, bias and result have element types "
                         "that do not go together");
  if (getElementTypeOrSelf(contraction.getType()).isF64() && !element.isF64())
    return why.reject(5, "the sum is computed in f64, the layer's in f32");
  return true;
}

bool LinearReader::read() {
  result = addIndices(graph, root);
  if (result.empty())
    return why.reject(0, "the result is one number");
  // The contraction is a leaf of the root's expression; open it.
  Expr outer =
      root == contraction ? graph.load(root, result) : pull.pull(root, result);
  SmallVector<Expr> terms, rest;
  for (Expr term : ExprGraph::getTerms(outer)) {
    SmallVector<Expr> factors(ExprGraph::getFactors(term));
    for (Expr &factor : factors)
      if (factor->is(ExprKind::Load) && factor->tensor == contraction &&
          !(factor = open(factor)))
        return why.reject(1, "the contraction has an unknown form");
    llvm::append_range(terms, ExprGraph::getTerms(graph.product(factors)));
  }
  Expr product = nullptr;
  for (Expr term : terms) {
    bool isProduct = llvm::any_of(ExprGraph::getFactors(term), [](Expr factor) {
      return factor->is(ExprKind::Reduce);
    });
    if (isProduct && !product)
      product = term;
    else
      rest.push_back(term);
  }
  if (!product || !readProduct(product))
    return false;
  Expr bias = graph.sum(rest);
  if (!bias->isConstant(0.0)) {
    if (bias->is(ExprKind::Load))
      linear.bias = findWhole(bias, result.back());
    if (!linear.bias)
      return why.reject(4, "what is added is no vector with one number for "
                           "each column");
  }
  return readTypes();
}

/// `value` with sizes of 1 where `shape` has them.
Value moveUnits(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> stripped;
  llvm::copy_if(type.getShape(), std::back_inserter(stripped),
                [](int64_t size) { return size != 1; });
  if (type.getShape() != ArrayRef(stripped))
    value = tensor::CollapseShapeOp::create(
        builder, value.getLoc(), value,
        *getReassociationIndicesForCollapse(type.getShape(), stripped));
  if (shape == ArrayRef(stripped))
    return value;
  return tensor::ExpandShapeOp::create(
      builder, value.getLoc(), type.clone(shape), value,
      *getReassociationIndicesForCollapse(shape, stripped));
}

/// The input with its rows as `type` has them. Where sizes are dynamic, they
/// lie so already; else the summed size is the last one that is not 1.
Value alignRows(OpBuilder &builder, Value input, RankedTensorType type) {
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(input.getType()).getShape();
  if (ShapedType::isDynamicShape(sizes) || !type.hasStaticShape())
    return input;
  auto depth = llvm::find_if(llvm::reverse(sizes),
                             [](int64_t size) { return size != 1; });
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = *depth;
  return moveUnits(builder, input, shape);
}

Value build(Value root, LinearReading &linear) {
  OpBuilder builder(root.getDefiningOp());
  Location loc = root.getLoc();
  auto type = cast<RankedTensorType>(root.getType());
  linear.input = alignRows(builder, linear.input, type);
  if (linear.bias)
    linear.bias = moveUnits(builder, linear.bias, type.getShape().back());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, linear.input);
  sizes.back() =
      tensor::getMixedSize(builder, loc, linear.weight,
                           linear.layout == WeightLayout::InOut ? 1 : 0);
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  Value result =
      LinearOp::create(builder, loc, init.getType(), linear.input,
                       linear.weight, linear.bias, /*extras=*/ValueRange(),
                       init, linear.parameterisation, linear.layout,
                       /*schedule=*/ContractionScheduleAttr())
          .getResult();
  return result.getType() == type
             ? result
             : tensor::CastOp::create(builder, loc, type, result).getResult();
}

void raiseContraction(OpResult contraction) {
  Rejection why;
  SmallVector<Value> roots = findRoots(contraction, maxRoots);
  for (bool widens : {true, false})
    for (Value root : llvm::reverse(roots)) {
      LinearReading linear;
      if (!LinearReader(contraction, root, widens, linear, why).read())
        continue;
      Remark(RemarkId::RaisedToLinear,
             {{"bias", linear.bias ? " with bias" : ""}})
          .emit(contraction.getLoc());
      root.replaceAllUsesWith(build(root, linear));
      return;
    }
  // Below, no operand is a matrix of weights: another product.
  if (why.progress >= 3)
    Remark(RemarkId::LinearNotRaised, {{"reason", why.reason}})
        .emit(contraction.getLoc());
}

class RaiseLinearPass : public impl::RaiseLinearPassBase<RaiseLinearPass> {
public:
  void runOnOperation() override {
    SmallVector<OpResult> contractions;
    visitFromLast(getOperation(), [&](Operation *op) {
      if (isa<linalg::LinalgOp>(op) && op->getNumResults() == 1 &&
          isContraction(op->getResult(0)))
        contractions.push_back(op->getResult(0));
    });
    for (OpResult contraction : llvm::reverse(contractions))
      raiseContraction(contraction);
    visitFromLast(getOperation(), [](Operation *) {});
  }
};

} // namespace
} // namespace attn::raise
