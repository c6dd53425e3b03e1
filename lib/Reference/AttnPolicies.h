//===- AttnPolicies.h - Policies as functions in double ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_ATTNPOLICIES_H
#define ATTN_LIB_REFERENCE_ATTNPOLICIES_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>

namespace attn::reference::detail {

/// What a scale policy knows of its row.
struct RowPlace {
  int64_t headDim;
  /// n, at least 1.
  double length;
  /// The policy's own params here.
  llvm::ArrayRef<double> params;
};

/// Where a score stands.
struct ElementPlace {
  int64_t head;
  int64_t numHeads;
  /// Aligned position of the row, and the key.
  int64_t position;
  int64_t column;
  llvm::ArrayRef<double> params;
};

/// lambda of a row.
using ScaleFunction = std::function<double(const RowPlace &)>;
/// A term added to the score; a mask that hides gives -infinity.
using TermFunction = std::function<double(const ElementPlace &)>;
/// log e0, from the normaliser's params.
using ExtraFunction = std::function<double(llvm::ArrayRef<double>)>;

/// The registry: one function per policy attribute. Null when the attribute is
/// not known.
ScaleFunction getScaleFunction(mlir::Attribute policy, int64_t headDim);
TermFunction getBiasFunction(mlir::Attribute policy);
TermFunction getMaskFunction(mlir::Attribute policy);
ExtraFunction getExtraFunction(mlir::Attribute policy);

/// Whether n = visible counts what this mask leaves.
bool limitsVisible(mlir::Attribute mask);

/// The ALiBi slope of head h = 0..H-1.
double getAlibiSlope(int64_t head, int64_t numHeads);

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_ATTNPOLICIES_H
