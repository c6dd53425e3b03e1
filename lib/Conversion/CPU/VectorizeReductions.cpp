//===- VectorizeReductions.cpp - Sums and maxima of rows on vectors -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneSums.h"
#include "WorkItems.h"

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

namespace attn {
#define GEN_PASS_DEF_VECTORIZEREDUCTIONSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// Bodies of at most so many ops are repeated side by side, so that one does
/// not wait for the sum of the one before.
constexpr size_t kLightBody = 12;
constexpr int64_t kUnroll = 4;

/// How a result so far and the next element become one.
struct Combiner {
  /// Without an effect on what it is combined with.
  TypedAttr neutral;
  /// The result so far and the next element, as the body names them.
  Value sum, element;
  /// In order; the last one's result is yielded.
  SmallVector<Operation *> ops;
};

/// A comparison and a select that keep the larger or smaller of the two. NaN as
/// the next element must lose, or the order would matter.
std::optional<Combiner> matchSelect(arith::SelectOp select, Value sum) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  Value element = select.getTrueValue();
  if (!compare || !compare->hasOneUse() || select.getFalseValue() != sum ||
      compare.getLhs() != element || compare.getRhs() != sum)
    return std::nullopt;
  double neutral = std::numeric_limits<double>::infinity();
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::OGE:
    neutral = -neutral;
    break;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
    break;
  default:
    return std::nullopt;
  }
  return Combiner{Builder(select).getFloatAttr(sum.getType(), neutral),
                  sum,
                  element,
                  {compare.getOperation(), select.getOperation()}};
}

std::optional<Combiner> matchCombiner(linalg::GenericOp op, unsigned output) {
  Value sum = op.getRegionOutputArgs()[output];
  Operation *last =
      op.getBody()->getTerminator()->getOperand(output).getDefiningOp();
  std::optional<Combiner> combiner;
  if (!last || last->getBlock() != op.getBody() || !last->hasOneUse())
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(last)) {
    combiner = matchSelect(select, sum);
  } else if (std::optional<TypedAttr> neutral = arith::getNeutralElement(last);
             neutral && last->getNumOperands() == 2 &&
             last->hasTrait<OpTrait::IsCommutative>()) {
    bool isFirst = last->getOperand(0) == sum;
    if (last->getOperand(isFirst ? 0 : 1) == sum)
      combiner = Combiner{*neutral, sum, last->getOperand(isFirst), {last}};
  }
  // The result so far must not get into anything else.
  if (!combiner || combiner->element == sum ||
      !llvm::all_of(sum.getUsers(), [&](Operation *user) {
        return llvm::is_contained(combiner->ops, user);
      }))
    return std::nullopt;
  return combiner;
}

/// Emits the loops of one op.
class ReductionEmitter {
public:
  ReductionEmitter(OpBuilder &builder, linalg::GenericOp op,
                   ArrayRef<Combiner> combiners,
                   const TargetDescription &target)
      : builder(builder), loc(op.getLoc()), op(op), combiners(combiners),
        vectors(builder, op, target.vectorBits) {
    vectors.findNextRows(target.l2Bytes / 2);
    for (const Combiner &combiner : combiners)
      skipped.insert_range(combiner.ops);
    if (op.getBody()->getOperations().size() <= kLightBody + 1)
      unroll = kUnroll;
  }
  void emit();

private:
  /// The loops from dimension `dim` on, and their accumulators afterwards: one
  /// per output, `unroll` times.
  SmallVector<Value> emitNest(unsigned dim, ValueRange sums);
  SmallVector<Value> emitRow(ValueRange sums);
  /// Columns from `low` to `high`, `count` vectors at a time; or the `rest`
  /// that does not fill one.
  SmallVector<Value> emitColumns(Value low, Value high, int64_t count,
                                 Value rest, ValueRange sums);
  SmallVector<Value>
  emitLoop(Value low, Value high, Value step, ValueRange carried,
           llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);
  Value combine(const Combiner &combiner, Value sum, Value element);
  void finish(ValueRange sums);

  OpBuilder &builder;
  Location loc;
  linalg::GenericOp op;
  ArrayRef<Combiner> combiners;
  GenericVectors vectors;
  llvm::DenseSet<Operation *> skipped;
  int64_t unroll = 1;
  SmallVector<Value> sizes;
};

void ReductionEmitter::emit() {
  sizes = vectors.createSizes();
  // Accumulators stay in registers over all of the innermost reductions.
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned outer = iterators.size();
  while (outer > 0 && iterators[outer - 1] == utils::IteratorType::reduction)
    --outer;
  auto emitSums = [&](Value, Value) {
    SmallVector<Value> sums;
    for (int64_t i = 0; i < unroll; ++i)
      for (const Combiner &combiner : combiners)
        sums.push_back(arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(
                vectors.getVector(combiner.neutral.getType()),
                Attribute(combiner.neutral))));
    finish(emitNest(outer, sums));
  };
  emitWorkItems(builder, op, vectors, sizes, outer, emitSums, [] {});
}

