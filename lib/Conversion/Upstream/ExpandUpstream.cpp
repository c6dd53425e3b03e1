//===- ExpandUpstream.cpp - Upstream ops without a lowering ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace attn {
#define GEN_PASS_DEF_EXPANDUPSTREAMPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// A linalg.generic over all dimensions of a new tensor; `body` gets the
/// elements of the inputs, which have the tensor's shape.
template <typename Body>
Value createElements(OpBuilder &builder, Location loc, RankedTensorType type,
                     ArrayRef<OpFoldResult> sizes, ValueRange inputs,
                     Body body) {
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  Value result =
      linalg::GenericOp::create(
          builder, loc, empty.getType(), inputs, empty, maps, loops,
          [&](OpBuilder &nested, Location, ValueRange elements) {
            linalg::YieldOp::create(nested, loc, body(nested, elements));
          })
          .getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(builder, loc, type, result);
  return result;
}

/// Batch dimensions of the indices, then those of the source, of which the
/// gathered ones are 1 or left out.
void expandGather(IRRewriter &rewriter, tensor::GatherOp op) {
  Location loc = op.getLoc();
  Value source = op.getSource(), indices = op.getIndices();
  RankedTensorType type = op.getResultType();
  int64_t sourceRank = op.getSourceType().getRank();
  int64_t batchRank = op.getIndicesType().getRank() - 1;
  bool keepsDims = type.getRank() == batchRank + sourceRank;
  auto isGathered = [&](int64_t dim) {
    return llvm::is_contained(op.getGatherDims(), dim);
  };
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < batchRank; ++i)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, indices, i));
  for (int64_t i = 0; i < sourceRank; ++i)
    if (!isGathered(i))
      sizes.push_back(tensor::getMixedSize(rewriter, loc, source, i));
    else if (keepsDims)
      sizes.push_back(rewriter.getIndexAttr(1));
  auto body = [&](OpBuilder &b, ValueRange) -> Value {
    SmallVector<Value> at, from(sourceRank);
    for (int64_t i = 0; i < batchRank; ++i)
      at.push_back(linalg::IndexOp::create(b, loc, i));
    for (auto [k, dim] : llvm::enumerate(op.getGatherDims())) {
      SmallVector<Value> place(at);
      place.push_back(arith::ConstantIndexOp::create(b, loc, k));
      Value index = tensor::ExtractOp::create(b, loc, indices, place);
      if (!index.getType().isIndex())
        index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
      from[dim] = index;
    }
    unsigned loop = batchRank;
    for (int64_t i = 0; i < sourceRank; ++i) {
      if (!isGathered(i))
        from[i] = linalg::IndexOp::create(b, loc, loop++);
      else if (keepsDims)
        ++loop;
    }
    return tensor::ExtractOp::create(b, loc, source, from);
  };
  rewriter.replaceOp(op, createElements(rewriter, loc, type, sizes, {}, body));
}

void expandBitcast(IRRewriter &rewriter, tensor::BitcastOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto isPlain = [](Type element) {
    return isa<FloatType>(element) || element.isSignlessInteger();
  };
  Value source = op.getSource();
  if (!type || !isPlain(type.getElementType()) ||
      !isPlain(getElementTypeOrSelf(source.getType())))
    return;
  Location loc = op.getLoc();
  auto body = [&](OpBuilder &b, ValueRange elements) -> Value {
    return arith::BitcastOp::create(b, loc, type.getElementType(),
                                    elements.front());
  };
  rewriter.replaceOp(
      op, createElements(rewriter, loc, type,
                         tensor::getMixedSizes(rewriter, loc, source), source,
                         body));
}

void expandSoftmax(IRRewriter &rewriter, linalg::SoftmaxOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getInput().getType() != op.getOutput().getType() ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          getElementTypeOrSelf(op.getInput().getType())))
    return;
  MLIRContext *context = op.getContext();
  rewriter.replaceOpWithNewOp<SoftmaxOp>(
      op, op->getResultTypes(), op.getInput(), /*params=*/ValueRange(),
      op.getOutput(), cast<ScalePolicyAttrInterface>(NoScaleAttr::get(context)),
      cast<NormalizerAttrInterface>(SoftmaxNormAttr::get(context)),
      rewriter.getI64IntegerAttr(op.getDimension()),
      /*head_dim=*/IntegerAttr(), /*align=*/AlignmentAttr(),
      /*schedule=*/SoftmaxScheduleAttr());
}

