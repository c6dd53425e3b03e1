//===- Verification.h - Compares results with the truth ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_VERIFICATION_H
#define ATTN_COMPILER_VERIFICATION_H

#include "attn/Compiler/Program.h"
#include "attn/Reference/Tensor.h"

namespace attn {

/// One result against one source of truth.
struct Comparison {
  std::string result;
  std::string against;
  bool matches = false;
  double maxError = 0;
  double meanError = 0;
  /// Error over tolerance: at most 1 when they match, infinite when NaN and
  /// infinity are in different places.
  double margin = 0;
  /// Coordinate of the largest error, as `[0, 1, 2]`; empty without elements.
  std::string worst;
  /// Why it is a match or a mismatch, where the numbers do not say it.
  std::string note;
};

/// What a program computes by the reference, and how far results may be off.
class Verifier {
public:
  /// Runs the reference. `original` is the entry as parsed, before any pass. It
  /// refuses arguments that the program cannot be given, and what the reference
  /// cannot run, if `check` will be asked of compare().
  static llvm::Expected<Verifier> create(mlir::func::FuncOp original,
                                         llvm::ArrayRef<HostArray> arguments,
                                         bool check);

  /// Compares with the arrays of --expect, and with the reference if `check`.
  llvm::Expected<std::vector<Comparison>>
  compare(llvm::ArrayRef<HostArray> results, llvm::ArrayRef<HostArray> expected,
          bool check);

  /// Compares with what `other` computes in f64: the same function after
  /// passes. Only of a verifier that was made to check.
  llvm::Expected<std::vector<Comparison>> compare(mlir::func::FuncOp other);

private:
  explicit Verifier(mlir::func::FuncOp original) : original(original) {}

  /// Without the reference: with the arrays of --expect, to half their digits.
  std::vector<Comparison> comparePlainly(llvm::ArrayRef<HostArray> results,
                                         llvm::ArrayRef<HostArray> expected);

  /// Adds the comparison of each output with the reference.
  llvm::Error addReference(llvm::ArrayRef<reference::Tensor> outputs,
                           std::vector<Comparison> &comparisons);

  mlir::func::FuncOp original;
  /// Why the reference cannot run it; empty where it has.
  std::string refusal;
  std::vector<reference::Tensor> inputs;
  /// The program as written, and in f64.
  std::vector<reference::Tensor> naive;
  std::vector<reference::Tensor> exact;
};

} // namespace attn

#endif // ATTN_COMPILER_VERIFICATION_H
