//===- Interpreter.cpp - Runs a module as given, slowly and surely --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Reference/Interpreter.h"
#include "ElementOps.h"
#include "Evaluator.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::reference {
namespace detail {

LogicalResult emitUnsupported(Operation *op) {
  return op->emitError("the reference cannot interpret this operation");
}

/// Whether a tensor fits a type: element type, rank and static sizes.
static LogicalResult checkFits(const Tensor &tensor, Type type,
                               llvm::function_ref<InFlightDiagnostic()> error) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (tensor.elementType != getElementTypeOrSelf(type) ||
      tensor.getRank() != (shaped ? shaped.getRank() : 0))
    return error() << "a value of rank " << tensor.getRank() << " with "
                   << tensor.elementType << " elements does not fit " << type;
  if (shaped &&
      failed(verifyCompatibleShape(tensor.shape, shaped.getShape()))) {
    InFlightDiagnostic diag = error() << "a value of shape [";
    llvm::interleaveComma(tensor.shape, diag);
    return diag << "] does not fit " << type;
  }
  return success();
}

SmallVector<int64_t> Evaluator::getIndices(ArrayRef<OpFoldResult> list) const {
  SmallVector<int64_t> result;
  for (OpFoldResult item : list) {
    if (auto attribute = dyn_cast<Attribute>(item))
      result.push_back(cast<IntegerAttr>(attribute).getInt());
    else
      result.push_back(getIndex(cast<Value>(item)));
  }
  return result;
}

std::shared_ptr<Tensor> Evaluator::takeOrCopy(Value value) {
  auto it = values.find(value);
  bool dies = llvm::is_contained(lastUses[current], value) &&
              llvm::count(current->getOperands(), value) == 1;
  // Tensors are made as mutable objects; nobody else sees this one any more.
  if (dies && it->second.use_count() == 1)
    return std::const_pointer_cast<Tensor>(std::move(it->second));
  return std::make_shared<Tensor>(*it->second);
}

LogicalResult Evaluator::set(Value result, TensorRef value) {
  auto error = [&] { return result.getDefiningOp()->emitError(); };
  if (result.getDefiningOp() &&
      failed(checkFits(*value, result.getType(), error)))
    return failure();
  values[result] = std::move(value);
  return success();
}

void Evaluator::findLastUses(Block &block) {
  if (!analysed.insert(&block).second)
    return;
  auto note = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *here = block.findAncestorOpInBlock(*user);
      if (here && (!last || last->isBeforeInBlock(here)))
        last = here;
    }
    if (last)
      lastUses[last].push_back(value);
  };
  llvm::for_each(block.getArguments(), note);
  for (Operation &op : block)
    llvm::for_each(op.getResults(), note);
}

FailureOr<std::vector<TensorRef>>
Evaluator::runBlock(Block &block, std::vector<TensorRef> arguments,
                    llvm::function_ref<LogicalResult()> beforeEnd) {
  findLastUses(block);
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = std::move(value);
  for (Operation &op : block.without_terminator()) {
    if (failed(execute(op)))
      return failure();
    for (Value dead : lastUses[&op])
      values.erase(dead);
  }
  if (beforeEnd && failed(beforeEnd()))
    return failure();
  std::vector<TensorRef> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(get(value));
  for (Value dead : lastUses[block.getTerminator()])
    values.erase(dead);
  return results;
}

FailureOr<std::vector<TensorRef>>
Evaluator::call(FunctionOpInterface function,
                std::vector<TensorRef> arguments) {
  if (function.isExternal())
    return function.emitError("the reference needs the body of this function");
  if (!function.getFunctionBody().hasOneBlock())
    return function.emitError(
        "the reference interprets functions of one block");
  for (auto [argument, value] :
       llvm::zip_equal(function.getArgumentTypes(), arguments))
    if (failed(
            checkFits(*value, argument, [&] { return function.emitError(); })))
      return failure();
  return runBlock(function.getFunctionBody().front(), std::move(arguments));
}

LogicalResult Evaluator::execute(Operation &op) {
  current = &op;
  for (Type type :
       llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
    if (!isSupportedElementType(getElementTypeOrSelf(type)))
      return op.emitError("the reference does not hold values of type ")
             << type;
  Dialect *dialect = op.getDialect();
  if (failed(checkOperandSizes(*this, &op)))
    return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TensorRef value = readConstant(constant.getValue(), constant.getType());
    if (!value)
      return op.emitError("the reference cannot read this constant");
    return set(constant.getResult(), std::move(value));
  }
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                      affine::AffineDialect>(dialect))
    return executeElementwise(*this, &op);
  if (isa<linalg::SoftmaxOp>(op))
    return executeSoftmax(*this, &op);
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return executePack(*this, pack);
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return executeUnPack(*this, unpack);
  if (isa<tensor::BitcastOp>(op))
    return executeElementwise(*this, &op);
  if (isa_and_nonnull<linalg::LinalgDialect>(dialect))
    return executeStructured(*this, &op);
  if (isa_and_nonnull<tensor::TensorDialect>(dialect))
    return executeTensorOp(*this, &op);
  if (isa_and_nonnull<scf::SCFDialect, func::FuncDialect,
                      cf::ControlFlowDialect>(dialect))
    return executeControlFlow(*this, &op);
  if (isa_and_nonnull<AttnDialect>(dialect))
    return executeAttn(*this, &op);
  return emitUnsupported(&op);
}

} // namespace detail

FailureOr<std::vector<Tensor>>
interpret(func::FuncOp entry, ArrayRef<Tensor> arguments, Rounding rounding) {
  using namespace detail;
  if (arguments.size() != entry.getNumArguments())
    return entry.emitError("needs ")
           << entry.getNumArguments() << " arguments, not " << arguments.size();
  std::vector<TensorRef> shared;
  for (const Tensor &argument : arguments) {
    auto copy = std::make_shared<Tensor>(argument);
    if (!isSupportedElementType(copy->elementType))
      return entry.emitError("the reference does not hold elements of type ")
             << copy->elementType;
    // An argument lies in memory in its type, whatever the arithmetic.
    if (copy->isFloat())
      quantise(copy->floats.data(), copy->floats.size(),
               getQuantum(copy->elementType, Rounding::AsWritten));
    shared.push_back(std::move(copy));
  }
  auto results = Evaluator(rounding, 0).call(entry, std::move(shared));
  if (failed(results))
    return failure();
  std::vector<Tensor> copies;
  for (const TensorRef &result : *results)
    copies.push_back(*result);
  return copies;
}

} // namespace attn::reference
