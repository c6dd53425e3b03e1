//===- TensorMap.cpp - Boxes between global and shared memory -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"
#include "../../Shared/MemRefMemory.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

/// What addresses and distances of a map are multiples of, and where distances
/// end, in bytes.
static constexpr int64_t kMapBytes = 16;
static constexpr int64_t kDistanceEnd = int64_t(1) << 40;

static Value toValue(OpBuilder &b, Location loc, OpFoldResult result) {
  return getValueOrCreateConstantIndexOp(b, loc, result);
}

//===----------------------------------------------------------------------===//
// The host's part
//===----------------------------------------------------------------------===//

/// Whether neighbours along a dimension lie apart, and not too far. Of a single
/// index the distance is never used.
static Value emitHasDistance(OpBuilder &b, Location loc, const Distance &dim,
                             int64_t elementBytes) {
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  // A distance of 0, or one that is negative, is very large here.
  Value less =
      b.createOrFold<arith::SubIOp>(loc, toValue(b, loc, dim.stride), index(1));
  Value isNear =
      b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, less,
                                    index(kDistanceEnd / elementBytes - 1));
  Value isSingle = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, toValue(b, loc, dim.size), index(1));
  return b.createOrFold<arith::OrIOp>(loc, isNear, isSingle);
}

Value TensorMap::emitExists(OpBuilder &b, Location loc,
                            const TensorView &view) {
  if (view.dims.empty() ||
      static_cast<int64_t>(view.dims.size()) > kMostMapDims ||
      getConstantIntValue(view.dims.front().stride) != 1 ||
      getMemoryRoot(view.memref).getDefiningOp<memref::GetGlobalOp>())
    return {};
  int64_t elementBytes = getElementBytes(getElementTypeOrSelf(view.memref));
  ArrayRef<Distance> outer = ArrayRef(view.dims).drop_front();
  Value exists = emitIsAligned(b, loc, view.memref, outer, kMapBytes);
  if (!exists)
    return {};
  for (const Distance &dim : outer)
    exists = b.createOrFold<arith::AndIOp>(
        loc, exists, emitHasDistance(b, loc, dim, elementBytes));
  Value none = arith::ConstantIndexOp::create(b, loc, 0);
  for (const Distance &dim : view.dims)
    exists = b.createOrFold<arith::AndIOp>(
        loc, exists,
        b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                      toValue(b, loc, dim.size), none));
  return getConstantIntValue(exists) == 0 ? Value() : exists;
}

/// The tensor as a memref, outermost dimension first.
static Value createTensor(OpBuilder &b, Location loc, const TensorView &view) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, view.memref);
  auto type = cast<MemRefType>(view.memref.getType());
  OpFoldResult offset = metadata.getConstifiedMixedOffset();
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<int64_t> shape, distances;
  auto getKnown = [](OpFoldResult result) {
    return getConstantIntValue(result).value_or(ShapedType::kDynamic);
  };
  // What is known shows in the type.
  auto fold = [&](OpFoldResult result) -> OpFoldResult {
    if (std::optional<int64_t> known = getConstantIntValue(result))
      return b.getIndexAttr(*known);
    return result;
  };
  for (const Distance &dim : llvm::reverse(view.dims)) {
    sizes.push_back(fold(dim.size));
    strides.push_back(fold(dim.stride));
    shape.push_back(getKnown(dim.size));
    distances.push_back(getKnown(dim.stride));
  }
  auto layout =
      StridedLayoutAttr::get(b.getContext(), getKnown(offset), distances);
  auto tensor = MemRefType::get(shape, type.getElementType(), layout,
                                type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, loc, tensor, metadata.getBaseBuffer(), offset, sizes, strides);
}

TensorMap::TensorMap(OpBuilder &b, Location loc, const TensorView &view,
                     ArrayRef<int64_t> box)
    : box(box),
      elementBytes(getElementBytes(getElementTypeOrSelf(view.memref))) {
  using namespace nvgpu;
  Type element = getElementTypeOrSelf(view.memref);
  SmallVector<int64_t> shape(llvm::reverse(box));
  auto space = b.getI64IntegerAttr(static_cast<int64_t>(MemorySpace::Shared));
  auto tile =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  auto type = TensorMapDescriptorType::get(
      b.getContext(), tile, TensorMapSwizzleKind::SWIZZLE_128B,
      TensorMapL2PromoKind::L2PROMO_128B, TensorMapOOBKind::OOB_ZERO,
      TensorMapInterleaveKind::INTERLEAVE_NONE);
  Value tensor = createTensor(b, loc, view);
  auto unranked = UnrankedMemRefType::get(
      element, cast<MemRefType>(tensor.getType()).getMemorySpace());
  Value any = memref::CastOp::create(b, loc, unranked, tensor);
  SmallVector<Value> sizes;
  for (int64_t size : shape)
    sizes.push_back(arith::ConstantIndexOp::create(b, loc, size));
  map = TmaCreateDescriptorOp::create(b, loc, type, any, sizes);
}

