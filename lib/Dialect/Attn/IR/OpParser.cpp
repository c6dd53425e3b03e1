//===- OpParser.cpp - The attention ops, read from text -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"
#include "Suggestions.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;

namespace {

/// What stands behind the keyword of a clause.
enum class Form {
  Policy,
  Policies,
  Attribute,
  Attributes,
  Align,
  Products,
  Number,
  Values,
  Region
};

/// One part of an op's text, each of which stands at most once, in any order.
struct Clause {
  StringRef keyword;
  Form form;
  /// The attribute that it becomes.
  StringRef name = "";
  /// Of operands: their place among the op's operands.
  unsigned segment = 0;
  /// Where it may not be left out, an example.
  StringRef example = "";
};

enum Segment { kInputs, kParams, kOutputs, kOrigin, kSizes, kNumSegments };

/// Reads one op.
class OpParser {
public:
  OpParser(OpAsmParser &parser, OperationState &state, StringRef opName)
      : parser(parser), state(state), opName(opName),
        loc(parser.getCurrentLocation()) {}

  ParseResult parse();

private:
  template <typename OpTy> bool isOp() const {
    return opName == OpTy::getOperationName();
  }
  SmallVector<Clause> getClauses() const;
  ParseResult parseClauses();
  ParseResult parseClause(const Clause &clause);
  /// An attribute of the kind that the clause takes.
  ParseResult parsePolicy(const Clause &clause, Attribute &attribute);
  ParseResult parseList(const Clause &clause);
  ParseResult parseValues(const Clause &clause);
  ParseResult reportNoClause(ArrayRef<Clause> clauses);
  ParseResult checkInputs();
  ParseResult parseResults();
  ParseResult addDefaultMaps();
  void addOperands();

  OpAsmParser &parser;
  OperationState &state;
  StringRef opName;
  SMLoc loc;
  SmallVector<StringRef> seen;
  SmallVector<Type> types[kNumSegments];
  SmallVector<Value> values[kNumSegments];
  bool hasRegion = false;
};

} // namespace

/// In the order in which they are printed.
SmallVector<Clause> OpParser::getClauses() const {
  bool packs = isOp<PackQueryOp>(), finishes = isOp<FinalizeOp>();
  SmallVector<Clause> clauses = {
      {"scale", Form::Policy, "scale", 0, "scale(#attn.inv_sqrt_dim)"},
      {"similarity", Form::Policy, "similarity"},
      {"softmax", Form::Policy, "normalizer", 0, "softmax(#attn.softmax)"},
      {"align", Form::Align, "align"},
      {"bias", Form::Policies, "biases"},
      {"masks", Form::Policies, "masks"},
      {"softcap", Form::Number, "softcap"}};
  if (!packs)
    clauses.push_back({"probes", Form::Policies, "probes"});
  if (!finishes)
    clauses.push_back({"load_query", Form::Policies, "load_query"});
  if (!finishes && !packs)
    clauses.push_back({"load_key", Form::Policies, "load_key"});
  if (isOp<AttentionOp>())
    clauses.push_back({"products", Form::Products, kProductsAttrName});
  clauses.push_back({"schedule", Form::Attribute, "schedule"});
  clauses.push_back({"indexing_maps", Form::Attributes, "indexing_maps"});
  clauses.push_back({"origin", Form::Values, "", kOrigin});
  clauses.push_back({"sizes", Form::Values, "", kSizes});
  clauses.push_back(
      {"ins", Form::Values, "", kInputs, "ins(%q, %k, %v : TYPES)"});
  clauses.push_back({"params", Form::Values, "", kParams});
  clauses.push_back({"outs", Form::Values, "", kOutputs, "outs(%o : TYPE)"});
  if (isOp<AttentionOp>() || isOp<OnlineAttentionOp>())
    clauses.push_back({"score", Form::Region});
  return clauses;
}

//===----------------------------------------------------------------------===//
// What clauses hold
//===----------------------------------------------------------------------===//

/// What kind of policy a clause takes, in words; empty where `attribute` is
/// one.
static StringRef findMismatch(StringRef keyword, Attribute attribute) {
  if (keyword == "scale")
    return isa<ScalePolicyAttrInterface>(attribute) ? "" : "a scale";
  if (keyword == "softmax")
    return isa<NormalizerAttrInterface>(attribute) ? "" : "a kind of softmax";
  if (keyword == "bias")
    return isa<BiasAttrInterface>(attribute) ? "" : "biases";
  if (keyword == "masks")
    return isa<MaskAttrInterface>(attribute) ? "" : "masks";
  if (keyword == "probes")
    return isa<ProbeAttr>(attribute) ? "" : "probes";
  return "";
}

