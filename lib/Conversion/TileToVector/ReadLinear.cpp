//===- ReadLinear.cpp - A linear layer as a matrix product ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>

using namespace mlir;
using namespace attn;

namespace {

/// Sizes and strides of a memref, constants where they are known.
struct Layout {
  Layout(OpBuilder &builder, Location loc, Value memref) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    sizes = metadata.getConstifiedMixedSizes();
    strides = metadata.getConstifiedMixedStrides();
  }
  SmallVector<OpFoldResult> sizes, strides;
};

/// The dimensions of the rows of input and output. Where they lie in memory as
/// one dimension in both, which is known at run time only, they are multiplied
/// as one matrix, and otherwise as a batch.
class RowDims {
public:
  RowDims(OpBuilder &builder, Location loc, const Layout &input,
          const Layout &output)
      : builder(builder), loc(loc), input(input), output(output),
        rank(input.sizes.size()) {}

  void read(MatrixProduct &product);

private:
  Value value(OpFoldResult result) {
    return getValueOrCreateConstantIndexOp(builder, loc, result);
  }
  Value multiply(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  /// Whether dimension d continues in d + 1.
  Value isContiguous(const Layout &layout, unsigned d) {
    return arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, value(layout.strides[d]),
        multiply(value(layout.strides[d + 1]), value(layout.sizes[d + 1])));
  }

  OpBuilder &builder;
  Location loc;
  const Layout &input, &output;
  unsigned rank;
};

} // namespace

void RowDims::read(MatrixProduct &product) {
  OpFoldResult one = builder.getIndexAttr(1), zero = builder.getIndexAttr(0);
  product.batchCount = one;
  if (rank == 1) {
    product.lhs.rows = product.output.rows = one;
    product.lhs.rowStride = product.output.rowStride = zero;
    return;
  }
  product.lhs.rows = product.output.rows = input.sizes[rank - 2];
  product.lhs.rowStride = input.strides[rank - 2];
  product.output.rowStride = output.strides[rank - 2];
  if (rank == 2)
    return;
  Value joins = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value count = createIndex(builder, loc, 1);
  for (unsigned d = 0; d + 2 < rank; ++d) {
    for (const Layout *layout : {&input, &output})
      joins =
          arith::AndIOp::create(builder, loc, joins, isContiguous(*layout, d));
    count = multiply(count, value(input.sizes[d]));
    product.batchSizes.push_back(input.sizes[d]);
    product.lhs.batchStrides.push_back(input.strides[d]);
    product.rhs.batchStrides.push_back(zero);
    product.output.batchStrides.push_back(output.strides[d]);
  }
  Value rows = value(input.sizes[rank - 2]);
  Value allRows = select(joins, multiply(rows, count), rows);
  product.lhs.rows = product.output.rows = allRows;
  product.batchCount = select(joins, createIndex(builder, loc, 1), count);
}

/// 1 / sqrt(m) of ntk; null where nothing is to be scaled.
static Value createFactor(OpBuilder &builder, LinearOp op, OpFoldResult fanIn) {
  if (!op.isNtk())
    return {};
  LaneBuilder lanes(builder, op.getLoc(), op.getComputeType());
  if (std::optional<int64_t> known = getConstantIntValue(fanIn))
    return lanes.constant(1.0 / std::sqrt(std::max<double>(1.0, *known)));
  Value atLeastOne = lanes.max(cast<Value>(fanIn), lanes.integer(1));
  return lanes.div(lanes.constant(1.0),
                   lanes.sqrt(lanes.intToFloat(atLeastOne)));
}

FoundProduct attn::readLinear(OpBuilder &builder, LinearOp op) {
  Location loc = op.getLoc();
  Layout input(builder, loc, op.getInput());
  Layout weight(builder, loc, op.getWeight());
  Layout output(builder, loc, op.getOutput());
  FoundProduct found;
  found.compute = op.getComputeType();
  MatrixProduct &product = found.product;
  product.lhs.memref = op.getInput();
  product.rhs.memref = op.getWeight();
  product.output.memref = op.getOutput();
  product.rhsTransposed = op.getWeightLayout() == WeightLayout::OutIn;
  product.rhs.rows = weight.sizes[0];
  product.rhs.columns = weight.sizes[1];
  product.rhs.rowStride = weight.strides[0];
  product.rhs.columnStride = weight.strides[1];
  product.lhs.columns = weight.sizes[op.getWeightInDim()];
  product.lhs.columnStride = input.strides.back();
  product.output.columns = weight.sizes[1 - op.getWeightInDim()];
  product.output.columnStride = output.strides.back();
  RowDims(builder, loc, input, output).read(product);
  product.factor = createFactor(builder, op, product.lhs.columns);
  product.bias = op.getBias();
  return found;
}
