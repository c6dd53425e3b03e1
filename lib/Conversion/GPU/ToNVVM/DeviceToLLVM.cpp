//===- DeviceToLLVM.cpp - GPU modules to the LLVM dialect -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream has a pass for each dialect, most of which take builtin modules
// only, and one for GPU modules that leaves control flow alone. So their
// patterns run together here.
//
//===----------------------------------------------------------------------===//

#include "LowerAttnNV.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/AttnNV/IR/AttnNV.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace attn {
#define GEN_PASS_DEF_DEVICETOLLVMPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

void populatePatterns(LLVMTypeConverter &converter,
                      RewritePatternSet &patterns) {
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateAttnNVToLLVMPatterns(converter, patterns);
}

/// Upstream calls libdevice.
template <typename From, typename To>
struct ConvertExtremum : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;

  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!LLVM::isCompatibleType(op.getType()))
      return rewriter.notifyMatchFailure(op, "is no vector of LLVM");
    rewriter.replaceOpWithNewOp<To>(op, op.getType(), op.getLhs(), op.getRhs());
    return success();
  }
};

/// bf16 is the upper half of f32: words of two have one that is shifted, and
/// one whose lower half is cleared. Upstream's instruction runs at an eighth of
/// the rate.
struct ExtendBF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!getElementTypeOrSelf(op.getIn()).isBF16() ||
        !getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not from bf16 to f32");
    if (vector && (vector.isScalable() || vector.getRank() != 1))
      return rewriter.notifyMatchFailure(op, "is no vector of LLVM");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    auto splat = [&](Type of, uint32_t value) -> Value {
      TypedAttr number = rewriter.getI32IntegerAttr(value);
      if (auto shaped = dyn_cast<VectorType>(of))
        number = DenseElementsAttr::get(shaped, Attribute(number));
      return arith::ConstantOp::create(rewriter, loc, number);
    };
    Value bits;
    if (vector && vector.getNumElements() % 2 == 0) {
      int64_t words = vector.getNumElements() / 2;
      auto pairs = VectorType::get({words}, i32);
      Value both = vector::BitCastOp::create(rewriter, loc, pairs, op.getIn());
      Value low = arith::ShLIOp::create(rewriter, loc, both, splat(pairs, 16));
      Value high =
          arith::AndIOp::create(rewriter, loc, both, splat(pairs, 0xFFFF0000u));
      SmallVector<int64_t> inTurn;
      for (int64_t i = 0; i < words; ++i)
        inTurn.append({i, words + i});
      bits = vector::ShuffleOp::create(rewriter, loc, low, high, inTurn);
    } else {
      Type wide = vector ? vector.clone(i32) : i32;
      Type narrow = rewriter.getI16Type();
      bits = arith::BitcastOp::create(
          rewriter, loc, vector ? vector.clone(narrow) : narrow, op.getIn());
      bits = arith::ExtUIOp::create(rewriter, loc, wide, bits);
      bits = arith::ShLIOp::create(rewriter, loc, bits, splat(wide, 16));
    }
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, bits);
    return success();
  }
};

/// How much dynamic shared memory there is a launch says: it is declared only,
/// and a symbol of a size of its own otherwise. Rows of tiles are swizzled by
/// their addresses.
void exportDynamicShared(gpu::GPUModuleOp kernels) {
  constexpr unsigned kShared = 3, kAlignment = 1024;
  for (auto global : kernels.getOps<LLVM::GlobalOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (!type || type.getNumElements() != 0 || global.getAddrSpace() != kShared)
      continue;
    global.setLinkage(LLVM::Linkage::External);
    global.setAlignment(kAlignment);
  }
}

/// Which parameters of each kernel are tensor maps.
using MapArguments = llvm::StringMap<SmallVector<unsigned>>;

MapArguments findTensorMaps(gpu::GPUModuleOp kernels) {
  MapArguments maps;
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
      if (isa<nvgpu::TensorMapDescriptorType>(type))
        maps[kernel.getName()].push_back(i);
  return maps;
}

/// Maps are passed by value, and the copy engine reads them where they lie:
/// upstream's conversion of kernels keeps no such attributes.
void passTensorMaps(gpu::GPUModuleOp kernels, const MapArguments &maps) {
  constexpr unsigned bytes = 128, alignment = 64;
  Builder b(kernels.getContext());
  auto type = TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), bytes));
  for (const auto &[name, arguments] : maps) {
    auto kernel = kernels.lookupSymbol<LLVM::LLVMFuncOp>(name);
    for (unsigned i : arguments) {
      kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), type);
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(alignment));
      kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
    }
  }
}

struct DeviceToLLVMPass : impl::DeviceToLLVMPassBase<DeviceToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet rewrites(context);
    populateGpuRewritePatterns(rewrites);
    // Not all of arith's expansions: an extremum is one instruction.
    rewrites.add<ConvertExtremum<arith::MaxNumFOp, LLVM::MaxNumOp>,
                 ConvertExtremum<arith::MinNumFOp, LLVM::MinNumOp>>(context);
    rewrites.add<ExtendBF16>(context);
    arith::populateCeilFloorDivExpandOpsPatterns(rewrites);
    if (failed(applyPatternsGreedily(getOperation(), std::move(rewrites))))
      return signalPassFailure();

    LLVMTypeConverter converter(context);
    configureGpuToNVVMTypeConverter(converter);
    converter.addConversion([](nvgpu::TensorMapDescriptorType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext());
    });
    MapArguments maps = findTensorMaps(getOperation());
    RewritePatternSet patterns(context);
    populatePatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<attn_nv::AttnNVDialect, gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    exportDynamicShared(getOperation());
    passTensorMaps(getOperation(), maps);
  }
};

} // namespace
} // namespace attn
