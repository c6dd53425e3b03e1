//===- Sizes.cpp - Which dynamic sizes are equal --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;

namespace attn::raise {

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static int64_t addWrapping(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
static int64_t multiplyWrapping(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

Size Size::operator+(const Size &other) const {
  Size sum = *this;
  for (const auto &[unknowns, number] : other.terms) {
    int64_t &coefficient = sum.terms[unknowns];
    coefficient = addWrapping(coefficient, number);
    if (coefficient == 0)
      sum.terms.erase(unknowns);
  }
  return sum;
}

Size Size::operator*(const Size &other) const {
  Size product;
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      Size term;
      SmallVector<unsigned> unknowns(left);
      llvm::append_range(unknowns, right);
      llvm::sort(unknowns);
      if (int64_t number = multiplyWrapping(a, b))
        term.terms[unknowns] = number;
      product = product + term;
    }
  return product;
}

std::optional<Size> Size::divideBy(const Size &divisor) const {
  if (divisor.terms.size() != 1)
    return std::nullopt;
  const auto &[factors, number] = *divisor.terms.begin();
  Size quotient;
  for (const auto &[unknowns, coefficient] : terms) {
    if (coefficient % number != 0)
      return std::nullopt;
    SmallVector<unsigned> rest(unknowns);
    for (unsigned factor : factors) {
      auto it = llvm::find(rest, factor);
      if (it == rest.end())
        return std::nullopt;
      rest.erase(it);
    }
    quotient.terms[rest] = coefficient / number;
  }
  return quotient;
}

Size Size::substitute(unsigned id, const Size &value) const {
  Size result;
  for (const auto &[unknowns, number] : terms) {
    Size term(number);
    for (unsigned unknown : unknowns)
      term = term * (unknown == id ? value : Size::unknown(unknown));
    result = result + term;
  }
  return result;
}

Size Size::getPrimitive() const {
  if (terms.empty())
    return *this;
  uint64_t divisor = 0;
  SmallVector<unsigned> common(terms.begin()->first);
  for (const auto &[unknowns, number] : terms) {
    divisor = std::gcd(divisor, llvm::AbsoluteValue(number));
    SmallVector<unsigned> shared;
    std::set_intersection(common.begin(), common.end(), unknowns.begin(),
                          unknowns.end(), std::back_inserter(shared));
    common = shared;
  }
  Size factor;
  if (divisor > INT64_MAX)
    return *this;
  factor.terms[common] = static_cast<int64_t>(divisor);
  return *divideBy(factor);
}

int64_t Size::getCoefficient(unsigned id) const {
  auto it = terms.find({id});
  return it == terms.end() ? 0 : it->second;
}

std::optional<unsigned> Size::getSolvable() const {
  std::optional<unsigned> last;
  for (const auto &[unknowns, number] : terms) {
    if (unknowns.size() != 1 || (number != 1 && number != -1))
      continue;
    unsigned id = unknowns[0];
    bool isElsewhere = llvm::any_of(terms, [&](const auto &term) {
      return term.first.size() > 1 && llvm::is_contained(term.first, id);
    });
    if (!isElsewhere && (!last || id > *last))
      last = id;
  }
  return last;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Size Sizes::getUnknown(Value value, unsigned dim) {
  auto [it, isNew] = unknowns.try_emplace({value, dim}, unknowns.size());
  if (isNew)
    isOfTensor.push_back(isa<RankedTensorType>(value.getType()));
  return Size::unknown(it->second);
}

Size Sizes::resolve(Size size) const {
  for (const auto &[id, value] : equalities)
    size = size.substitute(id, value);
  return size;
}

Size Sizes::get(Value tensor, unsigned dim) {
  return resolve(readDim(tensor, dim));
}

Size Sizes::get(OpFoldResult number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return Size(*known);
  return get(cast<Value>(number));
}

/// A dimension of a slice, whose dropped dimensions have no number.
Size Sizes::readSliceSize(Operation *op, unsigned dim) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(slice.getMixedSizes())) {
    if (dropped[i])
      continue;
    if (dim == 0)
      return isa<Attribute>(size) ? Size(*getConstantIntValue(size))
                                  : read(cast<Value>(size));
    --dim;
  }
  llvm_unreachable("a slice has a size for each dimension that it keeps");
}

Size Sizes::readCollapsed(Operation *op, unsigned dim) {
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  Size product(1);
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  for (int64_t part : groups[dim])
    product = product * readDim(collapse.getSrc(), part);
  return product;
}

Size Sizes::readConcat(Operation *op, unsigned dim) {
  auto concat = cast<tensor::ConcatOp>(op);
  if (dim != concat.getDim())
    return readDim(concat.getInputs()[0], dim);
  Size sum;
  for (Value input : concat.getInputs())
    sum = sum + readDim(input, dim);
  return sum;
}

Size Sizes::readDim(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Size(type.getDimSize(dim));
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return getUnknown(tensor, dim);
  return TypeSwitch<Operation *, Size>(result.getOwner())
      .Case([&](tensor::EmptyOp op) { return read(op.getDynamicSize(dim)); })
      .Case([&](tensor::ExpandShapeOp op) {
        return read(cast<Value>(op.getMixedOutputShape()[dim]));
      })
      .Case<tensor::CollapseShapeOp>(
          [&](auto op) { return readCollapsed(op, dim); })
      .Case<tensor::ConcatOp>([&](auto op) { return readConcat(op, dim); })
      .Case<tensor::ExtractSliceOp>(
          [&](auto op) { return readSliceSize(op, dim); })
      .Case([&](tensor::CastOp op) {
        return isa<RankedTensorType>(op.getSource().getType())
                   ? readDim(op.getSource(), dim)
                   : getUnknown(tensor, dim);
      })
      .Case([&](tensor::ReshapeOp op) {
        auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
        return shape ? read(shape.getElements()[dim]) : getUnknown(tensor, dim);
      })
      .Case([&](DestinationStyleOpInterface op) {
        return readDim(op.getTiedOpOperand(result)->get(), dim);
      })
      .Default([&](Operation *) { return getUnknown(tensor, dim); });
}

/// Results of affine maps with one result, as far as they are polynomials.
static std::optional<Size> evaluate(AffineExpr expr, ArrayRef<Size> dims,
                                    ArrayRef<Size> symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return Size(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto left = evaluate(binary.getLHS(), dims, symbols);
  auto right = evaluate(binary.getRHS(), dims, symbols);
  if (!left || !right)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *left + *right;
  case AffineExprKind::Mul:
    return *left * *right;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return left->divideBy(*right);
  default:
    return std::nullopt;
  }
}

/// A number of type index or i64.
Size Sizes::readArithmetic(Operation *op) {
  Value value = op->getResult(0);
  auto divide = [&] {
    auto quotient = read(op->getOperand(0)).divideBy(read(op->getOperand(1)));
    return quotient ? *quotient : getUnknown(value, 0);
  };
  return TypeSwitch<Operation *, Size>(op)
      .Case([&](arith::IndexCastOp cast) {
        Type from = cast.getIn().getType();
        return from.isIndex() || from.isInteger(64) ? read(cast.getIn())
                                                    : getUnknown(value, 0);
      })
      .Case([&](arith::AddIOp add) {
        return read(add.getLhs()) + read(add.getRhs());
      })
      .Case([&](arith::SubIOp sub) {
        return read(sub.getLhs()) - read(sub.getRhs());
      })
      .Case([&](arith::MulIOp mul) {
        return read(mul.getLhs()) * read(mul.getRhs());
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return divide(); })
      .Case([&](affine::AffineApplyOp apply) {
        SmallVector<Size> operands;
        for (Value operand : apply.getMapOperands())
          operands.push_back(read(operand));
        AffineMap map = apply.getAffineMap();
        auto result =
            evaluate(map.getResult(0),
                     ArrayRef<Size>(operands).take_front(map.getNumDims()),
                     ArrayRef<Size>(operands).drop_front(map.getNumDims()));
        return result ? *result : getUnknown(value, 0);
      })
      .Case([&](tensor::DimOp dim) {
        std::optional<int64_t> index = dim.getConstantIndex();
        auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
        return index && type && *index >= 0 && *index < type.getRank()
                   ? readDim(dim.getSource(), *index)
                   : getUnknown(value, 0);
      })
      .Default([&](Operation *) { return getUnknown(value, 0); });
}

Size Sizes::read(Value number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return Size(*known);
  auto known = numbers.find(number);
  if (known != numbers.end())
    return known->second;
  Operation *op = number.getDefiningOp();
  bool isSize = number.getType().isIndex() || number.getType().isInteger(64);
  Size size = op && isSize ? readArithmetic(op) : getUnknown(number, 0);
  if (!size.isSmall())
    size = getUnknown(number, 0);
  numbers[number] = size;
  return size;
}

std::optional<std::pair<BlockArgument, unsigned>>
Sizes::getArgumentDim(Value number) {
  Size size = get(number);
  for (const auto &[known, id] : unknowns)
    if (auto argument = dyn_cast<BlockArgument>(known.first);
        argument && isOfTensor[id] && size == Size::unknown(id))
      return std::make_pair(argument, known.second);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// The least and the largest number that it can be, if no step to it wraps.
std::optional<std::pair<Sizes::Wide, Sizes::Wide>>
Sizes::getRange(const Size &size) const {
  constexpr unsigned maxFactors = 2; // of 31 bits each
  Wide lower = 0, upper = 0;
  for (const auto &[factors, number] : size.getTerms()) {
    if (factors.size() > maxFactors ||
        llvm::any_of(factors, [&](unsigned id) { return !isOfTensor[id]; }))
      return std::nullopt;
    Wide most = number;
    for (size_t i = 0; i < factors.size(); ++i)
      most *= (Wide(1) << 31) - 1;
    lower += factors.empty() ? most : std::min<Wide>(most, 0);
    upper += factors.empty() ? most : std::max<Wide>(most, 0);
  }
  if (lower < INT64_MIN || upper > INT64_MAX)
    return std::nullopt;
  return std::make_pair(lower, upper);
}

std::optional<bool> Sizes::compare(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  Type type = op.getLhs().getType();
  if (!type.isIndex() && !type.isInteger(64))
    return std::nullopt;
  Size left = get(op.getLhs()), right = get(op.getRhs());
  Size difference = left - right;
  P predicate = op.getPredicate();
  if (predicate == P::eq || predicate == P::ne) {
    std::optional<int64_t> number = difference.getConstant();
    return number ? std::optional<bool>((*number == 0) == (predicate == P::eq))
                  : std::nullopt;
  }
  auto range = getRange(difference);
  if (!range || !getRange(left) || !getRange(right))
    return std::nullopt;
  auto decide = [](bool always, bool never) {
    return always || never ? std::optional<bool>(always) : std::nullopt;
  };
  auto [lower, upper] = *range;
  switch (predicate) {
  case P::slt:
    return decide(upper < 0, lower >= 0);
  case P::sle:
    return decide(upper <= 0, lower > 0);
  case P::sgt:
    return decide(lower > 0, upper <= 0);
  case P::sge:
    return decide(lower >= 0, upper < 0);
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Equalities
//===----------------------------------------------------------------------===//

void Sizes::equate(const Size &a, const Size &b) {
  Size difference = resolve(a - b).getPrimitive();
  std::optional<unsigned> id = difference.getSolvable();
  if (!id)
    return;
  int64_t coefficient = difference.getCoefficient(*id);
  Size rest = difference - Size::unknown(*id) * Size(coefficient);
  equalities.emplace_back(*id, rest * Size(-coefficient));
}

void Sizes::takeAssertion(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    takeAssertion(both.getLhs());
    takeAssertion(both.getRhs());
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::eq)
    equate(read(compare.getLhs()), read(compare.getRhs()));
}

/// Dimensions that one loop runs over are equal.
void Sizes::takeStructuredOp(Operation *op) {
  auto structured = cast<linalg::LinalgOp>(op);
  if (!structured.hasPureTensorSemantics())
    return;
  SmallVector<std::optional<Size>> extents(structured.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = structured.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      std::optional<Size> &extent = extents[loop.getPosition()];
      Size size = readDim(operand.get(), dim);
      if (extent)
        equate(*extent, size);
      else
        extent = size;
    }
  }
}

/// Both sides of a reshape hold as many elements.
void Sizes::takeReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto product = [&](Value tensor, ArrayRef<int64_t> dims) {
    Size elements(1);
    for (int64_t dim : dims)
      elements = elements * readDim(tensor, dim);
    return elements;
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      equate(readDim(source, dim), product(result, group));
    return;
  }
  auto from = dyn_cast<RankedTensorType>(source.getType());
  auto to = dyn_cast<RankedTensorType>(result.getType());
  if (from && to)
    equate(product(source, llvm::to_vector(llvm::seq<int64_t>(from.getRank()))),
           product(result, llvm::to_vector(llvm::seq<int64_t>(to.getRank()))));
}

Sizes::Sizes(func::FuncOp func) {
  for (Operation &op : func.getBody().front()) {
    if (isa<tensor::ExpandShapeOp, tensor::ReshapeOp>(op))
      takeReshape(&op);
    else if (auto assertion = dyn_cast<cf::AssertOp>(op))
      takeAssertion(assertion.getArg());
    else if (isa<linalg::LinalgOp>(op))
      takeStructuredOp(&op);
  }
}

} // namespace attn::raise
