//===- SplitComplex.cpp - Complex numbers as their parts ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rotary positions are written as products of complex numbers. Nothing else
// here knows these: each becomes two floats, and each tensor of them two.
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attn {
#define GEN_PASS_DEF_SPLITCOMPLEXPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The type of the parts of a complex number, or of a tensor of them; null for
/// others.
Type getPart(Type type) {
  auto complex = dyn_cast<ComplexType>(getElementTypeOrSelf(type));
  if (!complex || !isa<FloatType>(complex.getElementType()))
    return {};
  if (type == complex)
    return complex.getElementType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(complex.getElementType()) : Type();
}

bool isComplex(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}

bool hasComplex(Operation *op) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return llvm::any_of(function.getArgumentTypes(), isComplex) ||
           llvm::any_of(function.getResultTypes(), isComplex);
  return llvm::any_of(op->getOperandTypes(), isComplex) ||
         llvm::any_of(op->getResultTypes(), isComplex);
}

class PartConverter : public TypeConverter {
public:
  PartConverter() {
    addConversion([](Type type) { return type; });
    addConversion(
        [](Type type,
           SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          Type part = getPart(type);
          if (!part)
            return std::nullopt;
          parts.append(2, part);
          return success();
        });
  }
};

SmallVector<Value> flatten(ArrayRef<ValueRange> operands) {
  SmallVector<Value> values;
  for (ValueRange parts : operands)
    llvm::append_range(values, parts);
  return values;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The numbers of a constant, whose parts lie side by side; one where all are
/// the same.
std::optional<SmallVector<std::complex<APFloat>>>
readNumbers(ElementsAttr elements, FloatType part) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (dense.isSplat())
      return SmallVector<std::complex<APFloat>>{
          dense.getSplatValue<std::complex<APFloat>>()};
    auto values = dense.tryGetValues<std::complex<APFloat>>();
    return succeeded(values) ? std::optional(llvm::to_vector(*values))
                             : std::nullopt;
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  size_t bytes = part.getWidth() / 8;
  size_t count = elements.getNumElements();
  if (!blob || blob->getData().size() != 2 * count * bytes)
    return std::nullopt;
  auto read = [&](size_t i) {
    uint64_t bits = 0;
    std::memcpy(&bits, blob->getData().data() + i * bytes, bytes);
    return APFloat(part.getFloatSemantics(), APInt(part.getWidth(), bits));
  };
  SmallVector<std::complex<APFloat>> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.emplace_back(read(2 * i), read(2 * i + 1));
  return numbers;
}

struct SplitConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto part = cast<RankedTensorType>(getPart(op.getType()));
    auto numbers = readNumbers(cast<ElementsAttr>(op.getValue()),
                               cast<FloatType>(part.getElementType()));
    if (!numbers)
      return rewriter.notifyMatchFailure(op, "its numbers are not known");
    SmallVector<APFloat> parts[2];
    for (const std::complex<APFloat> &number : *numbers) {
      parts[0].push_back(number.real());
      parts[1].push_back(number.imag());
    }
    SmallVector<Value> constants;
    for (ArrayRef<APFloat> values : parts)
      constants.push_back(arith::ConstantOp::create(
          rewriter, op.getLoc(), DenseElementsAttr::get(part, values)));
    rewriter.replaceOpWithMultiple(op, {constants});
    return success();
  }
};