/// Upstream cannot compute the strides of two dynamic sizes that come from one
/// dimension: such a reshape is one to sizes that are data.
void expandReshape(IRRewriter &rewriter, tensor::ExpandShapeOp op) {
  RankedTensorType type = op.getResultType();
  bool hasStrides =
      llvm::all_of(op.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
        return llvm::count_if(group, [&](int64_t dim) {
                 return type.isDynamicDim(dim);
               }) <= 1;
      });
  if (hasStrides)
    return;
  SmallVector<Value> sizes;
  for (OpFoldResult size : op.getMixedOutputShape())
    sizes.push_back(
        getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size));
  Value shape = tensor::FromElementsOp::create(rewriter, op.getLoc(), sizes);
  rewriter.replaceOpWithNewOp<tensor::ReshapeOp>(op, type, op.getSrc(), shape);
}

/// Sizes of less than 64 bits are no indices for a view of memory.
void widenSizes(IRRewriter &rewriter, tensor::ReshapeOp op) {
  auto type = cast<RankedTensorType>(op.getShape().getType());
  if (type.getElementType().isIndex() || type.getElementType().isInteger(64))
    return;
  Value sizes = arith::IndexCastOp::create(rewriter, op.getLoc(),
                                           type.clone(rewriter.getIndexType()),
                                           op.getShape());
  rewriter.modifyOpInPlace(op, [&] { op.getShapeMutable().assign(sizes); });
}

/// Upstream cannot translate resources without dimensions or elements.
void readConstant(arith::ConstantOp op) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!resource || resource.getType().getNumElements() > 1)
    return;
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool isSplat = false;
  if (blob && DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                  blob->getData(), isSplat))
    op.setValueAttr(DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                        blob->getData()));
}

bool isShift(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op);
}

/// A shift by more bits than there are leaves none of them, as shifts one after
/// the other do; processors and LLVM do with it what they like.
void limitShift(IRRewriter &rewriter, Operation *op) {
  Location loc = op->getLoc();
  Value value = op->getOperand(0), amount = op->getOperand(1);
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  APInt known;
  if (matchPattern(amount, m_ConstantInt(&known)) && known.ult(width))
    return;
  auto number = [&](int64_t of) -> Value {
    TypedAttr attribute = rewriter.getIntegerAttr(element, of);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return arith::ConstantOp::create(rewriter, loc, attribute);
    if (tensor.hasStaticShape())
      return arith::ConstantOp::create(
          rewriter, loc,
          DenseElementsAttr::get(tensor, ArrayRef<Attribute>(attribute)));
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
      if (tensor.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(rewriter, loc, value, dim));
    return tensor::SplatOp::create(
        rewriter, loc, arith::ConstantOp::create(rewriter, loc, attribute),
        type, sizes);
  };
  Value most = arith::MinUIOp::create(rewriter, loc, amount, number(width - 1));
  if (isa<arith::ShRSIOp>(op))
    return rewriter.modifyOpInPlace(op, [&] { op->setOperand(1, most); });
  OperationState state(loc, op->getName(), {value, most}, {type},
                       op->getAttrs());
  Value shifted = rewriter.create(state)->getResult(0);
  Value isSmall = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, amount, number(width));
  rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isSmall, shifted, number(0));
}

struct ExpandUpstreamPass : impl::ExpandUpstreamPassBase<ExpandUpstreamPass> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::GatherOp, tensor::BitcastOp, linalg::SoftmaxOp,
              linalg::PackOp, linalg::UnPackOp, tensor::ExpandShapeOp,
              tensor::ReshapeOp, arith::ConstantOp>(op) ||
          isShift(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : found) {
      rewriter.setInsertionPoint(op);
      // What they leave is refused by name.
      TypeSwitch<Operation *>(op)
          .Case(
              [&](tensor::GatherOp gather) { expandGather(rewriter, gather); })
          .Case([&](tensor::BitcastOp cast) { expandBitcast(rewriter, cast); })
          .Case([&](linalg::SoftmaxOp softmax) {
            expandSoftmax(rewriter, softmax);
          })
          .Case(
              [&](tensor::ReshapeOp reshape) { widenSizes(rewriter, reshape); })
          .Case([&](tensor::ExpandShapeOp reshape) {
            expandReshape(rewriter, reshape);
          })
          .Case([&](linalg::PackOp pack) {
            (void)linalg::lowerPack(rewriter, pack);
          })
          .Case([&](linalg::UnPackOp unpack) {
            (void)linalg::lowerUnPack(rewriter, unpack);
          })
          .Case([&](arith::ConstantOp constant) { readConstant(constant); })
          .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(
              [&](auto shift) { limitShift(rewriter, shift); });
    }
  }
};

} // namespace
} // namespace attn
