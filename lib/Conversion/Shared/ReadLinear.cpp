//===- ReadLinear.cpp - A linear layer as a matrix product ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadContraction.h"

#include "mlir/Analysis/SliceAnalysis.h"
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
  /// The layout of the last dimensions, repeated over all those of `whole`.
  void repeatLike(const Layout &whole, OpFoldResult zero) {
    size_t missing = whole.sizes.size() - sizes.size();
    sizes = whole.sizes;
    strides.insert(strides.begin(), missing, zero);
  }
  SmallVector<OpFoldResult> sizes, strides;
};

/// The dimensions of the rows of input and output. Where they lie in memory as
/// one dimension in both, which is known at run time only, they are multiplied
/// as one matrix, and otherwise as a batch.
class RowDims {
public:
  /// Extras, too, must lie like that.
  RowDims(OpBuilder &builder, Location loc, const Layout &input,
          const Layout &output, ArrayRef<Layout> extras)
      : builder(builder), loc(loc), input(input), output(output),
        extras(extras), rank(input.sizes.size()) {}

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
  ArrayRef<Layout> extras;
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
  Value count = arith::ConstantIndexOp::create(builder, loc, 1);
  for (unsigned d = 0; d + 2 < rank; ++d) {
    SmallVector<const Layout *> layouts = {&input, &output};
    for (const Layout &extra : extras)
      layouts.push_back(&extra);
    for (const Layout *layout : layouts)
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
  product.batchCount =
      select(joins, arith::ConstantIndexOp::create(builder, loc, 1), count);
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

/// An error function of the sum may be less accurate far below 0, as
/// populateGeluPatterns states it: the sum carries the rounding of its terms.
/// One of an extra alone keeps its digits.
static void markErrorFunctions(Block &body) {
  SetVector<Operation *> ofSum;
  getForwardSlice(body.getArgument(0), &ofSum);
  for (Operation *op : ofSum) {
    if (!isa<math::ErfOp, math::ErfcOp>(op))
      continue;
    auto inner = cast<arith::ArithFastMathInterface>(op);
    inner->setAttr(
        inner.getFastMathAttrName(),
        arith::FastMathFlagsAttr::get(op->getContext(),
                                      inner.getFastMathFlagsAttr().getValue() |
                                          arith::FastMathFlags::afn));
  }
}

/// The epilogue's operands: numbers, and matrices like the output.
static void readEpilogue(OpBuilder &builder, LinearOp op, const Layout &output,
                         FoundProduct &found, SmallVector<Layout> &layouts) {
  Block *body = op.getEpilogueBody();
  if (!body)
    return;
  Location loc = op.getLoc();
  FloatType compute = found.compute;
  constexpr size_t fewOps = 4;
  found.product.isShortEpilogue =
      llvm::range_size(body->without_terminator()) <= fewOps;
  markErrorFunctions(*body);
  found.product.epilogue = [=](OpBuilder &b, Location at, Value sum,
                               ValueRange extras) {
    SmallVector<Value> arguments = {sum};
    llvm::append_range(arguments, extras);
    int64_t lanes = cast<VectorType>(sum.getType()).getDimSize(0);
    return LaneBuilder(b, at, compute, lanes).cloneBody(*body, arguments);
  };
  LaneBuilder numbers(builder, loc, compute);
  OpFoldResult zero = builder.getIndexAttr(0);
  for (Value extra : op.getExtras()) {
    MatrixExtra &read = found.product.extras.emplace_back();
    auto type = dyn_cast<MemRefType>(extra.getType());
    if (!type || type.getRank() == 0) {
      if (type)
        extra = memref::LoadOp::create(builder, loc, extra, ValueRange());
      read.number = numbers.toFloatLanes(extra);
      continue;
    }
    Layout &layout = layouts.emplace_back(builder, loc, extra);
    layout.repeatLike(output, zero);
    unsigned rank = layout.strides.size();
    read.matrix.memref = extra;
    read.matrix.columns = layout.sizes.back();
    read.matrix.columnStride = layout.strides.back();
    read.matrix.rowStride = rank < 2 ? zero : layout.strides[rank - 2];
    for (unsigned d = 0; d + 2 < rank; ++d)
      read.matrix.batchStrides.push_back(layout.strides[d]);
  }
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
  SmallVector<Layout> extras;
  readEpilogue(builder, op, output, found, extras);
  RowDims(builder, loc, input, output, extras).read(product);
  for (MatrixExtra &extra : product.extras)
    extra.matrix.rows = product.output.rows;
  product.factor = createFactor(builder, op, product.lhs.columns);
  product.bias = op.getBias();
  return found;
}
