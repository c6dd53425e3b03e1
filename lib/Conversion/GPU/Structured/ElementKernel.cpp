//===- ElementKernel.cpp - Kernels with a thread for each point -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "../Fragment/KernelBuilder.h"
#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Threads of a block: enough to fill a multiprocessor with few blocks, and a
/// number that all of them take.
static constexpr int64_t kBlock = 256;
static constexpr int64_t kWarp = 32;

/// How many points a box has, if that is known and fits 31 bits.
static bool isSmall(ArrayRef<Value> sizes) {
  int64_t points = 1;
  for (Value size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      return false;
    points = multiplySaturating(points, *known);
  }
  return points <= std::numeric_limits<int32_t>::max();
}

SmallVector<Value> attn::emitDelinearized(OpBuilder &builder, Location loc,
                                          Value linear, ArrayRef<Value> sizes) {
  SmallVector<Value> indices(sizes.size());
  if (sizes.size() <= 1) {
    if (sizes.size() == 1)
      indices[0] = linear;
    return indices;
  }
  // Divisions of 64 bits cost several times as much.
  Type type = isSmall(sizes) ? Type(builder.getI32Type())
                             : Type(builder.getIndexType());
  auto cast = [&](Type to, Value value) {
    return value.getType() == to
               ? value
               : builder.createOrFold<arith::IndexCastUIOp>(loc, to, value);
  };
  linear = cast(type, linear);
  for (size_t dim = sizes.size(); dim-- > 1;) {
    // Unsigned: no number here is negative, and it saves corrections.
    Value size = cast(type, sizes[dim]);
    indices[dim] =
        cast(builder.getIndexType(),
             builder.createOrFold<arith::RemUIOp>(loc, linear, size));
    linear = builder.createOrFold<arith::DivUIOp>(loc, linear, size);
  }
  indices[0] = cast(builder.getIndexType(), linear);
  return indices;
}

void attn::emitElementKernel(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> sizes,
                             function_ref<void(OpBuilder &, ValueRange)> body) {
  KernelBuilder kernel(builder, loc);
  SmallVector<Value> extents;
  Value total = kernel.index(1);
  for (OpFoldResult size : sizes) {
    extents.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    total = kernel.mul(total, extents.back());
  }
  int64_t threads = kBlock;
  if (std::optional<int64_t> known = getConstantIntValue(total))
    threads = std::clamp<int64_t>(llvm::alignTo(*known, kWarp), kWarp, kBlock);
  emitLaunch(builder, loc, kernel.ceilDiv(total, threads), threads,
             /*sharedBytes=*/0, [&](Value block, Value thread) {
               Value linear = kernel.add(kernel.mul(block, threads), thread);
               kernel.emitIf(kernel.below(linear, total), [&] {
                 body(builder, emitDelinearized(builder, loc, linear, extents));
               });
             });
}
