//===- GenericBuilder.cpp - Structured ops of decompositions --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GenericBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace attn;

AffineMap GenericBuilder::getMap(ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(rank, dims, builder.getContext());
}

AffineMap GenericBuilder::getIdentity() {
  return builder.getMultiDimIdentityMap(rank);
}

MappedTensor GenericBuilder::createEmpty(ArrayRef<unsigned> dims,
                                         Type element) {
  auto shape =
      llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
  return {tensor::EmptyOp::create(builder, loc, shape, element), getMap(dims)};
}

MappedTensor GenericBuilder::createEmpty(Value like, ArrayRef<unsigned> dims,
                                         Type element) {
  SmallVector<OpFoldResult> shape;
  for (unsigned dim : dims)
    shape.push_back(tensor::getMixedSize(builder, loc, like, dim));
  return {tensor::EmptyOp::create(builder, loc, shape, element), getMap(dims)};
}

MappedTensor GenericBuilder::fill(MappedTensor destination, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return {linalg::FillOp::create(builder, loc, scalar, destination.tensor)
              .getResult(0),
          destination.map};
}

MappedTensor GenericBuilder::fill(MappedTensor destination, double value) {
  return fill(destination,
              builder.getFloatAttr(
                  getElementTypeOrSelf(destination.tensor.getType()), value));
}

SmallVector<MappedTensor> GenericBuilder::create(ArrayRef<unsigned> loops,
                                                 ArrayRef<MappedTensor> inputs,
                                                 ArrayRef<MappedTensor> outputs,
                                                 Bodies body) {
  // Dimensions that are not looped over do not occur in the maps.
  SmallVector<AffineExpr> exprs(rank, builder.getAffineConstantExpr(0));
  for (auto [loop, dim] : llvm::enumerate(loops))
    exprs[dim] = builder.getAffineDimExpr(loop);
  SmallVector<AffineMap> maps;
  auto add = [&](ArrayRef<MappedTensor> operands) {
    return llvm::map_to_vector(operands, [&](const MappedTensor &operand) {
      maps.push_back(
          operand.map.replaceDimsAndSymbols(exprs, {}, loops.size(), 0));
      return operand.tensor;
    });
  };
  SmallVector<Value> from = add(inputs), to = add(outputs);
  auto iterators = llvm::map_to_vector(loops, [&](unsigned dim) {
    bool isWritten = llvm::any_of(outputs, [&](const MappedTensor &output) {
      return output.map.isFunctionOfDim(dim);
    });
    return isWritten ? utils::IteratorType::parallel
                     : utils::IteratorType::reduction;
  });
  auto buildBody = [&](OpBuilder &nested, Location, ValueRange arguments) {
    LaneBuilder lanes(nested, loc, compute);
    auto elements = llvm::map_to_vector(arguments, [&](Value argument) {
      return isa<FloatType>(argument.getType()) ? lanes.toFloatLanes(argument)
                                                : argument;
    });
    SmallVector<Value> results = body(lanes, elements);
    // Counts and visibility are no floats and have their type already.
    for (auto [result, output] : llvm::zip_equal(results, to))
      if (Type type = getElementTypeOrSelf(output); result.getType() != type)
        result = LaneBuilder(nested, loc, cast<FloatType>(type))
                     .toFloatLanes(result);
    linalg::YieldOp::create(nested, loc, results);
    // What is only written is not widened.
    for (auto [element, argument] : llvm::zip_equal(elements, arguments))
      if (element != argument && element.use_empty())
        element.getDefiningOp()->erase();
  };
  auto generic =
      linalg::GenericOp::create(builder, loc, TypeRange(ValueRange(to)), from,
                                to, maps, iterators, buildBody);
  SmallVector<MappedTensor> results;
  for (auto [result, output] : llvm::zip_equal(generic.getResults(), outputs))
    results.push_back({result, output.map});
  return results;
}

MappedTensor GenericBuilder::create(ArrayRef<unsigned> loops,
                                    ArrayRef<MappedTensor> inputs,
                                    MappedTensor output, Body body) {
  return create(loops, inputs, ArrayRef(output),
                [&](LaneBuilder &lanes, ValueRange elements) {
                  return SmallVector<Value>{body(lanes, elements)};
                })[0];
}

MappedTensor GenericBuilder::create(ArrayRef<MappedTensor> inputs,
                                    MappedTensor output, Body body) {
  return create(llvm::to_vector(llvm::seq(0u, rank)), inputs, output, body);
}

Value attn::createTranspose(OpBuilder &builder, Value tensor,
                            ArrayRef<int64_t> order) {
  if (isIdentityPermutation(order))
    return tensor;
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  applyPermutationToVector(sizes, order);
  Value init = tensor::EmptyOp::create(
      builder, loc, sizes,
      cast<RankedTensorType>(tensor.getType()).getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, init, order)
      ->getResult(0);
}
