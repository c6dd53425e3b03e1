//===- BlockEnums.td - Closed choices of the block's ops -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_BLOCKENUMS_TD
#define ATTN_DIALECT_ATTN_IR_BLOCKENUMS_TD

include "attn/Dialect/Attn/IR/AttnDialect.td"
include "mlir/IR/EnumAttr.td"

/// How the weight of a linear layer is scaled.
def Attn_Parameterisation : I32EnumAttr<"Parameterisation", "parameterisation of a linear layer", [
    I32EnumAttrCase<"Standard", 0, "standard">,
    I32EnumAttrCase<"Ntk", 1, "ntk">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_ParameterisationAttr : EnumAttr<Attn_Dialect, Attn_Parameterisation, "parameterisation"> {
  let assemblyFormat = "`<` $value `>`";
}

/// The order of a weight's dimensions in memory.
def Attn_WeightLayout : I32EnumAttr<"WeightLayout", "order of a weight's dimensions", [
    I32EnumAttrCase<"InOut", 0, "in_out">,
    I32EnumAttrCase<"OutIn", 1, "out_in">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_WeightLayoutAttr : EnumAttr<Attn_Dialect, Attn_WeightLayout, "weight_layout"> {
  let assemblyFormat = "`<` $value `>`";
}

/// Which elements of a row form a pair that turns together.
def Attn_PairLayout : I32EnumAttr<"PairLayout", "pairs of a row's elements", [
    I32EnumAttrCase<"Interleaved", 0, "interleaved">,
    I32EnumAttrCase<"HalfSplit", 1, "half_split">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_PairLayoutAttr : EnumAttr<Attn_Dialect, Attn_PairLayout, "pair_layout"> {
  let assemblyFormat = "`<` $value `>`";
}

/// How a residual block adds its branch.
def Attn_ResidualPolicy : I32EnumAttr<"ResidualPolicy", "how a residual block adds its branch", [
    I32EnumAttrCase<"Post", 0, "post">,
    I32EnumAttrCase<"Pre", 1, "pre">,
    I32EnumAttrCase<"ReZero", 2, "rezero">,
    I32EnumAttrCase<"Fixup", 3, "fixup">,
    I32EnumAttrCase<"Scheduled", 4, "scheduled">,
    I32EnumAttrCase<"InvSqrt2", 5, "inv_sqrt2">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_ResidualPolicyAttr : EnumAttr<Attn_Dialect, Attn_ResidualPolicy, "residual_policy"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // ATTN_DIALECT_ATTN_IR_BLOCKENUMS_TD
