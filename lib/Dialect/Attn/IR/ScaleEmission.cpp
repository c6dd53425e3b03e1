//===- ScaleEmission.cpp - lambda as a number and as IR ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/GradientMax.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace attn;

/// 1 / sqrt(d) times `factor`, from the number d where it is known.
static Value emitOverSqrtDim(LaneBuilder &lanes, const ScaleInputs &inputs,
                             Value factor) {
  if (!ShapedType::isDynamic(inputs.staticHeadDim))
    return lanes.mul(factor,
                     lanes.constant(1.0 / std::sqrt(inputs.staticHeadDim)));
  return lanes.div(factor, lanes.sqrt(inputs.headDim));
}

static Value emitOverDim(LaneBuilder &lanes, const ScaleInputs &inputs,
                         Value factor) {
  if (!ShapedType::isDynamic(inputs.staticHeadDim))
    return lanes.mul(factor, lanes.constant(1.0 / inputs.staticHeadDim));
  return lanes.div(factor, inputs.headDim);
}

//===----------------------------------------------------------------------===//
// Policies without n
//===----------------------------------------------------------------------===//

std::optional<double> InvSqrtDimAttr::evaluate(double headDim, double) const {
  return 1.0 / std::sqrt(headDim);
}

Value InvSqrtDimAttr::emitScale(LaneBuilder &lanes,
                                const ScaleInputs &inputs) const {
  return emitOverSqrtDim(lanes, inputs, lanes.constant(1.0));
}

std::optional<double> NoScaleAttr::evaluate(double, double) const {
  return 1.0;
}

std::optional<double> NoScaleAttr::getFixed() const { return 1.0; }

Value NoScaleAttr::emitScale(LaneBuilder &lanes, const ScaleInputs &) const {
  return lanes.constant(1.0);
}

std::optional<double> InvDimAttr::evaluate(double headDim, double) const {
  return 1.0 / headDim;
}

Value InvDimAttr::emitScale(LaneBuilder &lanes,
                            const ScaleInputs &inputs) const {
  return emitOverDim(lanes, inputs, lanes.constant(1.0));
}

std::optional<double> ConstantScaleAttr::evaluate(double, double) const {
  return getValue();
}

std::optional<double> ConstantScaleAttr::getFixed() const { return getValue(); }

Value ConstantScaleAttr::emitScale(LaneBuilder &lanes,
                                   const ScaleInputs &) const {
  return lanes.constant(getValue());
}

std::optional<double> OperandScaleAttr::evaluate(double, double) const {
  return std::nullopt;
}

bool OperandScaleAttr::isNonNegative() const { return getNonNegative(); }

Value OperandScaleAttr::emitScale(LaneBuilder &,
                                  const ScaleInputs &inputs) const {
  return inputs.params[0];
}

std::optional<double> LearnedScaleAttr::evaluate(double, double) const {
  return std::nullopt;
}

bool LearnedScaleAttr::isTrained() const { return true; }

Value LearnedScaleAttr::emitScale(LaneBuilder &,
                                  const ScaleInputs &inputs) const {
  return inputs.params[0];
}

std::optional<double> GradientMaxBlindAttr::evaluate(double headDim,
                                                     double) const {
  return 2.5 / std::sqrt(headDim);
}

Value GradientMaxBlindAttr::emitScale(LaneBuilder &lanes,
                                      const ScaleInputs &inputs) const {
  return emitOverSqrtDim(lanes, inputs, lanes.constant(2.5));
}

//===----------------------------------------------------------------------===//
// Policies of n
//===----------------------------------------------------------------------===//

std::optional<double> EntropyInvariantAttr::evaluate(double headDim,
                                                     double length) const {
  if (!getKappa())
    return std::nullopt;
  return getKappa().getValueAsDouble() * std::log(length) / headDim;
}

