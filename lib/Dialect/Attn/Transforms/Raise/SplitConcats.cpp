//===- SplitConcats.cpp - Rows of unknown length with columns beside them -===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax over keys and a sink is one over a concatenation, of which a slice
// is used. Where the number of keys is static, expressions tell the columns
// from each other. Where it is not, what is computed of the concatenation is
// computed of its parts here, in the same order.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/SimplifySizes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {
namespace {

class ConcatSplitter {
public:
  ConcatSplitter(Sizes &sizes, tensor::ConcatOp concat, IRRewriter &rewriter)
      : sizes(sizes), concat(concat), rewriter(rewriter) {}

  /// Reads all users, and changes nothing.
  bool read();
  void run();

private:
  /// What is computed of the concatenation, and the dimension of the parts.
  struct Step {
    Operation *op;
    std::optional<unsigned> loop; // of a structured op
    unsigned part = 0;            // that a slice is
  };
  bool hasFewColumns();
  bool readStep(Operation *op);
  bool readStructured(linalg::GenericOp op);
  bool readSlice(tensor::ExtractSliceOp op);
  void runStructured(const Step &step);
  Value getPart(Value whole, unsigned part, OpBuilder &builder);

  Sizes &sizes;
  tensor::ConcatOp concat;
  IRRewriter &rewriter;
  SmallVector<Step> steps;
  /// Tensors that have the parts along a dimension.
  DenseMap<Value, unsigned> wholes;
  DenseMap<Value, SmallVector<Value>> parts;
  bool hasSlice = false, hasReduction = false;
};

} // namespace

/// One part of unknown length, and beside it a few columns.
bool ConcatSplitter::hasFewColumns() {
  constexpr int64_t mostColumns = 8;
  int64_t columns = 0;
  unsigned unknown = 0;
  for (Value input : concat.getInputs()) {
    int64_t size =
        cast<RankedTensorType>(input.getType()).getDimSize(concat.getDim());
    if (ShapedType::isDynamic(size))
      ++unknown;
    else
      columns += size;
  }
  return unknown == 1 && columns > 0 && columns <= mostColumns;
}

bool ConcatSplitter::read() {
  if (!hasFewColumns())
    return false;
  wholes[concat.getResult()] = concat.getDim();
  for (Operation *op = concat->getNextNode(); op; op = op->getNextNode()) {
    bool isUser = llvm::any_of(
        op->getOperands(), [&](Value value) { return wholes.contains(value); });
    if (isUser && !isa<tensor::DimOp>(op) && !readStep(op))
      return false;
  }
  // Bodies of loops may use them, too.
  for (auto [whole, dim] : wholes)
    for (Operation *user : whole.getUsers())
      if (user->getBlock() != concat->getBlock())
        return false;
  return hasSlice && hasReduction;
}

bool ConcatSplitter::readStep(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return readStructured(generic);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return readSlice(slice);
  return false;
}

/// The loop over the parts has to be the same for all operands that have them,
/// and no other operand may know it.
bool ConcatSplitter::readStructured(linalg::GenericOp op) {
  if (op.hasIndexSemantics() && op.getNumReductionLoops() == 0)
    return false;
  std::optional<unsigned> loop;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto whole = wholes.find(operand->get());
    if (whole == wholes.end())
      continue;
    auto dim = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(operand).getResult(whole->second));
    if (!dim || (loop && *loop != dim.getPosition()))
      return false;
    loop = dim.getPosition();
  }
  if (!loop)
    return false;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (!wholes.contains(operand->get()) &&
        op.getMatchingIndexingMap(operand).isFunctionOfDim(*loop))
      return false;
  AffineExpr along = getAffineDimExpr(*loop, op.getContext());
  if (op.getNumReductionLoops() == 0) {
    if (op.getNumDpsInits() != 1 ||
        !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty())
      return false;
    std::optional<unsigned> dim =
        op.getMatchingIndexingMap(op.getDpsInitOperand(0))
            .getResultPosition(along);
    if (!dim)
      return false;
    wholes[op.getResult(0)] = *dim;
  } else {
    if (op.getNumReductionLoops() != 1 ||
        op.getIteratorTypesArray()[*loop] != utils::IteratorType::reduction)
      return false;
    // Where a maximum stands is not asked for.
    for (OpResult result : llvm::drop_begin(op->getResults()))
      if (!result.use_empty())
        return false;
    hasReduction = true;
  }
  steps.push_back({op, loop});
  return true;
}

