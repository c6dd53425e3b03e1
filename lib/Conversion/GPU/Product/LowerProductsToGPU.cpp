//===- LowerProductsToGPU.cpp - Matrix products as launches ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductKernel.h"
#include "RowDots.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "attn/Remarks/Remarks.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_LOWERPRODUCTSTOGPUPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

/// Tiles of rows that go over the columns together, so that what they read of
/// the right operand comes from the L2 cache.
static constexpr int64_t kGroupTiles = 8;

namespace {

/// One product's launch, and the host's part of it.
class ProductLaunch {
public:
  ProductLaunch(OpBuilder &builder, Location loc, const FoundProduct &found)
      : builder(builder), loc(loc), product(builder, loc, found) {}

  void emit(GPUProductAttr schedule);
  /// Fails where the schedule's numbers do not fit each other.
  LogicalResult emit(GPUDotsAttr schedule);

private:
  using EmitBlock =
      function_ref<void(KernelBuilder &, const ProductPlace &, bool aligned)>;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value emitAlignment();
  /// Whether a size is whole pieces of `width`: false where it is known not to.
  Value emitIsWhole(Value size, int64_t width);
  void emitForms(const ProductBlock &block, Value aligned, EmitBlock emitBlock);
  void emitLaunch(const ProductBlock &block, bool aligned, EmitBlock emitBlock);
  ProductPlace emitPlace(KernelBuilder &kernel, gpu::LaunchOp launch,
                         const ProductBlock &block);

  OpBuilder &builder;
  Location loc;
  DeviceProduct product;
};

} // namespace

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

void ProductLaunch::emitLaunch(const ProductBlock &block, bool aligned,
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
}

void ProductLaunch::emitForms(const ProductBlock &block, Value aligned,
                              EmitBlock emitBlock) {
  if (!aligned)
    return emitLaunch(block, /*aligned=*/false, emitBlock);
  auto branch = scf::IfOp::create(builder, loc, aligned, true);
  for (bool form : {true, false}) {
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(form ? branch.thenBlock()
                                          : branch.elseBlock());
    emitLaunch(block, form, emitBlock);
  }
}

void ProductLaunch::emit(GPUProductAttr schedule) {
  ProductShape shape(product, schedule);
  // Copies of 16 bytes leave elements as they are.
  bool areCopied = product.lhs.getElement() == shape.element &&
                   product.rhs.getElement() == shape.element;
  emitForms(
      shape.getBlock(), areCopied ? emitAlignment() : Value(),
      [&](KernelBuilder &kernel, const ProductPlace &place, bool aligned) {
        ProductKernel(kernel, product, shape, place, aligned).emit();
      });
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

static LogicalResult emitProduct(OpBuilder &builder, Location loc,
                                 const FoundProduct &found,
                                 Attribute schedule) {
  ProductLaunch launch(builder, loc, found);
  if (auto dots = dyn_cast<GPUDotsAttr>(schedule))
    return launch.emit(dots);
  launch.emit(cast<GPUProductAttr>(schedule));
  return success();
}

namespace {

struct LowerProductsToGPUPass
    : attn::impl::LowerProductsToGPUPassBase<LowerProductsToGPUPass> {
  void runOnOperation() override {
    SmallVector<LinearOp> linears;
    SmallVector<linalg::LinalgOp> structured;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 0)
        return;
      if (auto linear = dyn_cast<LinearOp>(op)) {
        if (isForGPU(linear.getScheduleAttr()))
          linears.push_back(linear);
      } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (isForGPU(op->getAttr(kContractionAttrName)))
          structured.push_back(linalgOp);
      }
    });
    for (LinearOp op : linears)
      if (failed(lower(op)))
        return signalPassFailure();
    for (linalg::LinalgOp op : structured)
      if (failed(lower(op)))
        return signalPassFailure();
  }

private:
  static bool isForGPU(Attribute schedule) {
    return isa_and_present<GPUProductAttr, GPUDotsAttr>(schedule);
  }

  static LogicalResult lower(LinearOp op) {
    OpBuilder builder(op);
    FoundProduct found = readLinear(builder, op);
    if (failed(emitProduct(builder, op.getLoc(), found, op.getScheduleAttr())))
      return failure();
    op.erase();
    return success();
  }

  static LogicalResult lower(linalg::LinalgOp op) {
    Attribute schedule = op->getAttr(kContractionAttrName);
    std::string reason;
    if (!readMatrixRoles(op, reason)) {
      Remark(RemarkId::ContractionLoops, {{"reason", reason}})
          .emit(op.getLoc());
      return success();
    }
    OpBuilder builder(op);
    FoundProduct found = readStructured(builder, op);
    if (failed(emitProduct(builder, op.getLoc(), found, schedule)))
      return failure();
    op.erase();
    return success();
  }
};

} // namespace
