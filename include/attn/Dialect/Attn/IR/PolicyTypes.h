//===- PolicyTypes.h - What policies and ops tell each other -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_POLICYTYPES_H
#define ATTN_DIALECT_ATTN_IR_POLICYTYPES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <optional>

namespace attn {

/// What an iteration dimension of an attention stands for. A problem may have
/// several batch dimensions; the last one is also the head.
enum class DimRole { Batch, Head, Row, Key, HeadDim };

/// The element kind a param must have.
enum class ParamElement { Float, Integer, Boolean };

/// One operand of the `params` group, as its policy describes it.
struct ParamSpec {
  /// Name for diagnostics.
  llvm::StringRef name;
  ParamElement element;
  /// The dimensions the param may use. A param of rank r without an explicit
  /// map takes the last r of them.
  llvm::SmallVector<DimRole, 4> dims;
  /// A param of rank 1 without an explicit map takes this dimension instead.
  std::optional<DimRole> rankOne = std::nullopt;
  /// Integers that are compared with each other and mean no amount: none may
  /// take another's place, as the nearest number of fewer bits would.
  bool isName = false;
};

/// The keys that a row may see, as distances from its aligned position p:
/// p - left .. p + right. A side without a number is open.
struct KeyBand {
  std::optional<int64_t> left, right;

  bool isOpen() const { return !left && !right; }
  /// How many keys it has; nothing where a side is open.
  std::optional<int64_t> getWidth() const {
    if (!left || !right)
      return std::nullopt;
    return *left + *right + 1;
  }
  /// Leaves what `other` allows, too.
  void narrow(const KeyBand &other) {
    auto tighten = [](std::optional<int64_t> &side,
                      std::optional<int64_t> bound) {
      if (bound)
        side = std::min(side.value_or(*bound), *bound);
    };
    tighten(left, other.left);
    tighten(right, other.right);
  }
};

/// What a scale policy may use for one row (or a vector of rows).
struct ScaleInputs {
  /// Head dimension and length n, floats of the builder's type. `length` is
  /// null for policies without n, `staticHeadDim` is kDynamic when unknown.
  mlir::Value headDim;
  mlir::Value length;
  int64_t staticHeadDim;
  /// The policy's params for these rows, floats of the builder's type.
  llvm::SmallVector<mlir::Value, 2> params;
};

/// Where score elements lie and the params loaded there. All values are of the
/// builder's scalar or vector types; what does not apply is null.
struct ElementInputs {
  /// Aligned position of the row and absolute index of the key (ints).
  mlir::Value position;
  mlir::Value column;
  /// Head index (int) and number of heads (scalar index).
  mlir::Value head;
  mlir::Value numHeads;
  /// This policy's params here: floats, ints or booleans of the builder.
  llvm::SmallVector<mlir::Value, 2> params;
  /// Biases only: what the term is multiplied by, what prepareBias gave for the
  /// row, and |position - column| as a float for those that use positions.
  double unit = 1.0;
  mlir::Value prepared;
  mlir::Value distance;
};

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_POLICYTYPES_H
