//===- EntropyReport.h - What attn-analyze-entropy writes -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_ENTROPYREPORT_H
#define ATTN_LIB_ANALYSIS_ENTROPYREPORT_H

#include "attn/Analysis/Entropy.h"
#include "attn/Analysis/Report.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include <string>
#include <vector>

namespace attn {

/// The lengths from, 2 from, ..., to and how they are sampled.
struct EntropyRange {
  int64_t from, to, samples;
  uint64_t seed;

  std::vector<int64_t> getLengths() const;
};

/// One policy at one length.
struct EntropyPoint {
  int64_t n;
  double lambda, expected, formula, published;
  MeasuredEntropy measured;
};

/// One policy over the range; without points where lambda is not known.
struct EntropyCurve {
  std::string policy;
  bool isOwn;
  std::vector<EntropyPoint> points;
};

/// One attention, or the policies of the options alone.
struct EntropySubject {
  std::string name, function, location;
  double headDim;
  bool cosine;
  std::vector<EntropyCurve> curves;
  /// What the scores are multiplied by before the op's own policy.
  double factor = 1.0;
};

class EntropyReport {
public:
  explicit EntropyReport(const EntropyRange &range) : range(range) {}

  /// Compares the op's policy with `alternatives`, or with the usual ones if
  /// there are none. `headDim` is for ops that do not know theirs.
  void addAttention(AttentionOp op,
                    llvm::ArrayRef<ScalePolicyAttrInterface> alternatives,
                    double headDim);
  void addAttention(MultiHeadAttentionOp op,
                    llvm::ArrayRef<ScalePolicyAttrInterface> alternatives);
  /// d is that of the op, or of the product that its scores are.
  void addSoftmax(SoftmaxOp op,
                  llvm::ArrayRef<ScalePolicyAttrInterface> alternatives,
                  double headDim);
  void addPolicies(llvm::ArrayRef<ScalePolicyAttrInterface> policies,
                   double headDim);

  llvm::LogicalResult write(mlir::Location loc, const ReportFiles &files) const;

private:
  /// Of scores in `headDim` dimensions.
  void addOp(mlir::Operation *op, ScalePolicyAttrInterface own,
             llvm::ArrayRef<ScalePolicyAttrInterface> alternatives,
             double headDim, bool isCosine, double factor = 1.0);
  void addCurves(EntropySubject subject, ScalePolicyAttrInterface own,
                 llvm::ArrayRef<ScalePolicyAttrInterface> policies);
  void writePage(ReportPage &page) const;
  void writeJson(llvm::json::OStream &json) const;

  EntropyRange range;
  std::vector<EntropySubject> subjects;
};

} // namespace attn

#endif // ATTN_LIB_ANALYSIS_ENTROPYREPORT_H
