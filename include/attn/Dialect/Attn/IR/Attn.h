//===- Attn.h - The attn dialect -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ATTN_H
#define ATTN_DIALECT_ATTN_IR_ATTN_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"
#include "attn/Dialect/Attn/IR/PolicyTypes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

#include "attn/Dialect/Attn/IR/AttnDialect.h.inc"
#include "attn/Dialect/Attn/IR/AttnEnums.h.inc"

namespace attn {

class AttentionOpInterface;
class LengthAttr;
class RotateAttr;
class RowNormAttr;

/// The params of one policy: `params[first, first + count)`.
struct ParamRange {
  unsigned first = 0;
  unsigned count = 0;
};

/// What a kind of norm says of itself.
struct NormKindTraits {
  /// Whether a mean is subtracted unless the op says otherwise.
  bool isCentred;
  /// Whether v is the mean of the squares, not their sum.
  bool usesMean;
  /// Whether it is that of a row, which may be one that an attention loads.
  bool isOfRow;
  /// Whether statistics may be given or running.
  bool keepsStatistics;
  /// What `affine_axes` is unless stated.
  enum { Axes, Kept, Stated } affine;
};
NormKindTraits getTraits(NormKind kind);
/// The norm of a row that is so; nothing if there is none.
std::optional<NormKind> findRowNorm(bool isCentred, bool usesMean);

/// The operands whose rows may be changed when they are loaded.
enum class LoadedRows { Query, Key };

/// Bodies of the shared methods of AttentionOpInterface.
/// What a running state holds for probes, beside (acc, max, sum), in this
/// order; s' is a score in log2 units.
enum class Statistic {
  /// sum_j 2^(2 (s'_j - max))
  Squares,
  /// sum_j 2^(s'_j - max) (s'_j - max)
  Logs,
  /// max_j s'_j; `max` may be less.
  Top,
  /// Like squares, with 3 and 4 for 2.
  Cubes,
  Fourths,
  /// sum_j (2^(s'_j - max) - 1)^k, k = 1, 2, 3, 4, over scores above -inf:
  /// nearly equal weights differ in digits that their own powers do not have.
  Gaps,
  Gaps2,
  Gaps3,
  Gaps4
};
/// The sums among them, in that order.
inline constexpr Statistic kSummedStatistics[] = {
    Statistic::Squares, Statistic::Logs,  Statistic::Cubes, Statistic::Fourths,
    Statistic::Gaps,    Statistic::Gaps2, Statistic::Gaps3, Statistic::Gaps4};

namespace detail {
std::optional<unsigned> getDimOfRole(AttentionOpInterface op, DimRole role);
ParamRange getScaleParams(AttentionOpInterface op);
ParamRange getBiasParams(AttentionOpInterface op, unsigned bias);
ParamRange getRegionParams(AttentionOpInterface op);
ParamRange getMaskParams(AttentionOpInterface op, unsigned mask);
ParamRange getNormalizerParams(AttentionOpInterface op);
llvm::ArrayRef<mlir::Attribute> getRowChanges(AttentionOpInterface op,
                                              LoadedRows rows);
ParamRange getRowChangeParams(AttentionOpInterface op, LoadedRows rows,
                              unsigned change);
unsigned getNumScoreParams(AttentionOpInterface op);
mlir::FloatType getComputeType(AttentionOpInterface op);
llvm::SmallVector<Probe> getProbeKinds(AttentionOpInterface op);
llvm::SmallVector<Statistic> getStatisticKinds(AttentionOpInterface op);
bool isScoreLinear(AttentionOpInterface op);
} // namespace detail

/// A double as an attribute parameter: equal when the bits are equal, so that
/// attributes are unique also for NaN and signed zeros.
struct Double {
  Double(double value = 0) : value(value) {}
  operator double() const { return value; }
  friend bool operator==(Double a, Double b) {
    return llvm::bit_cast<uint64_t>(a.value) ==
           llvm::bit_cast<uint64_t>(b.value);
  }
  friend llvm::hash_code hash_value(Double number) {
    return llvm::hash_value(llvm::bit_cast<uint64_t>(number.value));
  }
  double value;
};

/// Text form of finite doubles that reads back as the same bits.
mlir::FailureOr<double> parseDouble(mlir::AsmParser &parser);
void printDouble(mlir::AsmPrinter &printer, double value);

/// The indexing maps of [batch..., heads, rows, dim] operands: query, key,
/// value, params by their specs, and outputs. Fails with a diagnostic when they
/// cannot be told from the types.
mlir::FailureOr<llvm::SmallVector<mlir::AffineMap>> getDefaultIndexingMaps(
    mlir::TypeRange inputs, mlir::TypeRange params,
    llvm::ArrayRef<ParamSpec> specs, mlir::TypeRange outputs,
    mlir::MLIRContext *context,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace attn

#include "attn/Dialect/Attn/IR/PolicyInterfaces.h.inc"
#include "attn/Dialect/Attn/IR/ScheduleInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/Attn/IR/AttnAttributes.h.inc"

#include "attn/Dialect/Attn/IR/AttentionInterface.h.inc"
#include "attn/Dialect/Attn/IR/BlockOpInterface.h.inc"
#include "attn/Dialect/Attn/IR/ScheduledOpInterface.h.inc"

#define GET_OP_CLASSES
#include "attn/Dialect/Attn/IR/AttnOps.h.inc"

namespace attn {
/// What all of these masks leave: to the row at `position`, or to any row.
KeyBand getBand(mlir::ArrayAttr masks,
                std::optional<int64_t> position = std::nullopt);
/// The first of the two params of segment ids, of rows and of keys.
std::optional<unsigned> findSegmentParams(AttentionOpInterface op);
/// The same, where n = position starts again in each segment.
std::optional<unsigned> findCountedSegments(AttentionOpInterface op);
/// The policy with another source of n.
ScalePolicyAttrInterface withLength(ScalePolicyAttrInterface scale,
                                    LengthKind kind);
} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_ATTN_H
