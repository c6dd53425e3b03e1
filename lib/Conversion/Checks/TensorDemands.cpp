//===- TensorDemands.cpp - Slices, shapes and elements of tensors ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineRange.h"
#include "DemandBuilder.h"
#include "attn/Conversion/Checks/Checks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn {
namespace {

/// The demands of one op of the tensor dialect.
class TensorDemands {
public:
  explicit TensorDemands(DemandBuilder &demands)
      : demands(demands), builder(demands.getBuilder()), loc(demands.getLoc()) {
  }

  void addSlice(Value whole, OffsetSizeAndStrideOpInterface slice);
  void addPart(Value part, Value whole, OffsetSizeAndStrideOpInterface slice);
  void addCast(tensor::CastOp op);
  void addExpand(tensor::ExpandShapeOp op);
  void addReshape(tensor::ReshapeOp op);
  void addConcat(tensor::ConcatOp op);
  void addPad(tensor::PadOp op);
  void addDim(tensor::DimOp op);
  void addKnownSizes(RankedTensorType type, ArrayRef<OpFoldResult> sizes);
  /// Sizes of a tensor that is made; those that the type does not tell.
  void addNewSizes(ShapedType type, ValueRange sizes);

private:
  /// `offset`, `offset + stride`, ... `count` of them are positions in `size`.
  void addSteps(const Quantity &size, OpFoldResult offset, OpFoldResult count,
                OpFoldResult stride, unsigned dim);
  OpFoldResult multiply(ArrayRef<OpFoldResult> sizes);

  DemandBuilder &demands;
  OpBuilder &builder;
  Location loc;
};

void TensorDemands::addSteps(const Quantity &size, OpFoldResult offset,
                             OpFoldResult count, OpFoldResult stride,
                             unsigned dim) {
  std::string which = " of the slice in dimension " + std::to_string(dim);
  // Sums of what is not larger than a size do not wrap.
  demands.demandAtMost({count, "the size" + which}, size);
  if (isConstantIntValue(stride, 1)) {
    OpFoldResult most = subtractIndices(builder, loc, size.value, count);
    demands.demandAtMost({offset, "the offset" + which},
                         {most, size.name + " less the size"});
    return;
  }
  Value isEmpty = demands.isAnyZero(count);
  demands.demandBelow({offset, "the offset" + which}, size, isEmpty);
  // Positions are products of two numbers below 2^31.
  if (std::abs(getConstantIntValue(stride).value_or(kSizeLimit)) >=
      kSizeLimit) {
    OpFoldResult shifted =
        addIndices(builder, loc, stride, builder.getIndexAttr(kSizeLimit));
    demands.demandBelow({shifted, "2^31 more than the stride" + which},
                        demands.getConstant(2 * kSizeLimit), isEmpty);
  }
  OpFoldResult steps =
      subtractIndices(builder, loc, count, builder.getIndexAttr(1));
  OpFoldResult last = addIndices(builder, loc, offset,
                                 multiplyIndices(builder, loc, steps, stride));
  demands.demandBelow({last, "the last position" + which}, size, isEmpty);
}

void TensorDemands::addSlice(Value whole,
                             OffsetSizeAndStrideOpInterface slice) {
  for (auto [dim, offset, count, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides()))
    addSteps(demands.getSize(whole, dim), offset, count, stride, dim);
}

/// What is inserted has the sizes of its place; dimensions of size 1 may be
/// missing.
void TensorDemands::addPart(Value part, Value whole,
                            OffsetSizeAndStrideOpInterface slice) {
  auto type = cast<RankedTensorType>(part.getType());
  SmallVector<int64_t> shape;
  for (OpFoldResult size : slice.getMixedSizes())
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto dropped = computeRankReductionMask(shape, type.getShape(),
                                          /*matchDynamic=*/true);
  if (!dropped)
    return;
  int64_t next = 0;
  for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped->contains(dim))
      demands.demandEqual(demands.getSize(part, next++),
                          {size, "the size of its place"});
}

void TensorDemands::addCast(tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
      demands.demandEqual(demands.getSize(op.getSource(), dim),
                          demands.getConstant(to.getDimSize(dim)));
}

OpFoldResult TensorDemands::multiply(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult product = builder.getIndexAttr(1);
  for (OpFoldResult size : sizes) {
    // What is multiplied once more must be small enough not to wrap.
    if (product != OpFoldResult(builder.getIndexAttr(1)))
      demands.demandBelow({product, "the number of elements, so far,"},
                          demands.getConstant(2 * kSizeLimit));
    product = multiplyIndices(builder, loc, product, size);
  }
  return product;
}

void TensorDemands::addExpand(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t i : group) {
      sizes.push_back(shape[i]);
      // Products of what is small enough do not wrap to what they should be.
      if (group.size() > 1 && !getConstantIntValue(shape[i]))
        demands.demandBelow({shape[i], "an expanded size"},
                            demands.getConstant(kSizeLimit));
    }
    demands.demandEqual(demands.getSize(op.getSrc(), dim),
                        {multiply(sizes), group.size() == 1
                                              ? "the size it is expanded to"
                                              : "the product of the sizes it "
                                                "is expanded to"});
  }
}

