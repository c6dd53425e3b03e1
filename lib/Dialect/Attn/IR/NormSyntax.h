//===- NormSyntax.h - Text form of attn.norm --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom directives of the op's assembly format.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_NORMSYNTAX_H
#define ATTN_LIB_DIALECT_ATTN_IR_NORMSYNTAX_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

using OptionalOperand = std::optional<mlir::OpAsmParser::UnresolvedOperand>;

/// `layer`, `layer uncentered`
mlir::ParseResult parseNormKind(mlir::OpAsmParser &parser, NormKindAttr &kind,
                                mlir::BoolAttr &centered);
void printNormKind(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   NormKindAttr kind, mlir::BoolAttr centered);

/// `eps(1.0e-5)`, `eps(max_norm 1.0e-5)`
mlir::ParseResult parseNormEps(mlir::OpAsmParser &parser, mlir::FloatAttr &eps,
                               EpsModeAttr &mode);
void printNormEps(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::FloatAttr eps, EpsModeAttr mode);

/// `statistics(%mean, %variance : T, T)`, `statistics(%variance : T)` or
/// nothing
mlir::ParseResult parseNormStatistics(mlir::OpAsmParser &parser,
                                      OptionalOperand &mean,
                                      OptionalOperand &variance,
                                      mlir::Type &meanType,
                                      mlir::Type &varianceType);
void printNormStatistics(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::Value mean, mlir::Value variance,
                         mlir::Type meanType, mlir::Type varianceType);

/// `running(%mean, %variance : T, T) momentum(0.1) unbiased` or nothing
mlir::ParseResult
parseNormRunning(mlir::OpAsmParser &parser, OptionalOperand &mean,
                 OptionalOperand &variance, mlir::Type &meanType,
                 mlir::Type &varianceType, mlir::FloatAttr &momentum,
                 mlir::UnitAttr &unbiased);
void printNormRunning(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::Value mean, mlir::Value variance,
                      mlir::Type meanType, mlir::Type varianceType,
                      mlir::FloatAttr momentum, mlir::UnitAttr unbiased);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_NORMSYNTAX_H
