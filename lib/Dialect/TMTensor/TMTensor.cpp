//===- TMTensor.cpp - What torch-mlir leaves beside linalg ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/TMTensor/TMTensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace attn::tm_tensor;

#include "attn/Dialect/TMTensor/TMTensorDialect.cpp.inc"

void TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "attn/Dialect/TMTensor/TMTensorOps.cpp.inc"
      >();
}

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The results are the outputs' tensors, and the region has arguments of these
/// types and gives one number of type `result`.
static LogicalResult verifyForm(Operation *op, ValueRange outputs,
                                TypeRange arguments, Type result) {
  if (op->getResultTypes() != outputs.getTypes())
    return op->emitOpError("results have other types than the outputs");
  Block &block = op->getRegion(0).front();
  if (block.getArgumentTypes() != arguments)
    return op->emitOpError("arguments of the region are not the elements of "
                           "its tensors");
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != 1 || yield->getOperand(0).getType() != result)
    return op->emitOpError("the region has to give one number of type ")
           << result;
  return success();
}

static LogicalResult verifyDimension(Operation *op, int64_t dimension,
                                     int64_t rank) {
  if (dimension >= 0 && dimension < rank)
    return success();
  return op->emitOpError("dimension ")
         << dimension << " of a tensor of rank " << rank;
}

/// Whether two shapes agree where both are known.
static bool agree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [x, y] = pair;
           return x == y || ShapedType::isDynamic(x) ||
                  ShapedType::isDynamic(y);
         });
}

LogicalResult ScanOp::verify() {
  if (getInputs().size() != 1 || getOutputs().size() != 2)
    return emitOpError("takes one input and two outputs");
  RankedTensorType in = getTensorType(getInputs()[0]);
  RankedTensorType out = getTensorType(getOutputs()[0]);
  RankedTensorType last = getTensorType(getOutputs()[1]);
  if (failed(verifyDimension(*this, getDimension(), in.getRank())))
    return failure();
  SmallVector<int64_t> kept(in.getShape());
  kept.erase(kept.begin() + getDimension());
  if (!agree(in.getShape(), out.getShape()) || !agree(kept, last.getShape()))
    return emitOpError("sizes of ")
           << in << ", " << out << " and " << last << " do not agree";
  Type element = in.getElementType();
  if (out.getElementType() != element || last.getElementType() != element)
    return emitOpError("tensors have several element types");
  return verifyForm(*this, getOutputs(), {element, element}, element);
}

LogicalResult ScatterOp::verify() {
  if (getInputs().size() != 2 || getOutputs().size() != 1)
    return emitOpError("takes updates and indices, and one output");
  RankedTensorType updates = getTensorType(getInputs()[0]);
  RankedTensorType indices = getTensorType(getInputs()[1]);
  RankedTensorType out = getTensorType(getOutputs()[0]);
  int64_t depth = getDimensionMap().size();
  if (indices.getRank() != 2 || indices.getDimSize(1) != depth ||
      !indices.getElementType().isSignlessInteger())
    return emitOpError("indices have to be integers, ")
           << depth << " for each update, not " << indices;
  if (updates.getRank() < 1 || updates.getRank() - 1 > out.getRank())
    return emitOpError("updates ") << updates << " have no place in " << out;
  if (!agree(updates.getShape().take_front(), indices.getShape().take_front()))
    return emitOpError("there are other numbers of updates than of indices");
  llvm::SmallDenseSet<int64_t> dims;
  for (int64_t dim : getDimensionMap())
    if (failed(verifyDimension(*this, dim, out.getRank())))
      return failure();
    else if (!dims.insert(dim).second)
      return emitOpError("two indices are of dimension ") << dim;
  int64_t first = out.getRank() - (updates.getRank() - 1);
  for (int64_t dim = 0; dim < first; ++dim)
    if (!dims.contains(dim))
      return emitOpError("dimension ") << dim << " has neither index nor slice";
  Type element = out.getElementType();
  if (updates.getElementType() != element)
    return emitOpError("tensors have several element types");
  return verifyForm(*this, getOutputs(), {element, element}, element);
}

LogicalResult SortOp::verify() {
  if (!getInputs().empty() || getOutputs().empty())
    return emitOpError("sorts its outputs, of which there is at least one");
  RankedTensorType first = getTensorType(getOutputs()[0]);
  SmallVector<Type> elements;
  for (Value output : getOutputs()) {
    RankedTensorType type = getTensorType(output);
    if (!agree(type.getShape(), first.getShape()))
      return emitOpError("sizes of ")
             << first << " and " << type << " do not agree";
    elements.append(2, type.getElementType());
  }
  if (failed(verifyDimension(*this, getDimension(), first.getRank())))
    return failure();
  return verifyForm(*this, getOutputs(), elements,
                    IntegerType::get(getContext(), 1));
}

LogicalResult TopkOp::verify() {
  if (getInputs().empty() || getInputs().size() > 2 || getOutputs().size() != 2)
    return emitOpError("takes values, positions or none, and two outputs");
  RankedTensorType in = getTensorType(getInputs()[0]);
  if (failed(verifyDimension(*this, getDimension(), in.getRank())))
    return failure();
  RankedTensorType values = getTensorType(getOutputs()[0]);
  RankedTensorType positions = getTensorType(getOutputs()[1]);
  if (!positions.getElementType().isSignlessInteger())
    return emitOpError("positions have to be integers, not ") << positions;
  if (getInputs().size() == 2 &&
      (!agree(in.getShape(), getTensorType(getInputs()[1]).getShape()) ||
       getTensorType(getInputs()[1]).getElementType() !=
           positions.getElementType()))
    return emitOpError("positions are not those of the values");
  SmallVector<int64_t> kept(in.getShape());
  kept[getDimension()] = ShapedType::kDynamic;
  if (!agree(kept, values.getShape()) ||
      !agree(values.getShape(), positions.getShape()))
    return emitOpError("sizes of ")
           << in << ", " << values << " and " << positions << " do not agree";
  Type element = in.getElementType();
  if (values.getElementType() != element)
    return emitOpError("tensors have several element types");
  return verifyForm(*this, getOutputs(), {element, element},
                    IntegerType::get(getContext(), 1));
}

#define GET_OP_CLASSES
#include "attn/Dialect/TMTensor/TMTensorOps.cpp.inc"
