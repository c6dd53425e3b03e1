//===- RaiseLinear.cpp - Products with weights become attn.linear ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from contractions with a matrix that is a parameter, and reads what is
// around them: transposes of the weight, rows that were collapsed for the
// product, the bias. Rows, columns and terms may be several dimensions each.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/LinearReading.h"
#include "attn/Dialect/Attn/Transforms/Raise/ReadMatrix.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
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
/// A weight is copied in another order at each call only where so many rows
/// use it.
constexpr int64_t fewRows = 16;

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

/// The variables of a product by what they are.
struct ProductDims {
  Variables rows, columns, terms;
};

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
  bool readOperands(Expr input, Expr weight, ArrayRef<unsigned> terms);
  std::optional<ProductDims> sortDims(Expr input, Expr weight,
                                      ArrayRef<unsigned> terms);
  bool readLayouts(Expr input, Expr weight, const ProductDims &dims);
  bool readFactor(double factor, int64_t fanIn);
  bool readTypes();
  SmallVector<Expr> findMoves(Expr load);
  bool findInput(Expr load, const ProductDims &dims);
  bool findWeight(Expr load, const ProductDims &dims);
  Value findBias(Expr load);
  bool orderInput(Expr load, const ProductDims &dims);
  bool orderWeight(Expr load, const ProductDims &dims);

  OpResult contraction;
  Value root;
  bool widens;
  LinearReading &linear;
  Rejection &why;
  ExprGraph graph;
  PullThrough pull;
  SmallVector<AffineExpr> result;
  Variables columns;
};

/// The contraction's element, in terms of its own operands.
Expr LinearReader::open(Expr load) {
  return pull.expand(contraction, load->indices,
                     [&](OpOperand &, Element element) {
                       return graph.load(element.tensor, element.indices);
                     });
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

/// The tensor farthest up with the rows, one dimension each, before the terms.
/// Sizes of 1 may be elsewhere than in the result where all are known.
bool LinearReader::findInput(Expr load, const ProductDims &dims) {
  auto isStatic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape();
  };
  bool found = false;
  for (Expr move : findMoves(load)) {
    std::optional<size_t> rows = splitDims(graph, move, dims.rows, dims.terms);
    if (!rows && dims.rows.empty() &&
        holds(graph, move, 0, move->indices.size(), dims.terms))
      rows = 0;
    if (!rows)
      continue;
    auto indices = ArrayRef(move->indices).take_front(*rows);
    SmallVector<AffineExpr> wanted;
    for (int64_t dim :
         ArrayRef(linear.resultOrder).take_front(linear.resultRows))
      wanted.push_back(result[dim]);
    bool isEach = llvm::all_of(indices, [](AffineExpr index) {
      return isa<AffineConstantExpr>(index) || ExprGraph::asVariable(index);
    });
    bool isReshaped = isStatic(move->tensor) && isStatic(root) && isEach;
    if (indices != ArrayRef(wanted) && !isReshaped)
      continue;
    LinearReading tried = linear;
    tried.input = move->tensor;
    tried.inputRows = *rows;
    if (!hasRowsOfResult(tried, cast<ShapedType>(root.getType()).getShape()))
      continue;
    linear = tried;
    found = true;
  }
  return found;
}

/// The matrix farthest up; its layout is noted.
bool LinearReader::findWeight(Expr load, const ProductDims &dims) {
  bool found = false;
  for (Expr move : findMoves(load)) {
    std::optional<size_t> inOut =
        splitDims(graph, move, dims.terms, dims.columns);
    std::optional<size_t> split =
        inOut ? inOut : splitDims(graph, move, dims.columns, dims.terms);
    if (!split || !isParameter(move->tensor))
      continue;
    linear.weight = move->tensor;
    linear.weightSplit = *split;
    linear.layout = inOut ? WeightLayout::InOut : WeightLayout::OutIn;
    found = true;
  }
  return found;
}

/// The tensor farthest up with one number for each column.
Value LinearReader::findBias(Expr load) {
  Value found;
  for (Expr move : findMoves(load))
    if (!move->indices.empty() &&
        holds(graph, move, 0, move->indices.size(), columns))
      found = move->tensor;
  return found;
}

