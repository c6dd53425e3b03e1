//===- KeyNorms.h - Norms of a block of keys --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_KEYNORMS_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_KEYNORMS_H

#include "TileShape.h"

namespace attn {

/// Writes 1 / norm of each row of `keys`, a memref [key, dim], to `norms`,
/// which has room for a multiple of `tile.lanes` of them.
void emitKeyNorms(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value keys, mlir::Value norms, const RegisterTile &tile,
                  CosineAttr cosine);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_KEYNORMS_H