int64_t TensorMap::getBoxBytes() const {
  int64_t bytes = elementBytes;
  for (int64_t size : box)
    bytes *= size;
  return bytes;
}

//===----------------------------------------------------------------------===//
// The kernel's part
//===----------------------------------------------------------------------===//

Value TensorMap::emitAddress(KernelBuilder &kernel) const {
  OpBuilder &b = kernel.getBuilder();
  return UnrealizedConversionCastOp::create(
             b, kernel.getLoc(), LLVM::LLVMPointerType::get(b.getContext()),
             map)
      .getResult(0);
}

void TensorMap::emitPrefetch(KernelBuilder &kernel) const {
  OpBuilder &b = kernel.getBuilder();
  NVVM::PrefetchOp::create(b, kernel.getLoc(), /*cacheLevel=*/nullptr,
                           /*evictPriority=*/nullptr, emitAddress(kernel),
                           /*predicate=*/Value(),
                           /*tensormap=*/b.getUnitAttr());
}

/// The policies that createpolicy.fractional gives for all of a copy.
static Value emitPolicy(KernelBuilder &kernel, CacheHint hint) {
  switch (hint) {
  case CacheHint::None:
    return {};
  case CacheHint::EvictFirst:
    return kernel.constant64(0x12F0000000000000);
  case CacheHint::EvictLast:
    return kernel.constant64(0x14F0000000000000);
  }
  llvm_unreachable("no such hint");
}

void TensorMap::emitLoad(KernelBuilder &kernel, Value shared,
                         ValueRange coordinates, Value barrier, CacheHint hint,
                         int64_t blocks) const {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  MLIRContext *context = b.getContext();
  // The form for one block needs a later version of PTX than that for clusters.
  auto cluster = LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  Value target = LLVM::AddrSpaceCastOp::create(b, loc, cluster, shared);
  Value mask;
  if (blocks > 1)
    mask = arith::ConstantIntOp::create(b, loc, (1 << blocks) - 1,
                                        /*width=*/16);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, loc, target, emitAddress(kernel), coordinates, barrier,
      /*im2colOffsets=*/ValueRange(), mask, emitPolicy(kernel, hint),
      NVVM::TMALoadModeAttr::get(context, NVVM::TMALoadMode::TILE),
      /*isCTAOnly=*/b.getBoolAttr(false),
      /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void TensorMap::emitStore(KernelBuilder &kernel, Value shared,
                          ValueRange coordinates) const {
  OpBuilder &b = kernel.getBuilder();
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, kernel.getLoc(), emitAddress(kernel), shared, coordinates,
      /*l2CacheHint=*/Value(),
      NVVM::TMAStoreModeAttr::get(b.getContext(), NVVM::TMAStoreMode::TILE),
      /*predicate=*/Value());
}

void attn::emitStoreCommit(KernelBuilder &kernel) {
  NVVM::CpAsyncBulkCommitGroupOp::create(kernel.getBuilder(), kernel.getLoc());
}

void attn::emitStoreWait(KernelBuilder &kernel, int64_t pending) {
  OpBuilder &b = kernel.getBuilder();
  NVVM::CpAsyncBulkWaitGroupOp::create(b, kernel.getLoc(),
                                       b.getI32IntegerAttr(pending),
                                       /*read=*/b.getUnitAttr());
}

void attn::emitSharedFence(KernelBuilder &kernel) {
  OpBuilder &b = kernel.getBuilder();
  NVVM::FenceProxyOp::create(
      b, kernel.getLoc(), NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void attn::emitSetRegisters(KernelBuilder &kernel, int64_t registers,
                            bool grows) {
  NVVM::SetMaxRegisterOp::create(kernel.getBuilder(), kernel.getLoc(),
                                 static_cast<uint32_t>(registers),
                                 grows ? NVVM::SetMaxRegisterAction::increase
                                       : NVVM::SetMaxRegisterAction::decrease);
}