/// The input's dimensions with the terms behind the rows.
bool LinearReader::orderInput(Expr load, const ProductDims &dims) {
  Variables all(dims.rows);
  all.append(dims.terms);
  std::optional<SmallVector<int64_t>> order = findOrder(graph, load, all);
  bool isStatic =
      cast<RankedTensorType>(load->tensor.getType()).hasStaticShape();
  if (!order || dims.terms.empty() ||
      (!isStatic && order->size() != all.size()))
    return false;
  linear.input = load->tensor;
  linear.inputOrder = *order;
  linear.inputRows = order->size() - dims.terms.size();
  return true;
}

/// The weight's dimensions with the columns behind the terms.
bool LinearReader::orderWeight(Expr load, const ProductDims &dims) {
  Variables all(dims.terms);
  all.append(dims.columns);
  std::optional<SmallVector<int64_t>> order = findOrder(graph, load, all);
  if (!order || dims.terms.empty() || dims.columns.empty() ||
      !isParameter(load->tensor))
    return false;
  linear.weight = load->tensor;
  linear.weightOrder = *order;
  linear.weightSplit = order->size() - dims.columns.size();
  linear.layout = WeightLayout::InOut;
  return true;
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

/// Rows are the result's variables that the input has, columns those that the
/// weight has, both as they lie there. Notes the result's order.
std::optional<ProductDims> LinearReader::sortDims(Expr input, Expr weight,
                                                  ArrayRef<unsigned> terms) {
  SmallVector<int64_t> rowDims, columnDims;
  ProductDims dims;
  // A matrix that is repeated for a batch does not have it.
  Expr source = findMoves(weight).back();
  DenseMap<unsigned, int64_t> dimOf;
  for (auto [dim, index] : llvm::enumerate(result)) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    if (!variable)
      continue;
    bool inInput = input->dependsOn(*variable);
    if (inInput == source->dependsOn(*variable))
      return std::nullopt;
    (inInput ? dims.rows : dims.columns).push_back(*variable);
    dimOf[*variable] = dim;
  }
  dims.rows = orderAsLoaded(input, dims.rows);
  dims.columns = orderAsLoaded(weight, dims.columns);
  for (unsigned variable : dims.rows)
    rowDims.push_back(dimOf[variable]);
  for (unsigned variable : dims.columns)
    columnDims.push_back(dimOf[variable]);
  // Sizes of 1 are rows as long as no column is before them.
  for (auto [dim, index] : llvm::enumerate(result)) {
    if (ExprGraph::asVariable(index))
      continue;
    bool isColumn = columnDims.empty() ? dim + 1 == result.size()
                                       : static_cast<int64_t>(dim) >
                                             *llvm::min_element(columnDims);
    SmallVector<int64_t> &kind = isColumn ? columnDims : rowDims;
    kind.insert(llvm::find_if(kind, [&, dim = static_cast<int64_t>(dim)](
                                        int64_t other) { return other > dim; }),
                dim);
  }
  if (columnDims.empty())
    return std::nullopt;
  linear.resultRows = rowDims.size();
  linear.resultOrder = rowDims;
  linear.resultOrder.append(columnDims);
  dims.terms.assign(terms.begin(), terms.end());
  return dims;
}

/// As they are, or by as few copies in another order as there can be.
bool LinearReader::readLayouts(Expr input, Expr weight,
                               const ProductDims &found) {
  ProductDims dims = found;
  for (Expr load : {weight, input}) {
    dims.terms = orderAsLoaded(load, found.terms);
    if (findWeight(weight, dims) && findInput(input, dims))
      return true;
  }
  dims.terms = orderAsLoaded(weight, found.terms);
  if (findWeight(weight, dims)) {
    // Without a layer the product moves nothing.
    if (!isIdentityPermutation(linear.resultOrder))
      return why.reject(3, "both its input and its result would have to be "
                           "copied in another order");
    return orderInput(input, dims) ||
           why.reject(3, "the rows of the result are not those of one tensor");
  }
  dims.terms = orderAsLoaded(input, found.terms);
  if (!orderWeight(weight, dims))
    return why.reject(1, "no operand is a matrix of weights");
  int64_t rows = 1;
  for (unsigned variable : dims.rows)
    rows = ShapedType::isDynamic(rows) ||
                   ShapedType::isDynamic(graph.getExtent(variable))
               ? ShapedType::kDynamic
               : rows * graph.getExtent(variable);
  if (!ShapedType::isDynamic(rows) && rows < fewRows)
    return why.reject(3, "the weight would have to be copied in another order "
                         "for few rows");
  return findInput(input, dims) ||
         why.reject(3, "the rows of the result are not those of one tensor");
}

