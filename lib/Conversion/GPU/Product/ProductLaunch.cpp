//===- ProductLaunch.cpp - A matrix product on the host -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLaunch.h"
#include "ProductRoles.h"
#include "RowDots.h"
#include "attn/Remarks/Remarks.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

/// Tiles of rows that go over the columns together, so that what they read of
/// the right operand comes from the L2 cache.
static constexpr int64_t kGroupTiles = 8;

/// Whether both operands come in pieces of 16 bytes; null where they never do.
Value ProductLaunch::emitAlignment() {
  KernelBuilder host(builder, loc);
  Value lhs = emitIsAligned(host, product.product, product.product.lhs);
  Value rhs = emitIsAligned(host, product.product, product.product.rhs);
  return lhs && rhs ? host.both(lhs, rhs) : Value();
}

Value ProductLaunch::emitIsWhole(Value size, int64_t width) {
  Value rest = builder.createOrFold<arith::RemUIOp>(loc, size, constant(width));
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                             rest, constant(0));
}

Value ProductBlock::emitRowTiles(KernelBuilder &kernel, Value count) const {
  return kernel.mul(kernel.ceilDiv(count, rows * cluster), cluster);
}

/// The first tiles of some rows with all columns, and so on.
ProductPlace ProductLaunch::emitPlace(KernelBuilder &kernel, Value block,
                                      Value thread, const ProductBlock &of) {
  auto divide = [&](Value a, Value by) {
    Value quotient = kernel.div(a, by);
    return std::pair(quotient, kernel.sub(a, kernel.mul(quotient, by)));
  };
  ProductPlace place;
  place.rows = kernel.toI32(product.rows);
  place.columns = kernel.toI32(product.columns);
  place.depth = kernel.toI32(product.depth);
  Value rowTiles = of.emitRowTiles(kernel, place.rows);
  Value columnTiles = kernel.ceilDiv(place.columns, of.columns);
  auto [batch, inMatrix] =
      divide(kernel.toI32(block), kernel.mul(rowTiles, columnTiles));
  auto [group, inGroup] =
      divide(inMatrix, kernel.mul(columnTiles, kGroupTiles));
  Value firstTile = kernel.mul(group, kGroupTiles);
  Value tiles = kernel.min(kernel.sub(rowTiles, firstTile), kGroupTiles);
  auto [columnTile, rowTile] = divide(inGroup, tiles);
  place.firstRow = kernel.mul(kernel.add(firstTile, rowTile), of.rows);
  place.firstColumn = kernel.mul(columnTile, of.columns);
  place.batch = kernel.delinearize(
      batch, llvm::map_to_vector(product.batchSizes, [&](Value size) {
        return kernel.toI32(size);
      }));
  place.thread = kernel.toI32(thread);
  place.warp = kernel.div(place.thread, kWarpLanes);
  place.lane = kernel.rem(place.thread, kWarpLanes);
  place.shared = kernel.getDynamicShared();
  if (of.cluster > 1)
    place.inCluster = kernel.rem(kernel.toI32(block), of.cluster);
  return place;
}

gpu::LaunchOp ProductLaunch::emitLaunch(const ProductBlock &block, bool aligned,
                                        EmitBlock emitBlock) {
  KernelBuilder kernel(builder, loc);
  Value tiles =
      kernel.mul(product.batchCount, block.emitRowTiles(kernel, product.rows));
  tiles = kernel.mul(tiles, kernel.ceilDiv(product.columns, block.columns));
  auto launch = attn::emitLaunch(
      builder, loc, tiles, block.threads, block.sharedBytes,
      [&](Value number, Value thread) {
        emitBlock(kernel, emitPlace(kernel, number, thread, block), aligned);
      });
  if (block.cluster > 1)
    launch->setDiscardableAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        builder.getDenseI32ArrayAttr(
            {static_cast<int32_t>(block.cluster), 1, 1}));
  return launch;
}

void ProductLaunch::emitForms(const ProductBlock &block, Value aligned,
                              EmitBlock emitBlock) {
  auto emit = [&](bool form) {
    return [&, form] { emitLaunch(block, form, emitBlock); };
  };
  KernelBuilder(builder, loc).emitIf(aligned, emit(bool(aligned)), emit(false));
}

void ProductLaunch::emitWarps(const ProductShape &shape) {
  // Copies of 16 bytes leave elements as they are.
  bool areCopied = product.lhs.getElement() == shape.element &&
                   product.rhs.getElement() == shape.element;
  emitForms(
      shape.getBlock(), areCopied ? emitAlignment() : Value(),
      [&](KernelBuilder &kernel, const ProductPlace &place, bool aligned) {
        ProductKernel(kernel, product, shape, place, aligned).emit();
      });
}

void ProductLaunch::emitRoles(const RolesShape &shape) {
  ProductRoles roles(builder, loc, product, shape);
  gpu::LaunchOp launch =
      emitLaunch(shape.getBlock(), /*aligned=*/true,
                 [&](KernelBuilder &kernel, const ProductPlace &place, bool) {
                   roles.emit(kernel, place);
                 });
  // Roles share out the registers of a multiprocessor.
  launch->setDiscardableAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                             builder.getI32IntegerAttr(1));
}

void ProductLaunch::emit(GPUProductAttr schedule) {
  ProductShape shape(product, schedule);
  if (!gpu || !gpu->hasWgmma || !RolesShape::isFor(schedule, shape.element))
    return emitWarps(shape);
  std::string reason;
  std::optional<RolesShape> roles =
      RolesShape::get(builder, loc, product, schedule, reason);
  Value exists = roles ? roles->emitExists(builder, loc) : Value();
  if (!exists) {
    if (reason.empty())
      reason = "rows of an operand do not begin at multiples of 16 bytes";
    Remark(RemarkId::NoProductRoles, {{"reason", reason}}).emit(loc);
    return emitWarps(shape);
  }
  Remark(
      RemarkId::ProductRoles,
      {{"condition", "rows of both operands begin at multiples of 16 bytes"}})
      .emit(loc);
  KernelBuilder(builder, loc)
      .emitIf(exists, [&] { emitRoles(*roles); }, [&] { emitWarps(shape); });
}

LogicalResult ProductLaunch::emit(GPUDotsAttr schedule) {
  std::optional<DotsShape> shape = DotsShape::get(product, schedule);
  if (!shape)
    return emitError(loc) << "the columns of " << schedule
                          << " must be a power of two of lanes, at most "
                          << kWarpLanes;
  Value aligned;
  if (product.lhs.hasUnitColumns() && product.rhs.hasUnitColumns())
    aligned = emitAlignment();
  int64_t width = schedule.getWidth();
  for (Value size : {product.depth, product.columns})
    if (aligned && (size == product.depth || !shape->areTermsNeighbours))
      aligned = builder.createOrFold<arith::AndIOp>(loc, aligned,
                                                    emitIsWhole(size, width));
  emitForms(
      shape->getBlock(product.compute), aligned,
      [&](KernelBuilder &kernel, const ProductPlace &place, bool isAligned) {
        RowDots(kernel, product, *shape, place, isAligned).emit();
      });
  return success();
}
