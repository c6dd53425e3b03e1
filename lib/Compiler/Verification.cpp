//===- Verification.cpp - Compares results with what they should be -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Verification.h"
#include "attn/Compiler/ReferenceRun.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Reference/Compare.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using reference::Rounding;
using reference::Tensor;

static double getMaxAbs(const Tensor &tensor) {
  double largest = 0;
  for (double value : tensor.floats)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  return largest;
}

/// What the tolerance rule wants to know of one result: whether it is a log of
/// a sum, and how large the averaged values are.
static reference::CompareOptions getCompareOptions(func::FuncOp entry,
                                                   unsigned result,
                                                   ArrayRef<Tensor> arguments) {
  reference::CompareOptions options;
  Operation *terminator = entry.front().getTerminator();
  auto value = dyn_cast<OpResult>(terminator->getOperand(result));
  auto attention =
      value ? dyn_cast<AttentionOp>(value.getOwner()) : AttentionOp();
  if (!attention)
    return options;
  // lse and the probes, which are sums over a row as well.
  if (value.getResultNumber() > 0)
    options.kind = reference::ResultKind::LogSumExp;
  SmallVector<Probe> probes =
      cast<AttentionOpInterface>(attention.getOperation()).getProbeKinds();
  unsigned first = attention->getNumResults() - probes.size();
  if (unsigned number = value.getResultNumber();
      number >= first && probes[number - first] == Probe::Kurtosis)
    options.kind = reference::ResultKind::Kurtosis;
  // A cache holds its old rows and those that are inserted.
  SmallVector<Value> sources = {attention.getValue()};
  while (!sources.empty()) {
    Value value = sources.pop_back_val();
    if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>())
      sources.append({insert.getSource(), insert.getDest()});
    auto source = dyn_cast<BlockArgument>(value);
    if (source && source.getOwner() == &entry.front())
      options.maxAbsValue = std::max(
          options.maxAbsValue, getMaxAbs(arguments[source.getArgNumber()]));
  }
  return options;
}

static std::string formatCoordinate(ArrayRef<int64_t> coordinate) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!coordinate.empty()) {
    stream << "[";
    llvm::interleaveComma(coordinate, stream);
    stream << "]";
  }
  return text;
}

static Comparison describe(unsigned index, StringRef against,
                           const reference::CompareResult &result) {
  Comparison comparison;
  comparison.result = "out" + std::to_string(index);
  comparison.against = against.str();
  comparison.matches = result.ok;
  comparison.maxError = result.maxError;
  comparison.meanError = result.meanError;
  comparison.margin = result.margin;
  comparison.worst = formatCoordinate(result.worst);
  if (!result.ok)
    comparison.note = result.message;
  else if (result.refined)
    comparison.note =
        llvm::formatv("{0} elements are NaN in the reference, and may be "
                      "anything",
                      result.refined);
  return comparison;
}

namespace {

/// The program as written, and as other programs would round it. Those runs
/// are made only where a result is further off than the first one allows.
class NaiveRuns {
public:
  NaiveRuns(func::FuncOp entry, ArrayRef<Tensor> inputs,
            std::vector<Tensor> naive)
      : entry(entry), inputs(inputs), naive(std::move(naive)) {}

  /// Compares with the run as written alone.
  reference::CompareResult compareOnce(unsigned index, const Tensor &output,
                                       const Tensor &truth) {
    return reference::compare(output, truth, naive[index],
                              getCompareOptions(entry, index, inputs));
  }
  /// Compares result `index` with what it should be.
  Expected<reference::CompareResult>
  compare(unsigned index, const Tensor &output, const Tensor &truth);

private:
  func::FuncOp entry;
  ArrayRef<Tensor> inputs;
  std::vector<Tensor> naive;
  std::vector<std::vector<Tensor>> others;
};

} // namespace

Expected<reference::CompareResult>
NaiveRuns::compare(unsigned index, const Tensor &output, const Tensor &truth) {
  reference::CompareOptions options = getCompareOptions(entry, index, inputs);
  reference::CompareResult result =
      reference::compare(output, truth, naive[index], options);
  if (result.ok || !std::isfinite(result.margin))
    return result;
  if (others.empty())
    for (unsigned i = 0; i < reference::numVariedRuns; ++i) {
      auto run = runReference(entry, inputs, reference::getVariedRounding(i));
      if (!run)
        return run.takeError();
      others.push_back(std::move(*run));
    }
  for (const std::vector<Tensor> &other : others)
    options.others.push_back(&other[index]);
  return reference::compare(output, truth, naive[index], options);
}

