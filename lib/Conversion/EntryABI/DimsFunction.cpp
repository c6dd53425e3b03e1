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

#include "attn/Conversion/EntryABI/DimsFunction.h"
#include "attn/Conversion/Checks/Checks.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Remarks/InputError.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attn {
namespace {

/// Returns the dimensions of the tensor results that get a destination, and a
/// status, instead of the results.
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
  dims.push_back(
      arith::ConstantIntOp::create(builder, returnOp.getLoc(), 0, 32));
  returnOp->setOperands(dims);
}

LogicalResult resolveDimensions(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  populateResolveSizesPatterns(patterns);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(func, std::move(patterns));
}

bool givesTensor(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

bool givesDynamicSize(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

InFlightDiagnostic reportSize(func::FuncOp original) {
  return emitInputError(original)
         << "the size of a result cannot be computed from "
            "the sizes of the arguments alone: ";
}

/// `func` is what is left of the simplified clone: the size depends on all of
/// its control flow.
void explainControlFlow(InFlightDiagnostic &error, func::FuncOp func) {
  func.walk([&](RegionBranchOpInterface op) {
    if (!givesDynamicSize(op))
      return;
    Diagnostic &note = error.attachNote(op.getLoc());
    if (isa<scf::ForOp>(op))
      note
          << "the size depends on this loop, which carries a tensor of dynamic "
             "size and is not known to keep it; give that tensor static "
             "sizes, or unroll the loop";
    else
      note << "the size depends on the way that this '" << op->getName()
           << "' takes; compute the size apart, in numbers, and cut the tensor "
              "to it with tensor.extract_slice";
  });
}

LogicalResult reportData(func::FuncOp original, func::FuncOp func,
                         unsigned argument) {
  InFlightDiagnostic error = reportSize(original);
  error << "argument #" << argument << " would have to be read";
  explainControlFlow(error, func);
  return error;
}

/// What computes sizes has no memory for tensors, but may look into constants.
bool needsMemory(Operation *op) {
  return givesTensor(op) && !op->hasTrait<OpTrait::ConstantLike>() &&
         !isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
              tensor::ExtractSliceOp>(op);
}

/// Fails if something is left that needs memory.
LogicalResult checkOnlyNumbers(func::FuncOp original, func::FuncOp func) {
  Operation *last = nullptr;
  Operation *branch = nullptr;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (needsMemory(op))
      last = op;
    if (!branch && isa<RegionBranchOpInterface>(op) && givesTensor(op))
      branch = op;
  });
  if (!last)
    return success();
  Operation *named = branch ? branch : last;
  InFlightDiagnostic error = reportSize(original);
  error << "the tensor of '" << named->getName()
        << "' would have to be computed";
  explainControlFlow(error, func);
  if (!branch || !givesDynamicSize(branch))
    error.attachNote(named->getLoc())
        << "the size depends on this tensor; compute the size in numbers of "
           "type index, or look it up in a constant";
  return error;
}

/// Replaces the tensor arguments by the context and one index per dimension.
LogicalResult replaceTensorArguments(func::FuncOp original, func::FuncOp func) {
  Block &entry = func.getBody().front();
  unsigned numArguments = entry.getNumArguments();
  MLIRContext *context = func.getContext();
  Type index = IndexType::get(context);
  entry.addArgument(LLVM::LLVMPointerType::get(context), func.getLoc());
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
        return reportData(original, func, i);
      if (*position < 0 || *position >= type.getRank())
        return reportSize(original)
               << "argument #" << i << " has no dimension " << *position;
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
  // Where control flow is left, the kernel is refused.
  if (failed(inOut) ||
      !isa<func::ReturnOp>(func.getBody().back().getTerminator()))
    return failure();
  func::FuncOp dims = func.clone();
  dims.setName(getDimsFunctionName(func.getName()));
  dims.setArgAttrsAttr(nullptr);
  dims.setResAttrsAttr(nullptr);
  func->getBlock()->getOperations().insertAfter(func->getIterator(), dims);
  setInternalLinkage(dims);
  returnDimensions(dims, *inOut);
  // The kernel checks the others; here they would only keep alive what they
  // look at.
  dims.walk([](cf::AssertOp assertion) {
    if (!assertion->hasAttr(kEntryCheckAttr))
      assertion.erase();
  });
  // The type is set at once: the clone must be valid while it is simplified.
  Operation *terminator = dims.getBody().back().getTerminator();
  dims.setType(FunctionType::get(func.getContext(), dims.getArgumentTypes(),
                                 terminator->getOperandTypes()));
  if (failed(resolveDimensions(dims)) ||
      failed(replaceTensorArguments(func, dims)) ||
      failed(checkOnlyNumbers(func, dims))) {
    dims.erase();
    return failure();
  }
  dims.setType(FunctionType::get(
      func.getContext(), dims.getBody().front().getArgumentTypes(),
      dims.getBody().back().getTerminator()->getOperandTypes()));
  return dims;
}

} // namespace attn
