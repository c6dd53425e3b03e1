//===- AttnAttributes.cpp - Text form and parameter checks of the attributes
//---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include "OpHelpers.h"
#include "Suggestions.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Doubles
//===----------------------------------------------------------------------===//

FailureOr<double> attn::parseDouble(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute number;
  if (parser.parseAttribute(number))
    return failure();
  // 512 is 512.0.
  if (auto integer = dyn_cast<IntegerAttr>(number);
      integer && !integer.getType().isInteger(1))
    return integer.getValue().signedRoundToDouble();
  auto value = dyn_cast<FloatAttr>(number);
  if (!value)
    return parser.emitError(loc, "expected a number, found ") << number;
  if (!std::isfinite(value.getValueAsDouble()))
    return parser.emitError(loc, "expected a finite number");
  return value.getValueAsDouble();
}

/// The shortest of two decimal forms that reads back as the same bits.
static std::string formatDouble(double value) {
  for (const char *format : {"%.6e", "%.17e"}) {
    char text[40];
    snprintf(text, sizeof(text), format, value);
    if (std::strtod(text, nullptr) == value)
      return text;
  }
  llvm_unreachable("17 digits always read back");
}

void attn::printDouble(AsmPrinter &printer, double value) {
  printer << formatDouble(value);
}

//===----------------------------------------------------------------------===//
// Length
//===----------------------------------------------------------------------===//

static bool hasValue(LengthKind kind) {
  return kind == LengthKind::Constant || kind == LengthKind::HalfMax;
}

static ParseResult parseLength(AsmParser &parser, LengthKind &kind,
                               int64_t &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<LengthKind> parsed = symbolizeLengthKind(keyword);
  if (!parsed)
    return parser.emitError(loc)
           << "expected a source of n (keys, position, position_operand, "
              "visible, seen, constant(c), half_max(L)), found '"
           << keyword << "'";
  kind = *parsed;
  value = 0;
  if (!hasValue(kind))
    return success();
  return failure(parser.parseLParen() || parser.parseInteger(value) ||
                 parser.parseRParen());
}

static void printLength(AsmPrinter &printer, LengthKind kind, int64_t value) {
  printer << stringifyLengthKind(kind);
  if (hasValue(kind))
    printer << '(' << value << ')';
}

LogicalResult LengthAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 LengthKind kind, int64_t value) {
  if (hasValue(kind) && value < 1)
    return emitError() << "length must be at least 1, got " << value;
  if (!hasValue(kind) && value != 0)
    return emitError() << "only constant and half_max take a number";
  return success();
}

std::optional<double> LengthAttr::getConstant() const {
  if (getKind() == LengthKind::Constant)
    return static_cast<double>(getValue());
  if (getKind() == LengthKind::HalfMax)
    return std::max(1.0, getValue() / 2.0);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Text forms with optional parts
//===----------------------------------------------------------------------===//

/// `, n = ...`, or nothing: then the keys are counted. It is always printed.
static ParseResult parseDefaultKeys(AsmParser &parser, LengthAttr &n) {
  n = LengthAttr::get(parser.getContext(), LengthKind::Keys, 0);
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("n") || parser.parseEqual() ||
                 parser.parseCustomAttributeWithFallback(n));
}

static void printDefaultKeys(AsmPrinter &printer, LengthAttr n) {
  printer << ", n = ";
  printLength(printer, n.getKind(), n.getValue());
}

Attribute LogLengthAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  // The length that texts take as known: where it equals inv_sqrt_dim.
  FailureOr<double> base = 512.0;
  auto n = LengthAttr::get(parser.getContext(), LengthKind::Keys, 0);
  if (succeeded(parser.parseOptionalLess())) {
    bool hasBase = succeeded(parser.parseOptionalKeyword("base"));
    if (hasBase && (parser.parseEqual() || failed(base = parseDouble(parser))))
      return {};
    if (!hasBase || succeeded(parser.parseOptionalComma()))
      if (parser.parseKeyword("n") || parser.parseEqual() ||
          parser.parseCustomAttributeWithFallback(n))
        return {};
    if (parser.parseGreater())
      return {};
  }
  return parser.getChecked<LogLengthAttr>(loc, parser.getContext(),
                                          Double(*base), n);
}

void LogLengthAttr::print(AsmPrinter &printer) const {
  printer << "<base = ";
  printDouble(printer, getBase());
  printDefaultKeys(printer, getN());
  printer << '>';
}

