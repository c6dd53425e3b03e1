//===- Build.h - What stands behind the handles of build.h -------*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_BUILD_H
#define ATTN_LIB_CAPI_BUILD_H

#include "Internal.h"
#include "attn-c/build.h"
#include "mlir/IR/Builders.h"

struct attn_builder {
  explicit attn_builder(attn_module &module)
      : module(module),
        insertion(mlir::OpBuilder::atBlockEnd(module.op->getBody())),
        location(mlir::UnknownLoc::get(insertion.getContext())) {}

  attn_module &module;
  mlir::OpBuilder insertion;
  mlir::Location location;
  /// Where each region that was entered is left to.
  llvm::SmallVector<mlir::OpBuilder::InsertPoint> outer;
};

namespace attn::capi {

/// runShort() for a function that works on a builder's module.
attn_code build(attn_builder *builder,
                llvm::function_ref<llvm::Error(mlir::MLIRContext &)> body);

inline const attn_type *wrap(mlir::Type type) {
  return static_cast<const attn_type *>(type.getAsOpaquePointer());
}
inline mlir::Type unwrap(const attn_type *type) {
  return mlir::Type::getFromOpaquePointer(type);
}
inline const attn_attribute *wrap(mlir::Attribute attribute) {
  return static_cast<const attn_attribute *>(attribute.getAsOpaquePointer());
}
inline mlir::Attribute unwrap(const attn_attribute *attribute) {
  return mlir::Attribute::getFromOpaquePointer(attribute);
}
inline const attn_value *wrap(mlir::Value value) {
  return static_cast<const attn_value *>(value.getAsOpaquePointer());
}
inline mlir::Value unwrap(const attn_value *value) {
  return mlir::Value::getFromOpaquePointer(value);
}
inline attn_op *wrap(mlir::Operation *op) {
  return reinterpret_cast<attn_op *>(op);
}
inline mlir::Operation *unwrap(const attn_op *op) {
  return reinterpret_cast<mlir::Operation *>(const_cast<attn_op *>(op));
}

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_BUILD_H
