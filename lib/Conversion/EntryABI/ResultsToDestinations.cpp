//===- ResultsToDestinations.cpp - Tensor functions get the kernel's shape ===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/EntryABI/DimsFunction.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Remarks/InputError.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_RESULTSTODESTINATIONSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// Dynamic strides and offset, but the innermost dimension is contiguous, and
/// those from `firstCompact` on are compact.
MemRefType getBoundaryType(Type type, int64_t firstCompact = -1) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  ArrayRef<int64_t> shape = tensor ? tensor.getShape() : ArrayRef<int64_t>();
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  if (!strides.empty())
    strides.back() = 1;
  if (firstCompact >= 0)
    for (int64_t dim = strides.size() - 1; dim-- > firstCompact;)
      strides[dim] = strides[dim + 1] * shape[dim + 1];
  auto layout =
      StridedLayoutAttr::get(type.getContext(),
                             /*offset=*/ShapedType::kDynamic, strides);
  return MemRefType::get(shape, getElementTypeOrSelf(type), layout);
}

bool isBoundaryType(Type type) {
  return isa<RankedTensorType>(type) || type.isIntOrIndexOrFloat();
}

LogicalResult checkSignature(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return emitInputError(func)
           << "a kernel has one block; its control flow is scf";
  if (!isa<func::ReturnOp>(func.getBody().front().getTerminator()))
    return emitInputError(func) << "a kernel ends with func.return";
  for (Type type : func.getArgumentTypes())
    if (!isBoundaryType(type))
      return emitInputError(func)
             << "argument of type " << type
             << ": kernels take ranked tensors and numbers";
  for (Type type : func.getResultTypes())
    if (!isBoundaryType(type))
      return emitInputError(func)
             << "result of type " << type
             << ": kernels return ranked tensors and numbers";
  return success();
}

/// The first dimension that a reshape joins with the next one, where its stride
/// is known if the tensor is compact; -1 where there is none.
int64_t findJoined(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  int64_t first = type ? type.getRank() : 0;
  for (Operation *user : argument.getUsers())
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user))
      for (const ReassociationIndices &group :
           collapse.getReassociationIndices())
        if (llvm::count_if(group, [&](int64_t dim) {
              return type.getDimSize(dim) != 1;
            }) > 1)
          first = std::min(first, group.front());
  if (!type || first == type.getRank() ||
      ShapedType::isDynamicShape(type.getShape().drop_front(first + 1)))
    return -1;
  return first;
}

/// Replaces each argument by a memref that is read as a tensor or a number.
void convertArguments(func::FuncOp func, OpBuilder &builder) {
  Block &entry = func.getBody().front();
  builder.setInsertionPointToStart(&entry);
  bool isCPU = !readTarget(func->getParentOfType<ModuleOp>()).gpu;
  for (BlockArgument argument : entry.getArguments()) {
    Type type = argument.getType();
    Location loc = argument.getLoc();
    bool isInOut =
        static_cast<bool>(func.getArgAttr(argument.getArgNumber(), kInOutAttr));
    // Other tensors are copied at the entry, which a GPU's does not do.
    bool mayCopy = isCPU && !isInOut;
    argument.setType(
        getBoundaryType(type, mayCopy ? findJoined(argument) : -1));
    Operation *read;
    if (isa<RankedTensorType>(type))
      read = bufferization::ToTensorOp::create(builder, loc, type, argument,
                                               /*restrict=*/true,
                                               /*writable=*/isInOut);
    else
      read = memref::LoadOp::create(builder, loc, argument);
    argument.replaceAllUsesExcept(read->getResult(0), read);
  }
}

/// Ties each result to a new trailing argument, or to the argument whose new
/// value it is, and returns a status instead.
void convertResults(func::FuncOp func, OpBuilder &builder,
                    ArrayRef<std::optional<unsigned>> inOut) {
  Block &entry = func.getBody().front();
  auto returnOp = cast<func::ReturnOp>(entry.getTerminator());
  Location loc = returnOp.getLoc();
  builder.setInsertionPoint(returnOp);
  for (auto [result, argument] : llvm::zip(returnOp.getOperands(), inOut)) {
    Value out = argument
                    ? Value(entry.getArgument(*argument))
                    : entry.addArgument(getBoundaryType(result.getType()), loc);
    if (!isa<RankedTensorType>(result.getType())) {
      memref::StoreOp::create(builder, loc, result, out);
      continue;
    }
    bufferization::MaterializeInDestinationOp::create(
        builder, loc, /*result=*/Type(), result, out, /*restrict=*/true,
        /*writable=*/true);
  }
  Value ok = arith::ConstantIntOp::create(builder, loc, 0, 32);
  returnOp->setOperands(ok);
}

void convertFunction(func::FuncOp func,
                     ArrayRef<std::optional<unsigned>> inOut) {
  MLIRContext *context = func.getContext();
  OpBuilder builder(context);
  unsigned numInputs = func.getNumArguments();
  SmallVector<DictionaryAttr> argumentAttrs;
  argumentAttrs.push_back(DictionaryAttr::get(context));
  func.getAllArgAttrs(argumentAttrs);
  convertArguments(func, builder);
  convertResults(func, builder, inOut);
  Block &entry = func.getBody().front();
  entry.insertArgument(0u, LLVM::LLVMPointerType::get(context), func.getLoc());
  func.setArgAttrsAttr(nullptr);
  func.setResAttrsAttr(nullptr);
  func.setType(FunctionType::get(context, entry.getArgumentTypes(),
                                 builder.getI32Type()));
  argumentAttrs.resize(entry.getNumArguments(), DictionaryAttr::get(context));
  func.setAllArgAttrs(argumentAttrs);
  func->setAttr(kEntryAttr, builder.getI64IntegerAttr(numInputs));
}

struct ResultsToDestinationsPass
    : impl::ResultsToDestinationsPassBase<ResultsToDestinationsPass> {
  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : functions) {
      if (!isEntryCandidate(func))
        continue;
      if (failed(checkSignature(func)) || failed(createDimsFunction(func)))
        return signalPassFailure();
      // The entry asks NAME__dims before it calls the kernel.
      func.walk([](cf::AssertOp assertion) {
        if (assertion->hasAttr(kEntryCheckAttr))
          assertion.erase();
      });
      convertFunction(func, *getInOutArguments(func));
    }
  }
};

} // namespace
} // namespace attn
