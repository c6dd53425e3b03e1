//===- LowerAttentionToGPU.cpp - Attention as launches of kernels ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Shared/MemRefMemory.h"
#include "AttentionKernel.h"
#include "AttentionRoles.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Slicing.h"
#include "attn/Dialect/AttnNV/IR/AttnNV.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_LOWERATTENTIONTOGPUPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

/// One op's launch, and the host's part of it.
class AttentionLaunch {
public:
  AttentionLaunch(OpBuilder &builder, AttentionOp op,
                  const AttentionShape &shape)
      : builder(builder), op(op), self(op.getOperation()), shape(shape),
        loc(op.getLoc()) {}

  void emit();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value countTiles();
  Value emitAlignment();
  Value emitHasMaps();
  void emitForms();
  void emitLaunch(bool aligned);
  void emitRolesLaunch();
  gpu::LaunchOp createLaunch(int64_t threads, int64_t shared, int64_t resident);
  BlockPlace emitPlace(KernelBuilder &kernel, Value block, Value thread,
                       bool again = false);
  SmallVector<Value> orderWaves(KernelBuilder &kernel, Value block,
                                ArrayRef<Value> counts, Value tiles);
  bool showsLaterRowsMore();

  OpBuilder &builder;
  AttentionOp op;
  AttentionOpInterface self;
  AttentionShape shape;
  Location loc;
  SmallVector<Value> sizes;
  Value blocks;
  RangeStates states;
};

} // namespace

/// Whether all rows lie at multiples of 16 bytes; null where they never do.
Value AttentionLaunch::emitAlignment() {
  if (!shape.fillsChunks())
    return {};
  KernelBuilder host(builder, loc);
  Value all;
  auto demand = [&](const OperandRows &operand, int64_t bytes) {
    Value one = emitIsAligned(host, operand, bytes);
    all = all && one ? host.both(all, one) : one;
    return one != nullptr;
  };
  for (const OperandRows &operand : getOperandRows(op))
    if (!demand(operand, kChunkBytes))
      return {};
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i)
    if (auto param = getPairedParam(self, i))
      demand(*param, 2 * getElementBytes(getElementTypeOrSelf(param->memref)));
  return all;
}

Value AttentionLaunch::countTiles() {
  KernelBuilder host(builder, loc);
  Value tiles = host.ceilDiv(host.mul(sizes[op.getRowDim()], shape.headGroup),
                             shape.getRows());
  for (unsigned dim = 0; dim < op.getNumBatchDims(); ++dim)
    tiles = host.mul(tiles, sizes[dim]);
  return host.div(tiles, shape.headGroup);
}

void AttentionLaunch::emit() {
  for (OpFoldResult size : getIterationSizes(builder, loc, self))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  if (shape.hasRoles())
    return emitForms();
  blocks = countTiles();
  if (!shape.splitsKeys())
    return emitForms();
  states =
      RangeStates::allocate(builder, op, shape, blocks, sizes[op.getKeyDim()]);
  blocks = builder.createOrFold<arith::MulIOp>(loc, blocks, states.ranges);
  emitForms();
  emitMergeLaunch(builder, op, shape, sizes, states);
  states.free(builder, loc);
}

/// Whether the copy engine takes query, keys, values and output; null where it
/// never does.
Value AttentionLaunch::emitHasMaps() {
  KernelBuilder host(builder, loc);
  Value all = emitAlignment();
  for (const OperandRows &operand : getOperandRows(op)) {
    Value one = all ? RoleOperand::emitExists(builder, loc, operand) : Value();
    all = one ? host.both(all, one) : Value();
  }
  return all;
}

/// The kernel for rows that are aligned, and that for others. What has no
/// tensor maps is hardly ever aligned.
void AttentionLaunch::emitForms() {
  Value aligned = shape.hasRoles() ? emitHasMaps() : emitAlignment();
  auto emitAligned = [&] {
    if (aligned && shape.hasRoles())
      emitRolesLaunch();
    else
      emitLaunch(bool(aligned));
  };
  KernelBuilder(builder, loc).emitIf(aligned, emitAligned, [&] {
    emitLaunch(/*aligned=*/false);
  });
}

bool AttentionLaunch::showsLaterRowsMore() {
  return llvm::any_of(op.getMasks(), [](Attribute mask) {
    return cast<MaskAttrInterface>(mask).isRange() &&
           cast<PolicyAttrInterface>(mask).usesPositions();
  });
}

