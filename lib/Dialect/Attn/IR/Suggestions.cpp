//===- Suggestions.cpp - What was meant, and how it is written ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suggestions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace attn;

StringRef attn::findNearest(StringRef name, ArrayRef<StringRef> names) {
  unsigned least = name.size() / 3 + 1;
  StringRef nearest;
  for (StringRef candidate : names) {
    unsigned distance =
        name.edit_distance(candidate, /*AllowReplacements=*/true, least + 1);
    // A longer name that begins so was not finished.
    if (name.size() > 2 && candidate.starts_with(name))
      distance = std::min(distance, least);
    if (distance > least || (distance == least && !nearest.empty()))
      continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

StringRef attn::getUsage(StringRef mnemonic) {
  return llvm::StringSwitch<StringRef>(mnemonic)
      .Case("alibi", "#attn.alibi, or #attn.alibi<slopes = operand>")
      .Case("constant", "#attn.constant<0.125>")
      .Case("cosine", "#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>, or mode = "
                      "max_norm")
      .Case("entropy_invariant",
            "#attn.entropy_invariant<kappa = 1.5, n = keys>")
      .Case("gradient_max", "#attn.gradient_max<scores = normal, n = keys>, or "
                            "scores = cosine")
      .Case("gradient_max_fit",
            "#attn.gradient_max_fit<scores = normal, n = keys>, or scores = "
            "cosine")
      .Case("log_length", "#attn.log_length<base = 512.0, n = keys>")
      .Case("rotate", "#attn.rotate<half_split, dims = 64>")
      .Case("row_norm", "#attn.row_norm<rms, eps = 1.0e-6, gamma>")
      .Case("softmax_n", "#attn.softmax_n<1.0>")
      .Case("window", "#attn.window<left = 128, right = 0>, with -1 for a side "
                      "that is open")
      .Default("");
}

namespace {

struct Known {
  StringRef name;
  StringRef kind;
};

/// The kind of an attribute, by what it answers.
template <typename AttrTy> StringRef getKind() {
  mlir::detail::InterfaceMap map = AttrTy::getInterfaceMap();
  if (map.contains(ScalePolicyAttrInterface::getInterfaceID()))
    return "scales";
  if (map.contains(BiasAttrInterface::getInterfaceID()))
    return "biases";
  if (map.contains(MaskAttrInterface::getInterfaceID()))
    return "masks";
  if (map.contains(NormalizerAttrInterface::getInterfaceID()))
    return "kinds of softmax";
  if (map.contains(RowChangeAttrInterface::getInterfaceID()))
    return "changes of rows";
  StringRef name = AttrTy::getMnemonic();
  if (name == "dot" || name == "cosine")
    return "similarities";
  return name.ends_with("schedule") ? "schedules" : "others";
}

template <typename... AttrTys> SmallVector<Known> listKnown() {
  return {Known{AttrTys::getMnemonic(), getKind<AttrTys>()}...};
}

SmallVector<Known> getKnown() {
  return listKnown<
#define GET_ATTRDEF_LIST
#include "attn/Dialect/Attn/IR/AttnAttributes.cpp.inc"
      >();
}

/// "the scales are #attn.constant, #attn.none".
std::string listKind(ArrayRef<Known> known, StringRef kind) {
  std::string text = ("the " + kind + " are ").str();
  llvm::ListSeparator separator;
  for (const Known &attribute : known)
    if (attribute.kind == kind)
      text += (StringRef(separator) + "#attn." + attribute.name).str();
  return text;
}

} // namespace

bool attn::isAttributeName(StringRef mnemonic) {
  return llvm::any_of(
      getKnown(), [&](const Known &known) { return known.name == mnemonic; });
}

std::string attn::describeAttributes(StringRef mnemonic) {
  SmallVector<Known> known = getKnown();
  auto names = llvm::map_to_vector(
      known, [](const Known &attribute) { return attribute.name; });
  StringRef nearest = findNearest(mnemonic, names);
  if (nearest.empty()) {
    std::string text;
    llvm::ListSeparator separator("; ");
    for (StringRef kind : {"scales", "similarities", "kinds of softmax",
                           "biases", "masks", "changes of rows"})
      text += StringRef(separator).str() + listKind(known, kind);
    return text;
  }
  const Known *found = llvm::find_if(
      known, [&](const Known &attribute) { return attribute.name == nearest; });
  std::string text = ("did you mean #attn." + nearest + "?").str();
  if (found->kind != "others")
    text += " " + listKind(known, found->kind);
  return text;
}

std::string attn::describeOps(MLIRContext *context, StringRef name) {
  SmallVector<StringRef> names;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == "attn")
      names.push_back(op.stripDialect());
  llvm::sort(names);
  StringRef nearest = findNearest(name, names);
  if (!nearest.empty())
    return ("did you mean attn." + nearest + "?").str();
  return "the ops are attn." + llvm::join(names, ", attn.");
}
