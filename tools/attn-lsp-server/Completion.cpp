//===- Completion.cpp - Which policies a clause takes ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Completion.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/AttributeSupport.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;

/// The keyword before the innermost bracket that is open at the end.
static StringRef findClause(StringRef before) {
  unsigned closed = 0;
  while (!before.empty()) {
    char last = before.back();
    before = before.drop_back();
    if (StringRef(")]>").contains(last)) {
      ++closed;
    } else if (StringRef("([<").contains(last) && closed-- == 0) {
      before = before.rtrim();
      size_t end = before.find_last_not_of("abcdefghijklmnopqrstuvwxyz_");
      return before.substr(end == StringRef::npos ? 0 : end + 1);
    }
  }
  return "";
}

static std::optional<TypeID> getInterface(StringRef clause) {
  if (clause == "scale")
    return ScalePolicyAttrInterface::getInterfaceID();
  if (clause == "softmax")
    return NormalizerAttrInterface::getInterfaceID();
  if (clause == "bias")
    return BiasAttrInterface::getInterfaceID();
  if (clause == "masks")
    return MaskAttrInterface::getInterfaceID();
  if (clause == "load_query" || clause == "load_key")
    return RowChangeAttrInterface::getInterfaceID();
  return std::nullopt;
}

void attn::lsp::keepWhatFits(llvm::json::Array &items, StringRef before) {
  before = before.rtrim("abcdefghijklmnopqrstuvwxyz0123456789_");
  if (!before.consume_back("#attn."))
    return;
  std::optional<TypeID> interface = getInterface(findClause(before));
  if (!interface)
    return;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<AttnDialect>();
  llvm::json::Array kept;
  for (llvm::json::Value &item : items) {
    const llvm::json::Object *object = item.getAsObject();
    auto label = object ? object->getString("label") : std::nullopt;
    auto attribute = AbstractAttribute::lookup(
        ("attn." + label.value_or("")).str(), &context);
    if (!attribute || attribute->get().hasInterface(*interface))
      kept.push_back(std::move(item));
  }
  items = std::move(kept);
}
