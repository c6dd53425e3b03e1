//===- DimsFunction.cpp - Result sizes as a function of argument sizes ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is cloned, asked for the dimensions of its results instead of
// the results, and simplified until nothing reads a tensor but tensor.dim.
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/EntryABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attn {
namespace {

/// Returns the dimensions of the tensor results that get a destination instead
/// of the results.
void returnDimensions(func::FuncOp func,
                      ArrayRef<std::optional<unsigned>> inOut) {
  auto returnOp = cast<func::ReturnOp>(func.getBody().back().getTerminator());
  OpBuilder builder(returnOp);
  SmallVector<Value> dims;
  for (auto [result, argument] : llvm::zip(returnOp.getOperands(), inOut)) {
    if (argument)
      continue;
    auto type = dyn_cast<RankedTensorType>(result.getType());
    for (int64_t i = 0, rank = type ? type.getRank() : 0; i < rank; ++i)
      dims.push_back(
          tensor::DimOp::create(builder, returnOp.getLoc(), result, i));
  }
  returnOp->setOperands(dims);
}

LogicalResult resolveDimensions(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(func, std::move(patterns));
}

/// Replaces the tensor arguments by one index per dimension.
LogicalResult replaceTensorArguments(func::FuncOp original, func::FuncOp func) {
  Block &entry = func.getBody().front();
  unsigned numArguments = entry.getNumArguments();
  Type index = IndexType::get(func.getContext());
  for (unsigned i = 0; i < numArguments; ++i) {
    BlockArgument argument = entry.getArgument(i);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    SmallVector<Value> sizes;
    for (int64_t d = 0, rank = type ? type.getRank() : 0; d < rank; ++d)
      sizes.push_back(entry.addArgument(index, argument.getLoc()));
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      auto dim = dyn_cast<tensor::DimOp>(user);
      std::optional<int64_t> position =
          dim ? dim.getConstantIndex() : std::nullopt;
      if (!position)
        return original.emitError()
               << "the size of a result cannot be computed from the sizes of "
                  "the arguments alone: argument #"
               << i << " would have to be read";
      dim.replaceAllUsesWith(sizes[*position]);
      dim.erase();
    }
  }
  entry.eraseArguments(0, numArguments);
  return success();
}

} // namespace

FailureOr<func::FuncOp> createDimsFunction(func::FuncOp func) {
  FailureOr<SmallVector<std::optional<unsigned>>> inOut =
      getInOutArguments(func);
  if (failed(inOut))
    return failure();
  func::FuncOp dims = func.clone();
  dims.setName(getDimsFunctionName(func.getName()));
  dims.setArgAttrsAttr(nullptr);
  dims.setResAttrsAttr(nullptr);
  func->getBlock()->getOperations().insertAfter(func->getIterator(), dims);
  setInternalLinkage(dims);
  returnDimensions(dims, *inOut);
  // The kernel checks them; here they would only keep alive what they look at.
  dims.walk([](cf::AssertOp assertion) { assertion.erase(); });
  // The type is set at once: the clone must be valid while it is simplified.
  Operation *terminator = dims.getBody().back().getTerminator();
  dims.setType(FunctionType::get(func.getContext(), dims.getArgumentTypes(),
                                 terminator->getOperandTypes()));
  if (failed(resolveDimensions(dims)) ||
      failed(replaceTensorArguments(func, dims))) {
    dims.erase();
    return failure();
  }
  dims.setType(FunctionType::get(
      func.getContext(), dims.getBody().front().getArgumentTypes(),
      dims.getBody().back().getTerminator()->getOperandTypes()));
  return dims;
}

} // namespace attn
