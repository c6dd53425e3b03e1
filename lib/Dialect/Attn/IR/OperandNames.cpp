//===- OperandNames.cpp - What operands and dimensions are called ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;

/// The names of the inputs and of the first outputs.
static std::pair<SmallVector<StringRef>, SmallVector<StringRef>>
getNames(AttentionOpInterface op) {
  if (isa<PackQueryOp>(op.getOperation()))
    return {{"query"}, {"packed query", "scales"}};
  if (isa<FinalizeOp>(op.getOperation()))
    return {{"acc", "max", "sum"}, {"o"}};
  if (isa<OnlineAttentionOp>(op.getOperation()))
    return {{"query", "key", "value"}, {"acc", "max", "sum"}};
  return {{"query", "key", "value"}, {"o"}};
}

std::string attn::getOperandName(AttentionOpInterface op, unsigned index,
                                 ArrayRef<ParamSpec> specs) {
  auto [inputs, outputs] = getNames(op);
  unsigned numInputs = op.getShapedInputs().size();
  if (index < numInputs)
    return index < inputs.size() ? inputs[index].str() : "statistic";
  index -= numInputs;
  if (index < op.getParams().size())
    return index < specs.size() ? ("param '" + specs[index].name + "'").str()
                                : "param " + std::to_string(index);
  index -= op.getParams().size();
  return index < outputs.size() ? outputs[index].str()
                                : "output " + std::to_string(index);
}

std::string attn::getDimName(AttentionOpInterface op, unsigned dim) {
  if (dim == op.getRowDim())
    return "number of rows";
  if (dim == op.getKeyDim())
    return "number of keys";
  if (dim == op.getHeadDimDim())
    return "head dimension";
  if (dim == op.getValueDim())
    return "value dimension";
  return dim + 1 == op.getNumBatchDims()
             ? "number of heads"
             : "batch dimension " + std::to_string(dim);
}

static StringRef getRoleName(DimRole role) {
  switch (role) {
  case DimRole::Batch:
    return "batch";
  case DimRole::Head:
    return "head";
  case DimRole::Row:
    return "row";
  case DimRole::Key:
    return "key";
  case DimRole::HeadDim:
    return "element of a row";
  }
  llvm_unreachable("all roles are handled");
}

/// "one integer per batch", the most that a param may vary.
static std::string describeSpec(const ParamSpec &spec) {
  StringRef element = spec.element == ParamElement::Float     ? "float"
                      : spec.element == ParamElement::Integer ? "integer"
                                                              : "boolean";
  return ("one " + element + " per ").str() +
         llvm::join(llvm::map_range(spec.dims, getRoleName), ", ");
}

std::string attn::describeParams(ArrayRef<Attribute> policies,
                                 unsigned numFound) {
  unsigned wanted = 0;
  std::string list;
  for (Attribute attribute : policies) {
    auto policy = dyn_cast_or_null<PolicyAttrInterface>(attribute);
    if (!policy)
      continue;
    for (const ParamSpec &spec : policy.getParamSpecs()) {
      ++wanted;
      llvm::raw_string_ostream(list) << (wanted == 1 ? ": " : "; ") << attribute
                                     << " needs " << describeSpec(spec);
    }
  }
  return "params has " + std::to_string(numFound) + ", the policies take " +
         std::to_string(wanted) + list;
}

SmallVector<Attribute> attn::getPolicies(DictionaryAttr attributes) {
  SmallVector<Attribute> policies = {attributes.get("scale")};
  auto append = [&](StringRef name) {
    if (auto list = dyn_cast_or_null<ArrayAttr>(attributes.get(name)))
      llvm::append_range(policies, list);
  };
  append("biases");
  append("masks");
  policies.push_back(attributes.get("normalizer"));
  append("load_query");
  append("load_key");
  return policies;
}
