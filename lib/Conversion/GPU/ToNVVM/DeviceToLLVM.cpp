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
    arith::populateCeilFloorDivExpandOpsPatterns(rewrites);
    arith::populateExpandBFloat16Patterns(rewrites);
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
