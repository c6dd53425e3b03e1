//===- BooleansToBytes.cpp - i1 in memory is i8 ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attn {
#define GEN_PASS_DEF_BOOLEANSTOBYTESPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The bytes that stand for `type`, a boolean or a vector of them.
Type getByteType(Type type) {
  Type byte = IntegerType::get(type.getContext(), 8);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(byte);
  return byte;
}

/// Any byte but 0 is true.
Value createIsNonZero(OpBuilder &builder, Location loc, Value bytes) {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(bytes.getType()));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bytes,
                               zero);
}

/// memref.load and vector.load.
template <typename LoadOp> struct ConvertLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern<LoadOp>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<LoadOp>::OpAdaptor;

  LogicalResult
  matchAndRewrite(LoadOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Operation *load = rewriter.clone(*op);
    load->setOperands(adaptor.getOperands());
    load->getResult(0).setType(getByteType(op.getType()));
    rewriter.replaceOp(op, createIsNonZero(rewriter, loc, load->getResult(0)));
    return success();
  }
};

/// memref.store and vector.store: the value is the first operand.
template <typename StoreOp> struct ConvertStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern<StoreOp>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<StoreOp>::OpAdaptor;

  LogicalResult
  matchAndRewrite(StoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> operands(adaptor.getOperands());
    operands[0] = arith::ExtUIOp::create(
        rewriter, op.getLoc(), getByteType(operands[0].getType()), operands[0]);
    rewriter.clone(*op)->setOperands(operands);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertGlobal : OpConversionPattern<memref::GlobalOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::GlobalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(getTypeConverter()->convertType(op.getType()));
    Attribute value = op.getInitialValueAttr();
    if (auto booleans = dyn_cast_or_null<DenseElementsAttr>(value))
      value = booleans.mapValues(type.getElementType(),
                                 [](const APInt &bit) { return bit.zext(8); });
    rewriter.modifyOpInPlace(op, [&] {
      op.setType(type);
      if (value)
        op.setInitialValueAttr(value);
    });
    return success();
  }
};

/// Ops that only pass memrefs around.
struct ConvertViews : ConversionPattern {
  ConvertViews(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumRegions() != 0 ||
        !isa<memref::MemRefDialect>(op->getDialect()))
      return rewriter.notifyMatchFailure(op, "no byte form of this op");
    SmallVector<Type> types;
    if (failed(typeConverter->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "a result has no byte form");
    Operation *converted = rewriter.clone(*op);
    converted->setOperands(operands);
    for (auto [result, type] : llvm::zip(converted->getResults(), types))
      result.setType(type);
    rewriter.replaceOp(op, converted->getResults());
    return success();
  }
};

void setLegality(ConversionTarget &target, const TypeConverter &converter) {
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return converter.isLegal(op); });
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType());
  });
  target.addDynamicallyLegalOp<memref::GlobalOp>(
      [&](memref::GlobalOp op) { return converter.isLegal(op.getType()); });
}

struct BooleansToBytesPass
    : impl::BooleansToBytesPassBase<BooleansToBytesPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](MemRefType type) -> std::optional<Type> {
      if (!type.getElementType().isInteger(1))
        return std::nullopt;
      return MemRefType(MemRefType::Builder(type).setElementType(
          IntegerType::get(type.getContext(), 8)));
    });
    ConversionTarget target(*context);
    setLegality(target, converter);
    RewritePatternSet patterns(context);
    patterns.add<ConvertLoad<memref::LoadOp>, ConvertLoad<vector::LoadOp>,
                 ConvertStore<memref::StoreOp>, ConvertStore<vector::StoreOp>,
                 ConvertGlobal>(converter, context, /*benefit=*/2);
    patterns.add<ConvertViews>(converter, context);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
