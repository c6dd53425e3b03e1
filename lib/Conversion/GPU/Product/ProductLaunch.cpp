//===- ProductLaunch.cpp - A matrix product on the host -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLaunch.h"
#include "ProductKernel.h"
#include "ProductRoles.h"
#include "RowDots.h"
#include "attn/Remarks/Remarks.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// The first tiles of some rows with all columns, and so on.
ProductPlace ProductLaunch::emitPlace(KernelBuilder &kernel,
                                      gpu::LaunchOp launch,
                                      const ProductBlock &block) {
  OpBuilder &b = kernel.getBuilder();
  auto divide = [&](Value a, Value by) {
    return b.createOrFold<arith::DivUIOp>(loc, a, by);
  };
  auto rest = [&](Value a, Value quotient, Value by) {
    return kernel.sub(a, kernel.mul(quotient, by));
  };
  auto countTiles = [&](Value size, int64_t tile) {
    return kernel.div(kernel.add(size, kernel.constant(tile - 1)), tile);
  };
  ProductPlace place;
  place.rows = kernel.toI32(product.rows);
  place.columns = kernel.toI32(product.columns);
  place.depth = kernel.toI32(product.depth);
  Value rowTiles = countTiles(place.rows, block.rows);
  Value columnTiles = countTiles(place.columns, block.columns);
  Value number = kernel.toI32(launch.getBlockIds().x);
  Value inMatrix = kernel.mul(rowTiles, columnTiles);
  Value batch = divide(number, inMatrix);
  number = rest(number, batch, inMatrix);
  Value inGroup = kernel.mul(columnTiles, kernel.constant(kGroupTiles));
  Value group = divide(number, inGroup);
  number = rest(number, group, inGroup);
  Value firstTile = kernel.mul(group, kernel.constant(kGroupTiles));
  Value tiles =
      kernel.min(kernel.sub(rowTiles, firstTile), kernel.constant(kGroupTiles));
  Value columnTile = divide(number, tiles);
  Value rowTile = kernel.add(firstTile, rest(number, columnTile, tiles));
  place.firstRow = kernel.mul(rowTile, kernel.constant(block.rows));
  place.firstColumn = kernel.mul(columnTile, kernel.constant(block.columns));
  place.batch.resize(product.batchSizes.size());
  for (size_t dim = place.batch.size(); dim-- > 0;) {
    Value size = kernel.toI32(product.batchSizes[dim]);
    Value outer = dim == 0 ? Value() : divide(batch, size);
    place.batch[dim] = dim == 0 ? batch : rest(batch, outer, size);
    batch = outer;
  }
  place.thread = kernel.toI32(launch.getThreadIds().x);
  place.warp = kernel.div(place.thread, kWarpLanes);
  place.lane = kernel.rem(place.thread, kWarpLanes);
  place.shared = kernel.getDynamicShared();
  return place;
}

gpu::LaunchOp ProductLaunch::emitLaunch(const ProductBlock &block, bool aligned,
                                        EmitBlock emitBlock) {
  Value one = constant(1);
  Value blocks = product.batchCount;
  for (auto [size, tile] : {std::pair(product.rows, block.rows),
                            std::pair(product.columns, block.columns)})
    blocks = builder.createOrFold<arith::MulIOp>(
        loc, blocks,
        builder.createOrFold<arith::CeilDivUIOp>(loc, size, constant(tile)));
  Value shared = arith::ConstantIntOp::create(
      builder, loc, builder.getI32Type(), block.sharedBytes);
  auto launch =
      gpu::LaunchOp::create(builder, loc, blocks, one, one,
                            constant(block.threads), one, one, shared);
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  KernelBuilder kernel(builder, loc);
  emitBlock(kernel, emitPlace(kernel, launch, block), aligned);
  gpu::TerminatorOp::create(builder, loc);
  return launch;
}

void ProductLaunch::emitForms(const ProductBlock &block, Value aligned,
                              EmitBlock emitBlock) {
  if (!aligned) {
    emitLaunch(block, /*aligned=*/false, emitBlock);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, aligned, true);
  for (bool form : {true, false}) {
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(form ? branch.thenBlock()
                                          : branch.elseBlock());
    emitLaunch(block, form, emitBlock);
  }
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
  auto branch = scf::IfOp::create(builder, loc, exists, true);
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitRoles(*roles);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitWarps(shape);
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
