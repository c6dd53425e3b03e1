//===- SizeDemands.cpp - Sizes that the meaning of an op makes equal ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured ops say by one map per operand how the loops of the op index it.
// A loop has as many iterations as the first operand that it indexes plainly
// has elements there; all others must have as many, and what is indexed by an
// expression of loops must hold every value of it.
//
//===----------------------------------------------------------------------===//

#include "AffineRange.h"
#include "DemandBuilder.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace attn {
namespace {

/// The demands of one op with indexing maps.
class MapDemands {
public:
  MapDemands(DemandBuilder &demands, unsigned numLoops)
      : demands(demands), extents(numLoops) {}

  /// Plain results first, of all operands: they say how long the loops are.
  void addOperand(Value operand, AffineMap map) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (type && map &&
        map.getNumResults() == static_cast<unsigned>(type.getRank()))
      operands.push_back({operand, map});
  }
  /// Of a tile some sizes are those of memory, and may be larger.
  void leaveOut(unsigned loop) { free.insert(loop); }
  void run();

  /// Whether `loop floordiv factor` is any index, or a head of keys for
  /// `factor` heads of queries each, of which a tile may hold fewer.
  enum { Anything, Exact, AtLeast } groups = Anything;

private:
  void addPlain(Value operand, unsigned dim, unsigned loop);
  void addGroup(Value operand, unsigned dim, AffineBinaryOpExpr expr);
  void addExpression(Value operand, unsigned dim, AffineExpr expr);

  DemandBuilder &demands;
  SmallVector<std::pair<Value, AffineMap>> operands;
  SmallVector<std::optional<Quantity>> extents;
  llvm::SmallDenseSet<unsigned> free;
};

void MapDemands::addPlain(Value operand, unsigned dim, unsigned loop) {
  if (free.contains(loop))
    return;
  Quantity size = demands.getSize(operand, dim);
  if (extents[loop])
    demands.demandEqual(size, *extents[loop]);
  else
    extents[loop] = size;
}

/// `loop floordiv factor` indexes the head of the keys that a group of query
/// heads shares.
void MapDemands::addGroup(Value operand, unsigned dim,
                          AffineBinaryOpExpr expr) {
  unsigned loop = cast<AffineDimExpr>(expr.getLHS()).getPosition();
  int64_t factor = cast<AffineConstantExpr>(expr.getRHS()).getValue();
  if (free.contains(loop) || !extents[loop])
    return;
  Quantity heads = demands.getSize(operand, dim);
  heads.value = multiplyIndices(demands.getBuilder(), demands.getLoc(),
                                heads.value, demands.getConstant(factor).value);
  heads.name = std::to_string(factor) + " times " + heads.name;
  if (groups == Exact)
    demands.demandEqual(heads, *extents[loop]);
  else
    demands.demandAtLeast(heads, *extents[loop]);
}

void MapDemands::addExpression(Value operand, unsigned dim, AffineExpr expr) {
  OpBuilder &builder = demands.getBuilder();
  Location loc = demands.getLoc();
  Quantity size = demands.getSize(operand, dim);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    if (groups != Anything)
      demands.demandEqual(size, demands.getConstant(1));
    else
      demands.demandBelow(demands.getConstant(constant.getValue()), size);
    return;
  }
  SmallVector<IndexRange> ranges;
  SmallVector<OpFoldResult> used;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    // Without a plain use there is no loop of a size that could be known.
    OpFoldResult extent = extents[loop] ? extents[loop]->value
                                        : OpFoldResult(builder.getIndexAttr(1));
    ranges.push_back(getRangeBelow(builder, loc, extent));
    used.push_back(extent);
  }
  IndexRange range = getAffineRange(builder, loc, expr, ranges);
  std::string name = "the index into " + size.name;
  // A loop without iterations reads nothing.
  Value isEmpty = demands.isAnyZero(used);
  demands.demandAtLeast({range.low, name}, demands.getConstant(0), isEmpty);
  demands.demandBelow({range.high, name}, size, isEmpty);
}

void MapDemands::run() {
  for (auto [operand, map] : operands)
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        addPlain(operand, dim, loop.getPosition());
  for (auto [operand, map] : operands)
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineDimExpr>(expr))
        continue;
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (groups != Anything && binary)
        addGroup(operand, dim, binary);
      else
        addExpression(operand, dim, expr);
    }
}

void addMaps(DemandBuilder &demands, ValueRange operands,
             ArrayRef<AffineMap> maps, function_ref<void(MapDemands &)> set) {
  unsigned numLoops = 0;
  for (AffineMap map : maps)
    if (map)
      numLoops = std::max(numLoops, map.getNumDims());
  MapDemands op(demands, numLoops);
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    op.addOperand(operand, map);
  set(op);
  op.run();
}

