//===- NumpyFile.h - Reads and writes .npy and .npz -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_NUMPYFILE_H
#define ATTN_SUPPORT_NUMPYFILE_H

#include "attn/Support/HostArray.h"
#include "llvm/Support/Error.h"

namespace attn {

/// Decodes the bytes of one .npy file. Errors start with `where`.
llvm::Expected<HostArray> parseNpy(llvm::StringRef bytes,
                                   llvm::StringRef where);

/// Encodes an array as the bytes of a .npy file, format version 1.0.
std::string formatNpy(const HostArray &array);

/// Whether to read an array, to leave it out, or to give up. Asked before any
/// of its elements is read.
using ArrayFilter = llvm::function_ref<llvm::Expected<bool>(
    llvm::StringRef name, ElementKind kind, llvm::ArrayRef<int64_t> shape)>;

/// Reads a .npz archive (members without their `.npy`), or a .npy file (one
/// array without a name), chosen by the file's first bytes. Without a filter
/// all arrays.
llvm::Expected<std::vector<NamedArray>>
readNumpyFile(llvm::StringRef path, ArrayFilter filter = nullptr);

/// Writes an uncompressed .npz. The same arrays give the same bytes. The file
/// appears under its name only when it is complete.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays);

} // namespace attn

#endif // ATTN_SUPPORT_NUMPYFILE_H
