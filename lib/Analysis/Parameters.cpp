//===- Parameters.cpp - Weights of ops that have no name for them ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#include "attn/Analysis/ResidualBlock.h"
#include "attn/Analysis/ScoreProduct.h"
#include "attn/Dialect/Attn/Transforms/TensorSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

/// Ops that are looked at for a softmax behind a sum, or a product.
constexpr unsigned kMostOps = 32;

/// Whether a structured op only moves or repeats the elements of one tensor.
static bool isCopy(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumDpsInputs() != 1 ||
      structured.getNumReductionLoops() > 0 || op->getNumResults() != 1)
    return false;
  Value yielded = structured.getBlock()->getTerminator()->getOperand(0);
  while (Operation *cast = yielded.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(cast))
      return false;
    yielded = cast->getOperand(0);
  }
  return yielded == structured.getBlock()->getArgument(0);
}

Value attn::findRoot(Value tensor) {
  return findSource(tensor, [](Operation *op) {
    return isView(op) || isa<linalg::BroadcastOp>(op) ||
           (isCopy(op) && isa<RankedTensorType>(op->getOperand(0).getType()));
  });
}

static bool isFunctionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

//===----------------------------------------------------------------------===//
// What lies around
//===----------------------------------------------------------------------===//

/// Whether `op` is a softmax, or its exponentials: a sum reads them.
static bool isSoftmaxLike(Operation *op) {
  if (isa<SoftmaxOp, linalg::SoftmaxOp>(op))
    return true;
  auto isExp = [](Operation &one) {
    return isa<math::ExpOp, math::Exp2Op>(one);
  };
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!isExp(*op) &&
      !(structured && llvm::any_of(*structured.getBlock(), isExp)))
    return false;
  // Those of a sigmoid are added to 1.
  auto isSum = [](Operation *user) {
    auto reduction = dyn_cast<linalg::LinalgOp>(user);
    return reduction && reduction.getNumReductionLoops() > 0 && !isLayer(user);
  };
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return isSum(user) || (isa<arith::ExtFOp, arith::TruncFOp>(user) &&
                           llvm::any_of(user->getUsers(), isSum));
  });
}

bool attn::isScore(Operation *op) {
  SmallVector<std::pair<Operation *, bool>> open{{op, false}};
  DenseSet<Operation *> seen{op};
  for (unsigned i = 0; i < open.size() && i < kMostOps; ++i) {
    auto [next, isBehind] = open[i];
    for (Value result : next->getResults())
      for (Operation *user : result.getUsers()) {
        if (isLayer(user)) {
          if (isBehind)
            return true;
          continue;
        }
        if (user->getNumResults() > 0 && !isa<NormOp>(user) &&
            seen.insert(user).second)
          open.push_back({user, isBehind || isSoftmaxLike(user)});
      }
  }
  return false;
}

bool attn::isWeights(Value value) {
  SmallVector<Operation *> open;
  DenseSet<Operation *> seen;
  auto add = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && !isLayer(op) && isa<RankedTensorType>(operand.getType()) &&
        seen.insert(op).second)
      open.push_back(op);
  };
  add(value);
  for (unsigned i = 0; i < open.size() && i < kMostOps; ++i) {
    if (isSoftmaxLike(open[i]))
      return true;
    llvm::for_each(open[i]->getOperands(), add);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Whether `operand` has one number for each pair of a term and a column.
static bool isMatrix(linalg::LinalgOp op, OpOperand *operand) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (result.getNumResults() == 0 ||
      !llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>))
    return false;
  bool hasColumn =
      llvm::is_contained(map.getResults(), result.getResults().back());
  bool hasTerm = !getReducedDims(op, operand).empty();
  Value root = findRoot(operand->get());
  return hasColumn && hasTerm && isFunctionArgument(root) && isFloat(root) &&
         countWideDims(operand->get()) >= 2 &&
         (map.getNumResults() == 2 || countWideDims(root) == 2);
}

static void collectMatrix(linalg::LinalgOp op,
                          SmallVectorImpl<Value> &parameters) {
  if (op.getNumDpsInputs() != 2)
    return;
  for (unsigned i : {1, 0}) {
    OpOperand *operand = op.getDpsInputOperand(i);
    if (!isMatrix(op, operand))
      continue;
    // Keys and values of an attention are no weights.
    if (!isScore(op) && !isWeights(op.getDpsInputs()[1 - i]))
      parameters.push_back(findRoot(operand->get()));
    return;
  }
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// The argument that a number comes from, by casts, reads and repetitions.
static Value findNumber(Value value, unsigned depth = 0) {
  if (isFunctionArgument(value))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || depth > 4)
    return {};
  if (Value repeated =
          op->getNumResults() == 1 ? getRepeatedNumber(value) : Value())
    return findNumber(repeated, depth + 1);
  if (isa<tensor::ExtractOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          arith::ExtFOp, arith::TruncFOp>(op))
    return findNumber(op->getOperand(0), depth + 1);
  return {};
}

