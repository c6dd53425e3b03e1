//===- OpWork.cpp - Parameters, operations and bytes of each op -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpWork.h"
#include "Parameters.h"
#include "attn/Analysis/CompositeBody.h"
#include "attn/Analysis/InlineCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Whether a linalg op that reads `root` has it for a weight: it was drawn, or
/// is a constant of more than one number. Masks of scores are none.
static bool isWeight(Value root) {
  auto type = dyn_cast<RankedTensorType>(root.getType());
  if (!type || !isa<FloatType>(type.getElementType()))
    return false;
  if (root.getDefiningOp<InitOp>())
    return true;
  Operation *op = root.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>() &&
         type.getNumElements() > 1;
}

/// The operands that hold trained numbers, whoever computes them.
static void collectWeights(Operation *op, SmallVectorImpl<Value> &weights) {
  for (Value table : findTables(op))
    if (isWeight(table))
      weights.push_back(table);
  if (auto work = dyn_cast<WorkOpInterface>(op))
    llvm::append_range(weights, work.getTrained());
  else if (isa<linalg::LinalgOp>(op))
    for (Value operand : op->getOperands())
      if (isWeight(findRoot(operand)) && !isScore(op) &&
          (op->getNumResults() == 0 || !isWeights(op->getResult(0))))
        weights.push_back(operand);
}

/// Whether two ops draw the same numbers: of one shape, by one rule and seed.
static bool drawsSame(InitOp a, InitOp b) {
  Attribute x, y;
  bool hasSameSeed = a.getSeed() == b.getSeed() ||
                     (matchPattern(a.getSeed(), m_Constant(&x)) &&
                      matchPattern(b.getSeed(), m_Constant(&y)) && x == y);
  return hasSameSeed && a->getAttrDictionary() == b->getAttrDictionary() &&
         a.getResult().getType() == b.getResult().getType();
}

/// The first that was seen of the ops that draw `root`.
static Value findFirstDraw(Value root, const DenseSet<Value> &seen) {
  if (auto init = root.getDefiningOp<InitOp>())
    for (Value other : seen)
      if (auto known = other.getDefiningOp<InitOp>())
        if (drawsSame(init, known))
          return other;
  return root;
}

/// A weight counts where it is read first, as a whole. Arguments of a composite
/// op's parts are the op's operands, whose sizes are those of `outside`.
static Count countParameters(Operation *op, SizeEvaluator &sizes,
                             SizeEvaluator &outside, DenseSet<Value> &seen,
                             Operation *composite) {
  SmallVector<Value> weights;
  collectWeights(op, weights);
  // Of a composite op's parts, attn ops have all that is trained.
  if (!composite)
    collectParameters(op, weights);
  Count count = 0.0;
  for (Value weight : weights) {
    Value root = findRoot(weight);
    auto argument = dyn_cast<BlockArgument>(root);
    bool isOperand = composite && argument;
    if (isOperand)
      root = findRoot(composite->getOperand(argument.getArgNumber()));
    if (!seen.insert(findFirstDraw(root, seen)).second)
      continue;
    count = add(count, isa<ShapedType>(root.getType())
                           ? countElements(root, isOperand ? outside : sizes)
                           : Count(1.0));
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isArithmetic(Operation &op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::CmpFOp, arith::CmpIOp>(op))
    return false;
  if (op.getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType())))
    return false;
  // Conversions are not arithmetic.
  if (isa<CastOpInterface>(op))
    return false;
  return isa<ActivationOp>(op) || isa<math::MathDialect>(op.getDialect()) ||
         isa<arith::ArithDialect>(op.getDialect());
}

double attn::countBody(Block &body) {
  double count = 0;
  for (Operation &op : body)
    if (isArithmetic(op))
      count += isa<math::FmaOp>(op) ? 2 : 1;
  return count;
}

/// Operations of one op; `known` tells whether it is one that is counted.
static Count countOperations(Operation *op, SizeEvaluator &sizes, bool &known) {
  known = true;
  if (auto work = dyn_cast<WorkOpInterface>(op))
    return work.countOperations(sizes);
  return TypeSwitch<Operation *, Count>(op)
      // Maximum and exp are one each, and the shift, the sum and the division.
      .Case([&](linalg::SoftmaxOp softmax) {
        return times(countElements(softmax.getInput(), sizes), 5);
      })
      // What lies behind it is written in place.
      .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp,
            tensor::SplatOp>([](auto) { return Count(0.0); })
      .Case([&](linalg::LinalgOp linalgOp) {
        double body = linalg::isaContractionOpInterface(linalgOp)
                          ? 2
                          : countBody(*linalgOp.getBlock());
        return body == 0 ? Count(0.0)
                         : times(countIterations(linalgOp, sizes), body);
      })
      .Default([&](Operation *other) -> Count {
        known = other->getNumResults() == 1 &&
                OpTrait::hasElementwiseMappableTraits(other) &&
                isa<RankedTensorType>(other->getResult(0).getType());
        if (!known)
          return std::nullopt;
        return times(countElements(other->getResult(0), sizes),
                     isArithmetic(*other) ? 1 : 0);
      });
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Each tensor once; a destination stands for the result it becomes.
static Count countTraffic(Operation *op, SizeEvaluator &sizes) {
  if (isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(op))
    return times(countTensorBytes(op->getOperand(0), sizes), 2);
  llvm::SmallSetVector<Value, 8> tensors;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      tensors.insert(operand);
  if (!isa<DestinationStyleOpInterface>(op))
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        tensors.insert(result);
  if (auto residual = dyn_cast<ResidualOp>(op))
    tensors.insert(residual.getBranch().front().getTerminator()->getOperand(0));
  Count bytes = 0.0;
  for (Value tensor : tensors)
    bytes = add(bytes, countTensorBytes(tensor, sizes));
  return bytes;
}

/// Ops that stand for no work of their own: they name memory, or belong to the
/// frame of a function or region.
static bool isFree(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      isa<FunctionOpInterface, LoopLikeOpInterface, RegionBranchOpInterface>(
          op))
    return true;
  if (isa<tensor::EmptyOp, tensor::CastOp, tensor::CollapseShapeOp,
          tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
          tensor::DimOp>(op))
    return true;
  auto isTensor = [](Value value) { return isa<TensorType>(value.getType()); };
  return llvm::none_of(op->getOperands(), isTensor) &&
         llvm::none_of(op->getResults(), isTensor);
}

