//===- OpSyntax.cpp - Text form of the attention ops ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include "OpHelpers.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Reads one op. The order of the clauses is fixed, as printed.
class OpParser {
public:
  OpParser(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state), loc(parser.getCurrentLocation()) {}

  ParseResult parse(StringRef opName);

private:
  ParseResult parsePolicies(StringRef opName);
  ParseResult parseLoads(StringRef opName);
  ParseResult parseClause(StringRef keyword, StringRef name, bool optional);
  ParseResult parseList(StringRef keyword, StringRef name);
  ParseResult parseValues(StringRef keyword, bool typed, bool optional,
                          unsigned segment);
  ParseResult parseScoreRegion(StringRef opName);
  ParseResult addDefaultMaps(StringRef opName);

  OpAsmParser &parser;
  OperationState &state;
  SMLoc loc;
  SmallVector<SmallVector<Type>> segmentTypes =
      SmallVector<SmallVector<Type>>(5);
  bool hasRegion = false;
};

} // namespace

/// keyword(attribute)
ParseResult OpParser::parseClause(StringRef keyword, StringRef name,
                                  bool optional) {
  if (optional) {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
  } else if (parser.parseKeyword(keyword)) {
    return failure();
  }
  Attribute attribute;
  if (parser.parseLParen())
    return failure();
  if (name == "align") {
    SMLoc keywordLoc = parser.getCurrentLocation();
    StringRef value;
    if (parser.parseKeyword(&value))
      return failure();
    std::optional<Alignment> align = symbolizeAlignment(value);
    if (!align)
      return parser.emitError(keywordLoc)
             << "expected top_left or bottom_right, found '" << value << "'";
    attribute = AlignmentAttr::get(parser.getContext(), *align);
  } else if (name == "softcap") {
    FailureOr<double> cap = parseDouble(parser);
    if (failed(cap))
      return failure();
    attribute = parser.getBuilder().getF64FloatAttr(*cap);
  } else if (parser.parseAttribute(attribute)) {
    return failure();
  }
  state.addAttribute(name, attribute);
  return parser.parseRParen();
}

/// keyword [attribute, ...]
ParseResult OpParser::parseList(StringRef keyword, StringRef name) {
  SmallVector<Attribute> attributes;
  if (succeeded(parser.parseOptionalKeyword(keyword)))
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
          return parser.parseAttribute(attributes.emplace_back());
        }))
      return failure();
  bool isOptional = name != "biases" && name != "masks";
  if (!isOptional || !attributes.empty())
    state.addAttribute(name, parser.getBuilder().getArrayAttr(attributes));
  return success();
}

/// keyword(%a, %b : type, type); origin and sizes are index and have no types.
ParseResult OpParser::parseValues(StringRef keyword, bool typed, bool optional,
                                  unsigned segment) {
  if (optional) {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
  } else if (parser.parseKeyword(keyword)) {
    return failure();
  }
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> &types = segmentTypes[segment];
  SMLoc valuesLoc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(operands))
    return failure();
  if (typed) {
    if (!operands.empty() && parser.parseColonTypeList(types))
      return failure();
  } else {
    types.assign(operands.size(), parser.getBuilder().getIndexType());
  }
  return failure(
      parser.parseRParen() ||
      parser.resolveOperands(operands, types, valuesLoc, state.operands));
}

/// Changes of the rows that the op loads.
ParseResult OpParser::parseLoads(StringRef opName) {
  if (opName == FinalizeOp::getOperationName())
    return success();
  StringRef query = getRowChangesName(LoadedRows::Query),
            key = getRowChangesName(LoadedRows::Key);
  return failure(
      parseList(query, query) ||
      (opName != PackQueryOp::getOperationName() && parseList(key, key)));
}

