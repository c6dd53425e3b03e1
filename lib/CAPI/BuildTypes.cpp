//===- BuildTypes.cpp - Types and attributes from text and bytes ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Build.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace attn;
using namespace attn::capi;
using llvm::createStringError;

/// The parser calls itself for each bracket that is open, and the stack is the
/// caller's.
static llvm::Error checkText(StringRef text) {
  constexpr unsigned maxDepth = 64;
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (StringRef("<([{").contains(text[i]) && ++depth > maxDepth)
      return createStringError("types and attributes are nested at most %u "
                               "deep",
                               maxDepth);
    bool isArrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if (depth > 0 && !isArrow && StringRef(">)]}").contains(text[i]))
      --depth;
  }
  return llvm::Error::success();
}

attn_code attn_type_parse(attn_builder *builder, const char *text,
                          const attn_type **type) {
  return build(builder, [&](MLIRContext &context) -> llvm::Error {
    *type = nullptr;
    if (llvm::Error error = checkText(text))
      return error;
    Type parsed = parseType(text, &context);
    if (!parsed)
      return createStringError("'" + StringRef(text) + "' is not a type");
    *type = wrap(parsed);
    return llvm::Error::success();
  });
}

attn_code attn_attribute_parse(attn_builder *builder, const char *text,
                               const attn_attribute **attribute) {
  return build(builder, [&](MLIRContext &context) -> llvm::Error {
    *attribute = nullptr;
    if (llvm::Error error = checkText(text))
      return error;
    Attribute parsed = parseAttribute(text, &context);
    if (!parsed)
      return createStringError("'" + StringRef(text) + "' is not an attribute");
    *attribute = wrap(parsed);
    return llvm::Error::success();
  });
}

/// Booleans come as a byte each.
static DenseElementsAttr makeBooleans(RankedTensorType type,
                                      ArrayRef<char> bytes) {
  SmallVector<bool> values;
  for (char byte : bytes)
    values.push_back(byte != 0);
  return DenseElementsAttr::get(type, values);
}

attn_code attn_attribute_elements(attn_builder *builder, const attn_type *type,
                                  const void *data, size_t size,
                                  const attn_attribute **attribute) {
  return build(builder, [&](MLIRContext &) -> llvm::Error {
    *attribute = nullptr;
    auto tensor = dyn_cast_or_null<RankedTensorType>(unwrap(type));
    if (!tensor || !tensor.hasStaticShape() ||
        !tensor.getElementType().isIntOrFloat())
      return createStringError(
          "elements need a tensor type of numbers with static sizes");
    size_t width = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
    size_t all = width * tensor.getNumElements();
    if (size != all && size != width)
      return createStringError("elements of %zu bytes were given where %zu, or "
                               "%zu for all alike, are needed",
                               size, all, width);
    ArrayRef<char> bytes(static_cast<const char *>(data), size);
    *attribute = wrap(tensor.getElementType().isInteger(1)
                          ? makeBooleans(tensor, bytes)
                          : DenseElementsAttr::getFromRawBuffer(tensor, bytes));
    return llvm::Error::success();
  });
}