/// Kernels compare 32 bits, in which names of more must not become others'.
Value narrowNames(Value names, DemandBuilder &demands) {
  auto type = cast<RankedTensorType>(names.getType());
  OpBuilder &builder = demands.getBuilder();
  Location loc = demands.getLoc();
  Type narrow = builder.getI32Type();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, names), narrow);
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &, Location, ValueRange elements) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(elements[0].getParentBlock());
    Value name = elements[0];
    if (name.getType().isIndex())
      name =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), name);
    Value low = arith::TruncIOp::create(builder, loc, narrow, name);
    demands.demandEqual(
        {name, "an id"},
        {arith::ExtSIOp::create(builder, loc, name.getType(), low).getOut(),
         "the number in its lowest 32 bits"});
    linalg::YieldOp::create(builder, loc, low);
  };
  return linalg::GenericOp::create(builder, loc, empty.getType(), names, empty,
                                   maps, loops, body)
      .getResult(0);
}

void addNames(AttentionOpInterface op, DemandBuilder &demands) {
  if (op.getParams().empty())
    return;
  demands.setStatus(ATTN_ERROR_ASSERTION);
  unsigned first = op.getParams().getBeginOperandIndex();
  llvm::SmallDenseMap<Value, Value> narrowed;
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i) {
    OpOperand &param = op->getOpOperand(first + i);
    auto type = dyn_cast<RankedTensorType>(param.get().getType());
    bool isWide = type && (type.getElementType().isIndex() ||
                           type.getElementType().isInteger(64));
    if (!isWide || !getParamSpec(op, i).isName)
      continue;
    Value &names = narrowed[param.get()];
    if (!names)
      names = narrowNames(param.get(), demands);
    param.set(names);
  }
}

/// Rows of a tile: its packed query and its state have the same number of them,
/// and room for more than there are.
void addTileRows(AttentionOpInterface op, ValueRange shaped,
                 DemandBuilder &demands) {
  SmallVector<Quantity> ofTile, ofTensor;
  unsigned numInputs = op.getShapedInputs().size(),
           numOthers = numInputs + op.getParams().size();
  AffineExpr row = getAffineDimExpr(op.getRowDim(), op.getContext());
  for (auto [i, tensor, map] : llvm::enumerate(shaped, op.getMaps())) {
    // Params are read up to their last row.
    bool isInput = i < numInputs, isParam = !isInput && i < numOthers;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == row && !isParam) {
        bool isTensors = isInput ? isa<PackQueryOp>(op) : isa<FinalizeOp>(op);
        (isTensors ? ofTensor : ofTile).push_back(demands.getSize(tensor, dim));
      }
  }
  for (ArrayRef<Quantity> same : {ArrayRef(ofTile), ArrayRef(ofTensor)})
    for (const Quantity &size : same.drop_front(same.empty() ? 0 : 1))
      demands.demandEqual(size, same.front());
  if (ofTensor.empty() || ofTile.empty())
    return;
  if (isa<FinalizeOp>(op))
    demands.demandAtMost(ofTensor.front(), ofTile.front());
  else
    // Columns without a row repeat the last one.
    demands.demandAtLeast(ofTensor.front(), demands.getConstant(1));
}

void addAttention(AttentionOpInterface op, DemandBuilder &demands) {
  SmallVector<Value> shaped(op.getShapedInputs());
  llvm::append_range(shaped, op.getParams());
  llvm::append_range(shaped, op.getShapedOutputs());
  bool isTile = !op.getOrigin().empty();
  addMaps(demands, shaped, op.getMaps(), [&](MapDemands &maps) {
    maps.groups = isTile ? MapDemands::AtLeast : MapDemands::Exact;
    if (isTile)
      maps.leaveOut(op.getRowDim());
  });
  if (isTile)
    addTileRows(op, shaped, demands);
  addNames(op, demands);
}

void addNorm(NormOp op, DemandBuilder &demands) {
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<AffineExpr> dims;
    for (int64_t dim : op.getOperandDims(operand))
      dims.push_back(getAffineDimExpr(dim, op.getContext()));
    maps.push_back(AffineMap::get(op.getRank(), 0, dims, op.getContext()));
  }
  addMaps(demands, op->getOperands(), maps, [](MapDemands &) {});
}

void addElementwise(Operation *op, DemandBuilder &demands) {
  Value first;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    if (!first) {
      first = operand;
      continue;
    }
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      demands.demandEqual(demands.getSize(operand, dim),
                          demands.getSize(first, dim));
  }
}

} // namespace

void addSizeDemands(Operation *op, DemandBuilder &demands) {
  demands.setOp(op);
  if (auto attention = dyn_cast<AttentionOpInterface>(op))
    return addAttention(attention, demands);
  if (auto norm = dyn_cast<NormOp>(op))
    return addNorm(norm, demands);
  if (auto block = dyn_cast<BlockOpInterface>(op))
    return addMaps(demands, op->getOperands(), block.getShapedMaps(),
                   [](MapDemands &) {});
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands())
      maps.push_back(structured.getMatchingIndexingMap(&operand));
    return addMaps(demands, op->getOperands(), maps, [](MapDemands &) {});
  }
  if (OpTrait::hasElementwiseMappableTraits(op))
    addElementwise(op, demands);
}

} // namespace attn
