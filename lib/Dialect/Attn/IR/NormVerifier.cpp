//===- NormVerifier.cpp - What attn.norm requires -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace attn;

// norm_c1
static LogicalResult verifyForms(NormOp op) {
  bool onTensors = isa<RankedTensorType>(op.getInput().getType());
  for (Value value : op->getOperands())
    if (value != op.getFactor() &&
        (onTensors ? !isa<RankedTensorType>(value.getType())
                   : !isa<MemRefType>(value.getType())))
      return op.emitOpError(
          "norm_c1: operands must all be ranked tensors or all memrefs");
  return success();
}

// norm_c2
static LogicalResult verifyElements(NormOp op) {
  for (Type type : op->getOperandTypes())
    if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
            getElementTypeOrSelf(type)))
      return op.emitOpError("norm_c2: elements must be f16, bf16, f32 or f64");
  Type element = getElementTypeOrSelf(op.getInput());
  for (Value value : {op.getResidual(), op.getSum()})
    if (value && getElementTypeOrSelf(value) != element)
      return op.emitOpError("norm_c2: residual and sum must have the input's "
                            "element type");
  for (Value value : {op.getMean(), op.getVariance(), op.getRunningMean(),
                      op.getRunningVariance()})
    if (value && !isa<Float32Type, Float64Type>(getElementTypeOrSelf(value)))
      return op.emitOpError("norm_c2: statistics must be f32 or f64");
  return success();
}

static bool isIncreasingBelow(ArrayRef<int64_t> axes, int64_t rank) {
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (axis <= last || axis >= rank)
      return false;
    last = axis;
  }
  return true;
}

// norm_c3, norm_c4
static LogicalResult verifyAxes(NormOp op) {
  int64_t rank = op.getRank();
  if (op.getAxes().empty() || !isIncreasingBelow(op.getAxes(), rank))
    return op.emitOpError("norm_c3: axes must be one or more dimensions of the "
                          "input, in increasing order");
  std::optional<ArrayRef<int64_t>> affine = op.getAffineAxes();
  if (affine && !isIncreasingBelow(*affine, rank))
    return op.emitOpError("norm_c4: affine_axes must be dimensions of the "
                          "input, in increasing order");
  bool hasAffine = op.getGamma() || op.getBeta();
  NormKindTraits traits = getTraits(op.getKind());
  if (!affine && hasAffine && traits.affine == NormKindTraits::Stated)
    return op.emitOpError("norm_c4: ")
           << stringifyNormKind(op.getKind())
           << " norm with gamma or beta must state affine_axes";
  return success();
}

static StringRef getName(NormOp op, OpOperand &operand) {
  static constexpr StringRef names[] = {
      "input", "residual",     "factor",          "gamma",
      "beta",  "mean",         "variance",        "output",
      "sum",   "running mean", "running variance"};
  for (unsigned group = 0; group < std::size(names); ++group) {
    auto [first, count] = op.getODSOperandIndexAndLength(group);
    if (count == 1 && first == operand.getOperandNumber())
      return names[group];
  }
  llvm_unreachable("every operand is in a group");
}

// norm_c5
static LogicalResult verifyShapes(NormOp op) {
  auto input = cast<ShapedType>(op.getInput().getType());
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get() == op.getFactor())
      continue;
    SmallVector<int64_t> expected;
    for (int64_t dim : op.getOperandDims(operand))
      expected.push_back(input.getDimSize(dim));
    auto type = cast<ShapedType>(operand.get().getType());
    if (succeeded(verifyCompatibleShape(type.getShape(), expected)))
      continue;
    InFlightDiagnostic diag = op.emitOpError("norm_c5: ")
                              << getName(op, operand) << " must have shape [";
    llvm::interleaveComma(expected, diag, [&](int64_t size) {
      if (ShapedType::isDynamic(size))
        diag << '?';
      else
        diag << size;
    });
    return diag << "], but is " << type;
  }
  return success();
}

// norm_c6
static LogicalResult verifyEps(NormOp op) {
  double eps = op.getEps().convertToDouble();
  if (!std::isfinite(eps) || eps < 0)
    return op.emitOpError("norm_c6: eps must be finite and not negative");
  return success();
}

// norm_c7, norm_c8
static LogicalResult verifyStatistics(NormOp op) {
  bool isGiven = op.getVariance() || op.getMean();
  bool isRunning = op.getRunningVariance() || op.getRunningMean();
  if ((isGiven || isRunning) && !getTraits(op.getKind()).keepsStatistics)
    return op.emitOpError("norm_c7: only a batch norm has given or running "
                          "statistics");
  if (isGiven && isRunning)
    return op.emitOpError("norm_c7: statistics are either given or running");
  bool centred = op.isCentered();
  if (isGiven && (!op.getVariance() || bool(op.getMean()) != centred))
    return op.emitOpError("norm_c8: given statistics are mean and variance, or "
                          "the variance alone where uncentred");
  if (isRunning &&
      (!op.getRunningVariance() || bool(op.getRunningMean()) != centred))
    return op.emitOpError("norm_c8: running statistics are mean and variance, "
                          "or the variance alone where uncentred");
  return success();
}

// norm_c9, norm_c10
static LogicalResult verifyMomentum(NormOp op) {
  bool isRunning = bool(op.getRunningVariance());
  if (bool(op.getMomentum()) != isRunning || (op.getUnbiased() && !isRunning))
    return op.emitOpError("norm_c9: momentum belongs to running statistics, "
                          "and unbiased as well");
  if (isRunning) {
    double momentum = op.getMomentum()->convertToDouble();
    if (!(momentum >= 0.0 && momentum <= 1.0))
      return op.emitOpError("norm_c9: momentum must be from 0 to 1");
  }
  if (!op.getUnbiased())
    return success();
  auto input = cast<ShapedType>(op.getInput().getType());
  if (llvm::all_of(op.getAxes(),
                   [&](int64_t axis) { return input.getDimSize(axis) == 1; }))
    return op.emitOpError("norm_c10: the unbiased variance of one sample does "
                          "not exist");
  return success();
}

// norm_c13
static LogicalResult verifyFactor(NormOp op) {
  if (op.getFactor() && op.getFactor().getType() != op.getComputeType())
    return op.emitOpError("norm_c13: the factor must be of type ")
           << op.getComputeType() << ", in which the sum is computed";
  return success();
}

// norm_c11, norm_c12
static LogicalResult verifyResults(NormOp op) {
  if (op.getSum() && !op.getResidual())
    return op.emitOpError("norm_c11: there is a sum only with a residual");
  if (op.getFactor() && !op.getResidual())
    return op.emitOpError("norm_c11: there is a factor only with a residual");
  bool onTensors = isa<RankedTensorType>(op.getInput().getType());
  if (!onTensors && op->getNumResults() != 0)
    return op.emitOpError("norm_c12: on memrefs there are no results");
  if (onTensors && TypeRange(op.getShapedOutputs()) != op->getResultTypes())
    return op.emitOpError(
        "norm_c12: results must have the types of the destinations");
  return success();
}

LogicalResult NormOp::verify() {
  // Each relies on the ones before it.
  for (auto check :
       {verifyForms, verifyElements, verifyAxes, verifyShapes, verifyEps,
        verifyStatistics, verifyMomentum, verifyResults, verifyFactor})
    if (failed(check(*this)))
      return failure();
  return verifySchedule(*this);
}
