//===- SplitWeights.cpp - Several softmaxes in one value product ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sum_j (a p_j + b q_j) v_j is a sum_j p_j v_j + b sum_j q_j v_j. Differential
// attention is two attentions so, and a factor of each head stands behind one.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GenericBuilder.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {

/// Parts what the product of one softmax is multiplied by from the rest.
static WeightedPart splitFactor(ExprGraph &graph, Expr product) {
  SmallVector<Expr> factors, rest;
  for (Expr factor : ExprGraph::getFactors(product)) {
    bool belongs = factor->is(ExprKind::Reduce) ||
                   factor->is(ExprKind::Reciprocal) ||
                   factor->is(ExprKind::Guard);
    (belongs ? rest : factors).push_back(factor);
  }
  return {graph.product(factors), graph.product(rest)};
}

SmallVector<WeightedPart> splitWeights(ExprGraph &graph, Expr product) {
  SmallVector<Expr> outer(ExprGraph::getFactors(product));
  auto *sum = llvm::find_if(outer, [](Expr factor) {
    return factor->is(ExprKind::Reduce) &&
           factor->getReduction() == Reduction::Add;
  });
  if (sum == outer.end())
    return {};
  unsigned key = graph.addVariable(graph.getExtent((*sum)->variable));
  SmallVector<Expr> inner(ExprGraph::getFactors(graph.open(*sum, key)));
  auto *weights = llvm::find_if(inner, [](Expr factor) {
    return factor->is(ExprKind::Sum) &&
           llvm::all_of(factor->operands, hasQuotient);
  });
  if (weights == inner.end())
    return {splitFactor(graph, product)};
  SmallVector<WeightedPart> parts;
  for (Expr term : (*weights)->operands) {
    SmallVector<Expr> factors(outer), terms(inner);
    terms[weights - inner.begin()] = term;
    factors[sum - outer.begin()] =
        graph.reduce(Reduction::Add, key, graph.product(terms));
    parts.push_back(splitFactor(graph, graph.product(factors)));
  }
  return parts;
}

bool haveFactors(ArrayRef<WeightedPart> parts, ArrayRef<AffineExpr> result) {
  return llvm::all_of(parts, [&](const WeightedPart &part) {
    return canEmit(part.factor) &&
           llvm::all_of(part.factor->free.set_bits(), [&](unsigned variable) {
             return llvm::any_of(result, [&](AffineExpr index) {
               return ExprGraph::asVariable(index) == variable;
             });
           });
  });
}

Value addParts(OpBuilder &builder, Value root, const ExprGraph &graph,
               ArrayRef<AffineExpr> result, ArrayRef<WeightedPart> parts,
               ArrayRef<Value> attentions) {
  Location loc = root.getLoc();
  Type element = getElementTypeOrSelf(root.getType());
  FloatType compute = element.isF64() ? FloatType(builder.getF64Type())
                                      : FloatType(builder.getF32Type());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, attentions[0]);
  GenericBuilder generics(builder, loc, sizes, compute);
  SmallVector<MappedTensor> inputs;
  for (auto [part, attention] : llvm::zip_equal(parts, attentions)) {
    inputs.push_back({attention, generics.getIdentity()});
    SmallVector<unsigned> dims, variables;
    SmallVector<OpFoldResult> factorSizes;
    for (auto [dim, index] : llvm::enumerate(result))
      if (auto variable = ExprGraph::asVariable(index);
          variable && part.factor->dependsOn(*variable)) {
        dims.push_back(dim);
        variables.push_back(*variable);
        factorSizes.push_back(sizes[dim]);
      }
    inputs.push_back({emitTensor(builder, loc, graph, part.factor, variables,
                                 factorSizes, compute),
                      generics.getMap(dims)});
  }
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  return generics
      .create(inputs, generics.createEmpty(all, element),
              [](LaneBuilder &lanes, ValueRange numbers) {
                Value sum;
                for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
                  Value term = lanes.mul(numbers[i], numbers[i + 1]);
                  sum = sum ? lanes.add(sum, term) : term;
                }
                return sum;
              })
      .tensor;
}

} // namespace attn::raise
