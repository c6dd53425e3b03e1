//===- Sizes.h - Which dynamic sizes are equal ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_SIZES_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_SIZES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>

namespace attn::raise {

/// A size as a polynomial of sizes of which nothing is known, with the
/// wrapping arithmetic of programs.
class Size {
public:
  Size(int64_t number = 0) {
    if (number)
      terms[{}] = number;
  }
  static Size unknown(unsigned id) {
    Size size;
    size.terms[{id}] = 1;
    return size;
  }

  bool operator==(const Size &other) const { return terms == other.terms; }
  Size operator+(const Size &other) const;
  Size operator*(const Size &other) const;
  Size operator-(const Size &other) const { return *this + other * Size(-1); }
  /// The quotient by a single term, where there is no rest.
  std::optional<Size> divideBy(const Size &divisor) const;

  /// With `id` replaced by `value`.
  Size substitute(unsigned id, const Size &value) const;
  /// Without the unknowns and the number that all terms have as factors: where
  /// it is 0, either they are or this is.
  Size getPrimitive() const;
  /// An unknown u with *this = c u + rest, c = 1 or -1, and u not in the rest;
  /// the last one that there is.
  std::optional<unsigned> getSolvable() const;
  int64_t getCoefficient(unsigned id) const;
  std::optional<int64_t> getConstant() const {
    if (terms.empty())
      return 0;
    if (terms.size() == 1 && terms.begin()->first.empty())
      return terms.begin()->second;
    return std::nullopt;
  }
  bool isSmall() const { return terms.size() <= 8; }
  using Terms = std::map<llvm::SmallVector<unsigned>, int64_t>;
  const Terms &getTerms() const { return terms; }

private:
  /// From sorted unknowns, with repetitions, to what they are multiplied by;
  /// no zeros.
  Terms terms;
};

/// Sizes of a function's tensors.
class Sizes {
public:
  /// Takes what the sizes are computed from, and no more.
  Sizes() = default;
  /// Takes as well what the function's block asserts of sizes, and the
  /// equalities that its structured ops rest on.
  explicit Sizes(mlir::func::FuncOp func);

  Size get(mlir::Value tensor, unsigned dim);
  Size get(mlir::Value number) { return resolve(read(number)); }
  Size get(mlir::OpFoldResult number);
  /// The dimension of a block argument that a size is, if it is one.
  std::optional<std::pair<mlir::BlockArgument, unsigned>>
  getArgumentDim(const Size &size) const;
  /// Takes two sizes to be equal.
  void equate(const Size &a, const Size &b);
  /// Whether the comparison holds, where that is known for all sizes of
  /// tensors, which are below 2^31.
  std::optional<bool> compare(mlir::arith::CmpIOp op);

private:
  using Wide = __int128;
  std::optional<std::pair<Wide, Wide>> getRange(const Size &size) const;
  Size read(mlir::Value number);
  Size readDim(mlir::Value tensor, unsigned dim);
  Size readSliceSize(mlir::Operation *slice, unsigned dim);
  Size readConcat(mlir::Operation *concat, unsigned dim);
  Size readCollapsed(mlir::Operation *collapse, unsigned dim);
  Size readArithmetic(mlir::Operation *op);
  Size getUnknown(mlir::Value value, unsigned dim);
  Size resolve(Size size) const;
  void takeAssertion(mlir::Value condition);
  void takeStructuredOp(mlir::Operation *op);
  void takeReshape(mlir::Operation *op);

  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> unknowns;
  /// Whether an unknown is the size of a tensor, not any number.
  llvm::SmallVector<bool> isOfTensor;
  llvm::DenseMap<mlir::Value, Size> numbers;
  /// In the order in which they became known: no later one has an unknown that
  /// an earlier one replaces.
  llvm::SmallVector<std::pair<unsigned, Size>> equalities;
};

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_SIZES_H