struct SplitNumber : OpConversionPattern<complex::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(complex::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> constants;
    for (Attribute part : op.getValue())
      constants.push_back(arith::ConstantOp::create(rewriter, op.getLoc(),
                                                    cast<FloatAttr>(part)));
    rewriter.replaceOpWithMultiple(op, {constants});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

struct SplitCreate : OpConversionPattern<complex::CreateOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(complex::CreateOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts = flatten(adaptor.getOperands());
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

template <typename OpTy, unsigned part>
struct TakePart : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<OpTy>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperands().front()[part]);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Ops that move numbers, and structured ones
//===----------------------------------------------------------------------===//

/// Ops without a region that take each part to its place, or ask for a size.
struct SplitMove : ConversionPattern {
  SplitMove(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  static bool isMove(Operation *op) {
    return isa<arith::SelectOp, tensor::CastOp, tensor::CollapseShapeOp,
               tensor::ConcatOp, tensor::DimOp, tensor::EmptyOp,
               tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
               tensor::FromElementsOp, tensor::InsertOp, tensor::InsertSliceOp,
               tensor::ReshapeOp, tensor::SplatOp>(op);
  }

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto isUnknown = [](Type type) {
      return isComplex(type) && !getPart(type);
    };
    if (!isMove(op) || llvm::any_of(op->getOperandTypes(), isUnknown) ||
        llvm::any_of(op->getResultTypes(), isUnknown))
      return rewriter.notifyMatchFailure(op, "not an op that moves numbers");
    auto create = [&](size_t part) {
      OperationState state(op->getLoc(), op->getName());
      for (ValueRange parts : operands)
        state.operands.push_back(parts[parts.size() == 2 ? part : 0]);
      Type type = op->getResult(0).getType(), own = getPart(type);
      state.types.push_back(own ? own : type);
      state.attributes = op->getAttrs();
      return rewriter.create(state)->getResult(0);
    };
    if (!getPart(op->getResult(0).getType())) {
      rewriter.replaceOp(op, create(0));
      return success();
    }
    SmallVector<Value> parts = {create(0), create(1)};
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct SplitYield : OpConversionPattern<linalg::YieldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::YieldOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<linalg::YieldOp>(
        op, flatten(adaptor.getOperands()));
    return success();
  }
};

struct SplitGeneric : OpConversionPattern<linalg::GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::GenericOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps;
    for (auto [map, parts] :
         llvm::zip_equal(op.getIndexingMapsArray(), adaptor.getOperands()))
      maps.append(parts.size(), map);
    SmallVector<Value> inputs = flatten(adaptor.getInputs()),
                       outputs = flatten(adaptor.getOutputs());
    auto split = linalg::GenericOp::create(
        rewriter, op.getLoc(), TypeRange(ValueRange(outputs)), inputs, outputs,
        maps, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), split.getRegion(),
                                split.getRegion().begin());
    if (failed(rewriter.convertRegionTypes(&split.getRegion(),
                                           *getTypeConverter())))
      return failure();
    SmallVector<SmallVector<Value>> results;
    ValueRange rest = split.getResults();
    for (ValueRange parts : adaptor.getOutputs()) {
      results.emplace_back(rest.take_front(parts.size()));
      rest = rest.drop_front(parts.size());
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// Arithmetic on complex numbers as arithmetic on their parts.
LogicalResult expandArithmetic(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateComplexToStandardConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<complex::ComplexDialect>();
  target.addLegalOp<complex::ConstantOp, complex::CreateOp, complex::ImOp,
                    complex::ReOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult splitParts(ModuleOp module) {
  PartConverter converter;
  RewritePatternSet patterns(module.getContext());
  patterns
      .add<SplitConstant, SplitNumber, SplitCreate, TakePart<complex::ReOp, 0>,
           TakePart<complex::ImOp, 1>, SplitYield, SplitGeneric, SplitMove>(
          converter, module.getContext());
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal(
      [](Operation *op) { return !hasComplex(op); });
  return applyPartialConversion(module, target, std::move(patterns));
}

struct SplitComplexPass : impl::SplitComplexPassBase<SplitComplexPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<linalg::LinalgOp> named;
    bool isNeeded = false, isCallable = true;
    module.walk([&](Operation *op) {
      if (!hasComplex(op))
        return;
      isNeeded = true;
      isCallable &= !isa<FunctionOpInterface>(op);
      if (isa<linalg::LinalgOp>(op) && !isa<linalg::GenericOp>(op))
        named.push_back(cast<linalg::LinalgOp>(op));
    });
    if (!isNeeded || !isCallable)
      return;
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    // Tensors that cannot be split stay, for attn-check-upstream to name.
    ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &) {});
    if (succeeded(expandArithmetic(module)))
      (void)splitParts(module);
  }
};

} // namespace
} // namespace attn
