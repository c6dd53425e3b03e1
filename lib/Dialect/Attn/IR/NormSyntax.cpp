//===- NormSyntax.cpp - Text form of attn.norm ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormSyntax.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Kind
//===----------------------------------------------------------------------===//

ParseResult attn::parseNormKind(OpAsmParser &parser, NormKindAttr &kind,
                                BoolAttr &centered) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<NormKind> value = symbolizeNormKind(keyword);
  if (!value) {
    InFlightDiagnostic diag = parser.emitError(loc, "expected a norm: ");
    for (uint32_t i = 0; i <= getMaxEnumValForNormKind(); ++i)
      if (std::optional<NormKind> known = symbolizeNormKind(i))
        diag << (i == 0 ? "" : ", ") << stringifyNormKind(*known);
    return diag;
  }
  kind = NormKindAttr::get(parser.getContext(), *value);
  if (succeeded(parser.parseOptionalKeyword("centered")))
    centered = parser.getBuilder().getBoolAttr(true);
  else if (succeeded(parser.parseOptionalKeyword("uncentered")))
    centered = parser.getBuilder().getBoolAttr(false);
  return success();
}

void attn::printNormKind(OpAsmPrinter &printer, Operation *op,
                         NormKindAttr kind, BoolAttr centered) {
  printer << stringifyNormKind(kind.getValue());
  if (centered)
    printer << (centered.getValue() ? " centered" : " uncentered");
}

//===----------------------------------------------------------------------===//
// Eps
//===----------------------------------------------------------------------===//

ParseResult attn::parseNormEps(OpAsmParser &parser, FloatAttr &eps,
                               EpsModeAttr &mode) {
  if (parser.parseKeyword("eps") || parser.parseLParen())
    return failure();
  bool isMax = succeeded(
      parser.parseOptionalKeyword(stringifyEpsMode(EpsMode::MaxNorm)));
  mode = EpsModeAttr::get(parser.getContext(),
                          isMax ? EpsMode::MaxNorm : EpsMode::RsqrtSum);
  FailureOr<double> value = parseDouble(parser);
  if (failed(value))
    return failure();
  eps = parser.getBuilder().getF64FloatAttr(*value);
  return parser.parseRParen();
}

void attn::printNormEps(OpAsmPrinter &printer, Operation *op, FloatAttr eps,
                        EpsModeAttr mode) {
  printer << "eps(";
  if (mode.getValue() == EpsMode::MaxNorm)
    printer << stringifyEpsMode(mode.getValue()) << ' ';
  printDouble(printer, eps.getValueAsDouble());
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// `(%variance : T)` or `(%mean, %variance : T, T)`.
static ParseResult parsePair(OpAsmParser &parser, OptionalOperand &mean,
                             OptionalOperand &variance, Type &meanType,
                             Type &varianceType) {
  OpAsmParser::UnresolvedOperand first, second;
  if (parser.parseLParen() || parser.parseOperand(first))
    return failure();
  bool hasMean = succeeded(parser.parseOptionalComma());
  if (hasMean) {
    if (parser.parseOperand(second))
      return failure();
    mean = first;
  }
  variance = hasMean ? second : first;
  if (parser.parseColon())
    return failure();
  if (hasMean && (parser.parseType(meanType) || parser.parseComma()))
    return failure();
  return failure(parser.parseType(varianceType) || parser.parseRParen());
}

static void printPair(OpAsmPrinter &printer, Value mean, Value variance) {
  printer << '(';
  if (mean)
    printer << mean << ", ";
  printer << variance << " : ";
  if (mean)
    printer << mean.getType() << ", ";
  printer << variance.getType() << ')';
}

ParseResult attn::parseNormStatistics(OpAsmParser &parser,
                                      OptionalOperand &mean,
                                      OptionalOperand &variance, Type &meanType,
                                      Type &varianceType) {
  if (failed(parser.parseOptionalKeyword("statistics")))
    return success();
  return parsePair(parser, mean, variance, meanType, varianceType);
}

void attn::printNormStatistics(OpAsmPrinter &printer, Operation *op, Value mean,
                               Value variance, Type, Type) {
  if (!variance)
    return;
  printer << "statistics";
  printPair(printer, mean, variance);
}

ParseResult attn::parseNormRunning(OpAsmParser &parser, OptionalOperand &mean,
                                   OptionalOperand &variance, Type &meanType,
                                   Type &varianceType, FloatAttr &momentum,
                                   UnitAttr &unbiased) {
  if (failed(parser.parseOptionalKeyword("running")))
    return success();
  if (parsePair(parser, mean, variance, meanType, varianceType))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("momentum"))) {
    if (parser.parseLParen())
      return failure();
    FailureOr<double> value = parseDouble(parser);
    if (failed(value) || parser.parseRParen())
      return failure();
    momentum = parser.getBuilder().getF64FloatAttr(*value);
  }
  if (succeeded(parser.parseOptionalKeyword("unbiased")))
    unbiased = parser.getBuilder().getUnitAttr();
  return success();
}

void attn::printNormRunning(OpAsmPrinter &printer, Operation *op, Value mean,
                            Value variance, Type, Type, FloatAttr momentum,
                            UnitAttr unbiased) {
  if (!variance)
    return;
  printer << "running";
  printPair(printer, mean, variance);
  if (momentum) {
    printer << " momentum(";
    printDouble(printer, momentum.getValueAsDouble());
    printer << ')';
  }
  if (unbiased)
    printer << " unbiased";
}
