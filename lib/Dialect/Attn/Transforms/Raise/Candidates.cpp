//===- Candidates.cpp - Where raising looks for ops -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn::raise {

SmallVector<AffineExpr> addIndices(ExprGraph &graph, Value tensor) {
  return llvm::map_to_vector(
      cast<RankedTensorType>(tensor.getType()).getShape(),
      [&](int64_t size) { return graph.addIndex(size); });
}

bool isBlockElement(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

bool hasBlockElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isBlockElement(type.getElementType());
}

bool isElementwise(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.hasPureTensorSemantics() &&
         structured.getNumReductionLoops() == 0 && op->getNumResults() == 1;
}

static bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
             tensor::CastOp>(op) &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

/// Whether both are computed equally often.
static bool isBeside(Operation *user, Value value) {
  return user->getBlock() == value.getParentBlock();
}

/// Whether a result of `log` is added to something, in its body or behind it.
static bool isAdded(math::LogOp log) {
  Operation *op = log->getParentOp();
  auto isAddition = [](Operation *user) { return isa<arith::AddFOp>(user); };
  return llvm::any_of(log->getUsers(), isAddition) ||
         (isElementwise(op) &&
          llvm::any_of(op->getUsers(), [](Operation *user) {
            return isElementwise(user) && hasInBody<arith::AddFOp>(user);
          }));
}

