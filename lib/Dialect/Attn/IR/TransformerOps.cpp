//===- TransformerOps.cpp - Syntax and facts of the composite ops --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/TransformerOps.h"

#include "BlockOpHelpers.h"
#include "OpHelpers.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

/// `%weight : type` or `%weight, %bias : type, type`
static ParseResult parseLayer(OpAsmParser &parser,
                              OpAsmParser::UnresolvedOperand &weight,
                              OptionalOperand &bias, Type &weightType,
                              Type &biasType) {
  if (parser.parseOperand(weight))
    return failure();
  if (succeeded(parser.parseOptionalComma()) &&
      parser.parseOperand(bias.emplace()))
    return failure();
  if (parser.parseColonType(weightType))
    return failure();
  return bias && (parser.parseComma() || parser.parseType(biasType))
             ? failure()
             : success();
}

static void printLayer(OpAsmPrinter &printer, Operation *, Value weight,
                       Value bias, Type weightType, Type biasType) {
  printer << weight;
  if (bias)
    printer << ", " << bias;
  printer << " : " << weightType;
  if (bias)
    printer << ", " << biasType;
}

static ParseResult parseOptionalLayer(OpAsmParser &parser,
                                      OptionalOperand &weight,
                                      OptionalOperand &bias, Type &weightType,
                                      Type &biasType) {
  return parseLayer(parser, weight.emplace(), bias, weightType, biasType);
}

static void printOptionalLayer(OpAsmPrinter &printer, Operation *op,
                               Value weight, Value bias, Type weightType,
                               Type biasType) {
  printLayer(printer, op, weight, bias, weightType, biasType);
}

static ParseResult parseNumber(OpAsmParser &parser, FloatAttr &number) {
  FailureOr<double> value = parseDouble(parser);
  if (failed(value))
    return failure();
  number = parser.getBuilder().getF64FloatAttr(*value);
  return success();
}

static void printNumber(OpAsmPrinter &printer, Operation *, FloatAttr number) {
  printDouble(printer, number.getValueAsDouble());
}

/// The keyword of an activation function, if there is one.
static OptionalParseResult parseOptionalFunction(OpAsmParser &parser,
                                                 FunctionAttr &function) {
  SmallVector<StringRef> names;
  for (uint64_t i = 0; i <= getMaxEnumValForFunction(); ++i)
    names.push_back(stringifyFunction(*symbolizeFunction(uint32_t(i))));
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name, names)))
    return std::nullopt;
  function = FunctionAttr::get(parser.getContext(), *symbolizeFunction(name));
  return success();
}

static void printOptionalFunction(OpAsmPrinter &printer, Operation *,
                                  FunctionAttr function) {
  printer << stringifyFunction(function.getValue());
}

#define GET_OP_CLASSES
#include "attn/Dialect/Attn/IR/TransformerOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

int64_t MultiHeadAttentionOp::getWidth(Value weight) {
  return cast<ShapedType>(weight.getType())
      .getDimSize(getWeightLayout() == WeightLayout::InOut ? 1 : 0);
}

int64_t MultiHeadAttentionOp::getHeadDim() {
  return getWidth(getQueryWeight()) / static_cast<int64_t>(getHeads());
}

int64_t MultiHeadAttentionOp::getValueDim() {
  if (getValueWeight())
    return getWidth(getValueWeight()) / getNumKeyHeads();
  return cast<ShapedType>(getValueCache().getType()).getShape().back();
}

Value MultiHeadAttentionOp::getSource() {
  if (!getKeyWeight())
    return {};
  return getMemory() ? getMemory() : getInput();
}

bool MultiHeadAttentionOp::hasPastPerSequence() {
  auto type =
      getPast() ? dyn_cast<ShapedType>(getPast().getType()) : ShapedType();
  return type && type.getRank() == 1;
}

ArrayAttr MultiHeadAttentionOp::getBiasList() {
  return getBiasesAttr() ? getBiasesAttr() : ArrayAttr::get(getContext(), {});
}

ArrayAttr MultiHeadAttentionOp::getMaskList() {
  return getMasksAttr() ? getMasksAttr() : ArrayAttr::get(getContext(), {});
}

Attribute MultiHeadAttentionOp::getSimilarityOrDot() {
  return getSimilarityAttr() ? getSimilarityAttr()
                             : Attribute(DotAttr::get(getContext()));
}

FailureOr<SmallVector<ParamSpec>> MultiHeadAttentionOp::getParamSpecs() {
  NamedAttrList policies;
  policies.set("scale", getScaleAttr());
  policies.set("biases", getBiasList());
  policies.set("masks", getMaskList());
  policies.set("normalizer", getNormalizerAttr());
  return collectParamSpecs(policies, getParams().size(), /*hasRegion=*/false,
                           [&] { return emitOpError(); });
}

FailureOr<SmallVector<AffineMap>> MultiHeadAttentionOp::getAttentionMaps() {
  MLIRContext *context = getContext();
  auto input = cast<RankedTensorType>(getInput().getType());
  unsigned batch = input.getRank() - 2;
  auto heads = static_cast<int64_t>(getHeads());
  // Params mean what they mean beside operands of the usual layout.
  auto getUsual = [&](int64_t count, int64_t rows, int64_t size) {
    SmallVector<int64_t> shape(input.getShape().take_front(batch));
    shape.append({count, rows, size});
    return RankedTensorType::get(shape, input.getElementType());
  };
  int64_t rows = input.getDimSize(batch), keys = ShapedType::kDynamic;
  if (!getKeyCache())
    keys = cast<ShapedType>(getSource().getType()).getDimSize(batch);
  SmallVector<Type> inputs = {getUsual(heads, rows, getHeadDim()),
                              getUsual(getNumKeyHeads(), keys, getHeadDim()),
                              getUsual(getNumKeyHeads(), keys, getValueDim())};
  FailureOr<SmallVector<ParamSpec>> specs = getParamSpecs();
  if (failed(specs))
    return failure();
  FailureOr<SmallVector<AffineMap>> maps =
      getDefaultIndexingMaps(inputs, getParams().getTypes(), *specs,
                             TypeRange(getUsual(heads, rows, getValueDim())),
                             context, [&] { return emitOpError("mha_c10: "); });
  if (failed(maps))
    return failure();

  AffineExpr h = getAffineDimExpr(batch, context);
  AffineExpr m = getAffineDimExpr(batch + 1, context);
  AffineExpr n = getAffineDimExpr(batch + 2, context);
  AffineExpr d = getAffineDimExpr(batch + 3, context);
  AffineExpr dv = getAffineDimExpr(batch + 4, context);
  AffineExpr group = h;
  if (heads != getNumKeyHeads())
    group = h.floorDiv(heads / getNumKeyHeads());
  auto makeMap = [&](ArrayRef<AffineExpr> last) {
    SmallVector<AffineExpr> results;
    for (unsigned i = 0; i < batch; ++i)
      results.push_back(getAffineDimExpr(i, context));
    llvm::append_range(results, last);
    return AffineMap::get(batch + 5, 0, results, context);
  };
  bool cached = bool(getKeyCache());
  (*maps)[0] = makeMap({m, h, d});
  (*maps)[1] = cached ? makeMap({group, n, d}) : makeMap({n, group, d});
  (*maps)[2] = cached ? makeMap({group, n, dv}) : makeMap({n, group, dv});
  maps->back() = makeMap({m, h, dv});
  return maps;
}
