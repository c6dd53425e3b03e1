//===- AttentionRoles.cpp - Attention on tensor cores of four warps -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

static constexpr int64_t kWarpThreads = 32;
/// The signs of two elements.
static constexpr int32_t kSignBits = static_cast<int32_t>(0x80008000);
/// The named barriers of groups follow that of all consumers.
static constexpr int64_t kGroupBarrier = 2;

int64_t AttentionRoles::getThreads(const AttentionShape &shape) {
  return kWarpThreads * (shape.getWarps() + kGroupWarps);
}

AttentionRoles::AttentionRoles(KernelBuilder &kernel, AttentionOp op,
                               const AttentionShape &shape,
                               ArrayRef<Value> sizes, const BlockPlace &place,
                               function_ref<BlockPlace()> emitPlaceAgain,
                               const RoleOperands &operands)
    : AttentionRows(kernel, op, shape, sizes, place, RangeStates(),
                    /*aligned=*/true),
      emitPlaceAgain(emitPlaceAgain), operands(operands), memory(shape),
      scoreProduct(shape.element, shape.getKeys()),
      outputProduct(shape.element, shape.getPaddedValue()),
      queryRing(kernel.offset(place.shared, memory.queryRing), 1),
      keyRing(kernel.offset(place.shared, memory.keyRing),
              shape.schedule.getStages()),
      valueRing(kernel.offset(place.shared, memory.valueRing),
                shape.schedule.getStages()),
      factorRing(kernel.offset(place.shared, memory.factorRing),
                 shape.schedule.getStages()),
      registers(getRoleRegisters(shape.getGroups(), shape.isCosine)) {}

void AttentionRoles::emit() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  place.warp = kernel.uniform(place.warp);
  ranges = getKeyRanges();
  order = getOrder();
  kernel.emitIf(kernel.equal(place.thread, kernel.constant(0)), [&] {
    for (const RoleOperand *operand :
         {&operands.query, &operands.key, &operands.value})
      operand->emitPrefetch(kernel);
    queryRing.emitInit(kernel, shape.getWarps());
    keyRing.emitInit(kernel, shape.getWarps());
    valueRing.emitInit(kernel, shape.getWarps());
    if (shape.isCosine)
      factorRing.emitInit(kernel, shape.getWarps(), kFactorWarps);
  });
  kernel.barrier();
  auto branch = scf::IfOp::create(
      b, loc, kernel.less(place.warp, kernel.constant(shape.getWarps())), true);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitConsumer();
  b.setInsertionPointToStart(branch.elseBlock());
  emitProducer();
}

Value AttentionRoles::getStage(int64_t offset, Value stage, int64_t bytes) {
  return kernel.offset(kernel.offset(place.shared, offset),
                       kernel.mul(stage, kernel.constant(bytes)));
}

//===----------------------------------------------------------------------===//
// The order of tiles
//===----------------------------------------------------------------------===//

AttentionRoles::Order AttentionRoles::getOrder() {
  Value keys = kernel.constant(shape.getKeys());
  auto count = [&](Value lower, Value upper) {
    Value all = kernel.add(kernel.sub(upper, lower),
                           kernel.constant(shape.getKeys() - 1));
    return kernel.div(all, keys);
  };
  Order order;
  Value right = count(ranges.every.upper, ranges.some.upper);
  if (hidesEarlyKeys(op))
    order.left = count(ranges.some.lower, ranges.every.lower);
  order.edges = order.left ? kernel.add(order.left, right) : right;
  order.tiles =
      kernel.add(order.edges, count(ranges.every.lower, ranges.every.upper));
  return order;
}

/// How far ahead of its number a row sees the last key, but for whole tiles;
/// nothing where that is not known, or where masks leave all keys.
std::optional<int64_t> AttentionRoles::getKeysAhead() {
  int64_t tile = shape.getKeys();
  std::optional<int64_t> ahead = getBand(op.getMasks()).right;
  if (!ahead || !op.getOrigin().empty())
    return std::nullopt;
  if (self.getAlign() == Alignment::TopLeft)
    return *ahead % tile;
  std::optional<int64_t> keys = getConstantIntValue(sizes[op.getKeyDim()]);
  std::optional<int64_t> queries = getConstantIntValue(sizes[op.getRowDim()]);
  if (!keys || !queries)
    return std::nullopt;
  return *ahead % tile + (*keys - *queries) % tile;
}