/// The attribute that a number or a word in its place stands for.
static std::string findAttribute(StringRef keyword, StringRef text) {
  if (keyword == "probes")
    return ("write #attn.probe<" + text + ">").str();
  if (isAttributeName(text))
    return ("write #attn." + text).str();
  return describeAttributes(text);
}

ParseResult OpParser::parsePolicy(const Clause &clause, Attribute &attribute) {
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parser.emitError(at)
           << clause.keyword << " takes an attribute, not the word '" << word
           << "': " << findAttribute(clause.keyword, word);
  if (parser.parseAttribute(attribute))
    return failure();
  StringRef wanted = findMismatch(clause.keyword, attribute);
  if (wanted.empty())
    return success();
  InFlightDiagnostic error = parser.emitError(at);
  error << clause.keyword << " takes " << wanted << ", found " << attribute;
  if (clause.keyword != "scale" || !isa<FloatAttr, IntegerAttr>(attribute))
    return error;
  std::string number;
  llvm::raw_string_ostream(number) << attribute;
  return error << ": write #attn.constant<"
               << StringRef(number).split(' ').first << ">";
}

/// One of the words of an enum.
template <typename AttrTy, typename ValueTy>
static ParseResult parseWord(OpAsmParser &parser, StringRef words,
                             std::optional<ValueTy> (*find)(StringRef),
                             Attribute &attribute) {
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<ValueTy> value = find(word);
  if (!value)
    return parser.emitError(at)
           << "expected " << words << ", found '" << word << "'";
  attribute = AttrTy::get(parser.getContext(), *value);
  return success();
}

/// [attribute, ...]
ParseResult OpParser::parseList(const Clause &clause) {
  SmallVector<Attribute> attributes;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
        Attribute &next = attributes.emplace_back();
        return clause.form == Form::Policies ? parsePolicy(clause, next)
                                             : parser.parseAttribute(next);
      }))
    return failure();
  bool isOptional = clause.name != "biases" && clause.name != "masks";
  if (!isOptional || !attributes.empty())
    state.addAttribute(clause.name,
                       parser.getBuilder().getArrayAttr(attributes));
  return success();
}

/// (%a, %b : type, type); origin and sizes are index and have no types.
ParseResult OpParser::parseValues(const Clause &clause) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> &segment = types[clause.segment];
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(operands))
    return failure();
  bool isTyped = clause.segment != kOrigin && clause.segment != kSizes;
  if (!isTyped)
    segment.assign(operands.size(), parser.getBuilder().getIndexType());
  else if (!operands.empty() && parser.parseColonTypeList(segment))
    return failure();
  return failure(
      parser.parseRParen() ||
      parser.resolveOperands(operands, segment, at, values[clause.segment]));
}

ParseResult OpParser::parseClause(const Clause &clause) {
  if (clause.form == Form::Values)
    return parseValues(clause);
  if (clause.form == Form::Policies || clause.form == Form::Attributes)
    return parseList(clause);
  if (clause.form == Form::Region) {
    hasRegion = true;
    return parser.parseRegion(*state.addRegion());
  }
  Attribute attribute;
  if (parser.parseLParen())
    return failure();
  if (clause.form == Form::Align) {
    if (parseWord<AlignmentAttr>(parser, "top_left or bottom_right",
                                 symbolizeAlignment, attribute))
      return failure();
  } else if (clause.form == Form::Products) {
    if (parseWord<ProductsAttr>(parser, "bf16x3 or bf16x6", symbolizeProducts,
                                attribute))
      return failure();
  } else if (clause.form == Form::Number) {
    FailureOr<double> number = parseDouble(parser);
    if (failed(number))
      return failure();
    attribute = parser.getBuilder().getF64FloatAttr(*number);
  } else if (clause.form == Form::Policy ? parsePolicy(clause, attribute)
                                         : parser.parseAttribute(attribute)) {
    return failure();
  }
  state.addAttribute(clause.name, attribute);
  return parser.parseRParen();
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

ParseResult OpParser::reportNoClause(ArrayRef<Clause> clauses) {
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  OpAsmParser::UnresolvedOperand operand;
  if (parser.parseOptionalOperand(operand).has_value())
    return parser.emitError(at)
           << "takes its operands in clauses: write ins(" << operand.name
           << ", ... : types) behind the attributes";
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  auto names = llvm::map_to_vector(
      clauses, [](const Clause &clause) { return clause.keyword; });
  InFlightDiagnostic error = parser.emitError(at);
  error << "has no clause '" << word << "'";
  StringRef nearest = findNearest(word, names);
  if (!nearest.empty())
    return error << ": did you mean " << nearest << "?";
  return error << "; its clauses are " << llvm::join(names, ", ");
}

ParseResult OpParser::parseClauses() {
  SmallVector<Clause> clauses = getClauses();
  auto names = llvm::map_to_vector(
      clauses, [](const Clause &clause) { return clause.keyword; });
  SMLoc at = parser.getCurrentLocation();
  StringRef keyword;
  // Other words may belong to what follows the op.
  while (succeeded(parser.parseOptionalKeyword(&keyword, names))) {
    if (llvm::is_contained(seen, keyword))
      return parser.emitError(at)
             << "the clause '" << keyword << "' stands twice";
    const Clause *clause = llvm::find_if(
        clauses, [&](const Clause &known) { return known.keyword == keyword; });
    seen.push_back(clause->keyword);
    if (parseClause(*clause))
      return failure();
    at = parser.getCurrentLocation();
  }
  for (const Clause &clause : clauses) {
    if (clause.example.empty() || llvm::is_contained(seen, clause.keyword))
      continue;
    if (reportNoClause(clauses))
      return failure();
    return parser.emitError(at) << "needs the clause '" << clause.keyword
                                << "', for example " << clause.example;
  }
  return success();
}

ParseResult OpParser::checkInputs() {
  bool finishes = isOp<FinalizeOp>();
  StringRef names = finishes              ? "acc, max, sum and statistics"
                    : isOp<PackQueryOp>() ? "query"
                                          : "query, key and value";
  size_t wanted = isOp<PackQueryOp>() ? 1 : 3, found = types[kInputs].size();
  // The statistics of a state follow its three parts.
  if (finishes ? found >= wanted : found == wanted)
    return success();
  return parser.emitError(loc)
         << "ins takes " << names << ", found " << found << " operands";
}

ParseResult OpParser::parseResults() {
  SMLoc at = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalArrow()))
    return parser.parseTypeList(state.types);
  if (llvm::none_of(types[kOutputs], llvm::IsaPred<TensorType>))
    return success();
  return parser.emitError(at) << "an op on tensors has results: add -> "
                              << TypeRange(types[kOutputs]);
}

