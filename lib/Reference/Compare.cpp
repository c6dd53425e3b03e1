//===- Compare.cpp - When a result counts as right ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Reference/Compare.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cfloat>
#include <cmath>
#include <limits>

using namespace mlir;

namespace attn::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double unitF32 = 0x1p-24;

static double getUnit(Type type) {
  return type.isF64()    ? 0x1p-53
         : type.isF16()  ? 0x1p-11
         : type.isBF16() ? 0x1p-8
                         : unitF32;
}

namespace {

/// One comparison: gathers errors in one pass over the elements.
class Comparison {
public:
  Comparison(const Tensor &output, const Tensor &reference, const Tensor &naive,
             const CompareOptions &options)
      : output(output), reference(reference), naive(naive), options(options) {}

  CompareResult run();

private:
  CompareResult compareIntegers();
  CompareResult fail(int64_t index, const std::string &why);
  void measure();
  void measureErrors(const Tensor &run);
  double getSlack(double value) const;
  bool patternFits(double out, double ref, double asWritten) const;
  void locate(int64_t index);
  void writeMessage();

  const Tensor &output, &reference, &naive;
  const CompareOptions &options;
  CompareResult result;
  double maxAbsReference = 0.0;
  double naiveMax = 0.0, naiveMean = 0.0;
};

} // namespace

static std::string describe(ArrayRef<int64_t> list) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(list, os);
  return text + "]";
}

void Comparison::locate(int64_t index) {
  result.worst.assign(output.shape.size(), 0);
  int64_t rest = index;
  for (int64_t dim = output.getRank() - 1; dim >= 0; --dim) {
    result.worst[dim] = rest % output.shape[dim];
    rest /= output.shape[dim];
  }
  bool isFloat = output.isFloat();
  result.worstOutput = isFloat ? output.floats[index] : output.ints[index];
  result.worstReference =
      isFloat ? reference.floats[index] : reference.ints[index];
}

CompareResult Comparison::fail(int64_t index, const std::string &why) {
  result.ok = false;
  result.margin = infinity;
  llvm::raw_string_ostream os(result.message);
  os << why;
  if (index >= 0) {
    locate(index);
    os << " at " << describe(result.worst) << ": "
       << llvm::format("%.9g", result.worstOutput) << " instead of "
       << llvm::format("%.9g", result.worstReference);
  }
  return result;
}

CompareResult Comparison::compareIntegers() {
  for (int64_t i = 0, end = output.getNumElements(); i < end; ++i)
    if (output.ints[i] != reference.ints[i])
      return fail(i, "integers differ");
  result.ok = true;
  result.message = "equal";
  return result;
}

/// A f64 kernel has no naive error to measure itself by (the as-written run is
/// the reference itself), so its slack covers the rounding of a whole row.
double Comparison::getSlack(double value) const {
  if (options.halfTheDigits)
    return std::sqrt(getUnit(output.elementType)) * maxAbsReference;
  bool isF64 = output.elementType.isF64();
  double unit = isF64 ? 1024 * 0x1p-53 : unitF32;
  if (options.kind == ResultKind::LogSumExp)
    return 8 * unit * std::max(1.0, std::abs(value));
  if (options.kind == ResultKind::Kurtosis)
    return 0x1p14 * unit * std::abs(value);
  double values =
      options.maxAbsValue < 0 ? maxAbsReference : options.maxAbsValue;
  double flush = isF64 ? DBL_MIN : double(FLT_MIN);
  return 4 * unit * values + getUnit(output.elementType) * maxAbsReference +
         flush * std::max(1.0, values);
}

bool Comparison::patternFits(double out, double ref, double asWritten) const {
  // What is too large for the storage type is infinite, never NaN.
  if (std::isfinite(ref))
    return std::isfinite(out) || out == asWritten;
  if ((std::isnan(out) && std::isnan(ref)) || out == ref)
    return true;
  return options.allowRefinement && (std::isnan(ref) || std::isnan(asWritten));
}

void Comparison::measureErrors(const Tensor &run) {
  double sum = 0.0;
  int64_t count = 0;
  for (auto [ref, asWritten] : llvm::zip_equal(reference.floats, run.floats)) {
    if (!std::isfinite(ref) || !std::isfinite(asWritten))
      continue;
    naiveMax = std::max(naiveMax, std::abs(asWritten - ref));
    sum += std::abs(asWritten - ref);
    ++count;
  }
  if (count)
    naiveMean = std::max(naiveMean, sum / double(count));
}

void Comparison::measure() {
  for (double ref : reference.floats)
    if (std::isfinite(ref))
      maxAbsReference = std::max(maxAbsReference, std::abs(ref));
  measureErrors(naive);
  for (const Tensor *other : options.others)
    measureErrors(*other);
}

void Comparison::writeMessage() {
  llvm::raw_string_ostream os(result.message);
  os << llvm::format("max error %.3g (allowed %.3g), mean error %.3g "
                     "(allowed %.3g), margin %.3f",
                     result.maxError, result.maxAllowed, result.meanError,
                     result.meanAllowed, result.margin);
  if (!result.worst.empty())
    os << ", worst at " << describe(result.worst)
       << llvm::format(": %.9g instead of %.9g", result.worstOutput,
                       result.worstReference);
}

CompareResult Comparison::run() {
  if (output.elementType != reference.elementType ||
      output.elementType != naive.elementType ||
      output.shape != reference.shape || output.shape != naive.shape)
    return fail(-1,
                "shapes or element types differ: " + describe(output.shape) +
                    " instead of " + describe(reference.shape));
  if (!output.isFloat())
    return compareIntegers();
  measure();
  double errorSum = 0.0, slackSum = 0.0, worstRatio = -1.0;
  int64_t count = 0;
  for (int64_t i = 0, end = output.getNumElements(); i < end; ++i) {
    double out = output.floats[i], ref = reference.floats[i];
    if (!patternFits(out, ref, naive.floats[i]))
      return fail(i, "NaN/Inf patterns differ");
    result.refined += !std::isfinite(ref) && out != ref &&
                      !(std::isnan(out) && std::isnan(ref));
    if (!std::isfinite(out) || !std::isfinite(ref))
      continue;
    double error = std::abs(out - ref), slack = getSlack(ref);
    double allowed = 2 * naiveMax + slack;
    double ratio = error == 0 ? 0 : error / allowed;
    if (ratio > worstRatio) {
      worstRatio = ratio;
      result.maxAllowed = allowed;
      locate(i);
    }
    result.maxError = std::max(result.maxError, error);
    errorSum += error;
    slackSum += slack;
    ++count;
  }
  if (count) {
    result.meanError = errorSum / count;
    result.meanAllowed =
        1.5 * naiveMean +
        slackSum / count / std::min(8.0, std::sqrt(double(count)));
    double meanRatio =
        result.meanError == 0 ? 0 : result.meanError / result.meanAllowed;
    result.margin = std::max(worstRatio, meanRatio);
  }
  result.ok = result.margin <= 1.0;
  writeMessage();
  return result;
}

CompareResult compare(const Tensor &output, const Tensor &reference,
                      const Tensor &naive, const CompareOptions &options) {
  return Comparison(output, reference, naive, options).run();
}

} // namespace attn::reference
