//===- ElementEnums.td - Functions, distributions, statistics -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ELEMENTENUMS_TD
#define ATTN_DIALECT_ATTN_IR_ELEMENTENUMS_TD

include "attn/Dialect/Attn/IR/AttnDialect.td"
include "mlir/IR/EnumAttr.td"

/// The functions that lie between linear layers.
def Attn_Function : I32EnumAttr<"Function", "activation function", [
    I32EnumAttrCase<"Relu", 0, "relu">,
    I32EnumAttrCase<"Elu", 1, "elu">,
    I32EnumAttrCase<"Selu", 2, "selu">,
    I32EnumAttrCase<"Gelu", 3, "gelu">,
    I32EnumAttrCase<"GeluTanh", 4, "gelu_tanh">,
    I32EnumAttrCase<"Silu", 5, "silu">,
    I32EnumAttrCase<"Sigmoid", 6, "sigmoid">,
    I32EnumAttrCase<"Tanh", 7, "tanh">,
    I32EnumAttrCase<"Softplus", 8, "softplus">,
    I32EnumAttrCase<"QuickGelu", 9, "quick_gelu">,
    I32EnumAttrCase<"HardSwish", 10, "hard_swish">,
    I32EnumAttrCase<"Mish", 11, "mish">,
    I32EnumAttrCase<"ReluSquared", 12, "relu_squared">,
    I32EnumAttrCase<"LeakyRelu", 13, "leaky_relu">,
    I32EnumAttrCase<"Relu6", 14, "relu6">,
    I32EnumAttrCase<"HardSigmoid", 15, "hard_sigmoid">,
    I32EnumAttrCase<"Softsign", 16, "softsign">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_FunctionAttr : EnumAttr<Attn_Dialect, Attn_Function, "function"> {
  let assemblyFormat = "`<` $value `>`";
}

def Attn_Distribution : I32EnumAttr<"Distribution", "distribution of random numbers", [
    I32EnumAttrCase<"Normal", 0, "normal">,
    I32EnumAttrCase<"Uniform", 1, "uniform">,
    I32EnumAttrCase<"TruncatedNormal", 2, "truncated_normal">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_DistributionAttr : EnumAttr<Attn_Dialect, Attn_Distribution, "distribution"> {
  let assemblyFormat = "`<` $value `>`";
}

/// Where the variance of a weight comes from.
def Attn_VarianceRule : I32EnumAttr<"VarianceRule", "variance of an initial weight", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    I32EnumAttrCase<"LeCun", 1, "lecun">,
    I32EnumAttrCase<"He", 2, "he">,
    I32EnumAttrCase<"Xavier", 3, "xavier">,
    I32EnumAttrCase<"T5", 4, "t5">,
    I32EnumAttrCase<"Zero", 5, "zero">,
    I32EnumAttrCase<"Solved", 6, "solved">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_VarianceRuleAttr : EnumAttr<Attn_Dialect, Attn_VarianceRule, "variance_rule"> {
  let assemblyFormat = "`<` $value `>`";
}

def Attn_Measure : I32EnumAttr<"Measure", "number that describes many", [
    I32EnumAttrCase<"Kurtosis", 0, "kurtosis">,
    I32EnumAttrCase<"InfinityNorm", 1, "infinity_norm">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_MeasureAttr : EnumAttr<Attn_Dialect, Attn_Measure, "measure"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // ATTN_DIALECT_ATTN_IR_ELEMENTENUMS_TD
