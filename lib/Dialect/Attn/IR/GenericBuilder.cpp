//===- BlockGenerics.cpp - Structured ops for the block's ops ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockGenerics.h"

#include "../Shared/ConvertFloat.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

AffineMap GenericBuilder::getMap(ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(rank, dims, builder.getContext());
}

AffineMap GenericBuilder::getIdentity() {
  return builder.getMultiDimIdentityMap(rank);
}

MappedTensor GenericBuilder::createEmpty(Value like, ArrayRef<unsigned> dims,
                                         Type element) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim : dims)
    sizes.push_back(tensor::getMixedSize(builder, loc, like, dim));
  return {tensor::EmptyOp::create(builder, loc, sizes, element), getMap(dims)};
}

MappedTensor GenericBuilder::fill(MappedTensor destination, double value) {
  Type element = getElementTypeOrSelf(destination.tensor.getType());
  Value scalar = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(element, value));
  return {linalg::FillOp::create(builder, loc, scalar, destination.tensor)
              .getResult(0),
          destination.map};
}

MappedTensor GenericBuilder::create(ArrayRef<MappedTensor> inputs,
                                    MappedTensor output, Body body) {
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (const MappedTensor &input : inputs) {
    values.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(output.map);
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim = 0; dim < rank; ++dim)
    iterators.push_back(output.map.isFunctionOfDim(dim)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  auto buildBody = [&](OpBuilder &nested, Location, ValueRange arguments) {
    LaneBuilder lanes(nested, loc, compute);
    SmallVector<Value> elements;
    for (Value argument : arguments)
      elements.push_back(isa<FloatType>(argument.getType())
                             ? lanes.toFloatLanes(argument)
                             : argument);
    Value result = body(lanes, elements);
    linalg::YieldOp::create(
        nested, loc,
        convertFloat(nested, loc, result, arguments.back().getType()));
  };
  auto generic =
      linalg::GenericOp::create(builder, loc, output.tensor.getType(), values,
                                output.tensor, maps, iterators, buildBody);
  return {generic.getResult(0), output.map};
}