/// Whether an argument is the trained factor of a residual branch.
static bool isAlpha(Value argument) {
  return isFloat(argument) && countWideDims(argument) == 0 &&
         llvm::any_of(argument.getUses(), [](OpOperand &use) {
           return findFactorPolicy(use) == ResidualPolicy::ReZero;
         });
}

/// Whether an element of a body is added to, or multiplied with, what is not
/// known outside.
static bool isTerm(Value element) {
  for (Operation *user : element.getUsers()) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(user) && isTerm(user->getResult(0)))
      return true;
    if (isa<arith::AddFOp, arith::MulFOp>(user))
      return true;
  }
  return false;
}

/// `tensor` has one number for each column of what `op` computes.
static void collectColumns(Operation *op, Value tensor,
                           SmallVectorImpl<Value> &parameters) {
  Value root = findRoot(tensor);
  if (isFunctionArgument(root) && isFloat(root) && countWideDims(root) == 1 &&
      !isScore(op) && !isWeights(op->getResult(0)))
    parameters.push_back(root);
}

/// Whether a tensor of one wide dimension is repeated along the others.
static bool isColumns(AffineMap map, Value tensor, unsigned rank) {
  if (rank < 2 || map.getNumResults() == 0)
    return false;
  auto type = cast<RankedTensorType>(tensor.getType());
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == rank - 1 &&
         type.getDimSize(type.getRank() - 1) != 1 &&
         (map.getNumResults() < rank || countWideDims(findRoot(tensor)) == 1);
}

static void collectFromBody(linalg::LinalgOp op,
                            SmallVectorImpl<Value> &parameters) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (op.getNumReductionLoops() > 0 || !result.isIdentity() || isCopy(op))
    return;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(operand->get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    Value root = findRoot(operand->get());
    // A row that was given as it is has no repetition.
    bool isWhole =
        map.isIdentity() && root.getType() == operand->get().getType();
    if (!isWhole && isColumns(map, operand->get(), op.getNumLoops()) &&
        isTerm(op.getMatchingBlockArgument(operand)))
      collectColumns(op, operand->get(), parameters);
  }
}

static void collectFromEpilogue(LinearOp op,
                                SmallVectorImpl<Value> &parameters) {
  Block *body = op.getEpilogueBody();
  if (!body)
    return;
  unsigned rank = cast<ShapedType>(op.getOutput().getType()).getRank();
  for (auto [extra, element] :
       llvm::zip(op.getExtras(), body->getArguments().drop_front())) {
    if (!isFloat(extra) || !isTerm(element))
      continue;
    auto type = dyn_cast<RankedTensorType>(extra.getType());
    // Factors of branches; sums with numbers are none.
    if (!type || type.getRank() == 0) {
      Value argument = findNumber(extra);
      if (argument && countWideDims(argument) == 0 &&
          llvm::any_of(element.getUsers(), llvm::IsaPred<arith::MulFOp>))
        parameters.push_back(argument);
      continue;
    }
    if (unsigned(type.getRank()) < rank)
      collectColumns(op, extra, parameters);
  }
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Whether an index is read from a tensor: of a loop it is none.
static bool isRead(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return isa<linalg::LinalgOp>(argument.getOwner()->getParentOp());
  Operation *op = index.getDefiningOp();
  return isa<tensor::ExtractOp>(op) || llvm::any_of(op->getOperands(), isRead);
}

SmallVector<Value> attn::findTables(Operation *op) {
  SmallVector<Value> tables;
  if (isa<linalg::LinalgOp, tensor::GenerateOp>(op))
    op->walk([&](tensor::ExtractOp extract) {
      if (isFloat(extract) && countWideDims(extract.getTensor()) >= 2 &&
          llvm::any_of(extract.getIndices(), isRead))
        tables.push_back(findRoot(extract.getTensor()));
    });
  return tables;
}

void attn::collectParameters(Operation *op,
                             SmallVectorImpl<Value> &parameters) {
  for (Value table : findTables(op))
    if (isFunctionArgument(table))
      parameters.push_back(table);
  if (auto linear = dyn_cast<LinearOp>(op))
    collectFromEpilogue(linear, parameters);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (structured && linalg::isaContractionOpInterface(structured))
    return collectMatrix(structured, parameters);
  if (structured)
    collectFromBody(structured, parameters);
  if (!structured && !isa<arith::AddFOp, arith::MulFOp>(op))
    return;
  // Tensors that were repeated before.
  if (!structured && isa<RankedTensorType>(op->getResult(0).getType()))
    for (Value operand : op->getOperands())
      if (findRoot(operand).getType() != operand.getType() &&
          countWideDims(findRoot(operand)) < countWideDims(operand))
        collectColumns(op, operand, parameters);
  op->walk([&](Operation *one) {
    for (Value operand : one->getOperands())
      if (Value number = findNumber(operand); number && isAlpha(number))
        parameters.push_back(number);
  });
}