void TensorDemands::addReshape(tensor::ReshapeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  SmallVector<OpFoldResult> given, wanted;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    given.push_back(demands.getSize(op.getSource(), dim).value);
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    Value at = arith::ConstantIndexOp::create(builder, loc, dim);
    Value size = tensor::ExtractOp::create(builder, loc, op.getShape(), at);
    if (!size.getType().isIndex())
      size = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        size);
    Quantity quantity{size, "element " + std::to_string(dim) + " of the shape"};
    if (to.isDynamicDim(dim))
      demands.demandBelow(quantity, demands.getConstant(kSizeLimit));
    else
      demands.demandEqual(quantity, demands.getConstant(to.getDimSize(dim)));
    wanted.push_back(size);
  }
  demands.demandEqual({multiply(given), "the number of elements"},
                      {multiply(wanted), "that of the new shape"});
}

/// What an op computes has the sizes that the type of its result tells.
void TensorDemands::addKnownSizes(RankedTensorType type,
                                  ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!type.isDynamicDim(dim))
      demands.demandEqual(
          demands.getNumber(size, "size " + Twine(dim) + " of the result"),
          demands.getConstant(type.getDimSize(dim)));
}

void TensorDemands::addConcat(tensor::ConcatOp op) {
  RankedTensorType type = op.getResultType();
  OpFoldResult sum = builder.getIndexAttr(0);
  for (Value input : op.getInputs())
    sum = addIndices(builder, loc, sum,
                     demands.getSize(input, op.getDim()).value);
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < op.getRank(); ++dim)
    sizes.push_back(static_cast<uint64_t>(dim) == op.getDim()
                        ? sum
                        : demands.getSize(op.getInputs().front(), dim).value);
  addKnownSizes(type, sizes);
  for (Value input : op.getInputs().drop_front())
    for (int64_t dim = 0; dim < op.getRank(); ++dim)
      if (static_cast<uint64_t>(dim) != op.getDim())
        demands.demandEqual(demands.getSize(input, dim),
                            demands.getSize(op.getInputs().front(), dim));
}

void TensorDemands::addPad(tensor::PadOp op) {
  auto add = [&](ArrayRef<OpFoldResult> sizes, StringRef side) {
    for (auto [dim, size] : llvm::enumerate(sizes))
      demands.demandBelow(demands.getNumber(size, "the " + side +
                                                      " padding of dimension " +
                                                      Twine(dim)),
                          demands.getConstant(kSizeLimit));
  };
  add(op.getMixedLowPad(), "low");
  add(op.getMixedHighPad(), "high");
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, low, high] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad()))
    sizes.push_back(addIndices(builder, loc,
                               demands.getSize(op.getSource(), dim).value,
                               addIndices(builder, loc, low, high)));
  addKnownSizes(op.getResultType(), sizes);
}

void TensorDemands::addDim(tensor::DimOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (type && !op.getConstantIndex())
    demands.demandBelow({op.getIndex(), "the index of a dimension"},
                        {builder.getIndexAttr(type.getRank()), "the rank"});
}

void TensorDemands::addNewSizes(ShapedType type, ValueRange sizes) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    demands.demandBelow(demands.getNumber(sizes.front(), "size " + Twine(dim) +
                                                             " of the result"),
                        demands.getConstant(kSizeLimit));
    sizes = sizes.drop_front();
  }
}

/// Whether a number comes from sizes of tensors and constants alone.
bool isOfSizes(OpFoldResult number) {
  auto value = dyn_cast<Value>(number);
  if (!value)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<tensor::DimOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) &&
         llvm::all_of(op->getOperands(), isOfSizes);
}

} // namespace

void addTensorDemands(Operation *op, DemandBuilder &demands) {
  demands.setOp(op);
  TensorDemands tensors(demands);
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    Operation *parent = op->getParentOp();
    // Nothing but insertions stands among those of a parallel loop.
    if (isa<tensor::ParallelInsertSliceOp>(op))
      demands.setOp(op, parent);
    bool ofSizes = llvm::all_of(slice.getMixedOffsets(), isOfSizes) &&
                   llvm::all_of(slice.getMixedSizes(), isOfSizes) &&
                   llvm::all_of(slice.getMixedStrides(), isOfSizes);
    demands.setStatus(ofSizes ? ATTN_ERROR_SHAPE : ATTN_ERROR_ASSERTION);
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op); dim && !isOfSizes(dim.getIndex()))
    demands.setStatus(ATTN_ERROR_ASSERTION);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractSliceOp slice) {
        tensors.addSlice(slice.getSource(), slice);
      })
      .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(
          [&](auto slice) {
            tensors.addSlice(slice.getDest(), slice);
            tensors.addPart(slice.getSource(), slice.getDest(), slice);
          })
      .Case([&](tensor::CastOp cast) { tensors.addCast(cast); })
      .Case([&](tensor::ExpandShapeOp expand) { tensors.addExpand(expand); })
      .Case([&](tensor::ReshapeOp reshape) { tensors.addReshape(reshape); })
      .Case([&](tensor::ConcatOp concat) { tensors.addConcat(concat); })
      .Case([&](tensor::PadOp pad) { tensors.addPad(pad); })
      .Case([&](tensor::DimOp dim) { tensors.addDim(dim); })
      .Case([&](tensor::EmptyOp empty) {
        tensors.addNewSizes(empty.getType(), empty.getDynamicSizes());
      })
      .Case([&](tensor::SplatOp splat) {
        tensors.addNewSizes(splat.getType(), splat.getDynamicSizes());
      })
      .Case([&](tensor::GenerateOp generate) {
        tensors.addNewSizes(cast<ShapedType>(generate.getType()),
                            generate.getDynamicExtents());
      });
}

} // namespace attn