double EntropyInvariantAttr::evaluateUnit(double headDim, double length) const {
  double kappa = getKappa() ? getKappa().getValueAsDouble() : 1.0;
  return kappa * std::log(length) / headDim;
}

bool EntropyInvariantAttr::isTrained() const { return true; }

Value EntropyInvariantAttr::emitScale(LaneBuilder &lanes,
                                      const ScaleInputs &inputs) const {
  Value kappa = getKappa() ? lanes.constant(getKappa().getValueAsDouble())
                           : inputs.params[0];
  return emitOverDim(lanes, inputs, lanes.mul(kappa, lanes.log(inputs.length)));
}

std::optional<double> LogLengthAttr::evaluate(double headDim,
                                              double length) const {
  return std::log(length) / std::log(getBase()) / std::sqrt(headDim);
}

Value LogLengthAttr::emitScale(LaneBuilder &lanes,
                               const ScaleInputs &inputs) const {
  Value factor = lanes.mul(lanes.log(inputs.length),
                           lanes.constant(1.0 / std::log(getBase())));
  return emitOverSqrtDim(lanes, inputs, factor);
}

std::optional<double> GradientMaxFitAttr::evaluate(double headDim,
                                                   double length) const {
  if (getScores() == ScoreModel::Cosine)
    return gradientMaxCosineSlope(headDim) * std::log(length);
  return 0.84 * std::sqrt(std::log(length)) / std::sqrt(headDim);
}

bool GradientMaxFitAttr::isForCosines() const {
  return getScores() == ScoreModel::Cosine;
}

Value GradientMaxFitAttr::emitScale(LaneBuilder &lanes,
                                    const ScaleInputs &inputs) const {
  Value logLength = lanes.log(inputs.length);
  if (getScores() == ScoreModel::Cosine)
    return lanes.mul(logLength, lanes.constant(gradientMaxCosineSlope(
                                    inputs.staticHeadDim)));
  return emitOverSqrtDim(
      lanes, inputs, lanes.mul(lanes.sqrt(logLength), lanes.constant(0.84)));
}

std::optional<double> GradientMaxAttr::evaluate(double headDim,
                                                double length) const {
  if (getScores() == ScoreModel::Cosine)
    return gradientMaxCosine(headDim, length);
  return gradientMaxNormal(length) / std::sqrt(headDim);
}

