//===- AttentionProblem.h - Sizes, places and policies of an op -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_ATTENTIONPROBLEM_H
#define ATTN_LIB_REFERENCE_ATTENTIONPROBLEM_H

#include "AffineAccess.h"
#include "AttnPolicies.h"
#include "Evaluator.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn::reference::detail {

/// An attention op, or one tile of it, with its operands' values. A point is
/// one index per iteration dimension (batch..., row, key, d, dv), local to the
/// tile.
class AttentionProblem {
public:
  AttentionProblem(Evaluator &evaluator, AttentionOpInterface op);

  /// Reads operands and looks the policies up; emits what is wrong with them.
  mlir::LogicalResult prepare();

  /// A shaped operand and where its elements lie.
  struct Operand {
    TensorRef tensor;
    AffineAccess access;

    double load(llvm::ArrayRef<int64_t> point) const {
      int64_t at = access.getOffset(point);
      return tensor->isFloat() ? tensor->floats[at] : double(tensor->ints[at]);
    }
  };

  AttentionOpInterface getOp() const { return op; }
  unsigned getNumBatchDims() const { return batchDims; }
  unsigned getRowDim() const { return batchDims; }
  unsigned getKeyDim() const { return batchDims + 1; }
  unsigned getHeadDimDim() const { return batchDims + 2; }
  unsigned getValueDim() const { return batchDims + 3; }
  Rounding getRounding() const { return evaluator.getRounding(); }
  llvm::ArrayRef<int64_t> getExtents() const { return extents; }
  int64_t getExtent(unsigned dim) const { return extents[dim]; }
  const Operand &getInput(unsigned i) const { return inputs[i]; }
  AffineAccess getOutputAccess(unsigned i, const Tensor &output) const;

  /// lambda of the row at the point.
  double getLambda(llvm::ArrayRef<int64_t> point) const;
  /// Where the row at the point stands, for the terms of its elements.
  ElementPlace placeRow(llvm::ArrayRef<int64_t> point) const;
  /// Terms of the biases at the point of a row placed there, in order.
  void getBiasTerms(const ElementPlace &row, llvm::ArrayRef<int64_t> point,
                    llvm::SmallVectorImpl<double> &terms) const;
  /// Sum of the masks' terms: -infinity where any of them hides the key.
  double getMaskTerm(const ElementPlace &row,
                     llvm::ArrayRef<int64_t> point) const;
  /// log e0 of the row at the point.
  double getLogExtra(llvm::ArrayRef<int64_t> point) const;
  /// Places a score region is told: batch, head, row, column.
  std::array<int64_t, 4> getPlace(llvm::ArrayRef<int64_t> point) const;
  double getParam(unsigned i, llvm::ArrayRef<int64_t> point) const {
    return params[i].load(point);
  }
  double getRegionParam(unsigned i, llvm::ArrayRef<int64_t> point) const {
    return params[op.getRegionParams().first + i].load(point);
  }

private:
  struct Policy {
    TermFunction term;
    ParamRange params;
    bool limitsVisible = false;
  };

  mlir::LogicalResult findExtents();
  mlir::LogicalResult findPolicies();
  llvm::SmallVector<double, 4> loadParams(ParamRange range,
                                          llvm::ArrayRef<int64_t> point) const;
  double evaluateTerm(const Policy &policy, ElementPlace place,
                      llvm::ArrayRef<int64_t> point) const;
  int64_t getAbsolute(unsigned dim, llvm::ArrayRef<int64_t> point) const {
    return point[dim] + (origin.empty() ? 0 : origin[dim]);
  }
  int64_t getTotal(unsigned dim) const {
    return sizes.empty() ? extents[dim] : sizes[dim];
  }
  int64_t getKeyCount(llvm::ArrayRef<int64_t> point) const;
  int64_t getPosition(llvm::ArrayRef<int64_t> point) const;
  double getLength(llvm::ArrayRef<int64_t> point) const;
  int64_t countVisible(llvm::ArrayRef<int64_t> point) const;
  int64_t countSeen(llvm::ArrayRef<int64_t> point) const;
  int64_t getSegmentStart(llvm::ArrayRef<int64_t> point) const;

  Evaluator &evaluator;
  /// A handle; its methods are not marked const.
  mutable AttentionOpInterface op;
  /// Facts of the op that every element asks for.
  unsigned batchDims;
  bool isBottomRight;
  ParamRange scaleParams, extraParams;
  llvm::SmallVector<int64_t> extents, origin, sizes;
  llvm::SmallVector<Operand> inputs, params;
  ScaleFunction scale;
  LengthAttr length;
  llvm::SmallVector<Policy> biases, masks;
  ExtraFunction extra;
  /// The params of kv_lengths and of segment_ids, where there are such masks.
  std::optional<unsigned> lengthsParam, segmentsParam;
};

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_ATTENTIONPROBLEM_H
