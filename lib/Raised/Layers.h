//===- Layers.h - Which ops are the layers of a model -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers are what repeats: the same products in the same order, at the same
// places of the source where those are known. Where nothing repeats each
// attention begins a part.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RAISED_LAYERS_H
#define ATTN_LIB_RAISED_LAYERS_H

#include "Rows.h"

namespace attn {

/// Rows from `begin` up to `end`.
struct RaisedLayer {
  std::string name;
  /// What calls it, empty where that is not known.
  std::string where;
  size_t begin = 0, end = 0;
};

struct RaisedLayers {
  std::vector<RaisedLayer> layers;
  /// By what they are told apart: source, structure, order, or nothing.
  llvm::StringRef by;
};

RaisedLayers findLayers(llvm::ArrayRef<RaisedRow> rows);

} // namespace attn

#endif // ATTN_LIB_RAISED_LAYERS_H