namespace {
/// Counts the ops of one function.
class WorkCounter {
public:
  WorkCounter(Block &entry, std::optional<int64_t> unknownSize)
      : sizes(entry, {}, unknownSize), shapes(entry, {}, unknownSize),
        openShapes(entry), unknownSize(unknownSize) {}

  FunctionWork take() {
    work.hasGuessed |= sizes.hasGuessed();
    return std::move(work);
  }

  WalkResult visit(Operation *op) {
    if (isFree(op))
      return WalkResult::advance();
    OpWork one;
    one.op = op;
    bool known = true;
    if (CompositeBody::isComposite(op))
      countComposite(one);
    else
      known = count(one, op, sizes, /*composite=*/nullptr);
    if (!known) {
      work.notCounted.push_back(op);
      return WalkResult::advance();
    }
    addTo(work.total, one);
    work.ops.push_back(one);
    // The body of a structured op and an attention's region are counted with
    // it; the branches of a residual are ops of their own.
    return isa<ResidualOp>(op) || op->getNumRegions() == 0
               ? WalkResult::advance()
               : WalkResult::skip();
  }

private:
  static void addTo(OpWork &total, const OpWork &one) {
    total.parameters = add(total.parameters, one.parameters);
    total.flops = add(total.flops, one.flops);
    total.bytes = add(total.bytes, one.bytes);
  }

  /// False for ops that have no count.
  bool count(OpWork &one, Operation *op, SizeEvaluator &within,
             Operation *composite) {
    bool known = false;
    one.flops = countOperations(op, within, known);
    if (!known)
      return false;
    one.parameters = countParameters(op, within, sizes, seen, composite);
    one.bytes = countTraffic(op, within);
    return true;
  }

  /// The sum of its parts. Operands may have sizes that are not known and that
  /// no part reads; whether a part does shows with these sizes left open.
  void countComposite(OpWork &one) {
    DenseSet<Value> before = seen;
    if (countParts(one, shapes)) {
      work.hasGuessed = true;
    } else if (shapes.hasGuessed() && !work.hasGuessed) {
      OpWork again;
      again.op = one.op;
      std::swap(before, seen);
      work.hasGuessed = countParts(again, openShapes);
      std::swap(before, seen);
    }
  }

  /// Adds up the parts of an op whose operands have the sizes of `outside`.
  /// Returns whether they need one that is not known.
  bool countParts(OpWork &one, SizeEvaluator &outside) {
    CompositeBody body(
        one.op, [&](Value tensor) { return outside.getKnownShape(tensor); });
    SizeEvaluator within(body.getBlock(), {}, unknownSize);
    // A length may be a number that is known outside, such as 0 for `past`.
    for (auto [operand, argument] :
         llvm::zip(one.op->getOperands(), body.getBlock().getArguments()))
      if (operand.getType().isIntOrIndex())
        if (std::optional<int64_t> number = outside.getIndex(operand))
          within.setIndex(argument, *number);
    body.getFunction().walk<WalkOrder::PreOrder>([&](Operation *part) {
      if (isFree(part))
        return WalkResult::advance();
      OpWork own;
      if (count(own, part, within, one.op))
        addTo(one, own);
      return part->getNumRegions() == 0 ? WalkResult::advance()
                                        : WalkResult::skip();
    });
    return within.hasGuessed();
  }

  SizeEvaluator sizes;
  /// Of the operands of composite ops: with and without guesses.
  SizeEvaluator shapes, openShapes;
  std::optional<int64_t> unknownSize;
  DenseSet<Value> seen;
  FunctionWork work;
};
} // namespace

FunctionWork attn::computeWork(FunctionOpInterface function,
                               std::optional<int64_t> unknownSize) {
  WorkCounter counter(function.getFunctionBody().front(), unknownSize);
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return counter.visit(op); });
  return counter.take();
}

std::optional<OpWork>
attn::computeWorkOfCalls(func::FuncOp function, SymbolTable &functions,
                         std::optional<int64_t> unknownSize) {
  bool hasCalls = false;
  function.walk([&](func::CallOp) { hasCalls = true; });
  if (!hasCalls)
    return std::nullopt;
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  func::FuncOp flat = function.clone();
  module->push_back(flat);
  // Functions that call each other twice soon make more.
  int64_t calls = 0;
  inlineCalls(flat, functions, [&](func::FuncOp) { return ++calls <= 8192; });
  return computeWork(flat, unknownSize).total;
}
