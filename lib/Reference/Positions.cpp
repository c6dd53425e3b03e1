//===- Positions.cpp - Rotary and sinusoidal positions by their formula ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttnOps.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include <cmath>
#include <tuple>

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// Positions and angles of one op; `shape` is that of its output.
class Angles {
public:
  template <typename OpTy>
  Angles(Evaluator &evaluator, OpTy op, int64_t pairs)
      : base(op.getBase().convertToDouble()),
        scale(op.getPositionScale().convertToDouble()), pairs(pairs) {
    if (op.getOffset())
      offset = evaluator.get(op.getOffset());
    if (op.getPositions())
      positions = evaluator.get(op.getPositions());
  }

  /// The angle of pair t of row i, of index `first` along the first dimension.
  double get(int64_t first, int64_t i, int64_t t) const {
    int64_t at = i;
    if (positions)
      at =
          positions
              ->ints[positions->getRank() == 2 ? first * positions->shape[1] + i
                                               : i];
    if (offset)
      at += offset->ints[offset->getRank() == 1 ? first : 0];
    return double(at) * scale * std::pow(base, -double(t) / double(pairs));
  }

private:
  double base, scale;
  int64_t pairs;
  TensorRef offset, positions;
};

/// The sines and cosines of a rotation, at the element that they are for.
class Turns {
public:
  Turns(Evaluator &evaluator, RopeOp op, Quantum wide)
      : angles(evaluator, op, op.getNumRotated() / 2), wide(wide),
        rotated(op.getNumRotated()) {
    if (!op.hasTables())
      return;
    cosines = evaluator.get(op.getCosines());
    sines = evaluator.get(op.getSines());
  }

  std::pair<double, double> get(int64_t first, int64_t i, int64_t t,
                                int64_t element) const {
    double sine = 0.0, cosine = 0.0;
    if (cosines) {
      int64_t row = cosines->getRank() == 3 ? first * cosines->shape[1] + i : i;
      sine = sines->floats[row * rotated + element];
      cosine = cosines->floats[row * rotated + element];
    } else {
      double angle = angles.get(first, i, t);
      sine = std::sin(angle);
      cosine = std::cos(angle);
    }
    quantise(&sine, 1, wide);
    quantise(&cosine, 1, wide);
    return {sine, cosine};
  }

private:
  Angles angles;
  Quantum wide;
  int64_t rotated;
  TensorRef cosines, sines;
};

/// Where the two elements of pair t lie in a row.
struct Pair {
  Pair(PairLayout layout, int64_t pairs, int64_t t)
      : first(layout == PairLayout::Interleaved ? 2 * t : t),
        second(layout == PairLayout::Interleaved ? 2 * t + 1 : t + pairs) {}
  int64_t first, second;
};

} // namespace

LogicalResult execute(Evaluator &evaluator, RopeOp rope) {
  TensorRef input = evaluator.get(rope.getInput());
  auto output = std::make_shared<Tensor>(*input);
  if (evaluator.get(rope.getOutput())->shape != input->shape)
    return rope.emitError("operands have sizes that do not fit each other");
  Quantum quantum = getQuantum(output->elementType, evaluator.getRounding());
  // Sine and cosine are numbers of the type that products have.
  Quantum wide = quantum.getWide();
  int64_t pairs = rope.getNumRotated() / 2, size = input->shape.back();
  Turns turns(evaluator, rope, wide);
  int64_t rowDim = rope.getRowDimension();
  SmallVector<int64_t> strides = input->getStrides();
  auto round = [&](double value) {
    quantise(&value, 1, wide);
    return value;
  };
  for (int64_t row = 0, end = input->getNumElements(); row < end; row += size) {
    int64_t first = row / strides[0];
    int64_t i = row / strides[rowDim] % input->shape[rowDim];
    for (int64_t t = 0; t < pairs; ++t) {
      Pair pair(rope.getPairs(), pairs, t);
      double a = input->floats[row + pair.first];
      double b = input->floats[row + pair.second];
      auto [sine, cosine] = turns.get(first, i, t, pair.first);
      output->floats[row + pair.first] =
          round(round(a * cosine) - round(b * sine));
      std::tie(sine, cosine) = turns.get(first, i, t, pair.second);
      output->floats[row + pair.second] =
          round(round(b * cosine) + round(a * sine));
    }
  }
  quantise(output->floats.data(), output->getNumElements(), quantum);
  return evaluator.set(rope.getResult(), output);
}

LogicalResult execute(Evaluator &evaluator, SinusoidalPositionsOp sinusoidal) {
  auto output = evaluator.takeOrCopy(sinusoidal.getOutput());
  int64_t size = output->shape.back(), rows = output->shape.end()[-2];
  Angles angles(evaluator, sinusoidal, size / 2);
  int64_t count = size == 0 ? 0 : output->getNumElements() / size;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t t = 0; t < size / 2; ++t) {
      Pair pair(sinusoidal.getPairs(), size / 2, t);
      double angle = angles.get(row / rows, row % rows, t);
      output->floats[row * size + pair.first] = std::sin(angle);
      output->floats[row * size + pair.second] = std::cos(angle);
    }
  quantise(output->floats.data(), output->getNumElements(),
           getQuantum(output->elementType, evaluator.getRounding()));
  return evaluator.set(sinusoidal.getResult(), output);
}

} // namespace attn::reference::detail