/// Repeats `step` on `init` for i = 0 .. count - 1; returns value `result`.
/// Lanes are unrolled. Scalars get a loop: as one expression, in which every
/// step uses the last one several times, LLVM's loop vectoriser would walk all
/// paths through it.
static Value repeat(LaneBuilder &lanes, int64_t count, ArrayRef<Value> init,
                    function_ref<SmallVector<Value>(Value, ValueRange)> step,
                    unsigned result = 0) {
  if (lanes.isVector()) {
    SmallVector<Value> values(init);
    for (int64_t i = 0; i < count; ++i)
      values = step(lanes.index(i), values);
    return values[result];
  }
  OpBuilder &builder = lanes.getBuilder();
  auto loop = scf::ForOp::create(builder, lanes.getLoc(), lanes.index(0),
                                 lanes.index(count), lanes.index(1), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(builder, lanes.getLoc(),
                       step(loop.getInductionVar(), loop.getRegionIterArgs()));
  return loop.getResult(result);
}

/// sqrt(W0(n sqrt(e) / 2) - 1/2) by Newton steps on w + log w = log(n sqrt(e) /
/// 2).
static Value emitGradientMaxNormal(LaneBuilder &lanes, Value length) {
  Value one = lanes.constant(1.0);
  Value target = lanes.add(lanes.log(length), lanes.constant(0.5 - M_LN2));
  Value targetPlusOne = lanes.add(target, one);
  // log(1 + n sqrt(e) / 2) starts within a factor of 2; five quadratic steps
  // reach double precision for every n below 2^53.
  Value start =
      lanes.log(lanes.fma(length, lanes.constant(0.5 * std::exp(0.5)), one));
  Value w =
      repeat(lanes, 5, {start}, [&](Value, ValueRange w) -> SmallVector<Value> {
        return {
            lanes.mul(w[0], lanes.div(lanes.sub(targetPlusOne, lanes.log(w[0])),
                                      lanes.add(w[0], one)))};
      });
  Value zero = lanes.constant(0.0);
  Value square = lanes.max(lanes.sub(w, lanes.constant(0.5)), zero);
  // At n = 1 the difference is rounding noise of which the root would make
  // much.
  Value single = lanes.cmp(arith::CmpFPredicate::OLE, length, one);
  return lanes.select(single, zero, lanes.sqrt(square));
}

/// The i-th number of a table: a constant where i is one, else read at run
/// time.
static Value lookUp(LaneBuilder &lanes, ArrayRef<double> table, Value index) {
  if (std::optional<int64_t> i = getConstantIntValue(index))
    return lanes.constant(table[*i]);
  OpBuilder &builder = lanes.getBuilder();
  FloatType type = lanes.getElementType();
  SmallVector<Attribute> numbers;
  for (double number : table)
    numbers.push_back(builder.getFloatAttr(type, number));
  auto tensorType =
      RankedTensorType::get({static_cast<int64_t>(table.size())}, type);
  Value constant = arith::ConstantOp::create(
      builder, lanes.getLoc(), DenseElementsAttr::get(tensorType, numbers));
  return tensor::ExtractOp::create(builder, lanes.getLoc(), constant, index);
}

/// The Chebyshev series of log alpha*, summed by Clenshaw's recurrence. In f64,
/// since an error of log alpha* is one of alpha* times log alpha*.
static Value emitGradientMaxCosine(LaneBuilder &narrow, Value length,
                                   int64_t headDim) {
  OpBuilder &builder = narrow.getBuilder();
  Location loc = narrow.getLoc();
  bool isF64 = narrow.getElementType().isF64();
  LaneBuilder lanes(builder, loc, builder.getF64Type(), narrow.getLanes());
  if (!isF64)
    length = arith::ExtFOp::create(builder, loc, lanes.getFloatType(), length);
  // Terms below what the type can tell apart only cost time.
  ChebyshevSeries series = fitGradientMaxCosine(headDim, isF64 ? 1e-16 : 1e-9);
  SmallVector<double> table(llvm::reverse(series.coefficients));
  Value t = lanes.fma(lanes.log(length), lanes.constant(series.scale),
                      lanes.constant(series.shift));
  Value twice = lanes.add(t, t), zero = lanes.constant(0.0);
  // b_k = c_k + 2 t b_(k+1) - b_(k+2), and the sum is c_0 + t b_1 - b_2.
  Value last = repeat(
      lanes, table.size(), {zero, zero, zero},
      [&](Value i, ValueRange b) -> SmallVector<Value> {
        Value term = lanes.sub(lookUp(lanes, table, i), b[1]);
        Value next = lanes.fma(twice, b[0], term);
        return {next, b[0], lanes.fma(t, b[0], term)};
      },
      /*result=*/2);
  Value single =
      lanes.cmp(arith::CmpFPredicate::OLE, length, lanes.constant(1.0));
  Value alpha = lanes.select(single, zero, lanes.exp(last));
  if (isF64)
    return alpha;
  return arith::TruncFOp::create(builder, loc, narrow.getFloatType(), alpha);
}

bool GradientMaxAttr::isForCosines() const {
  return getScores() == ScoreModel::Cosine;
}

Value GradientMaxAttr::emitScale(LaneBuilder &lanes,
                                 const ScaleInputs &inputs) const {
  if (getScores() == ScoreModel::Cosine)
    return emitGradientMaxCosine(lanes, inputs.length, inputs.staticHeadDim);
  return emitOverSqrtDim(lanes, inputs,
                         emitGradientMaxNormal(lanes, inputs.length));
}