/// The digits of a block's head, and its tile. Heads whose tiles run side by
/// side, all of them, belong together: the tiles of all of them that
/// see the most keys come first, so that blocks end at the same time and keys
/// are read from the L2 cache.
SmallVector<Value> AttentionLaunch::orderWaves(KernelBuilder &kernel,
                                               Value block,
                                               ArrayRef<Value> counts,
                                               Value tiles) {
  Value one = kernel.constant(1), heads = one;
  for (Value count : counts)
    heads = kernel.mul(heads, count);
  Value items = kernel.constant(shape.schedule.getItems());
  Value together = kernel.max(kernel.div(items, tiles), one);
  Value size = kernel.mul(together, tiles);
  Value wave = kernel.div(block, size);
  Value inWave = kernel.sub(block, kernel.mul(wave, size));
  Value first = kernel.mul(wave, together);
  together = kernel.min(together, kernel.sub(heads, first));
  Value level = kernel.div(inWave, together);
  Value head =
      kernel.add(first, kernel.sub(inWave, kernel.mul(level, together)));
  SmallVector<Value> digits = kernel.delinearize(head, counts);
  digits.push_back(kernel.sub(kernel.sub(tiles, one), level));
  return digits;
}

/// Tiles of a head follow each other, so that its keys are read from the L2
/// cache; those that see the most keys come first. Ranges of a tile are side by
/// side.
BlockPlace AttentionLaunch::emitPlace(KernelBuilder &kernel, Value block,
                                      Value thread, bool again) {
  BlockPlace place;
  // What is computed again shall not be kept: not of the same sizes.
  auto getSize = [&](unsigned dim) {
    Value size = kernel.toI32(sizes[dim]);
    return again && !getConstantIntValue(size) ? kernel.opaque(size) : size;
  };
  place.rowCount = getSize(op.getRowDim());
  SmallVector<Value> counts;
  for (unsigned dim = 0; dim < op.getNumBatchDims(); ++dim)
    counts.push_back(getSize(dim));
  Value group = kernel.constant(shape.headGroup);
  if (shape.headGroup != 1) {
    place.headRows = place.rowCount;
    place.rowCount = kernel.mul(place.rowCount, group);
    counts.back() = kernel.div(counts.back(), group);
  }
  Value tiles = kernel.div(kernel.add(place.rowCount, shape.getRows() - 1),
                           shape.getRows());
  bool isLaterMore = showsLaterRowsMore() && !shape.splitsKeys();
  bool ordersWaves = isLaterMore && shape.hasRoles();
  SmallVector<Value> digits;
  if (ordersWaves)
    digits = orderWaves(kernel, block, counts, tiles);
  counts.push_back(tiles);
  if (shape.splitsKeys())
    counts.push_back(kernel.toI32(states.ranges));
  if (!ordersWaves)
    digits = kernel.delinearize(block, counts);
  if (shape.splitsKeys()) {
    place.range = digits.pop_back_val();
    place.tile = kernel.div(block, counts.back());
  }
  Value tile = digits.pop_back_val();
  if (isLaterMore && !ordersWaves)
    tile = kernel.sub(kernel.sub(tiles, 1), tile);
  for (Value index : digits)
    place.batch.push_back(kernel.toIndex(index));
  if (place.headRows) {
    OpBuilder &b = kernel.getBuilder();
    Value first = b.createOrFold<arith::MulIOp>(loc, place.batch.back(),
                                                kernel.toIndex(group));
    place.batch.back() = first;
  }
  place.firstRow = kernel.mul(tile, shape.getRows());
  place.lastRow = kernel.min(kernel.add(place.firstRow, shape.getRows() - 1),
                             kernel.sub(place.rowCount, 1));
  place.thread = thread;
  place.warp = kernel.shiftRight(place.thread, 5);
  place.lane = kernel.bitAnd(place.thread, 31);
  place.shared = kernel.getDynamicShared();
  return place;
}

/// The assembler would guess how many blocks there shall be, and rather spill
/// than take the registers that there are.
gpu::LaunchOp AttentionLaunch::createLaunch(int64_t threads, int64_t shared,
                                            int64_t resident) {
  Value one = constant(1), sizeX = constant(threads);
  Value bytes =
      arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), shared);
  auto launch = gpu::LaunchOp::create(builder, loc, blocks, one, one, sizeX,
                                      one, one, bytes);
  launch->setDiscardableAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                             builder.getI32IntegerAttr(resident));
  return launch;
}