/// How many tiles a block has at most that not all of its rows see; nothing
/// where that is not known. Keys that end early make them no more.
std::optional<int64_t> AttentionRoles::getMostEdges() {
  bool followsBand = true, limitsKeys = false;
  for (Attribute mask : op.getMasks()) {
    auto typed = cast<MaskAttrInterface>(mask);
    limitsKeys |= typed.limitsKeys();
    if (typed.isRange() && !typed.limitsKeys())
      followsBand &= typed.getBand(std::nullopt).right.has_value();
  }
  std::optional<int64_t> ahead = getKeysAhead();
  if (!followsBand || hidesEarlyKeys(op) || !ahead ||
      (limitsKeys && self.getAlign() != Alignment::TopLeft))
    return std::nullopt;
  int64_t keys = shape.getKeys(), most = 0;
  // Blocks after these begin where one of them does within a tile.
  for (int64_t block = 0; block < keys; ++block) {
    int64_t first = block * shape.getRows() + *ahead + 1;
    int64_t full = llvm::divideFloorSigned(first, keys) * keys;
    int64_t last = first + shape.getRows() - 1;
    most = std::max(most, llvm::divideCeilSigned(last - full, keys));
  }
  return most;
}

/// The first key of an edge, from left to right.
Value AttentionRoles::getEdge(Value number) {
  auto place = [&](Value from, Value number) {
    return kernel.add(from,
                      kernel.mul(number, kernel.constant(shape.getKeys())));
  };
  if (!order.left)
    return place(ranges.every.upper, number);
  Value right = place(ranges.every.upper, kernel.sub(number, order.left));
  return kernel.select(kernel.less(number, order.left),
                       place(ranges.some.lower, number), right);
}

