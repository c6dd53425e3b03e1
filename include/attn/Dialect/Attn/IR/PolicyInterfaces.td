//===- PolicyInterfaces.td - What a policy attribute must answer -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_POLICYINTERFACES_TD
#define ATTN_DIALECT_ATTN_IR_POLICYINTERFACES_TD

include "mlir/IR/OpBase.td"

def Attn_PolicyAttrInterface : AttrInterface<"PolicyAttrInterface"> {
  let description = [{
    Every scale policy, bias, mask, normaliser and change of loaded rows: which operands of the op's
    `params` group it consumes, and whether it needs aligned positions.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"The params this policy consumes, in order.",
      "::llvm::SmallVector<::attn::ParamSpec>", "getParamSpecs", (ins), "",
      "return {};">,
    InterfaceMethod<"Whether the policy uses aligned positions, so that the op must state `align`.",
      "bool", "usesPositions", (ins), "", "return false;">,
    InterfaceMethod<[{Checks the policy against the op that carries it, beyond its params:
      static head dimension (or kDynamic) and whether similarity is cosine.}],
      "::llvm::LogicalResult", "verifyPolicy",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "int64_t":$headDim, "bool":$cosine), "",
      "return ::mlir::success();">
  ];
}

def Attn_ScalePolicyAttrInterface
    : AttrInterface<"ScalePolicyAttrInterface", [Attn_PolicyAttrInterface]> {
  let description = "A rule for lambda_i, the factor on the scores of row i.";
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"The LengthAttr that says what n counts, or null.",
      "::mlir::Attribute", "getLengthAttribute", (ins), "", "return {};">,
    InterfaceMethod<[{lambda as a number for head dimension `headDim` and
      length `length` (at least 1; ignored when getLength() is null), or
      nothing when it depends on params.}],
      "::std::optional<double>", "evaluate",
      (ins "double":$headDim, "double":$length)>,
    InterfaceMethod<"lambda where it is one number, whatever sizes and params are.",
      "::std::optional<double>", "getFixed", (ins), "", "return ::std::nullopt;">,
    InterfaceMethod<[{Whether lambda is at least 0 whatever sizes and params
      are. No formula without params changes its sign with sizes.}],
      "bool", "isNonNegative", (ins), "", [{
        std::optional<double> lambda = $_attr.evaluate(2.0, 2.0);
        return lambda && *lambda >= 0.0;
      }]>,
    InterfaceMethod<"lambda at a first param of 1, which it is multiplied by.",
      "double", "evaluateUnit", (ins "double":$headDim, "double":$length), "",
      "return $_attr.evaluate(headDim, length).value_or(1.0);">,
    InterfaceMethod<"Whether its float params are trained numbers, not computed ones.",
      "bool", "isTrained", (ins), "", "return false;">,
    InterfaceMethod<"Whether the formula holds for the cosines of rows, not for any scores.",
      "bool", "isForCosines", (ins), "", "return false;">,
    InterfaceMethod<[{Emits lambda for one row or a vector of rows, in the
      builder's float type. `inputs.headDim` and `inputs.length` are floats of
      that type; `inputs.params` holds the policy's own params (without a
      position operand) loaded for these rows.}],
      "::mlir::Value", "emitScale",
      (ins "::attn::LaneBuilder &":$lanes, "const ::attn::ScaleInputs &":$inputs)>
  ];
  let extraClassDeclaration = [{
    /// What n counts, or null when lambda does not depend on n.
    ::attn::LengthAttr getLength() const;
  }];
}

def Attn_BiasAttrInterface
    : AttrInterface<"BiasAttrInterface", [Attn_PolicyAttrInterface]> {
  let description = "A term added to the scaled (and softcapped) score.";
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<[{Emits what of the term holds for the whole row, times `where.unit`, or null.
      It is passed back as `where.prepared`, where the caller can do so; params that
      vary with keys are not loaded.}],
      "::mlir::Value", "prepareBias",
      (ins "::attn::LaneBuilder &":$lanes, "const ::attn::ElementInputs &":$where), "",
      "return {};">,
    InterfaceMethod<[{By how much the term falls with each key of distance, at each of so many heads
      with the slopes of custom; empty for a term that does not fall so.}],
      "::llvm::SmallVector<double>", "getSlopes", (ins "int64_t":$heads), "", "return {};">,
    InterfaceMethod<"Emits the term b_ij times `where.unit` for elements at `where`.",
      "::mlir::Value", "emitBias",
      (ins "::attn::LaneBuilder &":$lanes, "const ::attn::ElementInputs &":$where)>
  ];
}