ParseResult OpParser::parsePolicies(StringRef opName) {
  bool withProbes = opName != PackQueryOp::getOperationName();
  return failure(
      parseClause("scale", "scale", false) ||
      parseClause("similarity", "similarity", true) ||
      parseClause("softmax", "normalizer", false) ||
      parseClause("align", "align", true) || parseList("bias", "biases") ||
      parseList("masks", "masks") || parseClause("softcap", "softcap", true) ||
      (withProbes && parseList("probes", "probes")) || parseLoads(opName) ||
      parseClause("schedule", "schedule", true) ||
      parseList("indexing_maps", "indexing_maps"));
}

ParseResult OpParser::parseScoreRegion(StringRef opName) {
  if (opName != AttentionOp::getOperationName() &&
      opName != OnlineAttentionOp::getOperationName())
    return success();
  if (failed(parser.parseOptionalKeyword("score")))
    return success();
  hasRegion = true;
  return parser.parseRegion(*state.addRegion());
}

/// Maps left out in the text are those of the usual layout.
ParseResult OpParser::addDefaultMaps(StringRef opName) {
  auto emitError = [&] { return parser.emitError(loc); };
  if (opName != AttentionOp::getOperationName() || segmentTypes[0].size() != 3)
    return emitError() << "this op needs explicit indexing_maps";
  FailureOr<SmallVector<ParamSpec>> specs = collectParamSpecs(
      state.attributes, segmentTypes[1].size(), hasRegion, emitError);
  if (failed(specs))
    return failure();
  FailureOr<SmallVector<AffineMap>> maps =
      getDefaultIndexingMaps(segmentTypes[0], segmentTypes[1], *specs,
                             segmentTypes[2], parser.getContext(), emitError);
  if (failed(maps))
    return failure();
  state.addAttribute("indexing_maps",
                     parser.getBuilder().getAffineMapArrayAttr(*maps));
  return success();
}

