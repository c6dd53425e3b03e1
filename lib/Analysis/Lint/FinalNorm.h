//===- FinalNorm.h - The norm behind a stream -------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_LINT_FINALNORM_H
#define ATTN_LIB_ANALYSIS_LINT_FINALNORM_H

#include "FlatFunction.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/PatternMatch.h"

namespace attn::lint_checks {

/// Whether a stream goes to a layer or out of the function without a norm.
bool endsBare(mlir::Value stream);

/// Whether nothing but norms reads a stream.
bool endsNormed(mlir::Value stream);

/// The value of the module behind which a norm is that of the stream's end for
/// all that reads it: the result of the loop or of the call, where it is read
/// outside. Null, with the reason, where there is none.
struct StreamEnd {
  mlir::Value at;
  std::string refusal;
};
StreamEnd findStreamEnd(const FlatFunction &flat, mlir::Value stream);

/// "attn.norm rms behind it": of the kind of `like`, which may be null, behind
/// `at`, seen from `op`.
std::string describeNorm(NormOp like, mlir::Operation *op, mlir::Value at);

/// Puts a norm without gamma and beta behind `at`.
void addFinalNorm(mlir::RewriterBase &rewriter, mlir::Value at, NormOp like);

} // namespace attn::lint_checks

#endif // ATTN_LIB_ANALYSIS_LINT_FINALNORM_H