void AttentionLaunch::emitLaunch(bool aligned) {
  AttentionShape whole = shape;
  if (shape.hasRoles()) {
    shape = shape.withoutRoles();
    blocks = countTiles();
  }
  auto launch = createLaunch(shape.getThreads(), shape.getSharedBytes(),
                             shape.schedule.getBlocks());
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  KernelBuilder kernel(builder, loc);
  BlockPlace place = emitPlace(kernel, kernel.toI32(launch.getBlockIds().x),
                               kernel.toI32(launch.getThreadIds().x));
  AttentionKernel(kernel, op, shape, sizes, place, states, aligned).emit();
  gpu::TerminatorOp::create(builder, loc);
  shape = whole;
}

/// Softcaps take tanh as fast as the machine has it: what they add to a score's
/// error is far below the roundings of weights to 16 bits. A division of all
/// digits is a call, around which ptxas spills.
static void approximateSoftcaps(Operation *kernel) {
  SmallVector<math::TanhOp> ops;
  kernel->walk([&](math::TanhOp op) { ops.push_back(op); });
  for (math::TanhOp op : ops) {
    OpBuilder b(op);
    auto vector = dyn_cast<VectorType>(op.getType());
    LaneBuilder lanes(b, op.getLoc(),
                      cast<FloatType>(getElementTypeOrSelf(op.getType())),
                      vector ? vector.getNumElements() : 0);
    op.replaceAllUsesWith(SoftmaxFragment::emitTanh(lanes, op.getOperand()));
    op.erase();
  }
}

void AttentionLaunch::emitRolesLaunch() {
  SmallVector<OperandRows> rows = getOperandRows(op);
  RoleOperands operands = {
      {builder, loc, rows[0], shape.getRows(), shape.headDim},
      {builder, loc, rows[1], shape.getKeys(), shape.headDim},
      {builder, loc, rows[2], shape.getKeys(), shape.valueDim},
      {builder, loc, rows[3], shape.getRows(), shape.valueDim, kGroupRows}};
  blocks = countTiles();
  auto launch = createLaunch(AttentionRoles::getThreads(shape),
                             RoleMemory(shape).bytes, /*resident=*/1);
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  KernelBuilder kernel(builder, loc);
  Value block = kernel.toI32(launch.getBlockIds().x);
  Value thread = kernel.toI32(launch.getThreadIds().x);
  auto emitPlaceAgain = [&] {
    return emitPlace(kernel, kernel.opaque(block), kernel.opaque(thread),
                     /*again=*/true);
  };
  AttentionRoles(kernel, op, shape, sizes, emitPlace(kernel, block, thread),
                 emitPlaceAgain, operands)
      .emit();
  // A region may need tanh of small numbers.
  if (op.getSoftcapAttr() && !op.getScoreBody())
    approximateSoftcaps(launch);
  gpu::TerminatorOp::create(builder, loc);
}

/// Tables that formulas of policies read are constant tensors: here, where
/// tensors are memory by now, they become memory, too.
static LogicalResult moveTables(Operation *root) {
  constexpr uint64_t kAlignment = 64;
  SymbolTableCollection symbols;
  SmallVector<tensor::ExtractOp> reads;
  root->walk([&](tensor::ExtractOp read) {
    if (read.getTensor().getDefiningOp<arith::ConstantOp>())
      reads.push_back(read);
  });
  for (tensor::ExtractOp read : reads) {
    auto table = read.getTensor().getDefiningOp<arith::ConstantOp>();
    auto global = bufferization::getGlobalFor(table, symbols, kAlignment);
    if (failed(global))
      return failure();
    OpBuilder b(read);
    Value memory = memref::GetGlobalOp::create(
        b, read.getLoc(), global->getType(), global->getName());
    Value element =
        memref::LoadOp::create(b, read.getLoc(), memory, read.getIndices());
    read.replaceAllUsesWith(element);
    read.erase();
    if (table.use_empty())
      table.erase();
  }
  return success();
}

namespace {

struct LowerAttentionToGPUPass
    : attn::impl::LowerAttentionToGPUPassBase<LowerAttentionToGPUPass> {
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) {
      if (op->getNumResults() == 0 &&
          isa_and_present<GPUAttentionAttr>(op.getScheduleAttr()))
        ops.push_back(op);
    });
    for (AttentionOp op : ops) {
      FailureOr<AttentionShape> shape = AttentionShape::get(op);
      if (failed(shape))
        return signalPassFailure();
      OpBuilder builder(op);
      AttentionLaunch(builder, op, *shape).emit();
      op.erase();
    }
    if (failed(moveTables(getOperation())))
      signalPassFailure();
  }
};

} // namespace
