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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
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

bool isDimension(int64_t dim, RankedTensorType type) {
  return dim >= 0 && dim < type.getRank();
}

/// The value whose dimension `dim`, which changes with it, `value` has by its
/// definition; null where it is not that of a tensor.
Value getSizeSource(Value value, int64_t &dim) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return style.getTiedOpOperand(cast<OpResult>(value))->get();
  if (isa<tensor::CastOp>(op) || OpTrait::hasElementwiseMappableTraits(op))
    return op->getOperand(0);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insert.getDest();
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  // That a dimension exists is not verified.
  if (!empty || !isDimension(dim, empty.getType()))
    return {};
  auto size = dyn_cast<Value>(empty.getMixedSizes()[dim]);
  auto source = size ? size.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  std::optional<int64_t> position =
      source ? source.getConstantIndex() : std::nullopt;
  if (!position)
    return {};
  dim = *position;
  return source.getSource();
}

/// A tensor that a loop carries has the sizes that it started with if each
/// iteration yields one of the size that it was given.
struct DimOfCarriedTensor : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto loop = op.getSource().getDefiningOp<scf::ForOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!loop || !dim)
      return failure();
    unsigned number = cast<OpResult>(op.getSource()).getResultNumber();
    Value value = loop.getYieldedValues()[number];
    int64_t at = *dim;
    while (value && value != loop.getRegionIterArg(number))
      value = getSizeSource(value, at);
    if (!value || at != *dim)
      return failure();
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, loop.getInitArgs()[number],
                                               *dim);
    return success();
  }
};

LogicalResult resolveDimensions(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  patterns.add<DimOfCarriedTensor>(context);
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
  return original.emitError() << "the size of a result cannot be computed from "
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
        return reportData(original, func, i);
      if (!isDimension(*position, type))
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
