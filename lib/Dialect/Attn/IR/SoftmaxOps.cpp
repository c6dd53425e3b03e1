//===- SoftmaxOps.cpp - Softmax outside of attention --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"
#include "OpHelpers.h"

using namespace mlir;
using namespace attn;

ATTN_DEFINE_DESTINATION_METHODS(SoftmaxOp)

ParseResult attn::parseRowAlignment(OpAsmParser &parser, AlignmentAttr &align) {
  if (failed(parser.parseOptionalKeyword("align")))
    return success();
  StringRef keyword;
  SMLoc where;
  if (parser.parseLParen() || parser.getCurrentLocation(&where) ||
      parser.parseKeyword(&keyword) || parser.parseRParen())
    return failure();
  std::optional<Alignment> value = symbolizeAlignment(keyword);
  if (!value)
    return parser.emitError(where, "align is top_left or bottom_right");
  align = AlignmentAttr::get(parser.getContext(), *value);
  return success();
}

void attn::printRowAlignment(OpAsmPrinter &printer, Operation *,
                             AlignmentAttr align) {
  if (align)
    printer << "align(" << stringifyAlignment(align.getValue()) << ")";
}

int64_t SoftmaxOp::getKeyDim() {
  return getDim() ? static_cast<int64_t>(*getDim())
                  : cast<ShapedType>(getInput().getType()).getRank() - 1;
}

FloatType SoftmaxOp::getComputeType() {
  return getSumType(getInput().getType());
}

/// The input's dimensions but `dim`, in order: batch..., head, row.
static SmallVector<unsigned> getOtherDims(SoftmaxOp op) {
  SmallVector<unsigned> dims;
  int64_t rank = cast<ShapedType>(op.getInput().getType()).getRank();
  for (int64_t i = 0; i < rank; ++i)
    if (i != op.getKeyDim())
      dims.push_back(i);
  return dims;
}

std::optional<unsigned> SoftmaxOp::getRowDim() {
  SmallVector<unsigned> dims = getOtherDims(*this);
  return dims.empty() ? std::nullopt : std::optional<unsigned>(dims.back());
}

std::optional<SmallVector<unsigned>>
SoftmaxOp::getParamDims(const ParamSpec &spec, unsigned rank) {
  SmallVector<unsigned> others = getOtherDims(*this), dims;
  ArrayRef<unsigned> batch = ArrayRef(others).drop_back(!others.empty());
  auto add = [&](DimRole role) {
    if (role == DimRole::Row && !others.empty())
      dims.push_back(others.back());
    if (role == DimRole::Head && !batch.empty())
      dims.push_back(batch.back());
    if (role == DimRole::Batch)
      llvm::append_range(dims, batch.drop_back(!batch.empty()));
    if (role == DimRole::Key)
      dims.push_back(getKeyDim());
  };
  if (rank == 1 && spec.rankOne)
    add(*spec.rankOne);
  else
    llvm::for_each(spec.dims, add);
  if (rank > dims.size())
    return std::nullopt;
  return SmallVector<unsigned>(ArrayRef(dims).take_back(rank));
}

SmallVector<ParamSpec> SoftmaxOp::getParamSpecs() {
  SmallVector<ParamSpec> specs =
      cast<PolicyAttrInterface>(getScale()).getParamSpecs();
  llvm::append_range(
      specs, cast<PolicyAttrInterface>(getNormalizer()).getParamSpecs());
  return specs;
}

SmallVector<AffineMap> SoftmaxOp::getShapedMaps() {
  unsigned rank = cast<ShapedType>(getInput().getType()).getRank();
  auto identity = AffineMap::getMultiDimIdentityMap(rank, getContext());
  SmallVector<AffineMap> maps = {identity};
  for (auto [spec, param] : llvm::zip_equal(getParamSpecs(), getParams())) {
    auto type = dyn_cast<ShapedType>(param.getType());
    auto dims = type ? getParamDims(spec, type.getRank()) : std::nullopt;
    maps.push_back(
        dims ? AffineMap::getMultiDimMapWithTargets(rank, *dims, getContext())
             : AffineMap());
  }
  maps.push_back(identity);
  return maps;
}

//===----------------------------------------------------------------------===//
// Constraints, labelled as in docs/Spec.md
//===----------------------------------------------------------------------===//

static bool hasElement(Type type, ParamElement element) {
  type = getElementTypeOrSelf(type);
  switch (element) {
  case ParamElement::Float:
    return isa<FloatType>(type);
  case ParamElement::Integer:
    return type.isIntOrIndex() && !type.isInteger(1);
  case ParamElement::Boolean:
    return type.isInteger(1) || type.isInteger(8);
  }
  llvm_unreachable("all elements are handled");
}

/// softmax_c4: each param has its policy's element kind and dimensions.
static LogicalResult verifyParams(SoftmaxOp op) {
  SmallVector<ParamSpec> specs = op.getParamSpecs();
  if (specs.size() != op.getParams().size())
    return op.emitOpError("softmax_c4: ") << describeParams(
               getPolicies(op->getAttrDictionary()), op.getParams().size());
  for (auto [spec, param] : llvm::zip_equal(specs, op.getParams())) {
    auto type = dyn_cast<ShapedType>(param.getType());
    if (!hasElement(param.getType(), spec.element) ||
        (type && !op.getParamDims(spec, type.getRank())))
      return op.emitOpError("softmax_c4: param '")
             << spec.name << "' has another element kind or more dimensions "
             << "than its policy and the input allow";
  }
  return success();
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyOperandKinds(*this, "softmax_c1")))
    return failure();
  auto type = cast<ShapedType>(getInput().getType());
  int64_t rank = type.getRank();
  if (rank < 1 || cast<ShapedType>(getOutput().getType()).getRank() != rank ||
      getKeyDim() < 0 || getKeyDim() >= rank)
    return emitOpError("softmax_c2: input and output have one rank of at least "
                       "1, and dim is one of their dimensions");
  if (!isBlockFloat(type.getElementType()) ||
      getElementTypeOrSelf(getOutput().getType()) != type.getElementType())
    return emitOpError("softmax_c3: input and output share a float type");
  if (failed(verifyParams(*this)))
    return failure();
  auto scale = cast<ScalePolicyAttrInterface>(getScale());
  LengthAttr length = scale.getLength();
  bool usesRows = length && length.getKind() == LengthKind::Position;
  if (usesRows && (!getAlign() || !getRowDim()))
    return emitOpError("softmax_c5: n = position needs a dimension of rows and "
                       "'align'");
  if (getHeadDim() && static_cast<int64_t>(*getHeadDim()) < 1)
    return emitOpError("softmax_c6: head_dim must be positive");
  bool usesDim =
      !isa<NoScaleAttr, ConstantScaleAttr, OperandScaleAttr, LearnedScaleAttr>(
          scale);
  if (usesDim && !getHeadDim())
    return emitOpError("softmax_c6: this scale uses d: give head_dim");
  auto error = [&] { return emitOpError("softmax_c7: "); };
  int64_t headDim = getHeadDim() ? *getHeadDim() : ShapedType::kDynamic;
  if (failed(scale.verifyPolicy(error, headDim, /*cosine=*/true)))
    return failure();
  return success(succeeded(verifyExtents(*this, "softmax_c8")) &&
                 succeeded(verifySchedule(*this)));
}