bool addsToLogOfSum(Value root) {
  constexpr unsigned maxSteps = 64;
  auto isExponential = [](Value source) {
    Operation *op = source.getDefiningOp();
    return op && isElementwise(op) && hasInBody<math::ExpOp, math::Exp2Op>(op);
  };
  return llvm::any_of(findSources(root, maxSteps), [&](Value source) {
    Operation *op = source.getDefiningOp();
    if (!op || !isElementwise(op) ||
        llvm::none_of(findSources(source, maxSteps), isExponential))
      return false;
    return op
        ->walk([](math::LogOp log) {
          return isAdded(log) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

SmallVector<Value> findRoots(Value value, unsigned limit) {
  SmallVector<Value> roots{value};
  while (roots.size() < limit && roots.back().hasOneUse()) {
    Operation *user = *roots.back().user_begin();
    if (!isBeside(user, roots.back()) ||
        (!isElementwise(user) && !isReshape(user)))
      break;
    roots.push_back(user->getResult(0));
  }
  return roots;
}

SmallVector<Value> findSources(Value value, unsigned limit) {
  llvm::SetVector<Value> found;
  found.insert(value);
  for (unsigned i = 0; i < found.size() && found.size() <= limit; ++i) {
    Operation *op = found[i].getDefiningOp();
    if (!op)
      continue;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (structured && structured.hasPureTensorSemantics() &&
        !isContraction(found[i])) {
      for (OpOperand *operand : structured.getDpsInputOperands())
        if (isa<RankedTensorType>(operand->get().getType()))
          found.insert(operand->get());
      // A body may extract elements of tensors that are no operands.
      op->getRegion(0).walk([&](tensor::ExtractOp extract) {
        found.insert(extract.getTensor());
      });
    } else if (isReshape(op) ||
               isa<tensor::ExtractSliceOp, tensor::ConcatOp, tensor::PadOp,
                   linalg::SoftmaxOp, SoftmaxOp>(op)) {
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          found.insert(operand);
    }
  }
  return llvm::to_vector(llvm::drop_begin(found.getArrayRef()));
}

SmallVector<Value> findUsers(Value value, unsigned limit) {
  llvm::SetVector<Value> found;
  found.insert(value);
  for (unsigned i = 0; i < found.size() && found.size() < limit; ++i)
    for (OpOperand &use : found[i].getUses()) {
      Operation *user = use.getOwner();
      // A body may extract elements of tensors that are no operands.
      bool isExtracted =
          isa<tensor::ExtractOp>(user) && isElementwise(user->getParentOp());
      if (isExtracted)
        user = user->getParentOp();
      if (!isBeside(user, value))
        continue;
      if (isReshape(user) || isExtracted ||
          (isElementwise(user) &&
           cast<linalg::LinalgOp>(user).isDpsInput(&use)))
        found.insert(user->getResult(0));
    }
  return found.takeVector();
}

bool feedsExplained(Value value) {
  return llvm::any_of(findUsers(value, /*limit=*/16), [](Value user) {
    return llvm::any_of(user.getUsers(), [](Operation *op) {
      return op->getNumResults() == 1 && isContraction(op->getResult(0)) &&
             isExplained(op);
    });
  });
}

//===----------------------------------------------------------------------===//
// Pairs of an input and a result
//===----------------------------------------------------------------------===//

/// How many tensors are looked at before and after an anchor.
constexpr unsigned maxSources = 24, maxUsers = 16, maxRoots = 8;

/// The farthest first: the tensor itself comes before its square, or its
/// multiple.
static SmallVector<Value> findInputs(Value value) {
  SmallVector<Value> inputs = findSources(value, maxSources);
  std::reverse(inputs.begin(), inputs.end());
  return inputs;
}

PairCandidate::PairCandidate(Value anchor, DenseSet<Value> &replaced)
    : anchor(anchor), replaced(replaced), sources(findInputs(anchor)) {}

bool PairCandidate::matches(Value result, Value input, bool needsType) {
  if (!hasBlockElements(result) || !hasBlockElements(input))
    return false;
  auto type = cast<RankedTensorType>(result.getType());
  if (needsType ? input.getType() != type
                : cast<RankedTensorType>(input.getType()).getShape() !=
                      type.getShape())
    return false;
  graph.emplace(anchor.getContext());
  PullThrough pull(*graph, nodeBudget);
  pull.stopAt(input);
  SmallVector<AffineExpr> indices = addIndices(*graph, result);
  Expr y = pull.pull(result, indices);
  return read(y, graph->load(input, indices), result, input);
}

bool PairCandidate::raiseAt(Value result) {
  auto isLike = [&](Value input) {
    return cast<ShapedType>(input.getType()).getShape() ==
           cast<ShapedType>(result.getType()).getShape();
  };
  // The variance of a batch norm may be given: the input is no source of it.
  SmallVector<Value> inputs =
      llvm::any_of(sources, isLike) ? sources : findInputs(result);
  if (llvm::none_of(inputs, [&](Value input) {
        return matches(result, input, /*needsType=*/false);
      }))
    return false;
  SmallVector<Value> roots = findRoots(result, maxRoots);
  for (; !roots.empty(); roots.pop_back())
    for (Value input : inputs)
      if (matches(roots.back(), input, /*needsType=*/true)) {
        OpBuilder builder(roots.back().getDefiningOp());
        Value op = build(builder, roots.back(), input);
        if (!op)
          continue;
        roots.back().replaceAllUsesWith(op);
        replaced.insert_range(roots);
        return true;
      }
  return why.reject(5, "no tensor before it has the type of its result");
}

unsigned PairCandidate::raise() {
  // Two ops that share what is before them, as norms their statistics, are two
  // with gammas of their own, not one without.
  auto isShared = [&](Value value) {
    return !value.hasOneUse() &&
           llvm::all_of(value.getUsers(), [&](Operation *user) {
             return isElementwise(user) &&
                    llvm::any_of(sources, [&](Value input) {
                      return matches(user->getResult(0), input,
                                     /*needsType=*/false);
                    });
           });
  };
  unsigned raised = 0;
  for (Value user : findUsers(anchor, maxUsers))
    if (!user.use_empty() && !replaced.contains(user) && !isShared(user) &&
        raiseAt(user))
      ++raised;
  return raised;
}

void visitFromLast(Operation *root, function_ref<void(Operation *)> visit) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return WalkResult::advance();
    ops.push_back(op);
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  for (Operation *op : llvm::reverse(ops)) {
    if (isOpTriviallyDead(op))
      op->erase();
    else
      visit(op);
  }
}

} // namespace attn::raise