/// The first key of tile `number`.
Value AttentionRoles::getTile(Value number) {
  Value inFull = kernel.mul(kernel.sub(number, order.edges),
                            kernel.constant(shape.getKeys()));
  return kernel.select(kernel.less(number, order.edges), getEdge(number),
                       kernel.add(ranges.every.lower, inFull));
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

// Blocks of other rows read the same keys, and nobody else these queries.
void AttentionRoles::emitProducer() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  emitSetRegisters(kernel, registers.copies, /*grows=*/false);
  Value first = kernel.constant(shape.getThreads());
  kernel.emitIf(kernel.equal(place.thread, first), [&] {
    StageRing::Position start = queryRing.getStart(kernel);
    Value barrier =
        queryRing.emitFill(kernel, start, operands.query.getTileBytes());
    operands.query.emitLoad(kernel, place.shared, place.batch, place.firstRow,
                            barrier, CacheHint::EvictFirst);
    auto loop = scf::ForOp::create(b, loc, kernel.constant(0), order.tiles,
                                   kernel.constant(1),
                                   ValueRange{start.stage, start.phase});
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstKey = getTile(loop.getInductionVar());
    StageRing::Position at = {loop.getRegionIterArgs()[0],
                              loop.getRegionIterArgs()[1]};
    auto fill = [&](const StageRing &ring, const RoleOperand &operand,
                    int64_t offset, int64_t bytes) {
      Value full = ring.emitFill(kernel, at, bytes);
      operand.emitLoad(kernel, getStage(offset, at.stage, bytes), place.batch,
                       firstKey, full, CacheHint::EvictLast);
    };
    fill(keyRing, operands.key, memory.keys, memory.keyBytes);
    fill(valueRing, operands.value, memory.values, memory.valueBytes);
    StageRing::Position next = keyRing.emitNext(kernel, at);
    scf::YieldOp::create(b, loc, ValueRange{next.stage, next.phase});
  });
  if (shape.isCosine)
    kernel.emitIf(kernel.less(kernel.constant(shape.getWarps()), place.warp),
                  [&] { emitKeyFactors(); });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

AttentionRoles::Values AttentionRoles::flatten(const Progress &progress) {
  Values values = softmax.flatten(progress.state);
  values.append({progress.at.stage, progress.at.phase});
  return values;
}

AttentionRoles::Progress AttentionRoles::restore(ValueRange values) {
  return {softmax.restore(values.drop_back(2)),
          {values[values.size() - 2], values[values.size() - 1]}};
}

SmallVector<SharedTile> AttentionRoles::getPanels(const PanelTile &tile) {
  SmallVector<SharedTile> panels;
  for (int64_t i = 0; i < tile.getPanels(); ++i)
    panels.push_back(tile.getPanel(kernel, i));
  return panels;
}

void AttentionRoles::emitConsumer() {
  emitSetRegisters(kernel, registers.products, /*grows=*/true);
  addRows();
  queryRing.emitWait(kernel, queryRing.getStart(kernel));
  if (shape.isCosine)
    scaleRowsByNorms(getPanels(operands.query.getTile(place.shared)),
                     /*arePanels=*/true);
  negateQueries();
  Progress progress = {softmax.getIdentity(), keyRing.getStart(kernel)};
  if (hidesValues({/*first=*/Value(), /*edge=*/false})) {
    progress = emitLoop(kernel.constant(0), order.edges, true, progress);
    progress = emitLoop(order.edges, order.tiles, false, progress);
  } else {
    progress = emitOverlapped(progress);
  }
  storeOutput(progress.state);
}

/// Where the group's query was: the copy engine takes it from there, and leaves
/// out rows and columns that there are not.
void AttentionRoles::storeOutput(State &state) {
  // Computed once more: kept over the loops, it would take registers.
  BlockPlace ofBlock = place;
  place = emitPlaceAgain();
  place.warp = kernel.uniform(place.warp);
  locateRows();
  Values output = finishRows(state);
  // All warps of the group are done with its query.
  awaitGroup();
  stageRows(output, getPanels(operands.output.getTile(place.shared)));
  emitSharedFence(kernel);
  awaitGroup();
  constexpr int64_t groupThreads = kGroupWarps * kWarpThreads;
  Value group = kernel.div(place.thread, groupThreads);
  Value first = kernel.mul(group, kernel.constant(groupThreads));
  kernel.emitIf(kernel.equal(place.thread, first), [&] {
    Value inTile = kernel.mul(group, kernel.constant(kGroupRows));
    operands.output.emitStore(kernel, place.shared, place.batch,
                              kernel.add(place.firstRow, inTile), inTile);
    emitStoreCommit(kernel);
    // Shared memory is the block's until then.
    emitStoreWait(kernel, /*pending=*/0);
  });
  place = std::move(ofBlock);
}

/// Waits for the group's warps.
void AttentionRoles::awaitGroup() {
  Value group = kernel.div(place.warp, kGroupWarps);
  kernel.barrier(kernel.add(group, kernel.constant(kGroupBarrier)),
                 kGroupWarps * kWarpThreads);
}

/// Similarities of rows whose factor is below 0 change their signs: the sign is
/// in the query, where the copy engine has put it. The lanes of a row share it.
void AttentionRoles::negateQueries() {
  if (llvm::none_of(negative, [](Value sign) { return sign != nullptr; }))
    return;
  constexpr int64_t rowLanes = 4;
  constexpr int64_t chunks = PanelTile::kRowBytes / kChunkBytes / rowLanes;
  auto type = VectorType::get({kChunkBytes / 4}, kernel.getI32());
  Value lane = kernel.bitAnd(place.lane, rowLanes - 1);
  for (const SharedTile &panel :
       getPanels(operands.query.getTile(place.shared)))
    for (unsigned row = 0; row < rows.size(); ++row)
      for (int64_t i = 0; i < chunks && negative[row]; ++i) {
        Value chunk = kernel.add(lane, kernel.constant(i * rowLanes));
        Value address = panel.emitAddress(kernel, rowsInBlock[row], chunk);
        Value signs = kernel.select(negative[row], kernel.constant(kSignBits),
                                    kernel.constant(0));
        SmallVector<Value> parts =
            kernel.unpack(kernel.load(type, address, kChunkBytes));
        for (Value &part : parts)
          part = kernel.bitXor(part, signs);
        kernel.store(kernel.pack(parts), address, kChunkBytes);
      }
  emitSharedFence(kernel);
  awaitGroup();
}

AttentionRoles::Progress AttentionRoles::emitLoop(Value lower, Value upper,
                                                  bool edge,
                                                  const Progress &progress) {
  OpBuilder &b = kernel.getBuilder();
  auto loop = scf::ForOp::create(b, kernel.getLoc(), lower, upper,
                                 kernel.constant(1), flatten(progress));
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  Progress next = emitTile({getTile(loop.getInductionVar()), edge},
                           restore(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, kernel.getLoc(), flatten(next));
  return restore(loop.getResults());
}

PanelOperand AttentionRoles::getQueries() {
  Value group = kernel.div(place.warp, kGroupWarps);
  return {kernel,
          operands.query.getTile(place.shared),
          /*rowsAreTerms=*/false,
          kernel.mul(group, kernel.constant(kGroupRows)),
          {/*number=*/Value(), /*bytes=*/0, /*isUniform=*/false}};
}

PanelOperand AttentionRoles::getKeys(Value stage) {
  Value base = kernel.offset(place.shared, memory.keys);
  return {kernel,
          operands.key.getTile(base),
          /*rowsAreTerms=*/false,
          /*firstRow=*/Value(),
          {stage, memory.keyBytes, !hasEdgeLoop()}};
}

/// Whether there may be several edges. The end of the keys makes one; so does a
/// mask under which each row sees one key more than the one before, if it
/// begins with a tile and a tile has as many keys as rows. The assembler keeps
/// stages in uniform registers only where no other loop stands before full
/// tiles.
bool AttentionRoles::hasEdgeLoop() {
  if (hidesValues({/*first=*/Value(), /*edge=*/false}))
    return true;
  return hidesValues({/*first=*/Value(), /*edge=*/true}) && getMostEdges() != 1;
}

PanelOperand AttentionRoles::getValues(Value stage) {
  Value base = kernel.offset(place.shared, memory.values);
  return {kernel,
          operands.value.getTile(base),
          /*rowsAreTerms=*/true,
          /*firstRow=*/Value(),
          {stage, memory.valueBytes, !hasEdgeLoop()}};
}

/// Products of the group's queries with a tile of keys.
AttentionRoles::Values AttentionRoles::emitScores(const PanelOperand &queries,
                                                  const PanelOperand &keys) {
  int64_t steps = shape.getPaddedHead() / scoreProduct.getShape().k;
  Values similarities = scoreProduct.emit(kernel, queries, keys, steps, {});
  emitGroupCommit(kernel);
  return similarities;
}

AttentionRoles::Progress AttentionRoles::emitTile(const Tile &tile,
                                                  const Progress &progress) {
  Progress next = {progress.state, keyRing.emitNext(kernel, progress.at)};
  const StageRing::Position &at = progress.at;
  keyRing.emitWait(kernel, at);
  emitGroupFence(kernel, {});
  Values similarities = emitScores(getQueries(), getKeys(at.stage));
  similarities = finishScores(similarities, at, /*pending=*/0);
  Value end = tile.edge ? limit : Value();
  ScoreEmitter::Column column = scores.getColumn(tile.first, columns, end);
  Values weights;
  for (unsigned row = 0; row < rows.size(); ++row) {
    Value visible;
    Value rowScores =
        scores.emitScores(similarities[row], row, column, end, visible);
    weights.push_back(softmax.update(next.state, row, rowScores));
  }
  narrow(weights);
  valueRing.emitWait(kernel, at);
  settleValues(tile, at, next.state, weights);
  emitOutput(next.state, weights, at.stage);
  valueRing.emitRelease(kernel, at, place.lane);
  return next;
}

/// Weights of 16 bits, as products take them: so wide ones need no registers
/// any more.
void AttentionRoles::narrow(Values &weights) {
  for (Value &ofRow : weights)
    ofRow = kernel.convertFloat(ofRow, shape.element);
}

void AttentionRoles::emitOutput(State &state, ArrayRef<Value> weights,
                                Value stage) {
  SmallVector<Values> lhs = scoreProduct.emitReuse(kernel, weights);
  Values sums = emitGroupFence(kernel, state.output, lhs);
  sums = outputProduct.emit(kernel, lhs, getValues(stage), sums);
  emitGroupCommit(kernel);
  state.output = emitGroupWait(kernel, sums, 0, lhs);
}
