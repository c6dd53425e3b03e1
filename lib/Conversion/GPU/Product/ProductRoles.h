//===- ProductRoles.h - A tile of a product by warps with roles -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One warp of a block brings operands into shared memory, step by step, and
// warpgroups multiply them: each has 64 rows of the tile, whose sums lie in its
// registers. A step is under way while the next one is waited for.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTROLES_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTROLES_H

#include "../Fragment/StageRing.h"
#include "ProductMaps.h"

namespace attn {

class ProductRoles {
public:
  /// For the host: makes the maps.
  ProductRoles(mlir::OpBuilder &, mlir::Location, const DeviceProduct &product,
               const RolesShape &shape);

  /// In the kernel.
  void emit(KernelBuilder &, const ProductPlace &ofThread) const;

private:
  using Values = llvm::SmallVector<mlir::Value>;
  void emitProducer(KernelBuilder &, const ProductPlace &place) const;
  void emitConsumer(KernelBuilder &, const ProductPlace &place) const;
  void emitLoads(KernelBuilder &, const ProductPlace &place, bool isLhs,
                 mlir::Value shared, mlir::Value term,
                 mlir::Value barrier) const;
  /// The sums after the loop over all steps.
  Values emitSums(KernelBuilder &, const ProductPlace &place,
                  mlir::Value group) const;
  /// Starts the products of a stage; those without sums begin at 0.
  Values emitStep(KernelBuilder &, const ProductPlace &place, mlir::Value group,
                  mlir::Value stage, mlir::ValueRange sums) const;
  mlir::Value emitSteps(KernelBuilder &, const ProductPlace &place) const;
  StageRing getRing(KernelBuilder &, const ProductPlace &place) const;

  const DeviceProduct &product;
  const RolesShape &shape;
  TensorMap lhs, rhs;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTROLES_H