def Attn_MaskAttrInterface
    : AttrInterface<"MaskAttrInterface", [Attn_PolicyAttrInterface]> {
  let description = [{
    A rule for which keys a row may see. A *range* mask lets row i see one
    contiguous range of keys whose two ends never decrease with i; tiles outside
    are then skipped and tiles inside need no predicate. Every mask has an
    element predicate.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"Whether this is a range mask.",
      "bool", "isRange", (ins), "", "return false;">,
    InterfaceMethod<[{The keys that a row may see, as distances from its position: the row at
      `position`, or any row without it. A side is open where params decide.}],
      "::attn::KeyBand", "getBand", (ins "::std::optional<int64_t>":$position), "",
      "return {};">,
    InterfaceMethod<"Range masks only: whether keys before the range may be hidden.",
      "bool", "hidesEarlyKeys", (ins), "",
      "return $_attr.getBand(::std::nullopt).left.has_value();">,
    InterfaceMethod<[{Whether its param is how many keys the batch has: n = keys and bottom_right
      count so many.}],
      "bool", "limitsKeys", (ins), "", "return false;">,
    InterfaceMethod<[{Whether its params are ids of segments, of the rows and of the keys: n = position
      starts again in each segment.}],
      "bool", "hasSegments", (ins), "", "return false;">,
    InterfaceMethod<"Whether it adds a term to visible scores.",
      "bool", "isAdditive", (ins), "", "return false;">,
    InterfaceMethod<[{Range masks only: narrows the half-open range [lower, upper) of keys to what the
      row at `position` may see. Values are ints of the builder (a scalar index
      or a vector of rows).}],
      "void", "narrowRange",
      (ins "::attn::LaneBuilder &":$lanes, "const ::attn::ElementInputs &":$row,
           "::mlir::Value &":$lower, "::mlir::Value &":$upper), "", "return;">,
    InterfaceMethod<"Emits whether the key at `where.column` is visible.",
      "::mlir::Value", "emitVisible",
      (ins "::attn::LaneBuilder &":$lanes, "const ::attn::ElementInputs &":$where)>,
    InterfaceMethod<[{Emits a term to add to visible scores, or null (additive masks only).}],
      "::mlir::Value", "emitTerm",
      (ins "::attn::LaneBuilder &":$lanes, "const ::attn::ElementInputs &":$where), "",
      "return {};">
  ];
}

def Attn_RowChangeAttrInterface
    : AttrInterface<"RowChangeAttrInterface", [Attn_PolicyAttrInterface]> {
  let description = [{
    What is done to a row of the query or of the key when it is loaded. Its
    params are described for the query: those of a key have keys for rows.
  }];
  let cppNamespace = "::attn";
  let extraClassDeclaration = [{
    /// The norm, or null where it is the rotation; and the other way round.
    ::attn::RowNormAttr getNorm() const;
    ::attn::RotateAttr getRotation() const;
  }];
}

def Attn_NormalizerAttrInterface
    : AttrInterface<"NormalizerAttrInterface", [Attn_PolicyAttrInterface]> {
  let description = [{
    The denominator's extra term e0 (0 for softmax). It enters once, when a row
    is finished.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"e0 as a number; nothing where its param is log e0.",
      "::std::optional<double>", "evaluate", (ins), "", "return ::std::nullopt;">,
    InterfaceMethod<[{Emits log e0 (natural), or null when e0 is 0. `params` are
      loaded for these rows.}],
      "::mlir::Value", "emitLogExtra",
      (ins "::attn::LaneBuilder &":$lanes, "::mlir::ValueRange":$params)>
  ];
}

#endif // ATTN_DIALECT_ATTN_IR_POLICYINTERFACES_TD
