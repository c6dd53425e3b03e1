//===- ProductRoles.cpp - A tile of a product by warps with roles ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductRoles.h"
#include "../Fragment/GroupContraction.h"
#include "StagedSums.h"
#include "attn/Dialect/Attn/IR/RoleRegisters.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// The named barrier of the warps that multiply; 0 is that of all.
static constexpr int64_t kProductBarrier = 1;
/// Terms of an instruction.
static constexpr int64_t kInstructionTerms = 16;

ProductRoles::ProductRoles(OpBuilder &builder, Location loc,
                           const DeviceProduct &product,
                           const RolesShape &shape)
    : product(product), shape(shape),
      lhs(builder, loc, shape.lhs.view, shape.lhs.getBox()),
      rhs(builder, loc, shape.rhs.view, shape.rhs.getBox()) {}

StageRing ProductRoles::getRing(KernelBuilder &kernel,
                                const ProductPlace &place) const {
  return StageRing(kernel.offset(place.shared, shape.getBarrierOffset()),
                   shape.schedule.getStages(), shape.schedule.getCluster());
}

Value ProductRoles::emitSteps(KernelBuilder &kernel,
                              const ProductPlace &place) const {
  return kernel.div(kernel.add(place.depth, kernel.constant(kStepTerms - 1)),
                    kStepTerms);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void ProductRoles::emitLoads(KernelBuilder &kernel, const ProductPlace &place,
                             bool isLhs, Value shared, Value term,
                             Value barrier) const {
  const MappedOperand &operand = isLhs ? shape.lhs : shape.rhs;
  const TensorMap &map = isLhs ? lhs : rhs;
  Value first = isLhs ? place.firstRow : place.firstColumn;
  int64_t boxes = operand.getNumBoxes() / operand.sharers;
  assert(boxes * operand.sharers == operand.getNumBoxes() && "equal parts");
  for (int64_t box = 0; box < boxes; ++box) {
    Value inTile = kernel.constant(box);
    if (operand.sharers > 1)
      inTile = kernel.add(kernel.mul(place.inCluster, boxes), inTile);
    Value across =
        kernel.add(first, kernel.mul(inTile, operand.getAcrossBox()));
    SmallVector<Value> coordinates = {term, across};
    if (!operand.areTermsNeighbours)
      std::swap(coordinates[0], coordinates[1]);
    for (unsigned dim : operand.batchDims)
      coordinates.push_back(place.batch[dim]);
    // Other blocks will want the same operands.
    map.emitLoad(kernel,
                 kernel.offset(shared, kernel.mul(inTile, map.getBoxBytes())),
                 coordinates, barrier, CacheHint::EvictLast, operand.sharers);
  }
}

void ProductRoles::emitProducer(KernelBuilder &kernel,
                                const ProductPlace &place) const {
  OpBuilder &b = kernel.getBuilder();
  StageRing ring = getRing(kernel, place);
  StageRing::Position start = ring.getStart(kernel);
  auto loop = scf::ForOp::create(b, kernel.getLoc(), kernel.constant(0),
                                 emitSteps(kernel, place), kernel.constant(1),
                                 ValueRange{start.stage, start.phase});
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  StageRing::Position at = {loop.getRegionIterArgs()[0],
                            loop.getRegionIterArgs()[1]};
  Value barrier = ring.emitFill(kernel, at, shape.getStageBytes());
  Value shared = kernel.offset(
      place.shared,
      kernel.mul(at.stage, kernel.constant(shape.getStageBytes())));
  Value term = kernel.mul(loop.getInductionVar(), kernel.constant(kStepTerms));
  emitLoads(kernel, place, /*isLhs=*/true, shared, term, barrier);
  emitLoads(kernel, place, /*isLhs=*/false,
            kernel.offset(shared, shape.lhs.getTileBytes()), term, barrier);
  StageRing::Position next = ring.emitNext(kernel, at);
  scf::YieldOp::create(b, kernel.getLoc(), ValueRange{next.stage, next.phase});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// An operand's tile in the first stage.
static PanelTile getTile(KernelBuilder &kernel, const MappedOperand &operand,
                         Type element, Value base) {
  if (operand.areTermsNeighbours)
    return {base, operand.across, kStepTerms, element};
  return {base, kStepTerms, operand.across, element};
}

SmallVector<Value> ProductRoles::emitStep(KernelBuilder &kernel,
                                          const ProductPlace &place,
                                          Value group, Value stage,
                                          ValueRange sums) const {
  Value lhsBase = place.shared;
  Value rhsBase = kernel.offset(lhsBase, shape.lhs.getTileBytes());
  // A group's rows are 64 rows of its tile, or a panel of 64 terms.
  Value firstRow = kernel.mul(group, kernel.constant(kGroupRows));
  TileStage at = {stage, shape.getStageBytes()};
  PanelOperand a(kernel, getTile(kernel, shape.lhs, shape.element, lhsBase),
                 !shape.lhs.areTermsNeighbours, firstRow, at);
  PanelOperand b(kernel, getTile(kernel, shape.rhs, shape.element, rhsBase),
                 !shape.rhs.areTermsNeighbours, /*firstRow=*/Value(), at);
  GroupContraction contraction(shape.element, shape.schedule.getColumns());
  emitGroupFence(kernel, {});
  SmallVector<Value> next =
      contraction.emit(kernel, a, b, kStepTerms / kInstructionTerms, sums);
  emitGroupCommit(kernel);
  return next;
}

SmallVector<Value> ProductRoles::emitSums(KernelBuilder &kernel,
                                          const ProductPlace &place,
                                          Value group) const {
  OpBuilder &b = kernel.getBuilder();
  StageRing ring = getRing(kernel, place);
  StageRing::Position first = ring.getStart(kernel);
  // The product of the first step begins the sums: there is one, for a tensor
  // without elements has no map.
  ring.emitWait(kernel, first);
  SmallVector<Value> init = emitStep(kernel, place, group, first.stage, {});
  size_t count = init.size();
  StageRing::Position second = ring.emitNext(kernel, first);
  init.append({second.stage, second.phase, first.stage});
  auto loop =
      scf::ForOp::create(b, kernel.getLoc(), kernel.constant(1),
                         emitSteps(kernel, place), kernel.constant(1), init);
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    StageRing::Position at = {carried[count], carried[count + 1]};
    StageRing::Position before = {carried[count + 2], {}};
    ring.emitWait(kernel, at);
    SmallVector<Value> sums =
        emitStep(kernel, place, group, at.stage, carried.take_front(count));
    // The step before is over then, and this one goes on.
    sums = emitGroupWait(kernel, sums, /*pending=*/1);
    ring.emitRelease(kernel, before, place.lane);
    StageRing::Position next = ring.emitNext(kernel, at);
    sums.append({next.stage, next.phase, at.stage});
    scf::YieldOp::create(b, kernel.getLoc(), sums);
  }
  return emitGroupWait(kernel, loop.getResults().take_front(count),
                       /*pending=*/0);
}

void ProductRoles::emitConsumer(KernelBuilder &kernel,
                                const ProductPlace &place) const {
  OpBuilder &b = kernel.getBuilder();
  Value group = kernel.div(place.warp, kGroupWarps);
  SmallVector<Value> sums = emitSums(kernel, place, group);
  // Nothing goes to other blocks any more.
  if (shape.schedule.getCluster() > 1)
    emitClusterArrive(kernel);
  // Nobody reads operands any more, and sums go where they were.
  NVVM::BarrierOp::create(
      b, kernel.getLoc(), TypeRange(), kernel.constant(kProductBarrier),
      kernel.constant(shape.getGroups() * kGroupWarps * kWarpLanes),
      NVVM::BarrierReductionAttr(), Value());
  auto layout = FragmentLayout::get(FragmentRole::Accumulator, {16, 8, 16},
                                    shape.element);
  WarpPart part = {kernel.mul(place.warp, kernel.constant(kFragmentSize)),
                   kernel.constant(0), shape.schedule.getColumns()};
  StagedSums(kernel, product, place, *layout, part).emit(sums);
}

void ProductRoles::emit(KernelBuilder &kernel,
                        const ProductPlace &ofThread) const {
  OpBuilder &b = kernel.getBuilder();
  ProductPlace place = ofThread;
  // So roles are no divergent branches, and descriptors lie in uniform
  // registers.
  place.warp = kernel.uniform(place.warp);
  int64_t groups = shape.getGroups();
  kernel.emitIf(kernel.equal(place.thread, kernel.constant(0)), [&] {
    lhs.emitPrefetch(kernel);
    rhs.emitPrefetch(kernel);
    getRing(kernel, place).emitInit(kernel, groups * kGroupWarps);
  });
  bool isCluster = shape.schedule.getCluster() > 1;
  if (isCluster) {
    emitClusterArrive(kernel);
    emitClusterWait(kernel);
  } else {
    kernel.barrier();
  }
  Value firstLoader = kernel.constant(groups * kGroupWarps);
  auto roles = scf::IfOp::create(b, kernel.getLoc(),
                                 kernel.less(place.warp, firstLoader),
                                 /*withElseRegion=*/true);
  if (isCluster)
    emitClusterWait(kernel);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(roles.thenBlock());
  // One group has enough anyway.
  bool moves = groups > 1;
  RoleRegisters registers = getRoleRegisters(groups, /*measures=*/false);
  if (moves)
    emitSetRegisters(kernel, registers.products, /*grows=*/true);
  emitConsumer(kernel, place);
  b.setInsertionPointToStart(roles.elseBlock());
  if (moves)
    emitSetRegisters(kernel, registers.copies, /*grows=*/false);
  Value loader = kernel.constant(groups * kGroupWarps * kWarpLanes);
  kernel.emitIf(kernel.equal(place.thread, loader),
                [&] { emitProducer(kernel, place); });
  if (isCluster)
    emitClusterArrive(kernel);
}