/// The tolerance of --expect grows with the distance between the expected
/// values and the program as written. So that it cannot excuse values of
/// another program, those must lie near the f64 reference, though a framework
/// may round more often than the program says.
static void checkExpected(Comparison &comparison,
                          const reference::CompareResult &result) {
  constexpr double leniency = 16;
  if (result.margin <= leniency)
    return;
  comparison.matches = false;
  comparison.margin = std::max(comparison.margin, result.margin / leniency);
  comparison.note =
      "the expected values are not what the program computes in f64: " +
      result.message;
}

/// A program may round less often than the one that the expected values come
/// from, and be the nearer to f64 for it. `margin` says how far it is from
/// them.
static void allowNearer(Comparison &comparison,
                        const reference::CompareResult &output,
                        const reference::CompareResult &expected) {
  if (comparison.matches || !std::isfinite(comparison.margin) ||
      !std::isfinite(output.margin) || !std::isfinite(expected.margin) ||
      output.maxError > expected.maxError ||
      output.meanError > expected.meanError)
    return;
  comparison.note = llvm::formatv("further from the expected values than they "
                                  "allow (margin {0:f3}), but nearer to f64",
                                  comparison.margin);
  comparison.matches = true;
  comparison.margin = 1.0;
}

Expected<Verifier> Verifier::create(func::FuncOp original,
                                    ArrayRef<HostArray> arguments, bool check) {
  Verifier verifier(original);
  verifier.inputs =
      toTensors(arguments, original.getFunctionType().getInputs());
  auto naive = runReference(original, verifier.inputs, Rounding::AsWritten);
  if (!naive && check)
    return naive.takeError();
  if (!naive) {
    verifier.refusal = llvm::toString(naive.takeError());
    return verifier;
  }
  auto exact = runReference(original, verifier.inputs, Rounding::F64);
  if (!exact)
    return exact.takeError();
  verifier.naive = std::move(*naive);
  verifier.exact = std::move(*exact);
  return verifier;
}

std::vector<Comparison> Verifier::comparePlainly(ArrayRef<HostArray> results,
                                                 ArrayRef<HostArray> expected) {
  reference::CompareOptions options;
  options.halfTheDigits = true;
  std::vector<Comparison> comparisons;
  TypeRange types = original.getFunctionType().getResults();
  for (auto [i, values] : llvm::enumerate(expected)) {
    Tensor truth = toTensor(values, types[i]);
    comparisons.push_back(
        describe(i, "expected values",
                 reference::compare(toTensor(results[i], types[i]), truth,
                                    truth, options)));
    std::string &note = comparisons.back().note;
    if (!note.empty())
      note += "; ";
    note += "compared to half the digits, without a reference: " + refusal;
  }
  return comparisons;
}

Expected<std::vector<Comparison>>
Verifier::compare(ArrayRef<HostArray> results, ArrayRef<HostArray> expected,
                  bool check) {
  if (!refusal.empty())
    return comparePlainly(results, expected);
  std::vector<Comparison> comparisons;
  FunctionType type = original.getFunctionType();
  std::vector<Tensor> outputs = toTensors(results, type.getResults());
  NaiveRuns runs(original, inputs, naive);
  for (unsigned i = 0; i < expected.size(); ++i) {
    Tensor truth = toTensor(expected[i], type.getResult(i));
    auto result = runs.compare(i, outputs[i], truth);
    if (!result)
      return result.takeError();
    comparisons.push_back(describe(i, "expected values", *result));
    reference::CompareResult distance = runs.compareOnce(i, truth, exact[i]);
    allowNearer(comparisons.back(), runs.compareOnce(i, outputs[i], exact[i]),
                distance);
    checkExpected(comparisons.back(), distance);
  }
  if (check)
    if (llvm::Error error = addReference(outputs, comparisons))
      return std::move(error);
  return comparisons;
}

llvm::Error Verifier::addReference(ArrayRef<Tensor> outputs,
                                   std::vector<Comparison> &comparisons) {
  NaiveRuns runs(original, inputs, naive);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    auto result = runs.compare(i, output, exact[i]);
    if (!result)
      return result.takeError();
    comparisons.push_back(describe(i, "f64 reference", *result));
  }
  return llvm::Error::success();
}

Expected<std::vector<Comparison>> Verifier::compare(func::FuncOp other) {
  if (other.getFunctionType() != original.getFunctionType())
    return createStringError("'" + other.getSymName() +
                             "' has another type than the program");
  auto outputs = runReference(other, inputs, Rounding::F64);
  if (!outputs)
    return outputs.takeError();
  std::vector<Comparison> comparisons;
  if (llvm::Error error = addReference(*outputs, comparisons))
    return std::move(error);
  return comparisons;
}
