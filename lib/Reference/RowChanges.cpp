//===- RowChanges.cpp - Norm and rotation of loaded rows ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include <cmath>

// As-written arithmetic rounds each product and each sum.
#pragma STDC FP_CONTRACT OFF

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// One row and the params of its changes, which are loaded along the row.
template <typename T> class RowChanger {
public:
  RowChanger(const AttentionProblem &problem, ArrayRef<int64_t> point,
             MutableArrayRef<T> row)
      : problem(problem), point(point), row(row) {}

  void normalise(RowNormAttr norm, unsigned firstParam);
  void rotate(RotateAttr rotation, unsigned param);

private:
  T loadParam(unsigned param, int64_t column) {
    point[problem.getHeadDimDim()] = column;
    return T(problem.getParam(param, point));
  }

  const AttentionProblem &problem;
  SmallVector<int64_t> point;
  MutableArrayRef<T> row;
};

} // namespace

template <typename T>
void RowChanger<T>::normalise(RowNormAttr norm, unsigned firstParam) {
  T count = T(row.size()), mean = 0, variance = 0;
  if (norm.getKind() == NormKind::Layer) {
    for (T x : row)
      mean += x;
    mean /= count;
  }
  for (T x : row)
    variance += (x - mean) * (x - mean);
  if (norm.getKind() != NormKind::L2)
    variance /= count;
  T eps = T(double(norm.getEps()));
  // std::max returns its first argument where that is NaN.
  T root = norm.getMode() == EpsMode::RsqrtSum
               ? std::sqrt(variance + eps)
               : std::max(std::sqrt(variance), eps);
  for (auto [column, x] : llvm::enumerate(row)) {
    unsigned param = firstParam;
    x = root == 0 ? T(0) : (x - mean) / root;
    if (norm.getGamma())
      x *= loadParam(param++, column);
    if (norm.getBeta())
      x += loadParam(param, column);
  }
}

template <typename T>
void RowChanger<T>::rotate(RotateAttr rotation, unsigned param) {
  int64_t pairs = rotation.getDims() / 2;
  for (int64_t t = 0; t < pairs; ++t) {
    bool interleaved = rotation.getPairs() == PairLayout::Interleaved;
    T &a = row[interleaved ? 2 * t : t];
    T &b = row[interleaved ? 2 * t + 1 : t + pairs];
    T sine = loadParam(param, t), cosine = loadParam(param, pairs + t);
    T first = a * cosine - b * sine;
    b = b * cosine + a * sine;
    a = first;
  }
}

/// What an op of its own would store.
template <typename T>
static void storeRow(MutableArrayRef<T> row, Quantum quantum) {
  for (T &element : row) {
    double stored = element;
    quantise(&stored, 1, quantum);
    element = T(stored);
  }
}

template <typename T>
void changeRow(const AttentionProblem &problem, LoadedRows rows,
               ArrayRef<int64_t> point, MutableArrayRef<T> row) {
  AttentionOpInterface op = problem.getOp();
  Value changed = op.getShapedInputs()[rows == LoadedRows::Query ? 0 : 1];
  Quantum storage =
      getQuantum(getElementTypeOrSelf(changed), problem.getRounding());
  RowChanger<T> changer(problem, point, row);
  for (auto [i, change] : llvm::enumerate(op.getRowChanges(rows))) {
    unsigned param = op.getRowChangeParams(rows, i).first;
    if (auto norm = dyn_cast<RowNormAttr>(change))
      changer.normalise(norm, param);
    else
      changer.rotate(cast<RotateAttr>(change), param);
    storeRow(row, storage);
  }
}

template void changeRow(const AttentionProblem &, LoadedRows, ArrayRef<int64_t>,
                        MutableArrayRef<float>);
template void changeRow(const AttentionProblem &, LoadedRows, ArrayRef<int64_t>,
                        MutableArrayRef<double>);

} // namespace attn::reference::detail