bool LinearReader::readOperands(Expr input, Expr weight,
                                ArrayRef<unsigned> terms) {
  linear = LinearReading();
  std::optional<ProductDims> dims = sortDims(input, weight, terms);
  if (!dims || !readLayouts(input, weight, *dims))
    return why.reject(1, "no operand is a matrix of weights");
  columns = dims->columns;
  auto type = cast<RankedTensorType>(root.getType());
  if (!hasRowsOfResult(linear, type.getShape()))
    return why.reject(3,
                      "the sizes of its rows contradict those of the result");
  OpBuilder builder(root.getDefiningOp());
  for (int64_t dim : ArrayRef(linear.resultOrder).drop_front(linear.resultRows))
    linear.columnSizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
  if (linear.columnSizes.size() > 1 &&
      llvm::any_of(columns, [&](unsigned variable) {
        return ShapedType::isDynamic(graph.getExtent(variable));
      }))
    return why.reject(3, "there are several dimensions of columns, of unknown "
                         "sizes");
  return true;
}

/// sum_k x[rows, k] w[k, columns], by a factor. There may be several k.
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
  Variables terms;
  int64_t fanIn = 1;
  Expr body = sum;
  while (body->is(ExprKind::Reduce) && body->getReduction() == Reduction::Add) {
    unsigned variable = graph.addVariable(graph.getExtent(body->variable));
    body = graph.open(body, variable);
    int64_t extent = graph.getExtent(variable);
    if (extent != 1)
      terms.push_back(variable);
    fanIn = ShapedType::isDynamic(fanIn) || ShapedType::isDynamic(extent)
                ? ShapedType::kDynamic
                : fanIn * extent;
  }
  ArrayRef<Expr> operands = ExprGraph::getFactors(body);
  if (operands.size() != 2 || !llvm::all_of(operands, [](Expr operand) {
        return operand->is(ExprKind::Load) &&
               isa<RankedTensorType>(operand->tensor.getType());
      }))
    return why.reject(1, "the contraction has other operands than two tensors");
  // What moves less in memory; else the second operand is the weight.
  std::optional<LinearReading> best;
  Variables bestColumns;
  auto countMoves = [](const LinearReading &reading) {
    return (isIdentityPermutation(reading.resultOrder) ? 0 : 1) +
           (reading.inputOrder.empty() ? 0 : 2) +
           (reading.weightOrder.empty() ? 0 : 4);
  };
  for (bool swapped : {false, true}) {
    if (!readOperands(operands[swapped], operands[!swapped], terms) ||
        (best && countMoves(*best) <= countMoves(linear)))
      continue;
    best = linear;
    bestColumns = columns;
  }
  if (!best)
    return false;
  linear = *best;
  columns = bestColumns;
  return readFactor(factor, fanIn);
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
  columns.clear();
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
      linear.bias = findBias(bias);
    if (!linear.bias)
      return why.reject(4, "what is added is no vector with one number for "
                           "each column");
  }
  return readTypes();
}

void raiseContraction(OpResult contraction) {
  Rejection why;
  SmallVector<Value> roots = findRoots(contraction, maxRoots);
  for (bool widens : {true, false})
    for (Value root : llvm::reverse(roots)) {
      LinearReading linear;
      if (!LinearReader(contraction, root, widens, linear, why).read())
        continue;
      linear.products = contraction.getOwner()->getAttr(kProductsAttrName);
      Remark(RemarkId::RaisedToLinear,
             {{"bias", linear.bias ? " with bias" : ""}})
          .emit(getUnmarked(contraction.getLoc()));
      root.replaceAllUsesWith(buildLinear(root, contraction.getLoc(), linear));
      return;
    }
  // Below, no operand is a matrix of weights: another product.
  if (why.progress >= 3)
    explain(contraction.getOwner(),
            Remark(RemarkId::LinearNotRaised, {{"reason", why.reason}}));
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