SmallVector<Value> ReductionEmitter::emitLoop(
    Value low, Value high, Value step, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, loc, low, high, step, carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, results);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> ReductionEmitter::emitNest(unsigned dim, ValueRange sums) {
  if (dim + 1 == sizes.size())
    return emitRow(sums);
  return emitLoop(vectors.index(0), sizes[dim], vectors.index(1), sums,
                  [&](Value i, ValueRange inner) {
                    vectors.getLoopIndices().resize(dim);
                    vectors.getLoopIndices().push_back(i);
                    return emitNest(dim + 1, inner);
                  });
}

SmallVector<Value> ReductionEmitter::emitRow(ValueRange sums) {
  Value size = sizes.back(), low = vectors.index(0), rest;
  SmallVector<Value> results(sums);
  for (int64_t count : {unroll, int64_t(1)}) {
    Value step = vectors.index(count * vectors.getNumLanes());
    rest = arith::RemUIOp::create(builder, loc, size, step);
    Value high = arith::SubIOp::create(builder, loc, size, rest);
    results = emitColumns(low, high, count, Value(), results);
    low = high;
    if (unroll == 1)
      break;
  }
  IntegerAttr known;
  if (matchPattern(size, m_Constant(&known)) &&
      known.getInt() % vectors.getNumLanes() == 0)
    return results;
  return emitColumns(low, size, 1, rest, results);
}

SmallVector<Value> ReductionEmitter::emitColumns(Value low, Value high,
                                                 int64_t count, Value rest,
                                                 ValueRange sums) {
  int64_t lanes = vectors.getNumLanes();
  auto body = [&](Value column, ValueRange inner) {
    SmallVector<Value> results(inner);
    Value mask = rest ? vectors.createMask(rest) : Value();
    auto next = results.begin();
    for (int64_t i = 0; i < count; ++i) {
      Value at = column;
      if (i != 0)
        at = arith::AddIOp::create(builder, loc, column,
                                   vectors.index(i * lanes));
      IRMapping values = vectors.emitBody(at, mask, skipped);
      for (const Combiner &combiner : combiners) {
        Value sum = *next;
        Value result = combine(combiner, sum, values.lookup(combiner.element));
        *next++ = mask
                      ? arith::SelectOp::create(builder, loc, mask, result, sum)
                      : result;
      }
    }
    return results;
  };
  return emitLoop(low, high, vectors.index(count * lanes), sums, body);
}

/// On vectors or on single numbers, whatever the two are.
Value ReductionEmitter::combine(const Combiner &combiner, Value sum,
                                Value element) {
  IRMapping values;
  values.map(combiner.sum, sum);
  values.map(combiner.element, element);
  for (Operation *inner : combiner.ops) {
    SmallVector<Value> operands = llvm::map_to_vector(
        inner->getOperands(), [&](Value v) { return values.lookup(v); });
    Type type = inner->getResult(0).getType();
    if (isa<VectorType>(sum.getType()))
      type = vectors.getVector(type);
    values.map(inner->getResult(0),
               builder
                   .create(loc, inner->getName().getIdentifier(), operands,
                           type, inner->getAttrs())
                   ->getResult(0));
  }
  return values.lookup(combiner.ops.back()->getResult(0));
}

/// A tree of fixed shape over vectors and lanes, then what was there before.
void ReductionEmitter::finish(ValueRange sums) {
  SmallVector<Value> level(sums);
  size_t width = combiners.size();
  for (int64_t half = unroll / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half * width; ++i)
      level[i] =
          combine(combiners[i % width], level[i], level[i + half * width]);
  for (size_t i = 0; i < width; ++i) {
    const Combiner &combiner = combiners[i];
    Value all = emitAllLanes(builder, loc, level[i], [&](Value a, Value b) {
      return combine(combiner, a, b);
    });
    Value reduced = vector::ExtractOp::create(builder, loc, all, 0);
    OpOperand &output = op.getDpsInitsMutable()[i];
    SmallVector<Value> at = vectors.getIndices(output);
    Value before = memref::LoadOp::create(builder, loc, output.get(), at);
    memref::StoreOp::create(builder, loc, combine(combiner, before, reduced),
                            output.get(), at);
  }
}

/// The combiners of all outputs; none where the op is not a reduction of rows.
SmallVector<Combiner> matchReduction(linalg::GenericOp op) {
  if (!canUseGenericVectors(op) ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return {};
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<Combiner> combiners;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    AffineMap map = op.getIndexingMapsArray()[op.getNumDpsInputs() + i];
    if (llvm::any_of(reduced,
                     [&](unsigned dim) { return map.isFunctionOfDim(dim); }))
      return {};
    std::optional<Combiner> combiner = matchCombiner(op, i);
    if (!combiner)
      return {};
    combiners.push_back(*combiner);
  }
  return combiners;
}

struct VectorizeReductionsPass
    : impl::VectorizeReductionsPassBase<VectorizeReductionsPass> {
  using VectorizeReductionsPassBase::VectorizeReductionsPassBase;

  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      SmallVector<Combiner> combiners = matchReduction(op);
      if (combiners.empty())
        continue;
      OpBuilder builder(op);
      ReductionEmitter(builder, op, combiners, target).emit();
      op.erase();
    }
  }
};

} // namespace
} // namespace attn
