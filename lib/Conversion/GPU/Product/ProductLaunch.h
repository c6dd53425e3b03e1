//===- ProductLaunch.h - A matrix product on the host -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTLAUNCH_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTLAUNCH_H

#include "ProductKernel.h"
#include "ProductMaps.h"
#include "attn/Target/GPUDescription.h"

namespace attn {

/// One product's launch, and the host's part of it.
class ProductLaunch {
public:
  ProductLaunch(mlir::OpBuilder &builder, mlir::Location loc,
                const FoundProduct &found, const GPUDescription *gpu)
      : builder(builder), loc(loc), gpu(gpu), product(builder, loc, found) {}

  void emit(GPUProductAttr schedule);
  /// Fails where the schedule's numbers do not fit each other.
  mlir::LogicalResult emit(GPUDotsAttr schedule);

private:
  using EmitBlock = llvm::function_ref<void(
      KernelBuilder &, const ProductPlace &, bool aligned)>;

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  mlir::Value emitAlignment();
  /// Whether a size is whole pieces of `width`: false where it is known not to.
  mlir::Value emitIsWhole(mlir::Value size, int64_t width);
  void emitForms(const ProductBlock &block, mlir::Value aligned,
                 EmitBlock emitBlock);
  mlir::gpu::LaunchOp emitLaunch(const ProductBlock &block, bool aligned,
                                 EmitBlock emitBlock);
  void emitWarps(const ProductShape &shape);
  void emitRoles(const RolesShape &shape);
  ProductPlace emitPlace(KernelBuilder &kernel, mlir::Value block,
                         mlir::Value thread, const ProductBlock &of);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// Null where nothing is known of it.
  const GPUDescription *gpu;
  DeviceProduct product;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTLAUNCH_H
