//===- ProbeResults.cpp - From a row's statistics to its probes -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProbeResults.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

Value &RowStatistics::get(Statistic kind) {
  switch (kind) {
  case Statistic::Squares:
    return squares;
  case Statistic::Logs:
    return logs;
  case Statistic::Top:
    return top;
  }
  llvm_unreachable("all statistics are handled");
}

Value attn::emitFiniteDistance(LaneBuilder &lanes, Value distance) {
  // No type of scores has weights as small as this. NaN shows in the weight.
  return lanes.max(distance, lanes.constant(-2048.0));
}

/// How fast the logit grows with the similarity in units of its own spread.
static Value emitLogitSlope(LaneBuilder &lanes, AttentionOpInterface op,
                            Value scale) {
  if (op.isCosine())
    return scale;
  Value headDim = lanes.toIntLanes(op.getSizes()[op.getHeadDimDim()]);
  return lanes.mul(scale, lanes.sqrt(lanes.intToFloat(headDim)));
}

SmallVector<Value> attn::emitProbes(LaneBuilder &lanes, AttentionOpInterface op,
                                    Value sum, Value factor,
                                    RowStatistics statistics,
                                    llvm::function_ref<Value()> emitScale) {
  Value zero = lanes.constant(0.0), ln2 = lanes.constant(llvm::numbers::ln2);
  Value total = lanes.mul(sum, factor), squares;
  if (statistics.squares)
    squares = lanes.mul(lanes.mul(statistics.squares, factor), factor);
  auto emit = [&](Probe probe) -> Value {
    switch (probe) {
    case Probe::SumP:
      return total;
    case Probe::SumP2:
      return squares;
    case Probe::MaxLogit:
      return lanes.mul(statistics.top, ln2);
    case Probe::Entropy: {
      // log2 p = (s' - max) + log2 factor.
      Value logs = lanes.fma(total, lanes.log2(factor),
                             lanes.mul(statistics.logs, factor));
      Value isEmpty = lanes.cmp(arith::CmpFPredicate::OEQ, total, zero);
      return lanes.select(isEmpty, zero, lanes.mul(lanes.neg(logs), ln2));
    }
    case Probe::HalfGradientNorm: {
      Value slope = emitLogitSlope(lanes, op, emitScale());
      Value half =
          lanes.mul(lanes.fma(total, total, total), lanes.constant(0.5));
      return lanes.mul(slope, lanes.sub(half, squares));
    }
    }
    llvm_unreachable("all probes are handled");
  };
  return llvm::map_to_vector(op.getProbeKinds(), emit);
}