bool ConcatSplitter::readSlice(tensor::ExtractSliceOp op) {
  unsigned dim = wholes.lookup(op.getSource());
  if (!op.hasUnitStride() || !op.getDroppedDims().none())
    return false;
  for (unsigned d = 0; d < op.getSourceType().getRank(); ++d)
    if (d != dim &&
        (!(sizes.get(op.getMixedOffsets()[d]) == Size(0)) ||
         !(sizes.get(op.getMixedSizes()[d]) == sizes.get(op.getSource(), d))))
      return false;
  Size begin(0);
  for (auto [part, input] : llvm::enumerate(concat.getInputs())) {
    Size size = sizes.get(input, concat.getDim());
    if (sizes.get(op.getMixedOffsets()[dim]) == begin &&
        sizes.get(op.getMixedSizes()[dim]) == size) {
      hasSlice = true;
      steps.push_back({op, std::nullopt, static_cast<unsigned>(part)});
      return true;
    }
    begin = begin + size;
  }
  return false;
}

Value ConcatSplitter::getPart(Value whole, unsigned part, OpBuilder &builder) {
  return whole == concat.getResult() ? concat.getInputs()[part]
                                     : parts[whole][part];
}

/// The op on each part; a reduction goes on with what the parts before gave.
void ConcatSplitter::runStructured(const Step &step) {
  auto op = cast<linalg::GenericOp>(step.op);
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value result;
  SmallVector<Value> results;
  for (unsigned part = 0; part < concat.getInputs().size(); ++part) {
    SmallVector<Value> operands;
    OpFoldResult length;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto whole = wholes.find(operand->get());
      if (whole == wholes.end()) {
        operands.push_back(operand->get());
        continue;
      }
      operands.push_back(getPart(operand->get(), part, rewriter));
      length =
          tensor::getMixedSize(rewriter, loc, operands.back(), whole->second);
    }
    SmallVector<Value> inits(op.getDpsInits());
    auto dim = wholes.find(op.getResult(0));
    if (dim != wholes.end()) {
      SmallVector<OpFoldResult> shape =
          tensor::getMixedSizes(rewriter, loc, inits[0]);
      shape[dim->second] = length;
      inits[0] = tensor::EmptyOp::create(
          rewriter, loc, shape,
          cast<RankedTensorType>(inits[0].getType()).getElementType());
    } else if (result) {
      inits[0] = result;
    }
    llvm::append_range(operands, inits);
    auto types =
        llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
    Operation *copy = mlir::clone(rewriter, op, types, operands);
    result = copy->getResult(0);
    results.push_back(result);
  }
  if (wholes.contains(op.getResult(0)))
    parts[op.getResult(0)] = results;
  else
    rewriter.replaceAllUsesWith(op.getResult(0), result);
}

void ConcatSplitter::run() {
  for (const Step &step : steps) {
    if (step.loop) {
      runStructured(step);
      continue;
    }
    auto slice = cast<tensor::ExtractSliceOp>(step.op);
    rewriter.setInsertionPoint(slice);
    Value part = getPart(slice.getSource(), step.part, rewriter);
    if (part.getType() != slice.getType())
      part = tensor::CastOp::create(rewriter, slice.getLoc(), slice.getType(),
                                    part);
    rewriter.replaceAllUsesWith(slice.getResult(), part);
  }
}

void splitConcats(func::FuncOp func) {
  Sizes sizes(func);
  IRRewriter rewriter(func.getContext());
  SmallVector<tensor::ConcatOp> concats;
  func.walk([&](tensor::ConcatOp op) { concats.push_back(op); });
  for (tensor::ConcatOp concat : concats) {
    ConcatSplitter splitter(sizes, concat, rewriter);
    if (splitter.read())
      splitter.run();
  }
}

} // namespace attn::raise
