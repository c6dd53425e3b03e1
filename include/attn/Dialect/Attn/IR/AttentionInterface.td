//===- AttentionInterface.td - What the attention ops share -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ATTENTIONINTERFACE_TD
#define ATTN_DIALECT_ATTN_IR_ATTENTIONINTERFACE_TD

include "mlir/IR/OpBase.td"

def Attn_AttentionOpInterface : OpInterface<"AttentionOpInterface"> {
  let description = [{
    The policies, params and indexing maps that `attn.attention` and the ops on
    its tiles share. Iteration dimensions are, in order: the batch dimensions
    (the last one is the head), row m, key n, head dimension d, value dimension
    dv. There is one indexing map per shaped operand: inputs, params, outputs.
    A map's results are dimensions, `dimension floordiv constant` (key/value
    head of a query head) or the constant 0 (broadcast along a size of 1).

    On a tile, iteration indices are local; `origin` holds the index in the
    whole problem where the tile starts and `sizes` the whole problem's sizes,
    one per iteration dimension. Both are empty when the op is the whole problem.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"", "::attn::ScalePolicyAttrInterface", "getScale">,
    InterfaceMethod<"", "::mlir::Attribute", "getSimilarity">,
    InterfaceMethod<"", "::attn::NormalizerAttrInterface", "getNormalizer">,
    InterfaceMethod<"", "::std::optional<::attn::Alignment>", "getAlign">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getBiases">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getMasks">,
    InterfaceMethod<"", "::mlir::FloatAttr", "getSoftcapAttr">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getIndexingMaps">,
    InterfaceMethod<"", "::mlir::Operation::operand_range", "getParams">,
    InterfaceMethod<"", "::mlir::Operation::operand_range", "getOrigin">,
    InterfaceMethod<"", "::mlir::Operation::operand_range", "getSizes">,
    InterfaceMethod<"The shaped operands before the params.",
      "::mlir::Operation::operand_range", "getShapedInputs">,
    InterfaceMethod<"The shaped operands after the params (destinations).",
      "::mlir::Operation::operand_range", "getShapedOutputs">,
    InterfaceMethod<[{The score region or null. Block arguments: score (compute type), batch,
      head, row, column (index, absolute), then the region's own params.}],
      "::mlir::Region *", "getScoreBody">
  ];
  let extraSharedClassDeclaration = [{
    ::llvm::SmallVector<::mlir::AffineMap> getMaps() {
      return ::llvm::to_vector($_op.getIndexingMaps()
          .template getAsValueRange<::mlir::AffineMapAttr>());
    }
    /// Number of iteration dimensions, and the position of each kind.
    unsigned getNumDims() {
      return ::llvm::cast<::mlir::AffineMapAttr>($_op.getIndexingMaps()[0])
          .getValue().getNumDims();
    }
    unsigned getNumBatchDims() { return getNumDims() - 4; }
    unsigned getRowDim() { return getNumDims() - 4; }
    unsigned getKeyDim() { return getNumDims() - 3; }
    unsigned getHeadDimDim() { return getNumDims() - 2; }
    unsigned getValueDim() { return getNumDims() - 1; }
    /// The iteration dimension of a role; nothing when the problem has no batch.
    ::std::optional<unsigned> getDim(::attn::DimRole role) {
      return ::attn::detail::getDimOfRole($_op, role);
    }

    /// The indexing map of the i-th param.
    ::mlir::AffineMap getParamMap(unsigned i) {
      return ::llvm::cast<::mlir::AffineMapAttr>(
          $_op.getIndexingMaps()[$_op.getShapedInputs().size() + i]).getValue();
    }
    /// The indexing maps of the i-th input and of the i-th output.
    ::mlir::AffineMap getInputMap(unsigned i) {
      return ::llvm::cast<::mlir::AffineMapAttr>($_op.getIndexingMaps()[i]).getValue();
    }
    ::mlir::AffineMap getOutputMap(unsigned i) {
      return ::llvm::cast<::mlir::AffineMapAttr>($_op.getIndexingMaps()[
          $_op.getShapedInputs().size() + $_op.getParams().size() + i]).getValue();
    }

    /// Which of `params` belong to whom, as (first, count).
    ::attn::ParamRange getScaleParams() {
      return ::attn::detail::getScaleParams($_op);
    }
    ::attn::ParamRange getBiasParams(unsigned bias) {
      return ::attn::detail::getBiasParams($_op, bias);
    }
    ::attn::ParamRange getRegionParams() {
      return ::attn::detail::getRegionParams($_op);
    }
    ::attn::ParamRange getMaskParams(unsigned mask) {
      return ::attn::detail::getMaskParams($_op, mask);
    }
    ::attn::ParamRange getNormalizerParams() {
      return ::attn::detail::getNormalizerParams($_op);
    }

    /// What is done to the rows of the query, or of the key, when they are
    /// loaded, in order; and which params belong to one of these changes.
    ::llvm::ArrayRef<::mlir::Attribute> getRowChanges(::attn::LoadedRows rows) {
      return ::attn::detail::getRowChanges($_op, rows);
    }
    ::attn::ParamRange getRowChangeParams(::attn::LoadedRows rows, unsigned change) {
      return ::attn::detail::getRowChangeParams($_op, rows, change);
    }
    /// How many params come before those of loaded rows.
    unsigned getNumScoreParams() { return ::attn::detail::getNumScoreParams($_op); }

    /// The probes asked for, in the order of their outputs.
    ::llvm::SmallVector<::attn::Probe> getProbeKinds() {
      return ::attn::detail::getProbeKinds($_op);
    }
    /// What the running state of a tile holds for them.
    ::llvm::SmallVector<::attn::Statistic> getStatisticKinds() {
      return ::attn::detail::getStatisticKinds($_op);
    }

    /// f64 when the query is f64, else f32: the type scores and states have.
    ::mlir::FloatType getComputeType() { return ::attn::detail::getComputeType($_op); }
    /// Whether a score is lambda_i s_ij and masks only: then lambda and log2 e
    /// can be multiplied into the query.
    bool isScoreLinear() { return ::attn::detail::isScoreLinear($_op); }
    /// Whether similarity is cosine.
    bool isCosine() { return bool(getCosine()); }
    /// How rows are normalised for it; null for the dot product.
    ::attn::CosineAttr getCosine() {
      return ::llvm::dyn_cast<::attn::CosineAttr>($_op.getSimilarity());
    }
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_ATTENTIONINTERFACE_TD
