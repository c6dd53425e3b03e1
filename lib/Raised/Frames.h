//===- Frames.h - Where in the framework's source an op is ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's exports have call stacks, JAX's the names of the scopes and the
// place in the file. Without debug info there is the line of the module itself.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RAISED_FRAMES_H
#define ATTN_LIB_RAISED_FRAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace attn {

/// A function of the source, or a name without a place.
struct Frame {
  std::string file;
  unsigned line = 0;
  std::string name;

  bool operator==(const Frame &other) const {
    return file == other.file && line == other.line && name == other.name;
  }
};

/// The innermost first, which is where the op is.
using Frames = llvm::SmallVector<Frame, 2>;

Frames getFrames(mlir::Location loc);

/// `model.py:12`, with the name in front of it where there is one; `full` has
/// the whole path of the file.
std::string print(const Frame &frame, bool full);

/// The frames nearest to the op, in a line.
std::string describe(const Frames &frames);

/// What is the same for equal layers: numbers in names are left out.
std::string getLayerKey(const Frames &frames);

/// The outer frames that two ops share, and the scopes of a name; none where
/// they share nothing.
Frames getShared(const Frames &a, const Frames &b);

} // namespace attn

#endif // ATTN_LIB_RAISED_FRAMES_H
