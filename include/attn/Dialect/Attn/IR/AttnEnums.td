//===- AttnEnums.td - Closed choices without parameters -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ATTNENUMS_TD
#define ATTN_DIALECT_ATTN_IR_ATTNENUMS_TD

include "attn/Dialect/Attn/IR/AttnDialect.td"
include "mlir/IR/EnumAttr.td"

/// Where row 0 of the queries stands among the keys.
def Attn_Alignment : I32EnumAttr<"Alignment", "alignment of rows and keys", [
    I32EnumAttrCase<"TopLeft", 0, "top_left">,
    I32EnumAttrCase<"BottomRight", 1, "bottom_right">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_AlignmentAttr : EnumAttr<Attn_Dialect, Attn_Alignment, "alignment"> {
  let assemblyFormat = "`<` $value `>`";
}

/// Which distribution of scores a gradient-maximising scale assumes.
def Attn_ScoreModel : I32EnumAttr<"ScoreModel", "distribution of the scores", [
    I32EnumAttrCase<"Normal", 0, "normal">,
    I32EnumAttrCase<"Cosine", 1, "cosine">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}

/// What the length n of a scale policy counts.
def Attn_LengthKind : I32EnumAttr<"LengthKind", "source of the length n", [
    I32EnumAttrCase<"Keys", 0, "keys">,
    I32EnumAttrCase<"Position", 1, "position">,
    I32EnumAttrCase<"PositionOperand", 2, "position_operand">,
    I32EnumAttrCase<"Visible", 3, "visible">,
    I32EnumAttrCase<"Constant", 4, "constant">,
    I32EnumAttrCase<"HalfMax", 5, "half_max">,
    I32EnumAttrCase<"Seen", 6, "seen">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}

/// How eps keeps an l2 norm away from zero.
def Attn_EpsMode : I32EnumAttr<"EpsMode", "use of eps in an l2 norm", [
    I32EnumAttrCase<"RsqrtSum", 0, "rsqrt_sum">,
    I32EnumAttrCase<"MaxNorm", 1, "max_norm">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}

/// What an attention may report of each row beside its output.
def Attn_Probe : I32EnumAttr<"Probe", "statistic of a row's weights", [
    I32EnumAttrCase<"Entropy", 0, "entropy">,
    I32EnumAttrCase<"SumP", 1, "sum_p">,
    I32EnumAttrCase<"SumP2", 2, "sum_p2">,
    I32EnumAttrCase<"HalfGradientNorm", 3, "half_gradient_norm">,
    I32EnumAttrCase<"MaxLogit", 4, "max_logit">,
    I32EnumAttrCase<"Kurtosis", 5, "kurtosis">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_ProbeAttr : EnumAttr<Attn_Dialect, Attn_Probe, "probe"> {
  let assemblyFormat = "`<` $value `>`";
}

/// What a norm measures, and over what by custom.
def Attn_NormKind : I32EnumAttr<"NormKind", "kind of a norm", [
    I32EnumAttrCase<"Layer", 0, "layer">,
    I32EnumAttrCase<"Rms", 1, "rms">,
    I32EnumAttrCase<"L2", 2, "l2">,
    I32EnumAttrCase<"Instance", 3, "instance">,
    I32EnumAttrCase<"Batch", 4, "batch">,
    I32EnumAttrCase<"Group", 5, "group">,
  ]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}

/// What kind of machine a module is compiled for.
def Attn_TargetKind : I32EnumAttr<"TargetKind", "kind of machine", [
    I32EnumAttrCase<"CPU", 0, "cpu">,
    I32EnumAttrCase<"NVPTX", 1, "nvptx">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}

/// Of how many parts of bf16, 2 or 3, a number may consist in a product. It is
/// named for the products of parts that are added, those that count.
def Attn_Products : I32EnumAttr<"Products", "products in parts of bf16", [
    I32EnumAttrCase<"BF16x3", 2, "bf16x3">,
    I32EnumAttrCase<"BF16x6", 3, "bf16x6">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
def Attn_ProductsAttr : EnumAttr<Attn_Dialect, Attn_Products, "products"> {
  let assemblyFormat = "`<` $value `>`";
}

/// What multiplies and adds in a step of a processor's register tile.
def Attn_Instruction : I32EnumAttr<"Instruction", "instruction of a CPU's products", [
    I32EnumAttrCase<"FMA", 0, "fma">,
    I32EnumAttrCase<"BF16Pairs", 1, "bf16_pairs">,
    I32EnumAttrCase<"BF16Tiles", 2, "bf16_tiles">,
    I32EnumAttrCase<"F16Tiles", 3, "f16_tiles">]> {
  let cppNamespace = "::attn";
  let genSpecializedAttr = 0;
}
/// As a schedule has it: `fma` where nothing else is said.
class Attn_InstructionParameter : EnumParameter<Attn_Instruction> {
  let defaultValue = "::attn::Instruction::FMA";
}

include "attn/Dialect/Attn/IR/BlockEnums.td"
include "attn/Dialect/Attn/IR/ElementEnums.td"

#endif // ATTN_DIALECT_ATTN_IR_ATTNENUMS_TD
