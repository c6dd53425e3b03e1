//===- Explained.h - Ops that have had their remark -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several passes look at one chain of ops, and a user wants to read once why it
// was not raised. A pass that says so keeps the remark at the op, in its
// location, which no pass reads and no text of IR shows without debug info.
// attn-remark-left says it of the chains that have none, and the report on
// raising reads it there: places of the source do not tell equal layers apart.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REMARKS_EXPLAINED_H
#define ATTN_REMARKS_EXPLAINED_H

#include "attn/Remarks/Remarks.h"
#include "mlir/IR/Operation.h"

namespace attn {

/// The location with what was said of its op, id and text, in its metadata.
inline mlir::FusedLoc findExplained(mlir::Location loc) {
  auto fused = mlir::dyn_cast<mlir::FusedLoc>(loc);
  if (!fused || fused.getLocations().size() != 1)
    return {};
  auto said = mlir::dyn_cast_or_null<mlir::StringAttr>(fused.getMetadata());
  return said && said.getValue().starts_with("attn-r") ? fused
                                                       : mlir::FusedLoc();
}

/// The location as it was before.
inline mlir::Location getUnmarked(mlir::Location loc) {
  mlir::FusedLoc explained = findExplained(loc);
  return explained ? explained.getLocations()[0] : loc;
}

/// What was said of `op`, `attn-rNNN text`; empty where nothing was.
inline llvm::StringRef getExplanation(mlir::Operation *op) {
  mlir::FusedLoc explained = findExplained(op->getLoc());
  return explained
             ? mlir::cast<mlir::StringAttr>(explained.getMetadata()).getValue()
             : "";
}

inline bool isExplained(mlir::Operation *op) {
  return !getExplanation(op).empty();
}

/// Says why `op` stays as it is, and keeps that.
inline void explain(mlir::Operation *op, const Remark &remark) {
  mlir::Location loc = getUnmarked(op->getLoc());
  remark.emit(loc);
  mlir::MLIRContext *context = op->getContext();
  op->setLoc(mlir::FusedLoc::get(
      {loc},
      mlir::StringAttr::get(context,
                            remark.getLabel() + " " + remark.getText()),
      context));
}

} // namespace attn

#endif // ATTN_REMARKS_EXPLAINED_H
