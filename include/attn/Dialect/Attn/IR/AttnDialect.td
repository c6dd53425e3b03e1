//===- AttnDialect.td - The attn dialect -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ATTNDIALECT_TD
#define ATTN_DIALECT_ATTN_IR_ATTNDIALECT_TD

include "mlir/IR/OpBase.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::attn";
  let summary = "What an attention block means, with its choices as attributes";
  let description = [{
    The dialect states attention with every choice that models differ in (how
    scores are scaled, normalised, masked and biased) as a verified attribute,
    and gives the same computation a tiled form with a running softmax state.

    Two levels live here. `attn.attention` is the meaning of a whole attention.
    `attn.pack_query`, `attn.online_attention` and `attn.finalize` are the same
    computation on one tile of it; they are what tiling produces and what the
    CPU and GPU lowerings consume.
  }];
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let extraClassDeclaration = [{
    /// Registers the attributes; defined beside their generated code.
    void registerAttributes();
    /// These name what was meant by an unknown attribute or op.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef opName) const override;
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_ATTNDIALECT_TD