static ParseResult parseEntropyInvariant(AsmParser &parser, FloatAttr &kappa,
                                         LengthAttr &n) {
  n = LengthAttr::get(parser.getContext(), LengthKind::Keys, 0);
  if (succeeded(parser.parseOptionalKeyword("kappa"))) {
    if (parser.parseEqual())
      return failure();
    FailureOr<double> value = parseDouble(parser);
    if (failed(value))
      return failure();
    kappa = parser.getBuilder().getF64FloatAttr(*value);
    if (failed(parser.parseOptionalComma()))
      return success();
  }
  return failure(parser.parseKeyword("n") || parser.parseEqual() ||
                 parser.parseCustomAttributeWithFallback(n));
}

static void printEntropyInvariant(AsmPrinter &printer, FloatAttr kappa,
                                  LengthAttr n) {
  if (kappa) {
    printer << "kappa = ";
    printDouble(printer, kappa.getValueAsDouble());
    printer << ", ";
  }
  printer << "n = ";
  printLength(printer, n.getKind(), n.getValue());
}

static ParseResult parseAlibiSlopes(AsmParser &parser, bool &operandSlopes) {
  operandSlopes = true;
  return failure(parser.parseKeyword("slopes") || parser.parseEqual() ||
                 parser.parseKeyword("operand"));
}

static void printAlibiSlopes(AsmPrinter &printer, bool operandSlopes) {
  printer << "slopes = operand";
}

//===----------------------------------------------------------------------===//
// Parameter checks
//===----------------------------------------------------------------------===//

LogicalResult
ConstantScaleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          Double value) {
  if (!std::isfinite(value))
    return emitError() << "a constant scale must be finite";
  return success();
}

LogicalResult
EntropyInvariantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             FloatAttr kappa, LengthAttr n) {
  if (kappa && !kappa.getType().isF64())
    return emitError() << "kappa must be an f64 attribute";
  return success();
}

LogicalResult
LogLengthAttr::verify(function_ref<InFlightDiagnostic()> emitError, Double base,
                      LengthAttr n) {
  if (!(base > 1.0))
    return emitError() << "log_length needs a base above 1, got " << base;
  return success();
}

LogicalResult CosineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Double eps, EpsMode mode) {
  if (!(eps >= 0.0))
    return emitError() << "eps must not be negative, got " << eps;
  return success();
}

LogicalResult SoftmaxNAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Double count) {
  if (!(count >= 0.0))
    return emitError() << "softmax_n needs a count >= 0, got " << count;
  return success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/AttnEnums.cpp.inc"
#include "attn/Dialect/Attn/IR/PolicyInterfaces.cpp.inc"
#include "attn/Dialect/Attn/IR/ScheduleInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/Attn/IR/AttnAttributes.cpp.inc"

namespace {

/// Keeps back errors, so that they can be told with more.
class ErrorCapture {
public:
  explicit ErrorCapture(MLIRContext *context)
      : handler(context, [this](Diagnostic &error) {
          errors.push_back(std::move(error));
          return success();
        }) {}

  SmallVector<Diagnostic, 1> take() { return std::move(errors); }

private:
  SmallVector<Diagnostic, 1> errors;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// What a reader asks for, and how the whole attribute is written.
static void emitWithUsage(ArrayRef<Diagnostic> errors, StringRef mnemonic) {
  for (const Diagnostic &error : errors) {
    std::string text = error.str();
    bool isParser = StringRef(text).starts_with("failed to parse ");
    // An enumeration's parser names its class.
    if (StringRef(text).starts_with("expected ::"))
      text = ("expected " + StringRef(text).split(" to be ").second).str();
    // What follows the first one names parts of our code.
    if (isParser && &error != errors.begin())
      continue;
    StringRef usage = getUsage(mnemonic);
    InFlightDiagnostic told = emitError(error.getLocation()) << text;
    if (!usage.empty() && (isParser || StringRef(text).starts_with("expected")))
      told << "; write " << usage;
  }
}

/// The name at `loc`, which the generated parser keeps to itself.
static StringRef readName(SMLoc loc) {
  return StringRef(loc.getPointer()).take_while([](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

Attribute AttnDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult result;
  SmallVector<Diagnostic, 1> errors;
  {
    ErrorCapture capture(parser.getContext());
    result = generatedAttributeParser(parser, &mnemonic, type, attribute);
    errors = capture.take();
  }
  if (!result.has_value()) {
    parser.emitError(loc) << "unknown attribute `" << mnemonic
                          << "` in dialect `attn`: "
                          << describeAttributes(mnemonic);
    return {};
  }
  emitWithUsage(errors, readName(loc));
  return attribute;
}

void AttnDialect::printAttribute(Attribute attribute,
                                 DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

void AttnDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn/Dialect/Attn/IR/AttnAttributes.cpp.inc"
      >();
}
