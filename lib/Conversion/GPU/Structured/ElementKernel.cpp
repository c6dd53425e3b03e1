//===- ElementKernel.cpp - Kernels with a thread for each point -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Threads of a block: enough to fill a multiprocessor with few blocks, and a
/// number that all of them take.
static constexpr int64_t kBlock = 256;
static constexpr int64_t kWarp = 32;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value multiply(OpBuilder &builder, Location loc, Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}

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
  SmallVector<Value> extents;
  Value total = createIndex(builder, loc, 1);
  for (OpFoldResult size : sizes) {
    extents.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    total = multiply(builder, loc, total, extents.back());
  }
  int64_t threads = kBlock;
  if (std::optional<int64_t> known = getConstantIntValue(total))
    threads = std::clamp<int64_t>(llvm::alignTo(*known, kWarp), kWarp, kBlock);
  Value one = createIndex(builder, loc, 1);
  Value width = createIndex(builder, loc, threads);
  Value blocks = builder.createOrFold<arith::CeilDivUIOp>(loc, total, width);
  auto launch =
      gpu::LaunchOp::create(builder, loc, blocks, one, one, width, one, one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  Value first = arith::MulIOp::create(builder, loc, launch.getBlockIds().x,
                                      createIndex(builder, loc, threads));
  Value linear =
      arith::AddIOp::create(builder, loc, first, launch.getThreadIds().x);
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       linear, total);
  scf::IfOp::create(builder, loc, inside, [&](OpBuilder &nested, Location) {
    body(nested, emitDelinearized(nested, loc, linear, extents));
    scf::YieldOp::create(nested, loc);
  });
  gpu::TerminatorOp::create(builder, loc);
}
