//===- ScalePolicies.td - lambda_i as attributes -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SCALEPOLICIES_TD
#define ATTN_DIALECT_ATTN_IR_SCALEPOLICIES_TD

include "attn/Dialect/Attn/IR/AttnAttrBase.td"

class Attn_ScalePolicy<string name, string attrMnemonic, list<string> policyOverrides = [],
                       list<string> scaleOverrides = []>
    : Attn_Attr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<Attn_PolicyAttrInterface, policyOverrides>,
        DeclareAttrInterfaceMethods<Attn_ScalePolicyAttrInterface, scaleOverrides>]>;

/// A policy whose lambda depends on n.
class Attn_LengthPolicy<string name, string attrMnemonic, list<string> scaleOverrides = []>
    : Attn_Attr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<Attn_PolicyAttrInterface,
          ["getParamSpecs", "usesPositions", "verifyPolicy"]>,
        DeclareAttrInterfaceMethods<Attn_ScalePolicyAttrInterface,
          !listconcat(["getLengthAttribute"], scaleOverrides)>]>;

def Attn_InvSqrtDimAttr : Attn_ScalePolicy<"InvSqrtDim", "inv_sqrt_dim"> {
  let summary = "lambda = 1 / sqrt(d): scores of unit-variance q and k get variance 1";
}

def Attn_NoScaleAttr : Attn_ScalePolicy<"NoScale", "none", [], ["getFixed"]> {
  let summary = "lambda = 1 (T5: the factor is in the initial weights)";
}

def Attn_InvDimAttr : Attn_ScalePolicy<"InvDim", "inv_dim"> {
  let summary = "lambda = 1 / d: score variance 1 / d, weights tend to uniform";
}

def Attn_ConstantScaleAttr : Attn_ScalePolicy<"ConstantScale", "constant", [], ["getFixed"]> {
  let summary = "lambda = a given number (0 and negative numbers are legal)";
  let parameters = (ins Attn_Double<"lambda">:$value);
  let assemblyFormat = "`<` $value `>`";
  let genVerifyDecl = 1;
}

def Attn_OperandScaleAttr : Attn_ScalePolicy<"OperandScale", "operand", ["getParamSpecs"],
                                             ["isNonNegative"]> {
  let summary = "lambda is a param: a scalar, one per head, or one per row";
  let description = [{
    Default maps by rank: 0 is one number, 1 is per head, 2 per (head, row), 3
    per (batch, head, row). Explicit indexing maps allow any subset.

    `nonNegative` promises that no number of it is below 0. Tiling, which knows
    the formula, sets it.
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$nonNegative);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

def Attn_LearnedScaleAttr : Attn_ScalePolicy<"LearnedScale", "learned", ["getParamSpecs"],
                                             ["isTrained"]> {
  let summary = "lambda is a trained param, one per head";
}

def Attn_EntropyInvariantAttr : Attn_LengthPolicy<"EntropyInvariant", "entropy_invariant",
                                                  ["evaluateUnit", "isTrained"]> {
  let summary = "lambda = kappa log(n) / d; without kappa it is a param, one per head";
  let parameters = (ins
    OptionalParameter<"::mlir::FloatAttr", "kappa as an f64 attribute; absent: a param">:$kappa,
    DefaultValuedParameter<"::attn::LengthAttr",
      "::attn::LengthAttr::get($_ctxt, ::attn::LengthKind::Keys, 0)">:$n);
  let assemblyFormat = "(`<` custom<EntropyInvariant>($kappa, $n)^ `>`)?";
  let genVerifyDecl = 1;
}

def Attn_LogLengthAttr : Attn_LengthPolicy<"LogLength", "log_length"> {
  let summary = "lambda = log_base(n) / sqrt(d): equals inv_sqrt_dim at n = base";
  let parameters = (ins
    Attn_Double<"base of the logarithm, above 1">:$base,
    "::attn::LengthAttr":$n);
  let description = "Without a base it is 512, without n the keys are counted.";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Attn_GradientMaxFitAttr : Attn_LengthPolicy<"GradientMaxFit", "gradient_max_fit",
                                                ["isForCosines"]> {
  let summary = "normal: 0.84 sqrt(log n) / sqrt(d); cosine: c_d log n, c_d by least squares";
  let description = [{
    Closed fits of the gradient-maximising scale. For `cosine`, c_d is the
    least-squares slope of alpha*(n) against log n over n = 40k, k = 1..500
    (d = 64: 2.707, 128: 3.488), solved at compile time, so d must be static.
    Without n the keys are counted.
  }];
  let parameters = (ins EnumParameter<Attn_ScoreModel>:$scores, "::attn::LengthAttr":$n);
  let assemblyFormat = "`<` `scores` `=` $scores `` custom<DefaultKeys>($n) `>`";
}

def Attn_GradientMaxBlindAttr : Attn_ScalePolicy<"GradientMaxBlind", "gradient_max_blind"> {
  let summary = "lambda = 2.5 / sqrt(d), whatever n";
}

def Attn_GradientMaxAttr : Attn_LengthPolicy<"GradientMax", "gradient_max", ["isForCosines"]> {
  let summary = "the scale that maximises the mean gradient through the softmax";
  let description = [{
    normal: lambda = alpha* / sqrt(d) with alpha* = sqrt(W0(n sqrt(e) / 2) - 1/2),
    the maximiser of alpha (1 - exp(alpha^2) / n); W0 is the Lambert function.
    cosine: lambda = alpha*, the maximiser of alpha (1 - g(2 alpha) / (n g(alpha)^2)),
    g(a) = E[exp(a s)] for s with density ~ (1 - s^2)^((d - 3) / 2) on [-1, 1].
    Needs cosine similarity and a static d >= 2. Without n the keys are counted.
  }];
  let parameters = (ins EnumParameter<Attn_ScoreModel>:$scores, "::attn::LengthAttr":$n);
  let assemblyFormat = "`<` `scores` `=` $scores `` custom<DefaultKeys>($n) `>`";
}

#endif // ATTN_DIALECT_ATTN_IR_SCALEPOLICIES_TD