/// Maps left out in the text are those of the usual layout.
ParseResult OpParser::addDefaultMaps() {
  auto emitError = [&] { return parser.emitError(loc); };
  if (!isOp<AttentionOp>())
    return emitError() << "needs explicit indexing_maps";
  FailureOr<SmallVector<ParamSpec>> specs = collectParamSpecs(
      state.attributes, types[kParams].size(), hasRegion, emitError);
  if (failed(specs))
    return failure();
  if (specs->size() != types[kParams].size())
    return emitError() << "attention_c7: "
                       << describeParams(
                              getPolicies(state.attributes.getDictionary(
                                  parser.getContext())),
                              types[kParams].size());
  FailureOr<SmallVector<AffineMap>> maps =
      getDefaultIndexingMaps(types[kInputs], types[kParams], *specs,
                             types[kOutputs], parser.getContext(), emitError);
  if (failed(maps))
    return failure();
  state.addAttribute("indexing_maps",
                     parser.getBuilder().getAffineMapArrayAttr(*maps));
  return success();
}

void OpParser::addOperands() {
  SmallVector<int32_t> sizes(isOp<PackQueryOp>() ? 1 : 3, 1);
  if (isOp<FinalizeOp>())
    sizes.push_back(values[kInputs].size() - sizes.size());
  for (unsigned segment = kParams; segment < kNumSegments; ++segment)
    sizes.push_back(values[segment].size());
  for (ArrayRef<Value> segment : values)
    state.addOperands(segment);
  state.addAttribute("operandSegmentSizes",
                     parser.getBuilder().getDenseI32ArrayAttr(sizes));
}

ParseResult OpParser::parse() {
  Builder &builder = parser.getBuilder();
  if (isOp<OnlineAttentionOp>() &&
      succeeded(parser.parseOptionalKeyword("packed")))
    state.addAttribute("packed", builder.getUnitAttr());
  if (parseClauses() || parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (!state.attributes.get("similarity"))
    state.addAttribute("similarity", DotAttr::get(parser.getContext()));
  for (StringRef list : {"biases", "masks"})
    if (!state.attributes.get(list))
      state.addAttribute(list, builder.getArrayAttr({}));
  if (checkInputs() || parseResults() ||
      (!state.attributes.get("indexing_maps") && addDefaultMaps()))
    return failure();
  addOperands();
  return success();
}

#define ATTN_DEFINE_PARSER(OpTy)                                               \
  ParseResult OpTy::parse(OpAsmParser &parser, OperationState &state) {        \
    return OpParser(parser, state, OpTy::getOperationName()).parse();          \
  }
ATTN_DEFINE_PARSER(AttentionOp)
ATTN_DEFINE_PARSER(OnlineAttentionOp)
ATTN_DEFINE_PARSER(PackQueryOp)
ATTN_DEFINE_PARSER(FinalizeOp)
#undef ATTN_DEFINE_PARSER
