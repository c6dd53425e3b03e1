//===- Check.cpp - Random operands, and the error of a result -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace ceilings;

uint16_t roundToBF16(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// An array of f32 or bf16.
class Numbers {
public:
  Numbers(const void *data, bool narrow) : data(data), narrow(narrow) {}

  double operator[](long index) const {
    if (!narrow)
      return static_cast<const float *>(data)[index];
    uint32_t bits = uint32_t(static_cast<const uint16_t *>(data)[index]) << 16;
    float number;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
  }

private:
  const void *data;
  bool narrow;
};

/// One row of the output, in f64.
std::vector<double> attendRow(const Problem &problem, const Numbers &query,
                              const Numbers &keys, const Numbers &values,
                              long head, long row) {
  long depth = problem.depth, first = head * problem.keys;
  long visible = problem.causal ? row + 1 : problem.keys;
  std::vector<double> weights(visible), output(depth);
  for (long key = 0; key < visible; ++key) {
    for (long i = 0; i < depth; ++i)
      weights[key] += query[(head * problem.rows + row) * depth + i] *
                      keys[(first + key) * depth + i];
    weights[key] /= std::sqrt(double(depth));
  }
  double peak = *std::max_element(weights.begin(), weights.end()), total = 0;
  for (long key = 0; key < visible; ++key) {
    weights[key] = std::exp(weights[key] - peak);
    total += weights[key];
    for (long i = 0; i < depth; ++i)
      output[i] += weights[key] * values[(first + key) * depth + i];
  }
  for (double &number : output)
    number /= total;
  return output;
}

} // namespace

/// A new array of f32 or bf16 with numbers of a normal distribution.
extern "C" void *ceilingOperand(long count, int narrow, int largePages,
                                int seed, float deviation) {
  constexpr size_t kLine = 64;
  size_t bytes = count * (narrow ? sizeof(uint16_t) : sizeof(float));
  bytes = (bytes + kLine - 1) / kLine * kLine;
  void *data =
      largePages ? allocateLarge(bytes) : std::aligned_alloc(kLine, bytes);
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  for (long i = 0; i < count; ++i) {
    if (narrow)
      static_cast<uint16_t *>(data)[i] =
          roundToBF16(deviation * normal(engine));
    else
      static_cast<float *>(data)[i] = deviation * normal(engine);
  }
  return data;
}

extern "C" void ceilingFree(void *operand) { std::free(operand); }

/// The largest error against f64, on about 40 rows of each head.
extern "C" double ceilingError(const Problem *problem, const void *query,
                               const void *keys, const void *values,
                               const void *output, int narrow) {
  Numbers found(output, narrow);
  // Odd, so that all lanes have their turn.
  long step = problem->rows / 40 | 1;
  double error = 0;
  for (long head = 0; head < problem->heads; ++head) {
    for (long row = 0; row < problem->rows; row += step) {
      std::vector<double> expected =
          attendRow(*problem, {query, bool(narrow)}, {keys, bool(narrow)},
                    {values, bool(narrow)}, head, row);
      for (long i = 0; i < problem->depth; ++i) {
        double here =
            std::abs(expected[i] -
                     found[(head * problem->rows + row) * problem->depth + i]);
        if (std::isnan(here))
          return here;
        error = std::max(error, here);
      }
    }
  }
  return error;
}
