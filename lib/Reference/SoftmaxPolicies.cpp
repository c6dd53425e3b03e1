//===- SoftmaxPolicies.cpp - attn.softmax by its formula -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttnOps.h"
#include "AttnPolicies.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace attn::reference::detail {

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {

/// lambda and log e0 of each row of one op.
class SoftmaxRows {
public:
  SoftmaxRows(Evaluator &evaluator, SoftmaxOp op, ArrayRef<int64_t> shape)
      : op(op), shape(shape),
        policy(cast<ScalePolicyAttrInterface>(op.getScale())),
        headDim(op.getHeadDim() ? *op.getHeadDim() : 1),
        scale(getScaleFunction(op.getScale(), headDim)),
        extra(getExtraFunction(op.getNormalizer())) {
    for (Value param : op.getParams())
      params.push_back(evaluator.get(param));
  }

  double getScale(ArrayRef<int64_t> point) const {
    SmallVector<double> own;
    for (unsigned i = 0; i < policy.getParamSpecs().size(); ++i)
      own.push_back(load(i, point));
    return scale({headDim, getLength(point, own), own});
  }
  double getLogExtra(ArrayRef<int64_t> point) const {
    SmallVector<double> own;
    for (unsigned i = policy.getParamSpecs().size(); i < params.size(); ++i)
      own.push_back(load(i, point));
    return extra(own);
  }

private:
  /// The element of a param for the row at `point`.
  double load(unsigned i, ArrayRef<int64_t> point) const {
    const Tensor &param = *params[i];
    auto dims = op.getParamDims(op.getParamSpecs()[i], param.getRank());
    int64_t at = 0;
    for (auto [dim, stride] : llvm::zip_equal(*dims, param.getStrides()))
      at += point[dim] * stride;
    return param.isFloat() ? param.floats[at] : double(param.ints[at]);
  }
  double getLength(ArrayRef<int64_t> point, ArrayRef<double> own) const {
    LengthAttr length = policy.getLength();
    double n = shape[op.getKeyDim()];
    if (!length)
      return 1.0;
    if (std::optional<double> constant = length.getConstant())
      n = *constant;
    else if (length.getKind() == LengthKind::PositionOperand)
      n = own.back() + 1;
    else if (length.getKind() == LengthKind::Position)
      n = double(point[*op.getRowDim()]) + 1 +
          (op.getAlign() == Alignment::BottomRight
               ? n - double(shape[*op.getRowDim()])
               : 0.0);
    return std::max(n, 1.0);
  }

  mutable SoftmaxOp op;
  ArrayRef<int64_t> shape;
  ScalePolicyAttrInterface policy;
  int64_t headDim;
  ScaleFunction scale;
  ExtraFunction extra;
  SmallVector<TensorRef> params;
};

} // namespace

/// Turns `count` scores, `step` apart, into weights.
template <typename T>
static void runRow(double *scores, int64_t count, int64_t step, T scale,
                   T extra, Rounding rounding) {
  std::vector<T> row(count);
  T top = extra;
  bool isNaN = std::isnan(extra);
  for (int64_t j = 0; j < count; ++j) {
    row[j] = T(scores[j * step]) * scale;
    isNaN |= std::isnan(row[j]) || row[j] == T(infinity);
    top = std::max(top, row[j]);
  }
  T sum = std::isinf(top) ? T(top > 0) : T(std::exp(double(extra - top)));
  for (int64_t term = 0; term < count; ++term) {
    T &value = row[getTerm(term, count, rounding)];
    value = std::isinf(top) ? T(0) : T(std::exp(double(value - top)));
    sum += value;
  }
  for (int64_t j = 0; j < count; ++j)
    scores[j * step] = isNaN         ? std::nan("")
                       : sum == T(0) ? 0.0
                                     : double(row[j] / sum);
}

LogicalResult execute(Evaluator &evaluator, SoftmaxOp softmax) {
  auto result = std::make_shared<Tensor>(*evaluator.get(softmax.getInput()));
  SoftmaxRows rows(evaluator, softmax, result->shape);
  int64_t dim = softmax.getKeyDim(), count = result->shape[dim];
  SmallVector<int64_t> strides = result->getStrides();
  Rounding rounding = evaluator.getRounding();
  bool narrow = rounding != Rounding::F64 && softmax.getComputeType().isF32();
  for (int64_t at = 0, end = result->getNumElements(); at < end; ++at) {
    SmallVector<int64_t> point;
    for (auto [size, stride] : llvm::zip_equal(result->shape, strides))
      point.push_back(at / stride % size);
    if (point[dim] != 0)
      continue;
    double scale = rows.getScale(point), extra = rows.getLogExtra(point);
    double *scores = &result->floats[at];
    if (narrow)
      runRow<float>(scores, count, strides[dim], float(scale), float(extra),
                    rounding);
    else
      runRow<double>(scores, count, strides[dim], scale, extra, rounding);
  }
  quantise(result->floats.data(), result->getNumElements(),
           getQuantum(result->elementType, rounding));
  return evaluator.set(softmax.getResult(), std::move(result));
}

} // namespace attn::reference::detail