ParseResult OpParser::parse(StringRef opName) {
  Builder &builder = parser.getBuilder();
  if (opName == OnlineAttentionOp::getOperationName() &&
      succeeded(parser.parseOptionalKeyword("packed")))
    state.addAttribute("packed", builder.getUnitAttr());
  if (parsePolicies(opName))
    return failure();
  if (!state.attributes.get("similarity"))
    state.addAttribute("similarity", DotAttr::get(parser.getContext()));

  // Operands stand in the order ins, params, outs, origin, sizes; origin and
  // sizes are read first because they belong to the policies in the text.
  SmallVector<Value> tail;
  if (parseValues("origin", false, true, 3) ||
      parseValues("sizes", false, true, 4))
    return failure();
  tail.assign(state.operands.begin(), state.operands.end());
  state.operands.clear();
  if (parseValues("ins", true, false, 0) ||
      parseValues("params", true, true, 1) ||
      parseValues("outs", true, false, 2))
    return failure();
  state.addOperands(tail);
  if (parseScoreRegion(opName) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseTypeList(state.types))
    return failure();
  if (!state.attributes.get("indexing_maps") && addDefaultMaps(opName))
    return failure();

  SmallVector<int32_t> segments;
  // The statistics of a state follow its three parts.
  bool hasStatistics = opName == FinalizeOp::getOperationName();
  unsigned single = opName == PackQueryOp::getOperationName() ? 1 : 3;
  unsigned inputs = segmentTypes[0].size();
  if (hasStatistics ? inputs < single : inputs != single)
    return parser.emitError(loc)
           << "expected " << single << " inputs, found " << inputs;
  segments.assign(single, 1);
  if (hasStatistics)
    segments.push_back(inputs - single);
  for (unsigned i = 1; i < 5; ++i)
    segments.push_back(segmentTypes[i].size());
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
  return success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printList(OpAsmPrinter &printer, StringRef keyword,
                      ArrayAttr attributes) {
  if (attributes.empty())
    return;
  printer << ' ' << keyword << " [";
  llvm::interleaveComma(attributes, printer);
  printer << ']';
}

static void printValues(OpAsmPrinter &printer, StringRef keyword,
                        OperandRange values, bool typed) {
  if (values.empty())
    return;
  printer << ' ' << keyword << '(' << values;
  if (typed)
    printer << " : " << values.getTypes();
  printer << ')';
}

/// Whether the op's maps are what its text would read back without them.
static bool hasDefaultMaps(AttentionOpInterface op) {
  if (!isa<AttentionOp>(op.getOperation()))
    return false;
  ScopedDiagnosticHandler silence(op.getContext(),
                                  [](Diagnostic &) { return success(); });
  auto emitError = [&] { return mlir::emitError(op.getLoc()); };
  FailureOr<SmallVector<ParamSpec>> specs =
      collectParamSpecs(op->getAttrDictionary(), op.getParams().size(),
                        op.getScoreBody() != nullptr, emitError);
  if (failed(specs))
    return false;
  FailureOr<SmallVector<AffineMap>> maps = getDefaultIndexingMaps(
      op.getShapedInputs().getTypes(), op.getParams().getTypes(), *specs,
      op.getShapedOutputs().getTypes(), op.getContext(), emitError);
  return succeeded(maps) && *maps == op.getMaps();
}

static void printOp(AttentionOpInterface op, OpAsmPrinter &printer) {
  if (op->hasAttr("packed"))
    printer << " packed";
  printer << " scale(" << op.getScale() << ')';
  if (!isa<DotAttr>(op.getSimilarity()))
    printer << " similarity(" << op.getSimilarity() << ')';
  printer << " softmax(" << op.getNormalizer() << ')';
  if (std::optional<Alignment> align = op.getAlign())
    printer << " align(" << stringifyAlignment(*align) << ')';
  printList(printer, "bias", op.getBiases());
  printList(printer, "masks", op.getMasks());
  if (FloatAttr cap = op.getSoftcapAttr()) {
    printer << " softcap(";
    printDouble(printer, cap.getValueAsDouble());
    printer << ')';
  }
  if (auto probes = op->getAttrOfType<ArrayAttr>("probes"))
    printList(printer, "probes", probes);
  for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key})
    if (auto changes = op->getAttrOfType<ArrayAttr>(getRowChangesName(rows)))
      printList(printer, getRowChangesName(rows), changes);
  if (Attribute schedule = op->getAttr("schedule"))
    printer << " schedule(" << schedule << ')';
  if (!hasDefaultMaps(op))
    printList(printer, "indexing_maps", op.getIndexingMaps());
  printValues(printer, "origin", op.getOrigin(), false);
  printValues(printer, "sizes", op.getSizes(), false);
  printValues(printer, "ins", op.getShapedInputs(), true);
  printValues(printer, "params", op.getParams(), true);
  printValues(printer, "outs", op.getShapedOutputs(), true);
  if (Region *body = op.getScoreBody()) {
    printer << " score ";
    printer.printRegion(*body);
  }
  printer.printOptionalAttrDict(
      op->getAttrs(),
      {"scale", "similarity", "normalizer", "align", "biases", "masks",
       "softcap", "probes", "load_query", "load_key", "schedule",
       "indexing_maps", "operandSegmentSizes", "packed"});
  if (op->getNumResults() > 0)
    printer << " -> " << op->getResultTypes();
}

#define ATTN_DEFINE_SYNTAX(OpTy)                                               \
  ParseResult OpTy::parse(OpAsmParser &parser, OperationState &state) {        \
    return OpParser(parser, state).parse(OpTy::getOperationName());            \
  }                                                                            \
  void OpTy::print(OpAsmPrinter &printer) {                                    \
    printOp(cast<AttentionOpInterface>(getOperation()), printer);              \
  }
ATTN_DEFINE_SYNTAX(AttentionOp)
ATTN_DEFINE_SYNTAX(OnlineAttentionOp)
ATTN_DEFINE_SYNTAX(PackQueryOp)
ATTN_DEFINE_SYNTAX(FinalizeOp)
#undef ATTN_DEFINE_SYNTAX
